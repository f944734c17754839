# `make demo` runs the main job, `make test` passes everything. Both set up what they need.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LOCK := deploy/requirements-dev.lock
INSTALLER := deploy/requirements-installer.lock
SBOM := build/sbom.cdx.json
TOOLS := build/bench-tools

# The browser is fetched while packages are, and types are checked beside the tests.
MAKEFLAGS += --jobs=3

# The suite starts hundreds of processes: what one of them has compiled, the next one reads.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo sandbox test suite golden sequences moves fixed attack quality measured chaos check style types browser install-check bench bench-acknowledgement \
  webhook-examples changelog dependency-audit lock base-images dist sbom clean

demo: $(READY)
	@$(BIN)/jurat demo

# Your own branch as a pull request at a GitHub that stands in: make sandbox CHECKOUT=../shop
sandbox: $(READY)
	@$(BIN)/python -m tests.cli.sandbox "$(or $(CHECKOUT),.)"

test: check suite

suite: style browser
	@$(BIN)/python -m pytest --numprocesses auto --dist worksteal

# What Jurat says today becomes what tests/golden holds it against.
golden: $(READY)
	@$(BIN)/python -m tests.golden

# Sequences of events on a pull request: the suite draws 25 of them, this 300, in about a minute.
sequences: $(READY)
	@JURAT_SEQUENCES=300 $(BIN)/python -m pytest --quiet tests/app/test_sequences.py

# Code that is moved, renamed and indented: the suite makes 150 such changes, this 1,000.
moves: $(READY)
	@JURAT_MOVES=1000 $(BIN)/python -m pytest -n0 --quiet tests/engine/test_newness.py -k moves

# Programs made at random, run before and after each fix: the suite tries 25 fixes, this 500.
fixed: $(READY)
	@JURAT_FIXED_PROGRAMS=500 $(BIN)/python -m pytest -n0 --quiet tests/engine/test_fixed_programs.py

check: style types

types: $(READY)
	@$(BIN)/mypy
	@$(BIN)/mypy deploy/base_images.py deploy/changelog.py bot/launcher.py

style: $(READY)
	@$(BIN)/ruff format --check --quiet bot deploy tests
	@$(BIN)/ruff check --quiet bot deploy tests
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/zizmor --offline --no-progress --quiet --strict-collection --persona pedantic .github
	@$(BIN)/deptry bot

# uv takes seconds where pip takes minutes; pip knows the indexes that only its own settings name.
install = $(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --no-deps $(1) \
  || $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(1)

$(READY): pyproject.toml $(INSTALLER) $(LOCK)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Jurat needs Python 3.11 or newer: make PYTHON=/path/to/python")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what Jurat needs into $(VENV), once."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement $(INSTALLER)
	@$(call install,--require-hashes --requirement $(LOCK))
	@$(call install,--no-build-isolation --editable .)
	@touch $@

# Pages are tested in a real browser. If Debian's can be installed without asking, it is.
browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { \
	  test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1; } \
	|| echo "No Chromium here: the tests of pages will say that they were skipped."

# The wheel beside the locked packages alone, driven over HTTP. `make test` passes this too.
install-check: $(READY)
	@$(BIN)/python -m pytest tests/install

# What attackers would try, played; docs/threat-model.md lists it.
attack: $(READY)
	@$(BIN)/python -m pytest --numprocesses auto tests/attacks --deselect tests/attacks/test_threat_model.py
	@$(BIN)/python -m tests.attacks

# How often good changes are stopped and bad ones let through; docs/quality.md is written anew.
quality: $(READY)
	@$(BIN)/python -m tests.quality

# How often the shipped rules are right in real code, for those that have changed since, and what they
# make of their examples in disguise: a rule blocks once that has earned it. MIRRORS=DIR are bare
# clones, else they are fetched.
measured: $(READY)
	@$(BIN)/python -m tests.quality.disguises
	@$(BIN)/python -m tests.quality.firings --new $(if $(MIRRORS),--mirrors $(MIRRORS))

# 500 events, 20% faults, workers killed at random; ends with 1 if anything was lost or doubled.
chaos: $(READY)
	@$(BIN)/python -m tests.chaos

# The lock is complete: every package with its hashes, for every platform.
compile = $(BIN)/uv pip compile --quiet --system-certs --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-annotate --no-header --upgrade pyproject.toml --output-file

lock: $(READY)
	@$(compile) deploy/requirements.lock --extra postgres
	@$(compile) $(LOCK) --group dev
	@$(compile) deploy/requirements-build.lock --constraint $(LOCK) --group build
	@$(compile) $(INSTALLER) --constraint $(LOCK) --group installer

# The images in deploy/ by the digests that their tags have now; nothing if a registry is silent.
base-images:
	@$(PYTHON) deploy/base_images.py

# What changelog.d/ says moves into CHANGELOG.md.
changelog:
	@$(PYTHON) deploy/changelog.py

# The wheel and the source, built with what deploy/requirements-build.lock has, and nothing else.
dist:
	@$(PYTHON) -m venv --clear build/backend
	@build/backend/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --require-hashes --requirement deploy/requirements-build.lock
	@rm -rf dist && build/backend/bin/hatchling build

# What is shipped, as a CycloneDX bill of materials: every package of the lock, with its hashes.
# The warning that is silenced says that a lock does not tell who needs whom.
sbom: $(READY)
	@mkdir -p $(dir $(SBOM))
	@PYTHONWARNINGS=ignore::UserWarning $(BIN)/cyclonedx-py requirements --output-reproducible \
	  --pyproject pyproject.toml --output-file $(SBOM) deploy/requirements.lock

# Jurat beside others that look for patterns or evaluate rules, which only this target installs.
bench: $(READY) $(TOOLS)/.ready
	@$(BIN)/python -m tests.benchmarks.bench_review --tools $(TOOLS)/bin
	@for name in constraints selection prompts audit rating workers; do \
	  PYTHONPATH=bot:.:$(TOOLS)/packages $(BIN)/python -m tests.benchmarks.bench_$$name || exit 1; done

# Acknowledging deliveries, beside Probot if there is npm.
bench-acknowledgement: $(READY)
	@npm install --silent --no-audit --no-fund --prefix build/probot probot@14.3.2 || true
	@$(BIN)/python -m tests.benchmarks.bench_acknowledgement --probot build/probot

$(TOOLS)/.ready:
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check ast-grep-cli semgrep
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --target $(TOOLS)/packages rule-engine
	@touch $@

# GitHub's events as others have published them, each through the webhook. Needs npm.
webhook-examples: $(READY)
	@mkdir -p build/webhook-examples
	@npm install --silent --no-audit --no-fund --prefix build/webhook-examples @octokit/webhooks-examples@7
	@$(BIN)/python -m tests.server.octokit_examples build/webhook-examples/node_modules/@octokit/webhooks-examples

# Known weaknesses of what is locked. If nobody can be asked it says so, package by package.
dependency-audit: $(TOOLS)/.audit
	@$(TOOLS)/bin/pip-audit --no-deps --disable-pip --require-hashes --requirement deploy/requirements.lock

$(TOOLS)/.audit:
	@$(PYTHON) -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check pip-audit
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
