"""Threads on lines of a pull request, resolved and opened again, which GraphQL alone can do."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, Field

from jurat.github.client import GitHub
from jurat.reports.limits import PAGE

# https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread
_LIST = """
query ($owner: String!, $name: String!, $number: Int!, $size: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: $size, after: $after) {
        nodes { id isResolved comments(first: 1) { nodes { id } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}
"""
_SET = """
mutation ($thread: ID!) { %s(input: {threadId: $thread}) { thread { id isResolved } } }
"""
_MOST_PAGES = 20
"""Of a hundred threads each."""


class _Node(BaseModel):
    id: str


class _Nodes(BaseModel):
    nodes: tuple[_Node, ...]


class _Thread(BaseModel):
    id: str
    is_resolved: bool = Field(alias="isResolved")
    comments: _Nodes


class _PageInfo(BaseModel):
    has_next: bool = Field(alias="hasNextPage")
    end: str | None = Field(alias="endCursor")


class _Threads(BaseModel):
    nodes: tuple[_Thread, ...]
    page: _PageInfo = Field(alias="pageInfo")


class _PullRequest(BaseModel):
    threads: _Threads = Field(alias="reviewThreads")


class _ThreadedRepository(BaseModel):
    pull: _PullRequest = Field(alias="pullRequest")


class _ThreadsAnswer(BaseModel):
    repository: _ThreadedRepository


class _Changed(BaseModel):
    """What the thread is now, which nobody reads."""


class ReviewThreads:
    """The threads of one pull request, by their first comment's `node_id`; read when first asked.

    GitHub wants an App that resolves one to be allowed to write contents, although it writes none.
    """

    def __init__(self, github: GitHub, repository: str, number: int) -> None:
        self._github = github
        self._repository = repository
        self._number = number
        self._known: Mapping[str, _Thread] | None = None

    async def resolve(self, comment: str, *, resolved: bool) -> None:
        """Have the thread that a comment began be resolved, or open; nothing if it is so already.

        Raises AccessRefusedError if the App may not.
        """
        if self._known is None:
            self._known = {
                item.comments.nodes[0].id: item
                for item in await self._list()
                if item.comments.nodes
            }
        thread = self._known.get(comment)
        if thread is None or thread.is_resolved is resolved:
            return
        mutation = _SET % ("resolveReviewThread" if resolved else "unresolveReviewThread")
        await self._github.query(_Changed, mutation, {"thread": thread.id})

    async def _list(self) -> list[_Thread]:
        owner, _, name = self._repository.partition("/")
        given = {"owner": owner, "name": name, "number": self._number, "size": PAGE.size}
        found: list[_Thread] = []
        after: str | None = None
        for _ in range(_MOST_PAGES):
            answer = await self._github.query(_ThreadsAnswer, _LIST, {**given, "after": after})
            threads = answer.repository.pull.threads
            found += threads.nodes
            after = threads.page.end
            if not threads.page.has_next:
                break
        return found
