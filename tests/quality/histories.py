"""What the shipped defaults would have said of the merged changes of other people's projects.

The code of those projects is fetched and measured, and no line of it is kept: a label names a place
by project, commit, path and line.
"""

from __future__ import annotations

import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict

from jurat.cli.backtest import BacktestArgs, replay_history
from jurat.findings.backtest import Backtest

FOLDER = Path(__file__).parents[2] / "fixtures" / "quality"
PROJECTS = FOLDER / "projects.yml"
LABELS = FOLDER / "labels.yml"
FIRST_SIGHT = FOLDER / "first_sight.yml"


class Project(BaseModel):
    """A project: its address on GitHub, and the newest commit that is replayed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    tip: str
    last: int


class Label(BaseModel):
    """What a person who read the change says of one finding in it.

    `true` is a fault that a reviewer would want mended, `arguable` one that some would, `false` any
    other.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: str
    commit: str
    rule: str
    path: str
    line: int
    label: Literal["true", "arguable", "false"]
    why: str


@dataclass(frozen=True, slots=True)
class History:
    """What a backtest says of a project."""

    project: str
    backtest: Backtest


def load_projects() -> tuple[Project, ...]:
    """The projects that are replayed."""
    return tuple(map(Project.model_validate, yaml.safe_load(PROJECTS.read_text("utf-8"))))


def load_labels() -> tuple[Label, ...]:
    """All labels."""
    return tuple(map(Label.model_validate, yaml.safe_load(LABELS.read_text("utf-8")) or ()))


def load_first_sight() -> tuple[Label, ...]:
    """What was said of each finding that blocked in code that nobody had looked at before."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    rows = yaml.load(FIRST_SIGHT.read_text("utf-8"), loader)
    return tuple(map(Label.model_validate, rows))


def find_mirror(name: str, mirrors: Path) -> Path | None:
    """The bare repository of a project; None if it is neither in `mirrors` nor can be fetched.

    It is called `OWNER+NAME`, or `OWNER+NAME/repo`.
    """
    folder = mirrors / name.replace("/", "+")
    nested = folder / "repo"
    here = nested if nested.is_dir() else folder
    if not here.is_dir():
        address = f"https://github.com/{name}"
        clone = ["git", "clone", "--quiet", "--bare", "--filter=blob:none", address, str(here)]
        if subprocess.run(clone, check=False).returncode:
            return None
    return here


def replay_project(project: Project, mirrors: Path) -> History | None:
    """Replay a project; None if it is neither at hand in `mirrors` nor can be fetched."""
    here = find_mirror(project.name, mirrors)
    if here is None:
        return None
    asked = BacktestArgs(here, project.tip, project.last, rules=(), packs=("engineering",))
    return History(project.name, replay_history(asked, fresh=True))


def count_history(histories: Sequence[History], labels: Sequence[Label]) -> Mapping[str, Any]:
    """Counts by project and rule; `unlabelled` are blocking findings that nobody has read."""
    known = {
        (item.project, item.commit, item.rule, item.path, item.line): item.label for item in labels
    }
    rules: dict[str, dict[str, int]] = defaultdict(
        lambda: {
            "findings": 0,
            "blocking": 0,
            "true": 0,
            "arguable": 0,
            "false": 0,
            "unlabelled": 0,
        }
    )
    for history in histories:
        for change in history.backtest.changes:
            for found in change.firings:
                row = rules[found.rule]
                row["findings"] += 1
                row["blocking"] += found.blocks
                place = (history.project, change.commit, found.rule, found.path, found.line)
                if (label := known.get(place)) is not None:
                    row[label] += 1
                elif found.blocks:
                    row["unlabelled"] += 1
    return {
        "projects": {
            item.project: {
                "changes": len(item.backtest.changes),
                "stopped": item.backtest.stopped,
            }
            for item in histories
        },
        "rules": dict(sorted(rules.items())),
    }
