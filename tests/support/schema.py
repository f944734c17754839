"""Checks bodies against githubkit's models, which are generated from GitHub's own description.

`assert_valid_traffic(github)` holds all that a test has made the stand-in say, and all that was
sent to it, against the models: nothing may be missing, of another type or unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from githubkit_schemas.latest import models
from pydantic import BaseModel, TypeAdapter, ValidationError

from tests.standins.github import Event, StandIn
from tests.standins.github.recorder import Exchange

REPO = "/repos/{owner}/{repo}"
PULL = f"{REPO}/pulls/{{number}}"
COMMENT = f"{REPO}/issues/comments/{{comment}}"
REVIEW_COMMENT = f"{REPO}/pulls/comments/{{comment}}"
RUN = f"{REPO}/check-runs/{{run}}"
SUITE = f"{REPO}/check-suites/{{suite}}"

ANSWERS: dict[tuple[str, str], Any] = {
    ("GET", "/app"): models.Integration,
    ("GET", "/users/{username}"): models.PublicUser,
    ("GET", "/app/installations"): list[models.Installation],
    ("GET", "/app/installations/{installation}"): models.Installation,
    ("POST", "/app/installations/{installation}/access_tokens"): models.InstallationToken,
    ("GET", "/app/hook/config"): models.WebhookConfig,
    ("GET", "/app/hook/deliveries"): list[models.HookDeliveryItem],
    ("GET", "/app/hook/deliveries/{delivery}"): models.HookDelivery,
    ("POST", "/app/hook/deliveries/{delivery}/attempts"): (
        models.AppHookDeliveriesDeliveryIdAttemptsPostResponse202
    ),
    ("POST", "/app-manifests/{code}/conversions"): (
        models.AppManifestsCodeConversionsPostResponse201
    ),
    ("GET", "/installation/repositories"): models.InstallationRepositoriesGetResponse200,
    ("GET", "/rate_limit"): models.RateLimitOverview,
    ("GET", REPO): models.FullRepository,
    ("GET", f"{REPO}/installation"): models.Installation,
    ("GET", f"{REPO}/branches/{{branch*}}"): models.BranchWithProtection,
    ("GET", f"{REPO}/rules/branches/{{branch*}}"): list[
        models.RepositoryRuleDetailedOneof4 | models.RepositoryRuleDetailedOneof8
    ],
    ("GET", f"{REPO}/collaborators/{{username}}/permission"): (
        models.RepositoryCollaboratorPermission
    ),
    ("GET", f"{REPO}/contents{{path*}}"): (
        list[models.ContentDirectoryItems]
        | models.ContentFile
        | models.ContentSymlink
        | models.ContentSubmodule
    ),
    ("GET", f"{REPO}/tarball{{ref*}}"): None,
    ("GET", "/_codeload/{owner}/{repo}/legacy.tar.gz/{commit}"): bytes,
    ("GET", f"{REPO}/commits/{{ref}}/pulls"): list[models.PullRequestSimple],
    ("GET", f"{REPO}/commits/{{ref*}}"): models.Commit,
    ("GET", f"{REPO}/commits/{{ref*}}/check-runs"): (
        models.ReposOwnerRepoCommitsRefCheckRunsGetResponse200
    ),
    ("GET", f"{REPO}/commits/{{ref*}}/check-suites"): (
        models.ReposOwnerRepoCommitsRefCheckSuitesGetResponse200
    ),
    ("GET", f"{REPO}/compare/{{basehead*}}"): models.CommitComparison,
    ("GET", f"{REPO}/git/commits/{{sha}}"): models.GitCommit,
    ("GET", f"{REPO}/git/trees/{{sha*}}"): models.GitTree,
    ("GET", f"{REPO}/git/blobs/{{sha}}"): models.Blob,
    ("POST", f"{REPO}/git/trees"): models.GitTree,
    ("POST", f"{REPO}/git/commits"): models.GitCommit,
    ("PATCH", f"{REPO}/git/refs/{{ref*}}"): models.GitRef,
    ("GET", f"{REPO}/git/ref/{{ref*}}"): models.GitRef,
    ("GET", f"{REPO}/git/matching-refs/{{ref*}}"): list[models.GitRef],
    ("GET", f"{REPO}/pulls"): list[models.PullRequestSimple],
    ("GET", PULL): models.PullRequest,
    ("GET", f"{PULL}/files"): list[models.DiffEntry],
    ("GET", f"{PULL}/commits"): list[models.Commit],
    ("GET", f"{PULL}/reviews"): list[models.PullRequestReview],
    ("POST", f"{PULL}/reviews"): models.PullRequestReview,
    ("GET", f"{PULL}/reviews/{{review}}"): models.PullRequestReview,
    ("GET", f"{PULL}/reviews/{{review}}/comments"): list[models.ReviewComment],
    ("GET", f"{PULL}/comments"): list[models.PullRequestReviewComment],
    ("POST", f"{PULL}/comments"): models.PullRequestReviewComment,
    ("POST", f"{PULL}/comments/{{comment}}/replies"): models.PullRequestReviewComment,
    ("GET", REVIEW_COMMENT): models.PullRequestReviewComment,
    ("PATCH", REVIEW_COMMENT): models.PullRequestReviewComment,
    ("DELETE", REVIEW_COMMENT): None,
    ("GET", f"{REVIEW_COMMENT}/reactions"): list[models.Reaction],
    ("POST", f"{REVIEW_COMMENT}/reactions"): models.Reaction,
    ("DELETE", f"{REVIEW_COMMENT}/reactions/{{reaction}}"): None,
    ("GET", f"{REPO}/issues/{{number}}/comments"): list[models.IssueComment],
    ("POST", f"{REPO}/issues/{{number}}/comments"): models.IssueComment,
    ("GET", COMMENT): models.IssueComment,
    ("PATCH", COMMENT): models.IssueComment,
    ("DELETE", COMMENT): None,
    ("GET", f"{COMMENT}/reactions"): list[models.Reaction],
    ("POST", f"{COMMENT}/reactions"): models.Reaction,
    ("DELETE", f"{COMMENT}/reactions/{{reaction}}"): None,
    ("POST", f"{REPO}/check-runs"): models.CheckRun,
    ("GET", RUN): models.CheckRun,
    ("PATCH", RUN): models.CheckRun,
    ("GET", f"{RUN}/annotations"): list[models.CheckAnnotation],
    ("POST", f"{RUN}/rerequest"): models.EmptyObject,
    ("GET", SUITE): models.CheckSuite,
    ("GET", f"{SUITE}/check-runs"): (
        models.ReposOwnerRepoCheckSuitesCheckSuiteIdCheckRunsGetResponse200
    ),
    ("POST", f"{SUITE}/rerequest"): models.EmptyObject,
}
"""What each endpoint answers when it succeeds; None is an empty body."""

REQUESTS: dict[tuple[str, str], Any] = {
    ("POST", "/app/installations/{installation}/access_tokens"): (
        models.AppInstallationsInstallationIdAccessTokensPostBody
    ),
    ("POST", f"{REPO}/git/trees"): models.ReposOwnerRepoGitTreesPostBody,
    ("POST", f"{REPO}/git/commits"): models.ReposOwnerRepoGitCommitsPostBody,
    ("PATCH", f"{REPO}/git/refs/{{ref*}}"): models.ReposOwnerRepoGitRefsRefPatchBody,
    ("POST", f"{PULL}/reviews"): models.ReposOwnerRepoPullsPullNumberReviewsPostBody,
    ("POST", f"{PULL}/comments"): models.ReposOwnerRepoPullsPullNumberCommentsPostBody,
    ("POST", f"{PULL}/comments/{{comment}}/replies"): (
        models.ReposOwnerRepoPullsPullNumberCommentsCommentIdRepliesPostBody
    ),
    ("PATCH", REVIEW_COMMENT): models.ReposOwnerRepoPullsCommentsCommentIdPatchBody,
    ("POST", f"{REVIEW_COMMENT}/reactions"): (
        models.ReposOwnerRepoPullsCommentsCommentIdReactionsPostBody
    ),
    ("POST", f"{REPO}/issues/{{number}}/comments"): (
        models.ReposOwnerRepoIssuesIssueNumberCommentsPostBody
    ),
    ("PATCH", COMMENT): models.ReposOwnerRepoIssuesCommentsCommentIdPatchBody,
    ("POST", f"{COMMENT}/reactions"): models.ReposOwnerRepoIssuesCommentsCommentIdReactionsPostBody,
    ("POST", f"{REPO}/check-runs"): (
        models.ReposOwnerRepoCheckRunsPostBodyOneof0 | models.ReposOwnerRepoCheckRunsPostBodyOneof1
    ),
    ("PATCH", RUN): (
        models.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyAnyof0
        | models.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyAnyof1
    ),
}
"""What may be sent to the endpoints that take a body."""


UNDESCRIBED = (
    # Every error says its status, the description of validation errors leaves it out.
    re.compile(r"status$"),
    # Fields that the REST API dropped in 2026-03-10 and that webhooks still carry.
    re.compile(r"pull_request\.(assignee|merge_commit_sha)$"),
    # Some events list the permissions of an App one by one, and not all of them.
    re.compile(r".*permissions\.\w+$"),
)
"""Fields that GitHub sends although its description does not know them there."""


def problems(expected: Any, body: Any) -> list[str]:
    """What is wrong with a body: missing and ill-typed fields, and unknown ones."""
    if expected is None:
        return [] if body is None else [f"expected no body, not {body!r}"]
    if expected is bytes:
        return [] if isinstance(body, bytes) else ["expected bytes"]
    choices = get_args(expected) if not hasattr(expected, "__origin__") else ()
    found = [_problems_with(choice, body) for choice in choices or (expected,)]
    return min(found, key=len)


GRAPHQL = "/graphql"


def _find_invalid_documents(answered: Any) -> list[str]:
    """What GraphQL says of a document that does not fit its schema: such errors have no type."""
    errors = answered.get("errors", ()) if isinstance(answered, dict) else ()
    return [str(error["message"]) for error in errors if "type" not in error]


def answer_problems(exchange: Exchange) -> list[str]:
    """What is wrong with the stand-in's answer."""
    if (
        exchange.faulty
        or exchange.status in (None, 301, 304, 307)
        or isinstance(exchange.answered, bytes)
    ):
        return []
    if exchange.route.endswith(GRAPHQL):
        return _find_invalid_documents(exchange.answered)
    if exchange.status is not None and exchange.status >= 400:
        return problems(_error_model(exchange.answered), exchange.answered)
    return problems(ANSWERS[exchange.method, exchange.route], exchange.answered)


def request_problems(exchange: Exchange) -> list[str]:
    """What is wrong with a request that the stand-in took."""
    expected = REQUESTS.get((exchange.method, exchange.route))
    if exchange.sent is None or exchange.route.endswith(GRAPHQL):
        return []
    if expected is None:
        return [] if exchange.sent == {} else [f"no body belongs here: {exchange.sent!r}"]
    return problems(expected, exchange.sent)


def event_problems(event: Event) -> list[str]:
    """What is wrong with a webhook's payload."""
    name = f"Webhook{_camel(event.name)}{_camel(event.action or '')}"
    return problems(getattr(models, name), event.payload)


def assert_valid_traffic(github: StandIn, *, refusals: bool = False) -> None:
    """Fail if any body of this test, in either direction, is not what GitHub describes.

    Requests that were refused are not looked at, unless `refusals` asks for it.
    """
    wrong = []
    for exchange in github.exchanges:
        place = f"{exchange.method} {exchange.path} → {exchange.status}"
        wrong += [f"{place}: answer: {problem}" for problem in answer_problems(exchange)]
        if refusals or (exchange.status is not None and exchange.status < 400):
            wrong += [f"{place}: request: {problem}" for problem in request_problems(exchange)]
    for event in github.world.events:
        place = f"{event.name} {event.action or ''}"
        wrong += [f"{place}: {problem}" for problem in event_problems(event)]
    assert not wrong, "\n".join(wrong)


@cache
def _adapter(expected: Any) -> TypeAdapter[Any]:
    return TypeAdapter(expected)


def _problems_with(expected: Any, body: Any) -> list[str]:
    try:
        parsed = _adapter(expected).validate_python(body)
    except ValidationError as error:
        return [
            f"{'.'.join(map(str, one['loc']))}: {one['msg']} ({one['input']!r:.60})"
            for one in error.errors()
        ]
    return [
        f"{place}: unknown"
        for place in _unknown(parsed, body, "")
        if not any(known.match(place) for known in UNDESCRIBED)
    ]


def _unknown(value: Any, given: Any, place: str) -> Iterator[str]:
    """Where a body holds fields that the model it was parsed into does not know."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _unknown(item, given[number], f"{place}[{number}]")
    if not isinstance(value, BaseModel):
        return
    described = _list_fields(type(value))
    is_open = value.model_extra is not None  # a model that takes further fields has them here
    for alias, inner in given.items():
        name = described.get(alias)
        if name is not None:
            if isinstance(inner, dict | list):
                yield from _unknown(getattr(value, name), inner, f"{place}.{alias}")
        elif not is_open:
            yield f"{place}.{alias}".lstrip(".")


@cache
def _list_fields(model: type[BaseModel]) -> dict[str, str]:
    """The fields of a model, by their names in a body."""
    return {field.alias or name: name for name, field in model.model_fields.items()}


def _error_model(body: Any) -> Any:
    errors = body.get("errors") if isinstance(body, dict) else None
    if not errors:
        return models.BasicError
    return models.ValidationErrorSimple if isinstance(errors[0], str) else models.ValidationError


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))
