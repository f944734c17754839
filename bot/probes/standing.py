"""What is known of the judge in force from the last time it was probed."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from bot.probes.report import Report


@dataclass(frozen=True, slots=True)
class ProbeRun:
    """A run of the configured judge as the store keeps it: one for each `key`, the latest."""

    report: Report
    created_at: dt.datetime

    @property
    def key(self) -> tuple[str, str, str]:
        """Model, digest of the prompts, digest of the probes."""
        meta = self.report.meta
        return (meta.model or "", meta.prompt_digest or "", meta.probe_digest)


_PROBE = "Run `bylaw probe run`."


class Probed(StrEnum):
    """Whether a run speaks for the judge in force."""

    NEVER = "never"
    PROMPTS_CHANGED = "prompts_changed"
    INCOMPLETE = "incomplete"
    PROBED = "probed"


@dataclass(frozen=True, slots=True)
class Standing:
    """`resilience_index` is the last run's, whatever `state` says of it; None where there is none.

    `text` says all of it in a sentence or two, `todo` what to do; empty where there is nothing.
    """

    state: Probed
    text: str
    todo: str = ""
    resilience_index: float | None = None


def standing(last: ProbeRun | None, *, model: str, prompt_digest: str) -> Standing:
    """How the judge in force stands: `last` is the last run of `model`, None where there is none.

    `prompt_digest` is that of the prompts in force (`bot.judgment.prompts.prompts_digest`).
    """
    if last is None:
        return Standing(Probed.NEVER, f"{model} has not been probed.", _PROBE)
    counts = last.report.metrics.counts
    index = last.report.metrics.composite.resilience_index
    found = (
        f"resilience index {index:.2f}, {counts.passed} of {counts.evaluated} probes passed"
        f" on {last.created_at:%Y-%m-%d}"
    )
    if last.report.meta.prompt_digest != prompt_digest:
        text = f"The prompts have changed since {model} was probed ({found}): not probed since."
        return Standing(Probed.PROMPTS_CHANGED, text, _PROBE, index)
    if counts.not_run:
        text = f"{model}: {found}, and {counts.not_run} not run."
        return Standing(Probed.INCOMPLETE, text, _PROBE, index)
    return Standing(Probed.PROBED, f"{model}: {found}.", "", index)
