"""What tests of the `jurat` command share: rules, a diff, and what a run leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

RULES = """\
version: 1
rules:
  - id: acme.small
    statement: A change touches at most one file.
    kind: computational
    modality: MUST
    severity: HIGH
    constraints:
      - {type: numeric, field_path: change.files_changed, operator: "<=", threshold: 1}
  - id: acme.no-md5
    statement: Digests are made with a strong hash.
    kind: computational
    modality: MUST_NOT
    severity: CRITICAL
    languages: [python]
    constraints:
      - {type: pattern, language: python, pattern: hashlib.md5($X), fix: hashlib.sha256($X)}
    examples:
      invalid: ["hashlib.md5(data)"]
      valid: ["hashlib.sha256(data)"]
"""
OVERTIME = """\
version: 1
rules:
  - id: hr.overtime
    statement: Monthly overtime must not exceed 45 hours.
    kind: computational
    modality: MUST
    severity: HIGH
    subject_kinds: [event]
    constraints:
      - {type: numeric, field_path: monthly_overtime_hours, operator: "<=", threshold: 45}
"""
NORMATIVE = """\
version: 1
rules:
  - id: acme.kind
    statement: Error messages are kind.
    kind: normative
    modality: MUST
    severity: HIGH
"""
DIFF = """\
--- /dev/null
+++ b/digest.py
@@ -0,0 +1,2 @@
+import hashlib
+print(hashlib.md5(b""))
"""


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run of the command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
