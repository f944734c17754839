"""How the models in use stand: what is known from the last time each was probed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.store.database import Database


@dataclass(frozen=True, slots=True)
class Standing:
    """One model. `says` is all that is known of it, in a sentence or two.

    `resilience` is the index in [0, 1] of a run that speaks for the model with the prompts in use;
    None where there is none, or where the prompts were changed since: that model is not probed.
    """

    model_id: str
    says: str
    resilience: float | None = None


async def standings(_database: Database, models: Sequence[str]) -> tuple[Standing, ...]:
    """The standing of each model. No run is kept yet, so none is probed."""
    return tuple(Standing(model, "not probed") for model in dict.fromkeys(models))
