"""Anthropic's models, by its Messages API."""

from __future__ import annotations

from functools import partial
from typing import Any

from jurat.judge.protocol import JudgeErrorKind, Prompt
from jurat.judge.vendor_judge import (
    Vendor,
    VendorAnswer,
    VendorOptions,
    close_schema,
    open_vendor,
)

_MOST = 64_000
"""Tokens of one answer that all of its current models write; more is refused."""


async def _ask(client: Any, model: str, prompt: Prompt, options: VendorOptions) -> VendorAnswer:
    response = await client.messages.create(
        model=model,
        system=prompt.system,
        messages=[{"role": "user", "content": prompt.user}],
        max_tokens=min(options.max_output_tokens, _MOST),
        output_config={
            "effort": prompt.thinking,
            "format": {
                "type": "json_schema",
                "schema": close_schema(prompt.schema, is_complete=False),
            },
        },
    )
    usage = response.usage
    counts = [
        getattr(usage, name, None)
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    return VendorAnswer(
        finish=response.stop_reason,
        # Thoughts come as blocks too, and are no answer.
        text="".join(block.text for block in response.content if block.type == "text"),
        input_tokens=sum(count for count in counts if isinstance(count, int)),
        output_tokens=getattr(usage, "output_tokens", None),
        served=response.model,
    )


ANTHROPIC = Vendor(
    module="anthropic",
    client="AsyncAnthropic",
    base_url="https://api.anthropic.com",
    ask=_ask,
    finished=frozenset({"end_turn"}),
    faults={
        "max_tokens": JudgeErrorKind.TRUNCATED,
        "model_context_window_exceeded": JudgeErrorKind.TOO_LARGE,
        "refusal": JudgeErrorKind.REFUSED,
    },
)
open_anthropic = partial(open_vendor, ANTHROPIC)
