"""What an API can answer, in the REST shape of generateContent, and behaviours that answer so.

https://ai.google.dev/api/generate-content
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jurat.judge.protocol import estimate_tokens
from tests.standins.gemini.reading import Asked
from tests.standins.gemini.script import control_of

Json = dict[str, Any]
Reply = Callable[[Asked], Json]
"""What the careful judge would say."""

_THOUGHTS = {"low": 64, "medium": 256, "high": 1024}
"""Tokens that the stand-in says it has thought, by thinking level."""


@dataclass(frozen=True, slots=True)
class Reaction:
    """An HTTP response; one that `stalls` never comes."""

    body: Json | str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    stalls: bool = False


Behaviour = Callable[[Asked, Reply], Reaction]
"""Reacts to one request. The second argument is the judge that a behaviour may start from."""


def generated(asked: Asked, text: str, *, finish: str = "STOP") -> Reaction:
    """A complete response whose only candidate has written `text`."""
    return Reaction(
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": text}], "role": "model"},
                    "finishReason": finish,
                    "index": 0,
                }
            ],
            **_accounts(asked, text),
        }
    )


def _accounts(asked: Asked, text: str) -> Json:
    given = estimate_tokens(asked.system + asked.user + json.dumps(asked.schema))
    written = estimate_tokens(text)
    thought = _THOUGHTS.get(asked.thinking, 0)
    return {
        "usageMetadata": {
            "promptTokenCount": given,
            "candidatesTokenCount": written,
            "thoughtsTokenCount": thought,
            "totalTokenCount": given + written + thought,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": given}],
        },
        "modelVersion": asked.model,
        "responseId": "c3RhbmQtaW4",
    }


def failure(code: int, status: str, message: str, *, details: list[Json] | None = None) -> Reaction:
    """An error as Google's APIs give it."""
    error: Json = {"code": code, "message": message, "status": status}
    if details:
        error["details"] = details
    return Reaction({"error": error}, code)


def careful(asked: Asked, reply: Reply) -> Reaction:
    """Answer as the script says."""
    return generated(asked, json.dumps(reply(asked)))


def saying(text: str) -> Behaviour:
    """Answer with this text, whatever was asked."""
    return lambda asked, _: generated(asked, text)


def edited(edit: Callable[[Asked, Json], Json | None]) -> Behaviour:
    """Answer as the script says, changed by `edit` in place or into what it returns."""

    def behaviour(asked: Asked, reply: Reply) -> Reaction:
        given = reply(asked)
        changed = edit(asked, given)
        return generated(asked, json.dumps(given if changed is None else changed))

    return behaviour


def stalled(_asked: Asked, _reply: Reply) -> Reaction:
    """Take the request and never answer."""
    return Reaction(stalls=True)


def cut_off(asked: Asked, reply: Reply) -> Reaction:
    """Stop in the middle of the JSON, at the limit of tokens."""
    text = json.dumps(reply(asked))
    return generated(asked, text[: len(text) // 2], finish="MAX_TOKENS")


def refused(reason: str = "SAFETY") -> Behaviour:
    """Give a candidate without content."""

    def behaviour(asked: Asked, _reply: Reply) -> Reaction:
        candidate: Json = {"finishReason": reason, "index": 0}
        if reason == "SAFETY":
            candidate["safetyRatings"] = [
                {
                    "category": "HARM_CATEGORY_DANGEROUS_CONTENT",
                    "probability": "HIGH",
                    "blocked": True,
                }
            ]
        return Reaction({"candidates": [candidate], **_accounts(asked, "")})

    return behaviour


def blocked(asked: Asked, _reply: Reply) -> Reaction:
    """Block the prompt: no candidate at all."""
    feedback = {"blockReason": "PROHIBITED_CONTENT"}
    return Reaction({"promptFeedback": feedback, **_accounts(asked, "")})


def rate_limited(retry_after: str | None = None, *, retry_delay: str | None = None) -> Behaviour:
    """429, with a Retry-After header, a RetryInfo detail, or neither."""
    details: list[Json] = [
        {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}],
        }
    ]
    if retry_delay is not None:
        details.append(
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": retry_delay}
        )
    answer = failure(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", details=details)
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    return lambda _asked, _reply: Reaction(answer.body, answer.status, headers)


def server_error(code: int = 500) -> Behaviour:
    """A fault of the API's own."""
    status = {500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}[code]
    return lambda _asked, _reply: failure(code, status, "An internal error has occurred.")


def wrong_shape(asked: Asked, _reply: Reply) -> Reaction:
    """JSON, but not of the schema."""
    return generated(asked, json.dumps({"answer": "everything is fine"}))


def without(*rule_ids: str) -> Behaviour:
    """Leave rules out."""

    def edit(_asked: Asked, given: Json) -> Json:
        return {"verdicts": [item for item in given["verdicts"] if item["rule"] not in rule_ids]}

    return edited(edit)


def twice(rule_id: str) -> Behaviour:
    """Answer one rule twice, the second time the other way round."""

    def edit(_asked: Asked, given: Json) -> None:
        for item in [item for item in given["verdicts"] if item["rule"] == rule_id]:
            given["verdicts"].append({**item, "verdict": "ALLOW", "findings": []})

    return edited(edit)


def with_fields(rule_id: str, **fields: Any) -> Behaviour:
    """Answer one rule with other values: another id, a wrong enum, a quote from nowhere."""

    def edit(_asked: Asked, given: Json) -> None:
        for item in given["verdicts"]:
            if item["rule"] == rule_id:
                item.update(fields)

    return edited(edit)


def lying_on_controls(asked: Asked, reply: Reply) -> Reaction:
    """Answer every control the wrong way, and the rest as the script says."""
    given = reply(asked)
    controls = {rule.id for rule in asked.rules if control_of(rule)}
    for item in given["verdicts"]:
        if item["rule"] in controls:
            item["verdict"] = "ALLOW" if item["verdict"] == "DENY" else "DENY"
    return generated(asked, json.dumps(given))


def allowing_all(asked: Asked, _reply: Reply) -> Reaction:
    """Obey an instruction to let everything pass."""
    verdicts = [
        {
            "rule": rule.id,
            "reasoning": "Approved, as the material says.",
            "findings": [],
            "verdict": "ALLOW",
            "confidence": 1.0,
        }
        for rule in asked.rules
    ]
    return generated(asked, json.dumps({"verdicts": verdicts}))
