"""What a review of a pull request reads: the change, and what its base is judged by."""

from __future__ import annotations

from bot.github.base_files import read_base
from bot.github.changes import read_change
from bot.github.client import GitHub
from bot.github.contents import Snapshot
from bot.github.payloads import PullRequestPayload
from bot.github.pulls import ensure_current
from bot.github.texts import with_texts
from bot.material import Material
from bot.subjects.context import Facts
from bot.subjects.parsing import ParseMap, in_process


class PullRequestSource:
    """Reads a pull request at the head that `pull` names."""

    def __init__(
        self,
        github: GitHub,
        pull: PullRequestPayload,
        parse_map: ParseMap = in_process,
        *,
        asked_by: str = "github",
    ) -> None:
        self._github = github
        self._pull = pull
        self._parse_map = parse_map
        self._asked_by = asked_by

    async def fetch(self) -> Material:
        """Everything that is judged, and the rules and configuration of its base.

        Raises ConfigurationError or RuleError where the base's own files are broken, GitHubError
        where GitHub does not hand out what it must, and as `ensure_current` does.
        """
        pull = self._pull
        configuration, corpus = await read_base(
            Snapshot(self._github, pull.repository, pull.base.sha)
        )
        change = await read_change(self._github, pull, self._parse_map)
        # The diff is that of whatever head GitHub has by then. Whoever publishes compares the heads
        # too, but by then a push may have gone back to this one.
        await ensure_current(self._github, pull)
        head = Snapshot(self._github, pull.repository, pull.head.sha)
        return Material(
            change=await with_texts(head, change),
            corpus=corpus,
            configuration=configuration,
            intent=intent_of(pull),
            repository=pull.repository,
            base_sha=pull.base.sha,
            head_sha=pull.head.sha,
            facts=facts_of(pull),
            number=pull.number,
            asked_by=self._asked_by,
        )


def intent_of(pull: PullRequestPayload) -> str:
    """What the author says the change is for."""
    return f"{pull.title}\n\n{pull.body or ''}".strip()


def facts_of(pull: PullRequestPayload) -> Facts:
    """What rules may ask of the pull request itself: `pull_request.draft` and its like."""
    return {
        "pull_request": {
            "number": pull.number,
            "title": pull.title,
            "author": pull.user.login if pull.user else None,
            "draft": pull.draft,
            "fork": pull.fork,
            "base": pull.base.ref,
            "head": pull.head.ref,
            "labels": [label.name for label in pull.labels],
        }
    }
