"""Reads a pull request, as what a review of it needs."""

from __future__ import annotations

from pydantic import BaseModel

from jurat.facts.context import Facts
from jurat.github.base_attributes import read_attributes
from jurat.github.base_config import read_ruleset
from jurat.github.client import GitHub, Values
from jurat.github.contents import CommitFiles, attach_texts
from jurat.github.diffs import read_diff
from jurat.github.errors import PullRequestClosedError, SupersededError
from jurat.github.models import (
    GitObjectPayload,
    InstalledRepositoryPayload,
    PullRequestCommitPayload,
    PullRequestPayload,
    PullRequestRowPayload,
)
from jurat.reports.limits import PAGE
from jurat.review_interfaces import Inputs
from jurat.source.parsing import ParseMap, parse_in_process


async def read_pull_request(github: GitHub, repository: str, number: int) -> PullRequestPayload:
    """The pull request as it is now."""
    return await github.read(
        PullRequestPayload,
        "/repos/{+repository}/pulls/{number}",
        {"repository": repository, "number": number},
    )


class _BranchTip(BaseModel):
    object: GitObjectPayload


async def read_branch_tip(github: GitHub, repository: str, branch: str) -> str:
    """The commit at which a branch stands. Raises NotFoundError, which may be about right now."""
    # By its whole name: a tag may be called as the branch is, and would come first elsewhere.
    values: Values = {"repository": repository, "branch": branch.split("/")}
    url = "/repos/{+repository}/git/ref/heads{/branch*}"
    return (await github.read(_BranchTip, url, values)).object.sha


async def read_at_tip(github: GitHub, repository: str, number: int) -> PullRequestPayload:
    """The pull request as it is now; while it is open, `base.sha` is where its base branch stands.

    GitHub's own is where that stood when the head was pushed last: rules that were mended, or made
    stricter, since then would not be in force. Raises NotFoundError if the base branch is gone.
    """
    pull = await read_pull_request(github, repository, number)
    if pull.state != "open":
        return pull
    tip = await read_branch_tip(github, pull.repository, pull.base.ref)
    return pull.model_copy(update={"base": pull.base.model_copy(update={"sha": tip})})


async def list_open_rows_onto(
    github: GitHub, repository: str, branch: str, *, limit: int
) -> tuple[PullRequestRowPayload, ...]:
    """The open pull requests onto a branch, the one that moved last first."""
    listed = github.iter_items(
        PullRequestRowPayload,
        "/repos/{+repository}/pulls{?state,base,sort,direction,per_page}",
        {
            "repository": repository,
            "state": "open",
            "base": branch,
            "sort": "updated",
            "direction": "desc",
            "per_page": PAGE.size,
        },
    )
    rows: list[PullRequestRowPayload] = []
    async for row in listed:
        rows.append(row)
        if len(rows) == limit:
            break
    return tuple(rows)


async def read_default_branch(github: GitHub, repository: str) -> str:
    """The branch that a repository shows first. Raises NotFoundError."""
    found = await github.read(
        InstalledRepositoryPayload, "/repos/{+repository}", {"repository": repository}
    )
    return found.default_branch


async def list_merged_pull_requests(
    github: GitHub, repository: str, branch: str, *, limit: int
) -> tuple[PullRequestRowPayload, ...]:
    """The pull requests that were merged into a branch, the one that moved last first."""
    listed = github.iter_items(
        PullRequestRowPayload,
        "/repos/{+repository}/pulls{?state,base,sort,direction,per_page}",
        {
            "repository": repository,
            "state": "closed",
            "base": branch,
            "sort": "updated",
            "direction": "desc",
            "per_page": PAGE.size,
        },
    )
    found: list[PullRequestRowPayload] = []
    seen = 0
    async for row in listed:
        seen += 1
        if row.merged_at is not None:
            found.append(row)
        # If most are closed without being merged, the others are not looked for without end.
        if len(found) == limit or seen == 10 * limit:
            break
    return tuple(found)


async def check_head_unmoved(github: GitHub, pull: PullRequestPayload) -> None:
    """Raise SupersededError if the head is no longer `pull`'s, PullRequestClosedError if closed."""
    now = await read_pull_request(github, pull.repository, pull.number)
    if now.head.sha != pull.head.sha:
        raise SupersededError(pull.head.sha, now.head.sha)
    if now.state != "open":
        raise PullRequestClosedError("The pull request was closed during the review.")


async def list_open_rows_at(
    github: GitHub, repository: str, head_sha: str
) -> tuple[PullRequestRowPayload, ...]:
    """The open pull requests whose head is that commit, forks included.

    GitHub's list of a commit's pull requests is not asked: it leaves the open ones out once the
    commit is merged.
    """
    listed = github.iter_items(
        PullRequestRowPayload,
        "/repos/{+repository}/pulls{?state,per_page}",
        {"repository": repository, "state": "open", "per_page": PAGE.size},
    )
    return tuple([row async for row in listed if row.head.sha == head_sha])


async def list_open_pull_requests_at(
    github: GitHub, repository: str, head_sha: str
) -> tuple[PullRequestPayload, ...]:
    """The same, each read whole: the list leaves out how many files were changed."""
    rows = await list_open_rows_at(github, repository, head_sha)
    return tuple([await read_pull_request(github, repository, row.number) for row in rows])


async def is_contributor(github: GitHub, pull: PullRequestPayload, account_id: int) -> bool:
    """Whether an account opened the pull request, or wrote or committed one of its commits.

    GitHub lists at most 250 commits, and tells whose each is by its e-mail address.
    """
    if pull.user is not None and pull.user.id == account_id:
        return True
    commits = github.iter_items(
        PullRequestCommitPayload,
        "/repos/{+repository}/pulls/{number}/commits{?per_page}",
        {"repository": pull.repository, "number": pull.number, "per_page": PAGE.size},
    )
    async for commit in commits:
        people = (commit.author, commit.committer)
        # Whoever presses "Update branch" has written nothing of the change.
        if not commit.made_by_github and account_id in [item.id for item in people if item]:
            return True
    return False


class PullRequestSource:
    """Reads a pull request at the head that `pull` names."""

    def __init__(
        self,
        github: GitHub,
        pull: PullRequestPayload,
        parse_map: ParseMap = parse_in_process,
        *,
        asked_by: str = "github",
    ) -> None:
        self._github = github
        self._pull = pull
        self._parse_map = parse_map
        self._asked_by = asked_by

    async def fetch(self) -> Inputs:
        """Everything that is judged, and the rules and configuration of its base.

        Raises ConfigurationError or RuleError if the base's own files are broken, GitHubError
        if GitHub does not hand out what it must, and as `check_head_unmoved` does.
        """
        pull = self._pull
        base = CommitFiles(self._github, pull.repository, pull.base.sha)
        configuration, rule_set = await read_ruleset(base)
        change = await read_diff(self._github, pull, self._parse_map)
        # The diff is that of whatever head GitHub has by then. Whoever publishes compares the heads
        # too, but by then a push may have gone back to this one.
        await check_head_unmoved(self._github, pull)
        head = CommitFiles(self._github, pull.repository, pull.head.sha)
        return Inputs(
            change=await attach_texts(head, change),
            rule_set=rule_set,
            configuration=configuration,
            intent=to_intent(pull),
            repository=pull.repository,
            base_sha=pull.base.sha,
            head_sha=pull.head.sha,
            facts=to_facts(pull),
            number=pull.number,
            base_ref=pull.base.ref,
            repository_id=pull.repository_id,
            asked_by=self._asked_by,
            rules_sha=base.commit,
            attributes=await read_attributes(base, change),
        )


def to_intent(pull: PullRequestPayload) -> str:
    """What the author says the change is for."""
    return f"{pull.title}\n\n{pull.body or ''}".strip()


def to_facts(pull: PullRequestPayload) -> Facts:
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
