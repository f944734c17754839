"""The checks of reviews that could not be made: none is a pass, and each says how to go on."""

from __future__ import annotations

from bot.errors import FileError
from bot.publishing.broken import broken_annotations, broken_rows
from bot.publishing.buttons import RECHECK_BUTTON, RETRY_BUTTON
from bot.publishing.edits import ConcludeCheck
from bot.publishing.markdown import plain
from bot.verdicts import Conclusion

_RECHECK_HINT = "comment `/recheck`"
REQUEUE = "put the pull request into the queue again"
"""How to have a pull request, or a merge group, reviewed again."""


def base_broken(error: FileError, again: str = _RECHECK_HINT) -> ConcludeCheck:
    """The check where the base's own configuration or rules cannot be loaded."""
    summary = (
        "The rules of the base branch cannot be loaded, so nothing was judged. Nothing older stands"
        f" in for them: fix the file on the base branch, then {again}.\n\n"
    )
    return ConcludeCheck(
        Conclusion.FAILURE,
        "The configuration is broken",
        summary + broken_rows(error),
        annotations=broken_annotations(error),
        actions=(RECHECK_BUTTON,),
    )


def not_completed(reason: str, again: str = _RECHECK_HINT) -> ConcludeCheck:
    """The check of a review that was given up."""
    return ConcludeCheck(
        Conclusion.ACTION_REQUIRED,
        "The review could not be completed",
        f"{plain(reason)}\n\nNothing was decided. To try again, {again}.",
        actions=(RETRY_BUTTON,),
    )
