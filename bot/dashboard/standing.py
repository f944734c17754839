"""What is known of how well a model judges: its last resilience index, if it was ever probed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """One model in use.

    `resilience` is the index in [0, 1] of its last probe run, at `probed_at`; both are None where
    there was none. `current` is False where the prompt was changed since: what was measured then
    says nothing of the prompt in use.
    """

    model_id: str
    resilience: float | None = None
    probed_at: dt.datetime | None = None
    current: bool = True

    @property
    def says(self) -> str:
        """The standing in a sentence."""
        if self.resilience is None or self.probed_at is None:
            return "not probed"
        day = self.probed_at.date().isoformat()
        if not self.current:
            return f"not probed with the prompt in use, which was changed after {day}"
        return f"resilience {self.resilience:.2f}, probed on {day}"


Standings = Callable[[], Awaitable[Sequence[Standing]]]
"""Looks up how the models in use stand; none where no model is configured."""
