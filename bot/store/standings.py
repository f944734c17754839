"""How the judge in use stands: what is known from the last time it was probed."""

from __future__ import annotations

from bot.judgment.prompts import prompts_digest
from bot.probes.standing import Standing, standing
from bot.store.database import Database
from bot.store.probe_runs import last_probe_run


async def standing_of(database: Database, model: str) -> Standing:
    """The standing of a model with the prompts in use. Raises DatabaseUnavailable."""
    run = await last_probe_run(database, model)
    return standing(run, model=model, prompt_digest=prompts_digest())
