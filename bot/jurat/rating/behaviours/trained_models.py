"""Whether a figure is one of a training: it says how that goes, and nothing of the system in use.

A step of a training reckons how far off it was, and a search tries what to set by fitting models
that are dropped again. What is held out, and measured beside, is a measurement all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.code.function_facts import CallFact, FunctionFacts
from jurat.rating.program.conduct import Conduct
from jurat.rating.signals.recon_table import split_name

_STEPS = re.compile(r"(?:^|\.)(?:backward|zero_grad|manual_backward|apply_gradients|minimize)$")
"""What a training calls after each step."""
_HELD_OUT = re.compile(
    r"(?:^|_)(?:tests?|testing|valid|validation|val|dev|eval\w*|held|holdout)(?:_|$)"
)
_FITS = re.compile(r"(?:^|\.)cross_val\w*$")
"""What is handed a model, and fits it to measure it."""


def is_of_training(conduct: Conduct, sign: Sign) -> bool:
    """Whether what measures is a step of a training, or fits a model and drops it."""
    facts = conduct.facts(sign.function)
    searched = [c for c in facts.calls if c.line == sign.line and _FITS.search(c.callee)]
    if searched and all(_is_dropped(facts, call) for call in searched):
        return True
    around = (sign.function, *conduct.program.callers.get(sign.function, ()))
    return any(map(_is_trainer, map(conduct.facts, around))) and not _is_of_held_out(facts)


def _is_trainer(facts: FunctionFacts) -> bool:
    return any(_STEPS.search(call.callee) for call in facts.calls)


def _is_of_held_out(facts: FunctionFacts) -> bool:
    """Whether a function speaks of what a training does not see."""
    return any(_HELD_OUT.search(split_name(name)) for name in _iter_names(facts))


def _iter_names(facts: FunctionFacts) -> Iterator[str]:
    yield from (facts.name, *facts.parameters)
    for call in facts.calls:
        yield from (call.callee.rpartition(".")[2], *call.keywords)
        yield from (tag[2:] for tag in call.given if tag[:2] in ("p:", "a:", "k:", "t:"))
    yield from (name.rpartition(".")[2] for name in facts.refers)


def _is_dropped(facts: FunctionFacts, searched: CallFact) -> bool:
    """Whether a model that is fitted to be measured is made there, and put to no other use."""
    made = {tag for tag in searched.given if tag[:2] == "x:" and _CLASS.search(tag)}
    used = (call.given | call.receiver for call in facts.calls if call.line != searched.line)
    return bool(made) and all(map(made.isdisjoint, used))


_CLASS = re.compile(r"(?:^x:|\.)[A-Z]\w*(?:\(\))?$")
