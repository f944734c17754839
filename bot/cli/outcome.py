"""How a review is printed, and the exit code that it ends with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TextIO

from bot import __version__
from bot.aggregation.aggregate import incomplete
from bot.cli.options import FailOn, ReportFormat
from bot.errors import ExitCode
from bot.review import Review
from bot.subjects.change import FileChange
from bot.verdicts import Evaluation, Verdict


class Printer:
    """A Publisher that prints the review, and nothing but the review, on `stream`."""

    def __init__(self, form: ReportFormat, stream: TextIO) -> None:
        self._form = form
        self._stream = stream

    async def publish(self, review: Review) -> None:
        """Print it."""
        files = {file.path: file for file in review.context.files}
        print_review(review.evaluation, files, self._form, self._stream)


def print_review(
    evaluation: Evaluation, files: Mapping[str, FileChange], form: ReportFormat, stream: TextIO
) -> None:
    """Print the review in one of its forms. Each form's renderer is loaded only when it is used."""
    match form:
        case ReportFormat.TEXT:
            from bot.cli.report import console_for, print_report  # noqa: PLC0415

            print_report(console_for(stream), evaluation, files)
        case ReportFormat.JSON:
            from bot.publishing.response import response  # noqa: PLC0415

            stream.write(json.dumps(response(evaluation), indent=2) + "\n")
        case ReportFormat.SARIF:
            from bot.publishing.sarif import sarif  # noqa: PLC0415

            anchor = next(iter(files), "README.md")
            log = sarif(evaluation, version=__version__, anchor=anchor)
            stream.write(json.dumps(log, indent=2) + "\n")
        case ReportFormat.GITHUB:
            from bot.publishing.workflow import workflow_commands  # noqa: PLC0415

            stream.write(workflow_commands(evaluation))


def exit_code(evaluation: Evaluation, fail_on: FailOn) -> ExitCode:
    """3 if the review could not be completed, else 1 for findings at or above `fail_on`, else 0.

    Findings are printed in any case; a code of 1 would say that they are all there is to find. An
    experimental rule never counts. Neither does what no model was configured to judge.
    """
    if incomplete(evaluation):
        return ExitCode.INCOMPLETE
    denied = bool(evaluation.having(Verdict.DENY))
    unsure = any(not item.shadow for item in evaluation.having(Verdict.NEEDS_CONFIRMATION))
    counts = {
        FailOn.DENY: denied,
        FailOn.CONFIRM: denied or unsure,
        FailOn.NEVER: False,
    }
    return ExitCode.FINDINGS if counts[fail_on] else ExitCode.PASSED
