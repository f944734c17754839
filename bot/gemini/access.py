"""Whether a key may use the models, asked without spending a token."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from bot.config import ModelSettings
from bot.gemini.client import BASE_URL
from bot.gemini.connection import connect

_TIMEOUT = 20.0


async def unreachable_models(settings: ModelSettings) -> Mapping[str, str]:
    """Each model in use, and what is wrong with it in a sentence; "" if nothing."""
    import aiohttp  # noqa: PLC0415 - with the SDK: only when something is asked
    from google.genai import errors  # noqa: PLC0415 - as above

    key, names = settings.api_key.get_secret_value(), settings.file.models
    connection = connect(key, settings.base_url or BASE_URL, _TIMEOUT)
    problems: dict[str, str] = {}
    try:
        for model in dict.fromkeys((names.flash, names.pro, names.embedding)):
            try:
                async with asyncio.timeout(_TIMEOUT):
                    await connection.client.aio.models.get(model=model)
                problems[model] = ""
            except errors.APIError as error:
                # Google's message may repeat what was sent: it is left out.
                problems[model] = f"The API answered {error.code} {error.status or ''}".rstrip()
                problems[model] += "."
            except (TimeoutError, aiohttp.ClientError, OSError) as error:
                problems[model] = f"The API could not be reached ({type(error).__name__})."
            except (ValueError, TypeError, AttributeError, LookupError):
                problems[model] = "The API's answer could not be read."
    finally:
        await connection.aclose()
    return problems
