"""The output formats of the commands: a new one is a function in a module, and a line here.

Each is imported when it is used, so that no format pays for what another one loads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jurat.findings.evaluation import Evaluation
    from jurat.rating.provenance import RatedSource
    from jurat.rating.rating import Rating
    from jurat.source.diff import FileChange


class Detail(StrEnum):
    """How much a report for people says.

    BRIEF leaves out what does not count, FULL groups nothing and adds each rule's verdict.
    """

    BRIEF = "brief"
    NORMAL = "normal"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """What a format writes of a review.

    `files` are those of the change, by path; `rules_from` says in a sentence where the rules were
    taken from, and is empty if nobody asks. `find_repository` gives the page of the
    repository, `commit` is the head as git names it; each "" if it is unknown.
    """

    evaluation: Evaluation
    files: Mapping[str, FileChange]
    rules_from: str = ""
    detail: Detail = Detail.NORMAL
    find_repository: Callable[[], str] = str  # called by who says it: git has to be asked
    commit: str = ""


@dataclass(frozen=True, slots=True)
class RatingReport:
    """What a format writes of a rating: itself, and what was rated."""

    rating: Rating
    source: RatedSource


REVIEW_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "text": "jurat.reports.text:write_report",
        "json": "jurat.reports.answer:write_json",
        "sarif": "jurat.reports.sarif:write_sarif",
        "github": "jurat.reports.actions:write_workflow_commands",
    }
)
"""Of `jurat review`: writes a ReviewReport to a stream."""

FORMAT_OF_SUFFIX: Mapping[str, str] = MappingProxyType(
    {".txt": "text", ".json": "json", ".sarif": "sarif"}
)
"""The format that a file's name asks `jurat review --output` for."""

RATING_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "text": "jurat.reports.rating_report:write_text",
        "json": "jurat.reports.rating_report:write_json",
        "md": "jurat.reports.rating_report:write_markdown",
        "html": "jurat.reports.rating_page:write_page",
        "oscal": "jurat.reports.rating_oscal:write_oscal",
    }
)
"""Of `jurat rate`: writes a RatingReport to a stream."""

RULE_CHECK_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "text": "jurat.reports.file_errors:write_text",
        "json": "jurat.reports.file_errors:write_json",
        "sarif": "jurat.reports.file_errors:write_sarif",
        "github": "jurat.reports.file_errors:write_workflow_commands",
    }
)
"""Of `jurat rules check`: writes what was loaded, and the errors of files, to a stream."""

PROBE_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "table": "jurat.reports.probe_report:print_table",
        "json": "jurat.reports.probe_report:write_json",
        "html": "jurat.reports.probe_page:write_page",
    }
)
"""Of `jurat probe run`: writes a Report to a stream."""
