"""GraphQL, as far as the product may speak it: checked against a schema, field by field.

The part of https://docs.github.com/en/graphql/reference that is about threads, in our own words.
"""

from __future__ import annotations

from typing import Any

from graphql import GraphQLError, build_schema, graphql_sync

from tests.standins.github.conversation import ReviewComment
from tests.standins.github.pulls import PullRequest
from tests.standins.github.routes.calls import Answer, Call, RouteTable

SCHEMA = build_schema("""
type Query { repository(owner: String!, name: String!, followRenames: Boolean = true): Repository }
type Repository { id: ID! nameWithOwner: String! pullRequest(number: Int!): PullRequest }
type PullRequest {
  id: ID!
  number: Int!
  reviewThreads(first: Int, last: Int, after: String, before: String):
    PullRequestReviewThreadConnection!
}
type PullRequestReviewThreadConnection {
  nodes: [PullRequestReviewThread] pageInfo: PageInfo! totalCount: Int!
}
type PageInfo { hasNextPage: Boolean! endCursor: String }
type PullRequestReviewThread {
  id: ID!
  isResolved: Boolean!
  comments(first: Int, last: Int, after: String, before: String):
    PullRequestReviewCommentConnection!
}
type PullRequestReviewCommentConnection { nodes: [PullRequestReviewComment] pageInfo: PageInfo! }
type PullRequestReviewComment { id: ID! body: String! }
type Mutation {
  resolveReviewThread(input: ResolveReviewThreadInput!): ThreadPayload
  unresolveReviewThread(input: UnresolveReviewThreadInput!): ThreadPayload
}
input ResolveReviewThreadInput { clientMutationId: String threadId: ID! }
input UnresolveReviewThreadInput { clientMutationId: String threadId: ID! }
type ThreadPayload { clientMutationId: String thread: PullRequestReviewThread }
""")

routes = RouteTable()


class _TypedError(Exception):
    """An error that GitHub gives a type."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@routes.add("POST", "/graphql", "metadata:read")
def query(call: Call) -> Answer:
    """Run a query or a mutation."""
    return _run(call)


@routes.add("POST", "/api/graphql", "metadata:read")
def query_own_server(call: Call) -> Answer:
    """The same on a server of one's own."""
    return _run(call)


def _run(call: Call) -> Answer:
    asked = call.body()
    found = graphql_sync(
        SCHEMA, str(asked.get("query")), _Root(call), variable_values=asked.get("variables")
    )
    said: dict[str, Any] = {} if found.data is None and found.errors else {"data": found.data}
    if found.errors:
        said["errors"] = [_describe(error) for error in found.errors]
    return Answer(200, said)


def _describe(error: GraphQLError) -> dict[str, Any]:
    cause = error.original_error
    kind = {"type": cause.kind} if isinstance(cause, _TypedError) else {}
    return {**kind, "message": error.message, "path": list(error.path or ())}


class _Root:
    """What a document starts from. Fields are looked up by their names."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def repository(self, _info: object, owner: str, name: str, **_: Any) -> dict[str, Any]:
        found = self._call.world.repository(f"{owner}/{name}")
        caller = self._call.installation
        if found is None or not caller.sees(found):
            raise _TypedError("NOT_FOUND", f"Could not resolve to a Repository '{owner}/{name}'.")

        def show_pull(_info: object, number: int) -> dict[str, Any]:
            pull = found.pulls.get(number)
            if pull is None or not caller.may("pull_requests:read"):
                raise _TypedError("NOT_FOUND", "Could not resolve to a PullRequest.")
            return {
                "id": f"PR_{pull.id}",
                "number": pull.number,
                "reviewThreads": lambda _info, **asked: _page(
                    [_show(root) for root in _list_roots(pull)], asked
                ),
            }

        return {"nameWithOwner": found.full_name, "id": f"R_{found.id}", "pullRequest": show_pull}

    def resolveReviewThread(self, _info: object, input: dict[str, Any]) -> dict[str, Any]:  # noqa: A002, N802 - GitHub's names
        return self._set(input, resolved=True)

    def unresolveReviewThread(self, _info: object, input: dict[str, Any]) -> dict[str, Any]:  # noqa: A002, N802 - as above
        return self._set(input, resolved=False)

    def _set(self, given: dict[str, Any], *, resolved: bool) -> dict[str, Any]:
        caller = self._call.installation
        for repository in self._call.world.repositories.values():
            for pull in repository.pulls.values():
                for root in _list_roots(pull):
                    if _to_id(root) == given["threadId"] and caller.sees(repository):
                        # Contents too, though none are written:
                        # https://github.com/orgs/community/discussions/44650
                        needs = ("pull_requests:write", "contents:write")
                        if not all(map(caller.may, needs)):
                            message = "Resource not accessible by integration"
                            raise _TypedError("FORBIDDEN", message)
                        root.resolved = resolved
                        return {"thread": _show(root), **given}
        raise _TypedError("NOT_FOUND", f"Could not resolve to a node '{given['threadId']}'.")


def _list_roots(pull: PullRequest) -> list[ReviewComment]:
    return [comment for comment in pull.review_comments if comment.in_reply_to is None]


def _to_id(root: ReviewComment) -> str:
    return f"PRRT_{root.id}"


def _show(root: ReviewComment) -> dict[str, Any]:
    replies = [item for item in root.pull.review_comments if item.in_reply_to is root]
    nodes = [{"id": f"PRRC_{item.id}", "body": item.body} for item in (root, *replies)]
    return {
        "id": _to_id(root),
        "isResolved": root.resolved,
        "comments": lambda _info, **asked: _page(nodes, asked),
    }


def _page(items: list[dict[str, Any]], asked: dict[str, Any]) -> dict[str, Any]:
    size = asked.get("first")
    if size is None or not 1 <= size <= 100:
        message = "You must provide a `first` value of at most 100 to properly paginate."
        raise _TypedError("MISSING_PAGINATION_BOUNDARIES", message)
    begin = int(asked.get("after") or 0)
    end = begin + size
    return {
        "nodes": items[begin:end],
        "totalCount": len(items),
        "pageInfo": {"hasNextPage": end < len(items), "endCursor": str(min(end, len(items)))},
    }
