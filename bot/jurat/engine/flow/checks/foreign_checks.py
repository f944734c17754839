"""What the yes of a callee is worth that stands in no file that is read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ast_grep_py import SgNode

from jurat.engine.flow.checks.answers import clear_handed, clear_value, get_callee_name
from jurat.engine.flow.forms.program import Attribute, Call, Expression, Name
from jurat.engine.flow.values.evaluator import NUMBER_MAKERS, Evaluator
from jurat.engine.flow.values.value import (
    NOTHING,
    Env,
    Truths,
    Value,
    collect,
    extend_name,
    iter_taints,
)
from jurat.engine.flow.words import split_words

GETTERS = split_words(
    """
    get getlist getList getAll get_all getParameter getHeader header headers query param params
    Get FormValue PostFormValue Param PathValue pop cookies getParameterValues
    DefaultQuery Load getProperty
    """
)
"""Methods whose first argument says which part they return."""

TELLING = split_words(
    """
    exists isfile isdir isFile isDir isDirectory is_file is_dir stat lstat access existsSync
    hasattr callable len isinstance typeof startswith endswith startsWith endsWith search find
    includes contains indexOf match test isString isArray print log info debug warn error write
    canParse isIP isIPv4 isIPv6
    """
)
"""Callees whose yes says nothing of where a value leads."""


def clear_asked(evaluator: Evaluator, name: str, arguments: Sequence[Expression], env: Env) -> None:
    """A function of another file was asked about a value, and said yes.

    Of where something leads that is the usual check, under any name: inside a folder, one of
    our hosts. A library's own function that is no guard, such as `os.path.exists`, is none.
    """
    if is_uninformative(evaluator, name) or name.rpartition(".")[2] in GETTERS:
        return
    word = name.rpartition(".")[2]
    for one in arguments:
        is_plain_text = evaluator.matcher.words.is_format(word)
        clear_value(evaluator, one, env, None if is_plain_text else evaluator.matcher.places)
        if evaluator.matcher.words.is_kind(word):
            clear_handed(evaluator, one, env)


_FIT = re.compile(
    r"(?i)(?:is_?|was_?)?(?:valid|allowed|permitted|ok|success(?:ful)?|trusted|safe|authori[sz]ed"
    r"|verified|approved|granted|accepted)"
)
"""What the part of an answer is called that says whether what was asked about is fit."""


def clear_answered(evaluator: Evaluator, condition: Attribute, env: Env, *, holds: bool) -> None:
    """A function of another file has answered an object, one part of which says yes.

    What it was asked about is as fit as if it had answered no more than that: `said.valid`.
    """
    of = condition.of
    asked = env.conditions.get(of.name) if isinstance(of, Name) else of
    word, turned = evaluator.matcher.words.turn(condition.name)
    if not isinstance(asked, Call) or holds is turned or not _FIT.fullmatch(word):
        return
    called = evaluator.results.get(id(asked.callee), NOTHING)
    if called.closure is None and called.known_class is None:
        given = [one.value for one in asked.arguments]
        clear_asked(evaluator, get_callee_name(evaluator, asked), given, env)


def is_uninformative(evaluator: Evaluator, name: str) -> bool:
    """Whether a callee is known to say nothing of what it is asked about."""
    called = extend_name(name, "()")
    known = evaluator.matcher.find_passing(called) or evaluator.matcher.find_sanitizer(called)
    return bool(known) or name.rpartition(".")[2] in TELLING


def clear_found(evaluator: Evaluator, condition: Call, env: Env) -> None:
    """What something was looked up by, and found: whoever keeps it knows what it stands for."""
    if not evaluator.matcher.believed:
        return
    part: Expression = condition
    while isinstance(part, Call | Attribute):
        if isinstance(part, Attribute):
            part = part.of
            continue
        if not is_uninformative(evaluator, get_callee_name(evaluator, part)):
            for one in part.arguments:
                clear_value(evaluator, one.value, env, evaluator.matcher.believed)
        part = part.callee


def _is_closed(value: Value) -> bool:
    """Whether a filter of classes ends by refusing what it does not name, as far as it is known."""
    said = value.constant
    return not isinstance(said, str) or "!*" in said


_ERROR_LAST = re.compile(r"(?s)(?:.*,\s*)?(?:_|\w*[eE]rr\d?)")
"""What Go assigns to, if the last of it is an error, or thrown away."""


_ASSIGNING = frozenset({"short_var_declaration", "assignment_statement"})


def _is_error_returned(call: SgNode) -> bool:
    """Whether a call's error goes into a variable: nothing is checked before that is nil."""
    around = call.parent()
    if around is not None and around.kind() == "expression_list":
        around = around.parent()
    written = around.field("left") if around is not None else None
    is_go = around is not None and around.kind() in _ASSIGNING
    return is_go and written is not None and _ERROR_LAST.fullmatch(written.text()) is not None


def clear_checked(
    evaluator: Evaluator, call: Call, name: str, asked: Sequence[Value], env: Env
) -> None:
    """A check that ends in an error for what is not fit: behind it all is."""
    if evaluator.language.returns_error_last and _is_error_returned(call.node):
        checked = Env({})
        evaluator.facts[id(call)] = Truths({}, checked.cleared)
        env = checked
    # `subprocess.check_output` is what has to be checked, whatever its name says.
    mask = 0 if evaluator.matcher.find_sinks(name) else evaluator.matcher.find_check(name)
    if mask and NUMBER_MAKERS.search(name):
        mask &= ~evaluator.matcher.believed
    if name.endswith(".setObjectInputFilter") and not any(map(_is_closed, asked[1:])):
        # A filter that sets limits alone lets any class through.
        return
    if name.endswith(".index") and asked[0].items and not any(iter_taints(asked[0])):
        # A list says where it has something, and ends in an error for what it has not.
        env.clear(collect(asked[1:]), evaluator.matcher.everything)
    if mask:
        taints, bound = collect(asked), evaluator.matcher.find_bound(name)
        env.clear(taints, mask & ~bound)
        env.clear((taint for taint in taints if taint.settled), mask & bound)
