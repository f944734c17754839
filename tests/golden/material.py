"""Rules and changes that between them bring about everything that a review can say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures"

RULES = """\
version: 1
rules:
  - id: py.no-md5
    statement: Digests are made with a strong hash.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    languages: [python]
    rationale: MD5 collisions are cheap.
    constraints:
      - {type: pattern, language: python, pattern: hashlib.md5($$$A), fix: hashlib.sha256($$$A)}
  - id: py.no-eval
    statement: Text is never run as code.
    kind: computational
    modality: MUST_NOT
    severity: CRITICAL
    languages: [python]
    exceptions: [calculators]
    constraints:
      - {type: pattern, language: python, pattern: eval($$$A)}
  - id: py.no-exec-yet
    statement: Text is never executed.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    maturity: experimental
    languages: [python]
    constraints:
      - {type: pattern, language: python, pattern: exec($$$A)}
  - id: py.prefer-logging
    statement: Modules log and do not print.
    kind: computational
    modality: SHOULD
    severity: LOW
    languages: [python]
    constraints:
      - {type: pattern, language: python, pattern: print($$$A)}
  - id: py.no-todo
    statement: Lines hold no open ends.
    kind: computational
    modality: MAY
    severity: LOW
    constraints:
      - {type: regex, pattern: "TODO"}
  - id: house.small
    statement: A change touches at most three files.
    kind: computational
    modality: MUST
    severity: MEDIUM
    constraints:
      - {type: numeric, field_path: change.files_changed, operator: "<=", threshold: 3}
  - id: house.tests-with-code
    statement: A change of code comes with a change of tests.
    kind: computational
    modality: SHOULD
    severity: MEDIUM
    constraints:
      - {type: numeric, field_path: change.files_changed, operator: "<=", threshold: 2}
  - id: house.later
    statement: From 2999 on nothing changes.
    kind: computational
    modality: MUST
    severity: HIGH
    effective: {from: 2999-01-01}
    constraints:
      - {type: numeric, field_path: change.files_changed, operator: "<=", threshold: 0}
  - id: house.general
    statement: Names are written out.
    kind: computational
    modality: MUST
    severity: HIGH
    constraints:
      - {type: regex, pattern: "tmp"}
  - id: house.special
    statement: Names in scripts are short.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    relations: {overrides: [house.general]}
    constraints:
      - {type: regex, pattern: "temporary"}
  - id: house.contested
    statement: Files end in a line end.
    kind: computational
    modality: SHOULD
    severity: LOW
    relations: {conflicts_with: [py.no-md5]}
    constraints:
      - {type: numeric, field_path: change.files_changed, operator: "<=", threshold: 99}
  - id: house.dependent
    statement: What is evaluated is named.
    kind: computational
    modality: MUST
    severity: HIGH
    relations: {depends_on: [py.no-eval]}
    constraints:
      - {type: numeric, field_path: change.files_changed, operator: "<=", threshold: 99}
"""
NORMATIVE = """\
  - id: house.no-names-in-logs
    statement: Log lines hold no names of customers.
    kind: normative
    modality: MUST_NOT
    severity: HIGH
    languages: [python]
  - id: house.kind-errors
    statement: Error messages are kind.
    kind: normative
    modality: SHOULD
    severity: MEDIUM
    languages: [python]
  - id: house.observed
    statement: Comments say why.
    kind: normative
    modality: MUST
    severity: HIGH
    maturity: experimental
    languages: [python]
"""
CONFIGURATION = "version: 1\npacks: []\nrules: [policies]\n"
CONFIGURED: Mapping[str, str] = {
    ".github/jurat.yml": CONFIGURATION,
    "policies/house.yml": RULES + NORMATIVE,
}
CLEAN = "import hashlib\n\n\ndef name(data):\n    return hashlib.sha256(data).hexdigest()\n"
BROKEN = CLEAN.replace("sha256", "md5")
EVERYTHING: Mapping[str, str | bytes] = {
    "digest.py": BROKEN,
    "run.py": (
        "import logging\n\n\ndef run(text, customer):\n    tmp = eval(text)  # TODO\n"
        "    exec(text)\n    print(tmp)\n    logging.info(customer.name)\n"
        '    raise ValueError("No.")\n'
    ),
    "half.py": "def half(:\n    return hashlib.md5(data)\n",
    "latin.py": "name = 'caf\xe9'\n".encode("latin-1"),
    "picture.png": bytes(range(256)) * 4,
    "lib/long.js": f"const x = '{'y' * 300}'\n",
}
SUPPRESSED_BASE = """\
import hashlib

a = 1  # jurat: ignore py.no-md5 until 2020-01-01 -- old
b = 1  # jurat: ignore py.no-md6 until 2999-01-31 -- typo
c = 1  # jurat: ignore py.no-md5 until 2999-01-31 -- needless
d = 1  # jurat: ignore py.no-md5 -- for ever
e = 1  # jurat: ignore py.no-md5 until 2999-01-31


def name(data):
    # jurat: ignore py.no-md5 until 2999-01-31 -- a checksum, no secret
    return hashlib.md5(data)
"""
SUPPRESSED_HEAD = SUPPRESSED_BASE.replace("= 1", "= 2").replace("(data)\n", "(data + b'!')\n") + (
    "\n\ndef other(data):\n"
    "    # jurat: ignore py.no-md5 until 2999-01-31 -- this change brings it\n"
    "    return hashlib.md5(data)\n"
)


def files_below(folder: Path) -> Mapping[str, bytes]:
    """The files of a folder of fixtures."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
