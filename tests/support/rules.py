"""A house rule as a repository has it, and code that keeps it or breaks it."""

from __future__ import annotations

NO_MD5 = """
version: 1
rules:
  - id: py.no-md5
    statement: Digests are made with a strong hash.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    languages: [python]
    constraints:
      - {type: pattern, language: python, pattern: hashlib.md5($$$A), fix: hashlib.sha256($$$A)}
"""
CLEAN = "import hashlib\n\n\ndef name(data):\n    return hashlib.sha256(data).hexdigest()\n"
BROKEN = CLEAN.replace("sha256", "md5")
