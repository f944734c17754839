"""Labelled changes, and the repository that holds each of them as two commits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

from tests.support.git import Tree, write_commits

FOLDER = Path(__file__).parents[2] / "fixtures" / "quality" / "changes"

Kind = Literal["planted", "twin", "removal", "context", "move", "rename", "ratchet"]
FAULTY: frozenset[Kind] = frozenset({"planted", "removal", "context"})
"""Kinds of change that a reviewer would stop."""


class Versions(BaseModel):
    """A file before and after; None is no file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base: str | None = None
    head: str | None = None


class Case(BaseModel):
    """One labelled change. See fixtures/quality/README.md."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    kind: Kind
    language: str
    why: str
    files: Mapping[str, Versions]
    cwe: int | None = None
    severity: Literal["CRITICAL", "HIGH", "MEDIUM", "LOW"] | None = None
    at: str = ""
    fault: bool = False

    @property
    def half(self) -> Literal["open", "held back"]:
        """Whoever writes rules may look at the open half; the other is for measuring alone."""
        return "open" if sha256(self.id.encode()).digest()[0] % 2 == 0 else "held back"

    @property
    def is_faulty(self) -> bool:
        """Whether a reviewer would say something."""
        return self.kind in FAULTY or self.fault

    @property
    def must_block(self) -> bool:
        """Whether a reviewer would stop it."""
        return self.kind in FAULTY and self.severity in ("CRITICAL", "HIGH")

    @model_validator(mode="after")
    def _is_whole(self) -> Case:
        if self.kind in FAULTY and None in (self.cwe, self.severity):
            raise ValueError("a fault has a cwe and a severity")
        if self.at and not any(
            self.at in text
            for file in self.files.values()
            for text in (file.base, file.head)
            if text
        ):
            raise ValueError(f"`at` stands nowhere: {self.at!r}")
        if all(file.base == file.head for file in self.files.values()):
            raise ValueError("nothing changes")
        return self


def load_cases(folder: Path = FOLDER) -> tuple[Case, ...]:
    """All cases, in the order of their files. Raises ValueError for one that is wrong, or twice."""
    cases = [
        Case.model_validate(row)
        for path in sorted(folder.glob("*.yml"))
        for row in yaml.safe_load(path.read_text("utf-8"))["changes"]
    ]
    if twice := {case.id for case in cases if sum(case.id == other.id for other in cases) > 1}:
        raise ValueError(f"ids that stand twice: {sorted(twice)}")
    return tuple(cases)


def write_cases(folder: Path, cases: Sequence[Case]) -> None:
    """Make an empty folder a repository with the branches `ID/base` and `ID/head` of each case."""
    write_commits(folder, _list_commits(cases))


def _list_commits(cases: Sequence[Case]) -> Iterator[tuple[str, str | None, Tree]]:
    for case in cases:
        yield f"{case.id}/base", None, _build_tree(case, "base")
        yield f"{case.id}/head", f"{case.id}/base", _build_tree(case, "head")


def _build_tree(case: Case, side: Literal["base", "head"]) -> Tree:
    texts = {path: file.base if side == "base" else file.head for path, file in case.files.items()}
    return {path: text.encode() for path, text in texts.items() if text is not None}
