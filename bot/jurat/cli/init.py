"""`jurat init`: a first `.github/jurat.yml`, from what is in a checkout and what was merged."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer

from jurat.cli.backtest import BacktestArgs, replay_history
from jurat.cli.checkout import GitCheckout
from jurat.cli.rule_files import CONFIGURATION_PATH
from jurat.errors import UsageError
from jurat.findings.backtest import Backtest, RuleBacktest
from jurat.reports.counts import pluralize
from jurat.rules.loader import load_configuration_file
from jurat.rules.schemas import SchemaName, build_schema
from jurat.source.languages import detect_language
from jurat.source.visible_text import to_terminal_line

SCHEMA_PATH = ".github/jurat.schema.json"
LAST = 100
"""Merged changes that are replayed if nobody says how many."""
MAX_SECONDS = 120.0
"""For which they are replayed at most: somebody sits there and waits."""

_LANGUAGES_NAMED = 5
_NO_JUDGE = f"`judge: none` in {CONFIGURATION_PATH}"
_MAX_READ = 1 << 20
_NO_CODE = frozenset({"json", "markdown", "yaml", "css", "html"})

LINTERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Bandit": (".bandit", "bandit.y*ml"),
        "Biome": ("biome.json*",),
        "Checkstyle": ("checkstyle*.xml",),
        "Clippy": ("clippy.toml", ".clippy.toml"),
        "CodeQL": ("codeql-config.y*ml", "codeql.y*ml", "codeql-analysis.y*ml"),
        "ESLint": (".eslintrc*", "eslint.config.*"),
        "Flake8": (".flake8",),
        "golangci-lint": (".golangci.*",),
        "mypy": ("mypy.ini", ".mypy.ini"),
        "PHPStan": ("phpstan.neon*",),
        "pre-commit": (".pre-commit-config.yaml",),
        "Pylint": (".pylintrc", "pylintrc"),
        "RuboCop": (".rubocop.yml",),
        "Ruff": ("ruff.toml", ".ruff.toml"),
        "Semgrep": (".semgrep.y*ml", ".semgrepignore"),
        "SonarQube": ("sonar-project.properties",),
        "SpotBugs": ("spotbugs*.xml", "findbugs*.xml"),
        "zizmor": ("zizmor.y*ml",),
    }
)
"""Linters, by the names of the files that configure them."""

_SECTIONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "pyproject.toml": {
            "[tool.bandit": "Bandit",
            "[tool.mypy": "mypy",
            "[tool.pylint": "Pylint",
            "[tool.ruff": "Ruff",
        },
        "setup.cfg": {"[flake8]": "Flake8", "[mypy": "mypy"},
        "tox.ini": {"[flake8]": "Flake8"},
        "package.json": {'"eslintConfig"': "ESLint"},
    }
)
"""Linters that a section of a larger file configures."""


@dataclass(frozen=True, slots=True)
class CheckoutSurvey:
    """What is in a checkout: languages with their files, linters, and workflows by their paths."""

    languages: tuple[tuple[str, int], ...]
    linters: tuple[str, ...]
    workflows: tuple[str, ...]
    is_reviewed: bool
    """Whether a workflow runs Jurat."""


def write_first_config(
    *,
    repo: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The checkout.", show_default="the one around here"),
    ] = None,
    last: Annotated[
        int, typer.Option(metavar="N", min=0, help="Try the rules on so many merged changes.")
    ] = LAST,
    force: Annotated[
        bool, typer.Option("--force", help="Write over the configuration that is there.")
    ] = False,
) -> None:
    """Write a first .github/jurat.yml, with levels that would have blocked nothing merged.

    Looks at the languages, workflows and linters of the checkout, and tries the rules on the
    changes that were merged last, for two minutes at most. No model is asked.
    """
    with GitCheckout.containing(repo) as repository:
        if repository.is_bare:
            raise UsageError("A bare repository has no files.", hint="Run jurat in a checkout.")
        root = repository.root
        _check_free(root, force=force)
        survey = describe_checkout(root, repository.list_names("ls-files", "-z"))
        has_history = repository.commit("HEAD") is not None
    backtest, untried = _try_rules(repo, last) if last and has_history else (None, "")
    text = render_config(survey, backtest)
    # What an editor and the App would refuse is not written.
    load_configuration_file(CONFIGURATION_PATH, text)
    _write_whole(root / SCHEMA_PATH, json.dumps(build_schema(SchemaName.CONFIG), indent=2) + "\n")
    _write_whole(root / CONFIGURATION_PATH, text)
    if not has_history:
        untried = "there is no commit yet"
    for line in _describe_result(survey, backtest, untried):
        typer.echo(line)


def _check_free(root: Path, *, force: bool) -> None:
    folder, path = root / ".github", root / CONFIGURATION_PATH
    # A link in a checkout is its author's: it must not have us write elsewhere.
    for each in (folder, path, root / SCHEMA_PATH):
        if each.is_symlink():
            raise UsageError(f"{each.relative_to(root)} is a link.", hint="Replace it first.")
    if path.exists() and not force:
        raise UsageError(f"{CONFIGURATION_PATH} is there already.", hint="--force writes over it.")


def describe_checkout(root: Path, names: Sequence[str]) -> CheckoutSurvey:
    """What is there, by the names of the files that git knows."""
    counts = Counter(map(detect_language, names))
    languages = tuple(
        (name, count)
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0] or ""))
        if name is not None and name not in _NO_CODE
    )
    workflows = tuple(
        name
        for name in names
        if name.startswith(".github/workflows/") and name.endswith((".yml", ".yaml"))
    )
    return CheckoutSurvey(
        languages,
        tuple(sorted(set(_iter_linters(root, names)), key=str.lower)),
        workflows,
        any("jurat" in _read_start(root / name) for name in workflows),
    )


def _iter_linters(root: Path, names: Sequence[str]) -> Iterator[str]:
    for base in {name.rpartition("/")[2] for name in names}:
        yield from (
            linter
            for linter, globs in LINTERS.items()
            if any(fnmatchcase(base, each) for each in globs)
        )
    # At the top alone: what a nested project configures holds for that project.
    for name in set(names) & _SECTIONS.keys():
        text = _read_start(root / name)
        yield from (linter for mark, linter in _SECTIONS[name].items() if mark in text)


def _read_start(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            return file.read(_MAX_READ).decode("utf-8", "replace")
    except OSError:
        return ""


def _try_rules(repo: Path | None, last: int) -> tuple[Backtest | None, str]:
    """How the shipped rules did on what was merged, or why that cannot be known."""
    asked = BacktestArgs(repo, None, last, rules=(), packs=None, is_configured=False)
    try:
        backtest = replay_history(asked, fresh=False, seconds=MAX_SECONDS)
    except UsageError as error:
        return None, error.message.rstrip(".")
    return (backtest, "") if backtest.reviewed else (None, "none could be tried in time")


def list_too_strict(backtest: Backtest) -> tuple[RuleBacktest, ...]:
    """The rules that would have stopped something that was merged."""
    return tuple(rule for rule in backtest.rules if rule.stopped)


def render_config(survey: CheckoutSurvey, backtest: Backtest | None) -> str:
    """The configuration, with comments that say why."""
    return "\n".join((*_render_head(survey), *_render_levels(backtest), *_render_more(), ""))


def _render_head(survey: CheckoutSurvey) -> Iterator[str]:
    yield f"# yaml-language-server: $schema={SCHEMA_PATH.rpartition('/')[2]}"
    yield "#"
    yield "# By what Jurat reviews pull requests. It counts once it is on the base branch: no pull"
    yield "# request chooses its own judge. docs/configuration.md explains each key."
    yield "version: 1"
    yield ""
    yield "# The rules that ship with Jurat; `jurat rules list` lists them."
    yield "packs: [engineering]"
    yield "# rules: [house-rules]   # your own: a folder of this repository, see `jurat rules new`"
    yield ""
    yield "# From this severity on, a rule that is broken fails the check. `never` only advises."
    yield "block_on: HIGH"
    if survey.linters:
        yield ""
        yield f"# Here already: {', '.join(survey.linters)}. If one of them finds what a rule finds"
        yield "# too, give that rule the level `off` below, so that nobody reads it twice."


def _render_levels(backtest: Backtest | None) -> Iterator[str]:
    yield ""
    if backtest is None:
        yield "# What single rules do: off, observe, warn or block. Nothing merged could be tried;"
        yield "# `jurat rules backtest` suggests levels once there is a history."
        yield "levels: {}"
        return
    strict = list_too_strict(backtest)
    changes = pluralize(backtest.reviewed, "merged change")
    if not strict:
        yield f"# What single rules do: off, observe, warn or block. Of the last {changes} none"
        yield "# would have been stopped by a rule, so each keeps its own level."
        yield "levels: {}"
        return
    yield f"# Tried on the last {changes}: these rules would have stopped some of them, so"
    yield "# they only advise. Give a rule `block`, or delete its line, when you trust it."
    yield "levels:"
    for rule in strict:
        stopped = f"would have stopped {pluralize(rule.stopped, 'change')}"
        yield f"  {rule.rule}: {rule.suggested or 'warn'}   # {stopped}"


def _render_more() -> Iterator[str]:
    yield ""
    yield "# ignore: [vendor/**]     # paths that are not reviewed"
    yield "# judge: none             # no model is asked; rules that only one can decide are out"


def _write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    try:
        path.parent.mkdir(exist_ok=True)
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error


def _describe_result(
    survey: CheckoutSurvey, backtest: Backtest | None, untried: str
) -> Iterator[str]:
    languages = [
        f"{name} ({pluralize(count, 'file')})"
        for name, count in survey.languages[:_LANGUAGES_NAMED]
    ]
    reviewed = "one runs Jurat" if survey.is_reviewed else "none runs Jurat"
    count = len(survey.workflows)
    yield f"Languages:  {', '.join(languages) or 'none that Jurat parses'}"
    yield f"Linters:    {', '.join(survey.linters) or 'none that Jurat knows'}"
    yield f"Workflows:  {f'{count}, {reviewed}' if count else 'none'}"
    yield f"History:    {_describe_history(backtest, untried)}"
    yield f"\nWrote {CONFIGURATION_PATH} and {SCHEMA_PATH}, which editors complete it by.\n"
    yield "Next:"
    yield "  jurat review                    review this branch by it"
    yield "  git add .github && git commit   it counts once it is on the base branch"
    if not survey.is_reviewed:
        yield "  docs/ci.md                      each pull request: an Action, GitLab, a hook"
    if not any(os.environ.get(name, "").strip() for name in ("GEMINI_API_KEY", "JURAT_MODELS")):
        yield "\nGEMINI_API_KEY is not set here. Where the review has none either, rules that only"
        yield f"a model can decide ask for a person; {_NO_JUDGE} leaves them out."


def _describe_history(backtest: Backtest | None, untried: str) -> str:
    if backtest is None:
        return f"not tried{f': {to_terminal_line(untried)}' if untried else ''}"
    strict = list_too_strict(backtest)
    stopped = {rule.rule for rule in strict}
    # What no level mends, such as a file that could not be read.
    rest = sum(
        change.is_stopped and not {item.rule for item in change.firings if item.blocks} & stopped
        for change in backtest.changes
    )
    summary = f"{pluralize(backtest.reviewed, 'merged change')} tried, {backtest.stopped} stopped"
    if strict:
        summary += (
            f"; with {pluralize(len(strict), 'level')} written down {rest or 'none'} would be"
        )
    elif rest:
        summary += ", by what was not assessed: `jurat rules backtest` names it"
    return summary
