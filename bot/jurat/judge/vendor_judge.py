"""The Judge over a provider whose client is an extra: what all such clients have in common.

`openai` and `anthropic` have the same errors, options and transport. What differs, the request and
the shape of the answer, is a Vendor. A client is imported when it is first used.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from jurat.judge.embeddings import JudgeModels
from jurat.judge.gemini_connection import get_trust
from jurat.judge.models_file import ModelSettings
from jurat.judge.protocol import JudgeError, JudgeErrorKind, Prompt, Reply, Tier, estimate_tokens
from jurat.judge.retries import (
    PassingError,
    ask_again,
    is_passing_status,
    parse_retry_after,
    to_passing_error,
)


@dataclass(frozen=True, slots=True)
class VendorAnswer:
    """An answer as the client read it, of which nothing is checked yet.

    `finish` says why the model stopped, and one of the Vendor's words for each kind of end.
    """

    finish: object
    text: object
    input_tokens: object
    output_tokens: object
    served: object
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Vendor:
    """A provider: `module` is its client and the extra's name, `client` the class in it.

    `ask` sends one prompt through a client. `finished` are the words for a whole answer, and
    `faults` those for one that is none.
    """

    module: str
    client: str
    base_url: str
    ask: Callable[[Any, str, Prompt, VendorOptions], Awaitable[VendorAnswer]]
    finished: frozenset[str]
    faults: Mapping[str, JudgeErrorKind]


@dataclass(frozen=True, slots=True)
class VendorOptions:
    """How a provider is spoken to; the times are in seconds, and as in GeminiOptions.

    `base_url` is None for the vendor's own address.
    """

    models: Mapping[Tier, str]
    base_url: str | None = None
    timeout: float = 120.0
    attempts: int = 4
    patience: float = 300.0
    max_output_tokens: int = 65_536


class VendorJudge:
    """Answers prompts with a vendor's models. Close it with `aclose`, or use it as a context.

    Neither the key nor a prompt is ever logged or part of an error.
    """

    def __init__(
        self,
        vendor: Vendor,
        api_key: str,
        options: VendorOptions,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        deadline: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._vendor, self._api_key, self._options = vendor, api_key, options
        self._sleep, self._deadline, self._now = sleep, deadline, now
        self._client: Any = None

    async def __aenter__(self) -> VendorJudge:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections. The judge may be asked again afterwards."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):
                await client.close()

    async def construct(self) -> None:
        """Load the client, without a word to the network. Raises JudgeError if that fails."""
        if self._client is None:
            self._client = _make_client(self._vendor, self._api_key, self._options)

    def model_id(self, tier: Tier) -> str:
        """The model that serves a tier."""
        return self._options.models[tier]

    async def ask(self, prompt: Prompt) -> Reply:
        """Answer one prompt. Raises JudgeError once a fault is lasting or patience is over."""
        await self.construct()
        started = time.monotonic()
        reply = await ask_again(
            lambda: self._attempt(prompt),
            attempts=self._options.attempts,
            patience=self._options.patience,
            sleep=self._sleep,
        )
        return Reply(
            text=reply.text,
            model_id=reply.model_id,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            latency_ms=(time.monotonic() - started) * 1000,
            served=reply.served,
        )

    async def list_unreachable(self) -> Mapping[str, str]:
        """Each model in use, and what is wrong with it in a sentence; "" if nothing."""
        problems: dict[str, str] = {}
        for model in dict.fromkeys(self._options.models.values()):
            try:
                await self.construct()
                await self._call(partial(self._client.models.retrieve, model))
                problems[model] = ""
            except JudgeError as error:
                known = "; it is retired, or unknown there" if " 404" in error.detail else ""
                problems[model] = f"{error.detail[0].upper()}{error.detail[1:]}{known}."
        return problems

    async def _attempt(self, prompt: Prompt) -> Reply:
        model = self.model_id(prompt.tier)
        answer = await self._call(
            lambda: self._vendor.ask(self._client, model, prompt, self._options)
        )
        return _check_answer(answer, prompt, model, self._vendor)

    async def _call(self, send: Callable[[], Awaitable[Any]]) -> Any:
        try:
            # The client's own timeout is for each read: a server that trickles would never meet it.
            async with self._deadline(self._options.timeout):
                return await send()
        except Exception as error:  # noqa: BLE001 - as in gemini_connection: none is let through
            raise self._to_judge_error(error) from None

    def _to_judge_error(self, error: Exception) -> JudgeError:
        names = {kind.__name__ for kind in type(error).__mro__}
        if "APIStatusError" in names:
            return _read_status(error, self._now())
        # By name, as a client that cannot be imported has no class to compare with.
        if names & {"TimeoutError", "APITimeoutError"}:
            said = f"no answer within {self._options.timeout:g} s"
            return PassingError(JudgeErrorKind.TIMEOUT, said)
        if "APIConnectionError" in names:
            return PassingError(JudgeErrorKind.UNAVAILABLE, "the connection failed")
        if isinstance(error, ImportError):
            return _build_missing(self._vendor, error)
        return PassingError(
            JudgeErrorKind.UNAVAILABLE,
            f"the API's answer could not be read ({type(error).__name__})",
        )


def _make_client(vendor: Vendor, api_key: str, options: VendorOptions) -> Any:
    try:
        module = import_module(vendor.module)
        # Both write whole requests at the level of debugging, the prompt with them.
        logging.getLogger(vendor.module).setLevel(logging.WARNING)
        return getattr(module, vendor.client)(
            api_key=api_key,
            base_url=options.base_url or vendor.base_url,
            timeout=options.timeout,
            max_retries=0,
            http_client=module.DefaultAsyncHttpxClient(
                verify=get_trust(),
                # A redirect would take the key to whoever is named in it.
                follow_redirects=False,
            ),
        )
    except Exception as error:  # noqa: BLE001 - importing runs any code
        raise _build_missing(vendor, error) from None


def _build_missing(vendor: Vendor, error: Exception) -> JudgeError:
    if isinstance(error, ImportError):
        said = f"{vendor.module} cannot be imported: pip install 'jurat[{vendor.module}]'"
    else:
        # Its words may repeat the key.
        said = f"the model's client could not be made ({type(error).__name__})"
    return JudgeError(JudgeErrorKind.UNAVAILABLE, said)


def _read_status(error: Any, now: float) -> JudgeError:
    status: int = error.status_code
    # The message may repeat what was sent: it is left out.
    detail = f"the API answered {status}"
    if is_passing_status(status):
        header = error.response.headers.get("retry-after", "")
        return to_passing_error(status, detail, parse_retry_after(header, now))
    said = str(error.message).lower()
    is_long = any(words in said for words in ("context length", "context_length", "too long"))
    if status == 413 or (status == 400 and is_long):
        return JudgeError(JudgeErrorKind.TOO_LARGE, detail)
    return JudgeError(JudgeErrorKind.REJECTED, detail)


def _check_answer(answer: VendorAnswer, prompt: Prompt, model: str, vendor: Vendor) -> Reply:
    """The reply, if the model finished one: the clients check no answer."""
    finish = answer.finish if isinstance(answer.finish, str) else ""
    if answer.refused:
        raise JudgeError(JudgeErrorKind.REFUSED, "the model refused to answer")
    if finish in vendor.faults:
        raise JudgeError(vendor.faults[finish], f"there is no whole answer ({finish})")
    if finish not in vendor.finished:
        raise PassingError(JudgeErrorKind.UNAVAILABLE, "the model stopped early")
    if not isinstance(answer.text, str) or not answer.text.strip():
        raise PassingError(JudgeErrorKind.UNAVAILABLE, "the model wrote nothing")
    asked = estimate_tokens(prompt.system) + estimate_tokens(prompt.user)
    return Reply(
        text=answer.text,
        model_id=model,
        input_tokens=_read_count(answer.input_tokens, asked),
        output_tokens=_read_count(answer.output_tokens, estimate_tokens(answer.text)),
        latency_ms=0,
        served=answer.served if isinstance(answer.served, str) else "",
    )


def _read_count(found: object, estimate: int) -> int:
    """Tokens as the provider counts them; estimated if it does not, or a budget had no end."""
    return found if type(found) is int and found > 0 else estimate


def close_schema(schema: object, *, is_complete: bool) -> Any:
    """A JSON schema whose objects hold what it names and nothing else, as providers ask for.

    `is_complete`: each property must be there, and those that were optional may be null.
    """
    if isinstance(schema, list):
        return [close_schema(item, is_complete=is_complete) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    closed = {name: close_schema(item, is_complete=is_complete) for name, item in schema.items()}
    if schema.get("type") != "object":
        return closed
    properties, required = dict(closed.get("properties", {})), closed.get("required", [])
    if is_complete:
        for name in properties.keys() - set(required):
            properties[name] = {"anyOf": [properties[name], {"type": "null"}]}
        required = [*required, *(name for name in properties if name not in required)]
    return {
        **closed,
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def drop_nulls(text: str) -> str:
    """A JSON text without the properties that are null. One that is no JSON stays as it is."""

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {name: value for name, value in pairs if value is not None}

    # RecursionError: it may be brackets without end.
    try:
        return json.dumps(json.loads(text, object_pairs_hook=build), ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


@asynccontextmanager
async def open_vendor(
    vendor: Vendor,
    settings: ModelSettings,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncIterator[JudgeModels]:
    """A vendor's models, as `settings` name them; rules are ranked by their words."""
    file = settings.file
    options = VendorOptions(
        models={"flash": file.models.flash, "pro": file.models.pro},
        base_url=settings.base_url,
        timeout=file.timeout,
        max_output_tokens=file.output_tokens,
    )
    key = settings.api_key.get_secret_value()
    async with VendorJudge(vendor, key, options, sleep=sleep) as judge:
        yield JudgeModels(
            judge,
            None,
            file.options(),
            judge.construct,
            judge.list_unreachable,
            vendor.module,
        )
