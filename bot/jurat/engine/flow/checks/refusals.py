"""What a statement may have refused that only asks: `authorize(a)` of a file that is not read."""

from __future__ import annotations

import re

from jurat.engine.flow.checks.answers import get_callee_name
from jurat.engine.flow.checks.foreign_checks import is_uninformative
from jurat.engine.flow.forms.program import Call
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.taints import Taint
from jurat.engine.flow.values.value import NOTHING, Env, iter_taints

_ASKED = "asked of "
"""Begins the name of an origin in what such statements were given."""

_REFUSING = re.compile(
    r"(?!.*(?:(?i:null|none|nil|empty|blank|exist|present|defined|length)|Err|_err))"
    r"(?:check|validate|verify|ensure|assert|require|guard|restrict|authori[sz]e|enforce|reject"
    r"|refuse|deny|forbid|protect)(?:s?_[a-z]|[A-Z]|$)"
)
"""Begins the name of what ends in an error for whatever is not fit; that it is there is not all."""


def note_asked(evaluator: Evaluator, call: Call, env: Env) -> None:
    """Note what a call was given whose answer nobody takes, and that is there to refuse."""
    name = get_callee_name(evaluator, call)
    word = name.rpartition(".")[2]
    called = evaluator.results.get(id(call.callee), NOTHING)
    # `subprocess.check_call` is what has to be checked, whatever its name says.
    is_known = called.closure is not None or evaluator.matcher.find_sinks(name)
    if is_known or is_uninformative(evaluator, name) or not _REFUSING.match(word):
        return
    for argument in call.arguments:
        for taint in iter_taints(evaluator.results.get(id(argument.value), NOTHING)):
            asked = taint._replace(source=_ASKED + taint.source)
            env.clear([asked], evaluator.matcher.everything)
            evaluator.refusers[taint.source] = word


def mark_asked(evaluator: Evaluator, taint: Taint, env: Env) -> Taint:
    """An origin at its end: answered for by what may have refused it on the way."""
    if taint.answered_by or taint.source not in evaluator.refusers:
        return taint
    if not env.find_cleared(taint._replace(source=_ASKED + taint.source)) & taint.live:
        return taint
    return taint._replace(answered_by=evaluator.refusers[taint.source])
