"""OpenAI's models, and those of whatever speaks its protocol: vLLM, Ollama, gateways."""

from __future__ import annotations

from functools import partial
from typing import Any

from jurat.judge.protocol import JudgeErrorKind, Prompt
from jurat.judge.vendor_judge import (
    Vendor,
    VendorAnswer,
    VendorOptions,
    close_schema,
    drop_nulls,
    open_vendor,
)


async def _ask(client: Any, model: str, prompt: Prompt, options: VendorOptions) -> VendorAnswer:
    # Others refuse an effort for models that do not think, and Ollama's mostly do not.
    effort = {} if options.base_url else {"reasoning_effort": prompt.thinking}
    response = await client.chat.completions.create(
        model=model,
        messages=[
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
        max_completion_tokens=options.max_output_tokens,
        response_format={
            "type": "json_schema",
            "json_schema": {
                "name": "reply",
                "strict": True,
                "schema": close_schema(prompt.schema, is_complete=True),
            },
        },
        **effort,
    )
    choice, usage = response.choices[0], response.usage
    text = choice.message.content
    return VendorAnswer(
        finish=choice.finish_reason,
        # What was optional comes as null, since strict schemas know nothing optional.
        text=drop_nulls(text) if isinstance(text, str) else text,
        input_tokens=getattr(usage, "prompt_tokens", None),
        output_tokens=getattr(usage, "completion_tokens", None),
        served=response.model,
        refused=bool(getattr(choice.message, "refusal", None)),
    )


OPENAI = Vendor(
    module="openai",
    client="AsyncOpenAI",
    base_url="https://api.openai.com/v1",
    ask=_ask,
    finished=frozenset({"stop"}),
    faults={"length": JudgeErrorKind.TRUNCATED, "content_filter": JudgeErrorKind.REFUSED},
)
open_openai = partial(open_vendor, OPENAI)
