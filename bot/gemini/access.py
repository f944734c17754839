"""Whether a key may use the models, asked without spending a token."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing

from bot.config import ModelSettings
from bot.gemini.connection import BASE_URL, CallError, Connection

_TIMEOUT = 20.0


async def unreachable_models(settings: ModelSettings) -> Mapping[str, str]:
    """Each model in use, and what is wrong with it in a sentence; "" if nothing."""
    key, names = settings.api_key.get_secret_value(), settings.file.models
    problems: dict[str, str] = {}
    async with aclosing(Connection(key, settings.base_url or BASE_URL, _TIMEOUT)) as connection:
        for model in dict.fromkeys((names.flash, names.pro, names.embedding)):
            try:
                async with connection.calling() as models:
                    await models.get(model=model)
                problems[model] = ""
            except CallError as error:
                problem = str(error)
                problems[model] = f"{problem[0].upper()}{problem[1:]}."
    return problems
