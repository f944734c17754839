"""Opens your branch as a pull request at a stand-in GitHub: python -m tests.cli.sandbox CHECKOUT

The real server, webhook and worker review it on this machine, and what would stand on GitHub is
printed and written as a page. The model is asked if GEMINI_API_KEY is set.
"""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from jurat.cli.checkout import GitCheckout, resolve_commit
from jurat.cli.demo_page import PullRequestView, print_view, render_page
from jurat.errors import IncompleteError, JuratError, UsageError
from jurat.logs import configure_logs
from jurat.settings import LogSettings
from tests.cli.stage import staged
from tests.standins.github import PullRequest, StandIn, actions

BRANCH = "work"
NOTE = "Made at a GitHub that stands in on this machine: nothing of it was sent there."
MODEL = ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL")


async def review_branch(checkout: Path, base: str | None) -> PullRequestView:
    """What GitHub would show of the commits that a checkout has beyond `base`.

    `base` is the default branch if it is None. Raises UsageError if there are none, and
    IncompleteError if no review came of them.
    """
    with GitCheckout.containing(checkout) as repository:
        ends = resolve_commit(repository, base), resolve_commit(repository, "HEAD")
        root = repository.root
    if ends[0] == ends[1]:
        raise UsageError(
            f"{root} has no commit that its base has not.",
            hint="Commit your change on a branch, or name what it is made against with --base.",
        )

    def open_pull(github: StandIn) -> PullRequest:
        # A folder may be called as no repository of GitHub's may.
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", root.name).strip("-.")
        hosted = github.create_repository(f"acme/{name or 'checkout'}")
        names = (hosted.default_branch, BRANCH)
        refs = [f"{sha}:refs/heads/{name}" for sha, name in zip(ends, names, strict=True)]
        hosted.git.run("fetch", "--quiet", "--no-tags", str(root), *refs)
        return actions.open_pull_request(hosted, head=BRANCH, title=f"Work of {root.name}")

    model = {name: os.environ[name] for name in MODEL if name in os.environ}
    async with staged(open_pull, model) as stage:
        await stage.settle()
        if not stage.pull.repository.check_runs:
            raise IncompleteError("No check was reported: what is above this line says why.")
        return stage.view()


def show_branch(
    checkout: Annotated[Path, typer.Argument()] = Path(),
    base: Annotated[str | None, typer.Option(help="The branch to merge into.")] = None,
    page: Annotated[Path, typer.Option(help="Where to write the page.")] = Path("sandbox.html"),
) -> None:
    """Review a checkout's branch as a pull request, at a stand-in GitHub."""
    configure_logs(LogSettings(level="WARNING"))
    try:
        view = asyncio.run(review_branch(checkout, base))
    except JuratError as error:
        raise SystemExit(str(error)) from None
    print_view(view, Console())
    try:
        page.write_text(render_page(view, NOTE), encoding="utf-8")
    except OSError as error:
        raise SystemExit(f"--page: {page} cannot be written: {error.strerror}.") from None
    typer.echo(f"\n{NOTE} The same as a page: {page.resolve().as_uri()}")


if __name__ == "__main__":
    typer.run(show_branch)
