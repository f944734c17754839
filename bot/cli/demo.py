"""`bylaw demo`: a whole review, on this machine alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    *,
    page: Annotated[
        Path, typer.Option(metavar="FILE", help="Where to write the pull request as a page.")
    ] = Path("demo.html"),
) -> None:
    """Show a review from webhook to suggestions, with no key and no network.

    Exits with 3 if the review was not completed.
    """
    from rich.console import Console  # noqa: PLC0415 - a command loads what it runs

    from bot.demo.demo import run  # noqa: PLC0415 - as above

    run(page, Console())
