"""Lists of what is kept, and of the rules, a page at a time.

An answer's `next` is where the next page begins, to be given back as `after`; null at the end.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import json
import re
from asyncio import to_thread
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AwareDatetime, BeforeValidator, Field, TypeAdapter, ValidationError

from jurat.findings.evaluation import Conclusion
from jurat.findings.verdict import Verdict
from jurat.findings.waivers import DecisionKind
from jurat.reports.answer_model import Answer
from jurat.server.api_http import ApiError, Json
from jurat.server.api_inputs import Api
from jurat.server.api_models import OverrideAnswer, RuleAnswer
from jurat.server.api_requests import (
    ApiRequest,
    Lenient,
    RepositoryName,
    RuleFilterRequest,
    RuleId,
    StringFormat,
    Word,
)
from jurat.store.listings import (
    FindingPlace,
    ReviewPlace,
    list_recent_decisions,
    list_reviews,
    list_tracked_findings,
)

T = TypeVar("T")

MAX_PAGE = 100
"""Items of one page."""


def _read_number(text: object) -> object:
    """A query holds text: digits alone are a number."""
    if isinstance(text, str) and re.fullmatch("[0-9]{1,10}", text):
        return int(text)
    return text


Number = Annotated[int, BeforeValidator(_read_number), Field(ge=1, le=2**31 - 1)]
Place = Annotated[
    str, Field(max_length=400), StringFormat("[A-Za-z0-9_-]+", "must be the `next` of a page")
]


class PageRequest(ApiRequest):
    """Which page."""

    limit: Annotated[int, BeforeValidator(_read_number), Field(ge=1, le=MAX_PAGE)] = 50
    """How many items at most."""
    after: Place | None = None
    """The `next` of the page before; the first page without it."""


class EvaluationsFilter(PageRequest):
    """Which evaluations are listed."""

    repository: RepositoryName | None = None
    """Those of this repository alone."""
    number: Number | None = None
    """Those of the pull request of this number alone."""
    conclusion: Lenient[Conclusion] | None = None
    """Those that came to this alone."""


class FindingsFilter(PageRequest):
    """Which findings are listed."""

    repository: RepositoryName | None = None
    """Those of this repository alone."""
    number: Number | None = None
    """Those of the pull request of this number alone."""
    rule: RuleId | None = None
    """Those of this rule alone."""
    state: Literal["open", "gone"] | None = None
    """Those that the last review saw, or saw no more."""


class DecisionsFilter(PageRequest):
    """Which decisions are listed."""

    repository: RepositoryName | None = None
    """Those in this repository alone."""
    number: Number | None = None
    """Those on the pull request of this number alone."""
    rule: RuleId | None = None
    """Those about this rule alone."""
    kind: Lenient[DecisionKind] | None = None
    """Those of this kind alone."""


class RulesFilter(PageRequest):
    """Which rules are listed."""

    tag: Word | None = None
    """Those with this tag alone."""


class ListedEvaluationAnswer(Answer):
    """An evaluation in short."""

    evaluation_id: str
    repository: str | None
    number: int | None
    head_sha: str | None
    overall_verdict: Verdict
    conclusion: Conclusion | None
    override: OverrideAnswer | None
    latency_ms: float
    created_at: dt.datetime


class ListedFindingAnswer(Answer):
    """A finding of a pull request that is not merged."""

    id: str
    """The name by which commands call it."""
    code_print: str
    """The same for the same code in whichever file."""
    repository: str | None
    number: int
    rule_id: str
    path: str | None
    state: Literal["open", "gone"]
    """Whether the last review that looked for it saw it."""


class DecisionAnswer(Answer):
    """What one person decided about a finding, or about a commit."""

    kind: DecisionKind
    repository: str
    number: int
    head_sha: str
    evaluation_id: str
    finding: str
    """The finding's id; of an override, what stands for the commit."""
    path: str | None
    rule_id: str
    verdict: Verdict
    """What the rule had said."""
    by: str
    own: bool
    """Whether that person wrote some of the change."""
    why: str
    at: dt.datetime
    until: dt.date | None
    """The last day of an override."""


class EvaluationsPage(Answer):
    """Evaluations, the latest first."""

    items: list[ListedEvaluationAnswer]
    next: str | None


class FindingsPage(Answer):
    """Findings, by repository and pull request."""

    items: list[ListedFindingAnswer]
    next: str | None


class DecisionsPage(Answer):
    """Decisions, the latest first."""

    items: list[DecisionAnswer]
    next: str | None


class RulesPage(Answer):
    """Rules, by id."""

    items: list[RuleAnswer]
    next: str | None


async def list_evaluations(api: Api, asked: EvaluationsFilter) -> Json:
    """A page of the evaluations that were shown."""
    after = _read_place(asked.after, tuple[AwareDatetime, Word])
    found = await list_reviews(
        api.store.database,
        repository=asked.repository,
        number=asked.number,
        conclusion=asked.conclusion,
        after=after and ReviewPlace(*after),
        limit=asked.limit + 1,
    )
    items = [
        ListedEvaluationAnswer(
            evaluation_id=line.evaluation_id,
            repository=line.repository,
            number=line.number,
            head_sha=line.head_sha,
            overall_verdict=Verdict(line.overall),
            conclusion=Conclusion(line.conclusion) if line.conclusion else None,
            override=OverrideAnswer.model_validate(line.override) if line.override else None,
            latency_ms=line.latency_ms,
            created_at=line.created_at,
        )
        for line in found[: asked.limit]
    ]
    where = _find_next(
        found, asked.limit, lambda last: (last.created_at.isoformat(), last.evaluation_id)
    )
    return EvaluationsPage(items=items, next=where).to_json()


async def list_findings(api: Api, asked: FindingsFilter) -> Json:
    """A page of the findings of pull requests that are not merged."""
    after = _read_place(asked.after, tuple[_Stored, _Stored, Word])
    found = await list_tracked_findings(
        api.store.database,
        repository=asked.repository,
        number=asked.number,
        rule_id=asked.rule,
        is_open=None if asked.state is None else asked.state == "open",
        after=after and FindingPlace(*after),
        limit=asked.limit + 1,
    )
    items = [
        ListedFindingAnswer(
            id=item.id,
            code_print=item.code_print,
            repository=item.repository,
            number=item.number,
            rule_id=item.rule_id,
            path=item.path,
            state="open" if item.open else "gone",
        )
        for item in found[: asked.limit]
    ]
    where = _find_next(found, asked.limit, lambda last: (last.repository_id, last.number, last.id))
    return FindingsPage(items=items, next=where).to_json()


async def list_decisions(api: Api, asked: DecisionsFilter) -> Json:
    """A page of what people decided."""
    after = _read_place(asked.after, tuple[_Stored])
    found = await list_recent_decisions(
        api.store.database,
        repository=asked.repository,
        number=asked.number,
        rule_id=asked.rule,
        kind=asked.kind,
        before=None if after is None else after[0],
        limit=asked.limit + 1,
    )
    items = [
        DecisionAnswer(
            kind=item.kind,
            repository=item.repository,
            number=item.number,
            head_sha=item.head_sha,
            evaluation_id=item.evaluation_id,
            finding=item.fingerprint,
            path=item.path,
            rule_id=item.rule_id,
            verdict=item.verdict,
            by=item.by,
            own=item.own,
            why=item.why,
            at=item.at,
            until=item.until,
        )
        for _, item in found[: asked.limit]
    ]
    where = _find_next(found, asked.limit, lambda last: (last.id,))
    return DecisionsPage(items=items, next=where).to_json()


async def list_rules(api: Api, asked: RulesFilter) -> Json:
    """A page of the rules that are in force."""
    after = _read_place(asked.after, tuple[Word])
    rule_set = await to_thread(api.rule_sets.get_rules, RuleFilterRequest())
    found = [
        rule
        for rule_id, rule in sorted(rule_set.rules.items())
        if (after is None or rule_id > after[0]) and (asked.tag is None or asked.tag in rule.tags)
    ]
    where = _find_next(found, asked.limit, lambda last: (last.id,))
    return RulesPage(
        items=[RuleAnswer.of(rule) for rule in found[: asked.limit]], next=where
    ).to_json()


_Stored = Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]
"""What a column of either database holds."""


def _find_next(found: Sequence[T], limit: int, place: Callable[[T], tuple[Any, ...]]) -> str | None:
    """Where the next page begins, if more was found than this one takes."""
    if len(found) <= limit:
        return None
    return _write_place(*place(found[limit - 1]))


def _write_place(*place: Any) -> str:
    """Where the next page begins, as text that stands in a query as it is."""
    said = json.dumps(place, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(said).decode().rstrip("=")


def _read_place(text: str | None, form: type[T]) -> T | None:
    """What `_write_place` wrote; raises ApiError (422) for anything else."""
    if text is None:
        return None
    try:
        said = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        return TypeAdapter(form).validate_json(said)
    except (binascii.Error, ValidationError):
        raise ApiError(
            422, "after: must be the `next` of a page.", hint="Leave it out for the first page."
        ) from None
