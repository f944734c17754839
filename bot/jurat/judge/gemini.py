"""The Judge over Google's Gemini API, through the google-genai SDK."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from jurat.judge.gemini_connection import (
    BASE_URL,
    CallError,
    CloudProject,
    Connection,
    NoClientError,
)
from jurat.judge.protocol import JudgeError, JudgeErrorKind, Prompt, Reply, Tier
from jurat.judge.retries import (
    PassingError,
    ask_again,
    is_passing_status,
    parse_retry_after,
    to_passing_error,
)

if TYPE_CHECKING:
    from google.genai import types
    from google.genai.errors import APIError


_MODELS: Mapping[Tier, str] = MappingProxyType(
    {"flash": "gemini-3-flash-preview", "pro": "gemini-3.1-pro-preview"}
)

_REFUSALS = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "ESCALATION"}
)
"""Finish reasons by which the API declines, whatever is asked again.

https://ai.google.dev/api/generate-content#FinishReason
"""


@dataclass(frozen=True, slots=True)
class GeminiOptions:
    """How the API is spoken to. Times are in seconds.

    `timeout` bounds one attempt; the API refuses deadlines under 10 s. `attempts` and `patience`
    bound all attempts at one question together: none begins when `patience` would be over.
    `max_output_tokens` counts what the model thinks as well; 65,536 is the most that Gemini 3
    writes.
    """

    models: Mapping[Tier, str] = field(default_factory=lambda: _MODELS)
    timeout: float = 120.0
    attempts: int = 4
    patience: float = 300.0
    max_output_tokens: int = 65_536


@dataclass(frozen=True, slots=True)
class _GeminiAnswer:
    """What the API answered.

    `blocked` says why it did not take the prompt, `finish` why the model stopped; either is empty
    if it does not say. `empty` is an answer without a candidate.
    """

    empty: bool
    blocked: str
    finish: str
    text: str
    input_tokens: int
    output_tokens: int
    served: str = ""


class GeminiJudge:
    """Answers prompts with Gemini. Close it with `aclose`, or use it as a context manager.

    Neither the key nor a prompt is ever logged or part of an error.
    """

    def __init__(
        self,
        api_key: str,
        *,
        base_url: str | None = BASE_URL,
        cloud: CloudProject | None = None,
        options: GeminiOptions = GeminiOptions(),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        deadline: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._connection = Connection(api_key, base_url, options.timeout, deadline, cloud=cloud)
        self._options = options
        self._sleep = sleep
        self._now = now

    async def __aenter__(self) -> GeminiJudge:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections. The judge may be asked again afterwards."""
        await self._connection.aclose()

    async def construct(self) -> None:
        """Load the SDK and make its client, without a word to the network.

        Raises JudgeError if that fails, as every question would.
        """
        try:
            await self._connection.open()
        except NoClientError as error:
            raise JudgeError(JudgeErrorKind.UNAVAILABLE, str(error)) from None

    def model_id(self, tier: Tier) -> str:
        """The model that serves a tier."""
        return self._options.models[tier]

    async def ask(self, prompt: Prompt) -> Reply:
        """Answer one prompt. Raises JudgeError once a fault is lasting or patience is over.

        `latency_ms` of the reply counts every attempt.
        """
        await self.construct()
        started = time.monotonic()
        answer = await ask_again(
            lambda: self._attempt(prompt),
            attempts=self._options.attempts,
            patience=self._options.patience,
            sleep=self._sleep,
        )
        return Reply(
            text=answer.text,
            model_id=self.model_id(prompt.tier),
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            latency_ms=(time.monotonic() - started) * 1000,
            served=answer.served,
        )

    async def _attempt(self, prompt: Prompt) -> _GeminiAnswer:
        try:
            async with self._connection.call() as models:
                response = await models.generate_content(
                    model=self.model_id(prompt.tier),
                    contents=prompt.user,
                    config=self._build_config(prompt),
                )
                # Inside of `call`: what the SDK raises over an odd answer is no bug of ours.
                answer = _read_answer(response)
        except CallError as error:
            raise _to_judge_error(error, self._now()) from None
        _check_finished(answer)
        return answer

    def _build_config(self, prompt: Prompt) -> types.GenerateContentConfig:
        from google.genai import types  # noqa: PLC0415 - inside of `call` alone

        return types.GenerateContentConfig(
            system_instruction=prompt.system,
            response_mime_type="application/json",
            response_json_schema=dict(prompt.schema),
            thinking_config=types.ThinkingConfig(
                thinking_level=types.ThinkingLevel(prompt.thinking.upper())
            ),
            max_output_tokens=self._options.max_output_tokens,
            # On by default in the SDK, which would then call whatever is passed as a tool.
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )


def _to_judge_error(error: CallError, now: float) -> JudgeError:
    detail, answer = str(error), error.answer
    if isinstance(error, NoClientError):
        return JudgeError(JudgeErrorKind.UNAVAILABLE, detail)
    if answer is None:
        fault = JudgeErrorKind.TIMEOUT if error.timed_out else JudgeErrorKind.UNAVAILABLE
        return PassingError(fault, detail)
    # Everything else is about the request: the same one would be refused again.
    if is_passing_status(answer.code):
        return to_passing_error(answer.code, detail, _retry_after(answer, now))
    # A prompt over the model's window is a plain 400; only its words tell it from a wrong request.
    if answer.code == 413 or (answer.code == 400 and "token" in str(answer.message).lower()):
        return JudgeError(JudgeErrorKind.TOO_LARGE, detail)
    return JudgeError(JudgeErrorKind.REJECTED, detail)


def _retry_after(error: APIError, now: float) -> float | None:
    """Seconds to wait: Retry-After (RFC 9110, seconds or a date), or google.rpc.RetryInfo."""
    headers = getattr(error.response, "headers", None) or {}
    if header := str(headers.get("Retry-After", "")).strip():
        return parse_retry_after(header, now)
    for detail in _list_details(error.details):
        delay = str(detail.get("retryDelay", ""))
        if str(detail.get("@type", "")).endswith("google.rpc.RetryInfo") and delay.endswith("s"):
            try:
                return max(0.0, float(delay[:-1]))
            except ValueError:
                return None
    return None


def _list_details(body: object) -> list[dict[str, Any]]:
    error = body.get("error") if isinstance(body, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    return [item for item in details or () if isinstance(item, dict)]


def _read_answer(response: types.GenerateContentResponse) -> _GeminiAnswer:
    usage, feedback = response.usage_metadata, response.prompt_feedback
    candidate = response.candidates[0] if response.candidates else None
    reason = candidate.finish_reason if candidate is not None else None
    content = candidate.content if candidate is not None else None
    parts = content.parts if content is not None and content.parts is not None else []
    written = (usage.candidates_token_count or 0) if usage is not None else 0
    thought = (usage.thoughts_token_count or 0) if usage is not None else 0
    blocked = ""
    if feedback is not None and feedback.block_reason is not None:
        blocked = feedback.block_reason.value
    return _GeminiAnswer(
        empty=candidate is None,
        blocked=blocked,
        finish=reason.value if reason is not None else "",
        # Thoughts come as parts too, and are no answer.
        text="".join(part.text or "" for part in parts if not part.thought),
        input_tokens=(usage.prompt_token_count or 0) if usage is not None else 0,
        output_tokens=written + thought,
        served=response.model_version or "",
    )


def _check_finished(answer: _GeminiAnswer) -> None:
    """Raise unless the model finished: the SDK itself reports half an answer as an answer."""
    if answer.empty and answer.blocked:
        raise JudgeError(JudgeErrorKind.REFUSED, f"the API blocked the prompt ({answer.blocked})")
    if answer.empty:
        raise PassingError(JudgeErrorKind.UNAVAILABLE, "the API answered with nothing")
    # Not passing: thinking counts as output, and the same prompt would run out again.
    if answer.finish == "MAX_TOKENS":
        raise JudgeError(JudgeErrorKind.TRUNCATED, "the answer was cut off (MAX_TOKENS)")
    if answer.finish in _REFUSALS:
        raise JudgeError(JudgeErrorKind.REFUSED, f"the API refused to answer ({answer.finish})")
    if answer.finish != "STOP":
        name = answer.finish or "no finish reason"
        raise PassingError(JudgeErrorKind.UNAVAILABLE, f"the model stopped early ({name})")
    if not answer.text.strip():
        raise PassingError(JudgeErrorKind.UNAVAILABLE, "the model wrote nothing")
