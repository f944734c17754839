"""A behaviour by which nothing is done before a person has approved it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.oversight.released import GRANTED, GRANTED_ROUTE, find_released
from jurat.rating.behaviours.oversight.settling import (
    find_settled_proposals,
    list_reached_to_change,
)
from jurat.rating.behaviours.oversight.waits import (
    find_pressed,
    find_resumed,
    find_signalled,
    find_waited,
)
from jurat.rating.behaviours.safeguards import is_about_caller
from jurat.rating.code.function_facts import CallFact, GuardFact, Tags
from jurat.rating.code.tag_search import has_name, has_text
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.external_acts import has_answer, is_act, list_answered
from jurat.rating.program.program_names import Function
from jurat.rating.program.surroundings import are_acquainted, is_small

_PERSON = re.compile(
    r"(?:^|\.)(?:builtins\.input|click\.(?:confirm|prompt)|typer\.(?:confirm|prompt)"
    r"|rich\.prompt\.\w+\.ask|questionary\.\w+(?:\(\)\.ask)?|inquirer\.\w+|inquirer\.prompt"
    r"|langgraph\.types\.interrupt|window\.confirm|getpass\.getpass"
    r"|readline\.\w+(?:\(\))?\.question|createInterface\(\)\.question|streamlit\.(?:button|radio"
    r"|checkbox|form_submit_button)|tkinter\.messagebox\.ask\w+|sys\.stdin\.readline)(?:\(\))?$"
    # What a browser, and a package for the terminal, call by these words is a module of texts too.
    r"|^(?:\?\.)?(?:prompts|confirm|prompt)(?:\(\))?$"
)
_FRAMEWORK = frozenset(
    ("interrupt_before", "interrupt_after", "human_input_mode", "needs_approval", "interrupt_on",
     "require_approval", "requires_confirmation", "human_input", "can_use_tool", "needsApproval",
     "interruptBefore", "interruptAfter", "requireApproval")
)  # fmt: skip


@register_behaviour("approval_gate")
def find_approvals(conduct: Conduct) -> Iterator[Sign]:
    """What is done stands behind a person's answer, whether asked at once or kept until then."""
    settled = _find_settled(conduct)
    # Who asks where no answer of a model comes asks for something else: what to install, or where.
    known = list_answered(conduct)
    followed = frozenset(one for one in known if one[1] or one in conduct.deciding)
    answered = conduct.program.walk(followed | conduct.tools, 1) | known
    # In a large program words and fields are said everywhere: what becomes of an answer tells.
    small = is_small(conduct)
    answers: dict[tuple[Function, Tags], tuple[Tags, bool, frozenset[Function]]] = {}
    for one, call, name in conduct.iter_calls(conduct.subjects):
        if name and any(word in _FRAMEWORK for word in call.keywords):
            if _is_turned_on(conduct, one, call):
                yield Sign("approval_gate", one, call.line, frozenset({one}))
            continue
        if not call.guards or not conduct.is_effect(one, call) or conduct.is_logged(one, call):
            continue
        for guard in conduct.list_guards(one, call):
            # A guard stands before many calls, and says the same before each.
            key = (one, guard.asks)
            if key not in answers:
                asks = conduct.expand(one, guard.asks, 3 if small else 1)
                answers[key] = (
                    asks,
                    has_name(asks, _PERSON) and _can_vary(asks),
                    _find_setters(conduct, one, settled, asks, conduct.expand(one, guard.asks, 1))
                    if small
                    else frozenset(),
                )
            asks, asks_person, setters = answers[key]
            about = one in answered and (
                one in conduct.tools or has_answer(conduct, one, call.given)
            )
            if asks_person and about and not _is_asked_before(conduct, one, call, guard):
                behind = conduct.list_behind(one, guard.asks)
                yield Sign("approval_gate", one, guard.line, behind | {one})
                break
            acts = not answered or one in answered or is_act(conduct, one, call)
            if setters and acts and not is_about_caller(guard, asks):
                behind = conduct.list_behind(one, guard.asks)
                yield Sign("approval_gate", one, guard.line, behind | setters | {one})
                break
    yield from find_settled_proposals(conduct)
    yield from find_released(conduct) if small else ()
    yield from find_pressed(conduct)
    yield from find_waited(conduct)
    yield from find_resumed(conduct)
    yield from find_signalled(conduct)
    yield from _find_gating_marks(conduct)


def _is_asked_before(conduct: Conduct, one: Function, call: CallFact, guard: GuardFact) -> bool:
    """Whether a person was asked when nothing was decided yet, so that nothing was approved."""
    inferring = [c.line for c in conduct.facts(one).calls if conduct.asks_model(one, c)]
    return bool(inferring) and not call.loops and guard.line < min(inferring)


def _can_vary(asks: Tags) -> bool:
    return any(tag[:3] == "op:" for tag in asks) or any(tag[:2] == "x:" for tag in asks)


def _is_turned_on(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a framework's approval is set to something other than off."""
    for pair in conduct.facts(one).pairs:
        if pair.key in _FRAMEWORK and abs(pair.line - call.line) <= 40:
            if pair.value & {"c:False", "c:None", "t:NEVER"} or not pair.value:
                continue
            return True
    return False


_HELD = "held:"
"""Before a place that takes what a person hands in."""


def _find_settled(conduct: Conduct) -> dict[str, frozenset[Function]]:
    """What people set through a handler that asks no model, by place; texts by "t:"."""
    found: defaultdict[str, set[Function]] = defaultdict(set)
    reached = list_reached_to_change(conduct)
    for one in conduct.product:
        if one in conduct.beside or one not in reached:
            continue
        facts = conduct.facts(one)
        for write in facts.writes:
            # What is made, or read from a setting, is no person's answer.
            if write.constant:
                found[write.place].add(one)
            elif any(tag[:2] == "p:" for tag in write.value):
                found[f"{_HELD}{write.place}"].add(one)
        says = {tag[2:] for w in facts.writes for tag in w.value if tag[:2] == "t:"}
        says |= {tag[2:] for c in facts.calls for tag in c.given if tag[:2] == "t:"}
        says |= {tag[2:] for p in facts.pairs for tag in p.value if tag[:2] == "t:"}
        says |= {p.key for p in facts.pairs}
        if any(GRANTED.search(text) for text in says) or any(
            GRANTED_ROUTE.search(route) for route in conduct.list_routes(one)
        ):
            found["granted"].add(one)
    return {place: frozenset(setters) for place, setters in found.items()}


def _find_setters(
    conduct: Conduct,
    one: Function,
    settled: Mapping[str, Iterable[Function]],
    asks: Tags,
    own: Tags,
) -> frozenset[Function]:
    """Who settles what a function asks, of those who have to do with what it has to do with.

    Of fields only `own` tags tell: what a condition itself says, and whom it asks.
    """

    def list_near(place: str) -> frozenset[Function]:
        return frozenset(
            other
            for other in settled.get(place, ())
            if other != one and are_acquainted(conduct, one[0], other[0])
        )

    if has_text(asks, GRANTED) and (granted := list_near("granted")):
        return granted
    # What is handed in may be anything, such as which model to ask. It is an answer if it is held
    # against one that was agreed on.
    held = bool(own & {"op:==", "op:in", "op:!="}) and any(
        tag[:2] == "t:" or tag in ("c:True", "c:False") for tag in own
    )
    if not any(tag[:2] in ("p:", "x:") for tag in asks):
        return frozenset()
    for tag in sorted(tag for tag in own if tag[:2] == "a:"):
        if others := list_near(tag) | (list_near(f"{_HELD}{tag}") if held else frozenset()):
            return others
    return frozenset()


def _find_gating_marks(conduct: Conduct) -> Iterator[Sign]:
    """A decorator whose wrapper asks a person before it calls what it wraps."""
    for one in conduct.subjects:
        facts = conduct.facts(one)
        for mark in facts.marks:
            for target in conduct.targets(one, mark.callee):
                inner = [
                    (target[0], number)
                    for number, f in enumerate(conduct.program.files[target[0]].functions)
                    if target[1] in (f.parent, _get_outer(conduct, target[0], f.parent))
                ]
                for wrapper in inner:
                    for call in conduct.facts(wrapper).calls:
                        guards = conduct.list_guards(wrapper, call)
                        if call.guards and any(
                            has_name(conduct.expand(wrapper, guard.asks), _PERSON)
                            for guard in guards
                        ):
                            carriers = frozenset({wrapper, target})
                            yield Sign("approval_gate", one, facts.first, carriers)


def _get_outer(conduct: Conduct, path: str, number: int) -> int:
    return conduct.program.files[path].functions[number].parent if number > 0 else -1
