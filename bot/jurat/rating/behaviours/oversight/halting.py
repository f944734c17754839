"""Behaviours by which a system comes to rest: a person halts it, or its steps end by themselves."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.oversight.switches import (
    HALT,
    is_handle_of_work,
    is_switch,
    keep_switching,
)
from jurat.rating.code.function_facts import CallFact, Tags, WriteFact
from jurat.rating.code.tag_search import has_name, has_text
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.external_acts import list_answers
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.stores import (
    is_change,
    is_given,
    list_called,
    list_filled,
    list_places,
    list_touched,
    list_written,
)
from jurat.rating.program.surroundings import is_small

_EVENT = re.compile(
    r"(?:threading|asyncio|multiprocessing)\.Event\(\)|AbortController\(\)|CancelToken"
)
_EVENT_SET = re.compile(r"\.(?:set|clear|abort|cancel)$")
_EVENT_ASKED = re.compile(
    r"\.(?:is_set|wait|aborted|throwIfAborted|throw_if_aborted)$|signal\.aborted"
)
_ENDS = re.compile(r"\.(?:cancel|terminate|kill|abort|revoke|shutdown|stop|task_done)$")
_SIGNALS = re.compile(r"(?:^|\.)(?:signal\.signal|add_signal_handler|process\.on)$")


@register_behaviour("halt")
def find_halts(conduct: Conduct) -> Iterator[Sign]:
    """A person's word ends what runs: an event, a signal, a flag that the work looks at."""
    asked = list(_iter_asked(conduct))
    signalled = _find_signal_handlers(conduct)
    events_set = [
        (one, call.receiver) for one, call, name in conduct.iter_calls()
        if _EVENT_SET.search(name) and (_EVENT.search(name) or has_name(call.receiver, _EVENT))
        and one not in conduct.tools
        and (one in signalled or (conduct.is_asked_by_people(one)
                                  and not _is_inside_work(conduct, one)))
    ]  # fmt: skip
    for one, line, asks, _ in asked:
        if has_name(asks, _EVENT) and has_name(asks, _EVENT_ASKED):
            setters = {s for s, event in events_set if s != one and _is_same_event(event, asks)}
            if setters:
                yield Sign("halt", one, line, frozenset({one, *setters}))
    writers = _find_writers(conduct, signalled)
    halting = _find_halting_handlers(conduct)
    for one, line, asks, own in asked:
        for tag in sorted(asks):  # the first decides: not another one in each process
            place = tag if tag[:2] in ("s:", "a:", "k:") else ""
            others = keep_switching(conduct, one, own, writers.get(place, frozenset()) - {one})
            shared = tag[:2] == "s:" or (has_text(asks, HALT) and tag[:2] == "k:") or (
                tag[:2] in ("a:", "k:") and any(other[:2] == "s:" for other in asks)
            )  # fmt: skip
            if others and shared:
                yield Sign("halt", one, line, frozenset({one, *others}))
                break
        else:
            keepers = keep_switching(conduct, one, own, halting - {one})
            if has_text(asks, HALT) and keepers and any(tag[:2] == "x:" for tag in asks):
                yield Sign("halt", one, line, frozenset({one, *keepers}))
    yield from _find_switches(conduct, asked)
    yield from _find_outer_switches(conduct, asked)
    yield from _find_aborted(conduct)
    for one, call, name in conduct.iter_calls(conduct.subjects):
        if _PAUSES.search(name) and _is_of_work(conduct, one, call):
            yield Sign("halt", one, call.line, frozenset({one}))
        ends = _ENDS.search(name) and conduct.is_asked_by_people(one)
        ends = ends and (one not in conduct.leading or _is_apart(conduct, one, call))
        if ends and is_handle_of_work(conduct, one, call):
            yield Sign("halt", one, call.line, frozenset({one}))


def _is_apart(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a small program's function that asks a model ends it for another word than that."""
    before = {n for c in conduct.facts(one).calls if conduct.asks_model(one, c) for n in c.guards}
    return is_small(conduct) and not before.issuperset(call.guards)


def _find_aborted(conduct: Conduct) -> Iterator[Sign]:
    """A model is handed a signal by which it leaves off, and what a page shows gives it.

    Who gives it within the work itself, such as a timer, is no person.
    """
    questions = [
        (one, call.line)
        for one in sorted(conduct.inferring)
        for call in conduct.facts(one).calls
        if conduct.infers(one, call) and ("k:signal" in call.given or "signal" in call.keywords)
    ]
    if not questions or not is_small(conduct):
        return
    for one, call, _ in conduct.iter_calls():
        outer = (one[0], conduct.facts(one).parent)
        if call.callee.endswith(".abort") and not {one, outer} & conduct.inferring:
            for other, line in questions:
                yield Sign("halt", other, line, frozenset({other, one}))


def _is_same_event(event: Tags, other: Tags) -> bool:
    """Whether two events may be the same: those of one module with names of their own are not."""
    named, others = ({tag for tag in tags if tag[:2] == "s:"} for tags in (event, other))
    return not (named and others) or bool(named & others)


_PAUSES = re.compile(r"(?:Queue|Worker)\w*\(\)\.pause$")


def _is_of_work(conduct: Conduct, pausing: Function, paused: CallFact) -> bool:
    """Whether a queue is the one from which what asks a model takes its work.

    It is known by its name, or by the file that makes it for those who take from it.
    """
    made_in = conduct.program.find_module(pausing[0], paused.callee)
    if made_in is not None and any(path == made_in[0] for path, _ in conduct.leading):
        return True
    named = {tag for tag in paused.receiver if tag[:2] == "t:"}
    return any(
        call.first and f"t:{call.first}" in named and target in conduct.leading
        for one, call, _ in conduct.iter_calls()
        for tag in call.given
        if tag[:2] == "x:"
        for target in conduct.targets(one, tag[2:])
    )


def _is_inside_work(conduct: Conduct, one: Function) -> bool:
    """Whether a function is made by the work itself, and called by nobody else, such as a timer."""
    outer = (one[0], conduct.facts(one).parent)
    return outer in conduct.leading and one not in conduct.handlers


def _find_writers(
    conduct: Conduct, signalled: frozenset[Function]
) -> Mapping[str, frozenset[Function]]:
    """Who sets each place at a person's word, beside the work itself."""
    found: defaultdict[str, set[Function]] = defaultdict(set)
    for one in conduct.product:
        reached = conduct.is_asked_by_people(one) or one in signalled
        if not reached or one in conduct.leading or conduct.facts(one).name in _MAKERS:
            continue  # how it begins is nobody's word
        if one in conduct.tools:
            continue  # nor is what a model has done
        for write in conduct.facts(one).writes:
            if _is_set(write):
                found[write.place].add(one)
    return {place: frozenset(setters) for place, setters in found.items()}


_MAKERS = ("__init__", "constructor")


def _is_set(write: WriteFact) -> bool:
    """Whether something is set to what is fixed, or to what a person says; else it is a result."""
    return write.constant or is_given(write.value) or _is_turned_over(write)


def _is_turned_over(write: WriteFact) -> bool:
    """Whether what stands somewhere becomes its opposite: all that is said is what was there."""
    return write.place in write.value and write.value <= write.base | {write.place}


def _find_switches(
    conduct: Conduct, asked: Iterable[tuple[Function, int, Tags, Tags]]
) -> Iterator[Sign]:
    """Work looks at a place that is the same for all of it, and that a person's call changes."""
    # What the work itself fills, such as a counter or a queue, is no switch of a person's.
    working = conduct.leading & set(conduct.product)
    kept = [kept for one in working for kept in list_store_calls(conduct, one)]
    read = {p for call in kept if call.access is Access.READ for p in call.places}
    changed = {p for call in kept if call.access is not Access.READ for p in call.places}
    own = list_filled(conduct, working) - (read - changed)
    setters = _find_setters(conduct)
    for one, line, asks, own_words in asked:
        # The parameters of whom it asks are filled here, and by what is always the same; so is the
        # store that it was handed.
        kept_apart = not any(tag[:2] == "p:" for tag in own_words - _list_handles(conduct, one))
        if not (kept_apart or has_text(asks, HALT)):
            continue  # of one person's case, not of the system
        places = {*list_places(conduct, one, asks | own_words)} | _list_read(conduct, one, asks)
        places |= {f"field:{tag[2:]}" for tag in asks if tag[:2] == "a:"} if kept_apart else set()
        behind = conduct.list_behind(one, asks)
        places |= {p for item in behind for p in list_touched(conduct, item)}
        others = {s for place in places - own for s in setters.get(place, ())} - {one} - behind
        others = keep_switching(conduct, one, own_words, others)
        if others:
            yield Sign("halt", one, line, frozenset({one, *others, *behind}))


def _list_handles(conduct: Conduct, one: Function) -> Tags:
    """The parameters of a function that it only asks for what is kept."""
    calls = list_store_calls(conduct, one)
    asked = {tag for kept in calls for tag in kept.call.receiver if tag[:2] == "p:"}
    answers = {f"x:{kept.call.callee}" for kept in calls}
    # What came of asking it has the store in it; what is said without that is a value of its own.
    said = {
        tag
        for call in conduct.facts(one).calls
        if answers.isdisjoint(call.given)
        for tag in call.given
    }
    return frozenset(asked - said)


def _find_setters(conduct: Conduct) -> Mapping[str, frozenset[Function]]:
    """Who changes each place at a person's call, or when the time comes, beside the work."""
    found: defaultdict[str, set[Function]] = defaultdict(set)
    timed = conduct.program.walk(conduct.scheduled, 2)
    for one in conduct.product:
        if one in conduct.leading or not (conduct.is_asked_by_people(one) or one in timed):
            continue
        if one in conduct.tools:
            continue
        facts = conduct.facts(one)
        if facts.name in _MAKERS:
            continue
        places = {p for call in facts.calls if is_change(call)
                  for p in list_called(conduct, one, call)}  # fmt: skip
        places.update(p for w in facts.writes if _is_set(w) for p in list_written(conduct, one, w))
        for kept in list_store_calls(conduct, one):
            if kept.access is not Access.READ:
                places.update(p for p in kept.places if p.startswith(_LASTING))
        for place in places:
            found[place].add(one)
    for one, call, name in conduct.iter_calls():
        if name.endswith("admin.site.register"):  # a page on which people change its rows
            for place in list_places(conduct, one, call.given):
                found[place].add(one)
    return {place: frozenset(setters) for place, setters in found.items()}


_LASTING = ("table:", "model:", "key:")


def _list_read(conduct: Conduct, one: Function, asks: Tags) -> set[str]:
    """The places out of which comes what is asked."""
    return {
        place
        for item in (one, *conduct.list_behind(one, asks))
        for kept in list_store_calls(conduct, item)
        if kept.access is Access.READ and (item != one or f"x:{kept.call.callee}" in asks)
        for place in kept.places
        if place.startswith(_LASTING)
    }


_FLAGS = re.compile(
    r"unleash|launchdarkly|ldclient|flagsmith|growthbook|openfeature|posthog|statsig|configcat"
    r"|flipper|waffle|split\.?io|@vercel/flags",
    re.IGNORECASE,
)
"""Services on whose panel people turn a part of a program on and off while it runs."""
_FLAG_ASKED = re.compile(
    r"(?:is_?enabled|is_?on|variation|bool_?variation|get_?boolean_?value|feature_?enabled"
    r"|is_?feature_?enabled|flag_is_active|switch_is_active|get_?treatment|check_?gate|get_?value)"
    r"(?:\(\))?$",
    re.IGNORECASE,
)
_SETTING_ASKED = re.compile(r"^(?:constance\.config|dynamic_preferences\.\w+)(?:\.|$)")
"""Settings that people change on a page of the framework's while it runs."""
_LOOKS = re.compile(r"(?:exists|existsSync|is_file|isfile|access|lexists)$")
_OF_DATA = re.compile(
    r"\.(?:pkl|json\w*|csv|joblib|onnx|pt|pth|db|ya?ml|toml|env|html?|pdf|h5|ubj|bin|txt)$"
)


def _find_outer_switches(
    conduct: Conduct, asked: Iterable[tuple[Function, int, Tags, Tags]]
) -> Iterator[Sign]:
    """Work looks, each time, at what only somebody outside of the program can change.

    That is a file of which all that is asked is whether it is there, or a switch on a panel that an
    object reads which was handed in.
    """
    for one, line, asks, own in asked:
        if one not in conduct.leading:
            continue
        facts = conduct.facts(one)
        if has_name(own, _SETTING_ASKED):
            yield Sign("halt", one, line, frozenset({one}))
        if has_name(own, _FLAG_ASKED) and has_name(asks, _FLAGS):
            yield Sign("halt", one, line, frozenset({one}))
        looked = [
            c for c in facts.calls
            if f"x:{c.callee}" in own and _LOOKS.search(conduct.name(one, c.callee) or "-")
        ]  # fmt: skip
        files = {c.first for c in looked} | {
            tag[2:] for c in looked for tag in c.receiver if tag[:2] == "t:"
        }
        if any(_is_marker(conduct, path) for path in files if path):
            yield Sign("halt", one, line, frozenset({one}))
        handed = any(tag[:2] == "h:" for tag in own) and any(
            tag[:4] == "x:?." and not conduct.targets(one, tag[2:]) for tag in own
        )
        pressed = any(tag[:2] == "a:" and is_switch(tag[2:]) for tag in own)
        if handed and pressed and not any(tag[:2] == "p:" for tag in own):
            yield Sign("halt", one, line, frozenset({one}))


def _is_marker(conduct: Conduct, path: str) -> bool:
    """Whether a file is only ever looked for: nothing reads or writes what stands in it."""
    if _OF_DATA.search(path):
        return False
    return not any(
        call.first == path and not _LOOKS.search(call.callee) and not call.callee.endswith("Path")
        for item in conduct.product
        for call in conduct.facts(item).calls
    )


def _iter_asked(conduct: Conduct) -> Iterator[tuple[Function, int, Tags, Tags]]:
    """The conditions that end work in which a model is asked or something is done.

    Each with all that it rests on, and with what it says itself.
    """
    # An agent's framework calls these at each of its steps.
    steps = conduct.program.walk(conduct.model_hooks | conduct.tools, 2)
    # A framework calls these around each request that leads to a model.
    around = conduct.wrappers if conduct.leading & conduct.handlers else frozenset[Function]()
    near = conduct.beside | steps | around | conduct.gates
    for one in conduct.subjects:
        facts = conduct.facts(one)
        questions = [c for c in facts.calls if conduct.asks_model(one, c)]
        if not (questions or one in near) or _is_run_once(conduct, one):
            continue
        # What is asked before the model is also ends its work: the question is not put.
        before = {n for c in questions for n in c.guards}
        stated = [
            (guard.line, guard.asks)
            for number, guard in enumerate(facts.guards)
            if guard.leaves or (number in before and not guard.handler)
        ] + [(loop.line, loop.asks) for loop in facts.loops if loop.asks]
        # A condition that asks what a model answered is no switch of a person's.
        answers = list_answers(conduct).get(one, frozenset())
        for line, asks in stated:
            if answers.isdisjoint(asks):
                yield one, line, conduct.expand(one, asks), asks


def _is_run_once(conduct: Conduct, one: Function) -> bool:
    """Whether a function only hands the work to what then runs it: it is asked when all begins.

    What a person sets afterwards it never sees.
    """
    if one not in conduct.leading or one in conduct.handlers or one in conduct.deciding:
        return False
    return not any(call.loops or conduct.asks_model(one, call) for call in conduct.facts(one).calls)


def _find_signal_handlers(conduct: Conduct) -> frozenset[Function]:
    """The functions that something that runs hands to a signal of the system."""
    handed = (
        (caller, target)
        for caller, call, name in conduct.iter_calls()
        if _SIGNALS.search(name)
        for tag in call.given
        if tag[:2] == "x:"
        for target in conduct.targets(caller, tag[2:])
    )
    callers = conduct.program.callers
    return frozenset(target for caller, target in handed if caller in callers.get(target, ()))


def _find_halting_handlers(conduct: Conduct) -> set[Function]:
    """Handlers that keep the word to stop outside of the process."""
    found = set()
    for one in conduct.product:
        facts = conduct.facts(one)
        if one in conduct.beside or not conduct.is_asked_by_people(one):
            continue
        says = any(HALT.search(text) for text in facts.says)
        if says and any(conduct.is_effect(one, call) for call in facts.calls):
            found.add(one)
    return found


@register_behaviour("bounded_run")
def find_bounds(conduct: Conduct) -> Iterator[Sign]:
    """A run's steps end: the loop in which a model is asked counts, or leaves by a number."""
    for one in conduct.subjects:
        facts = conduct.facts(one)
        for call in facts.calls:
            if not call.loops or not conduct.asks_model(one, call):
                continue
            loop = facts.loops[call.loops[-1]]
            counted = any(tag in loop.asks for tag in ("x:builtins.range",)) or (
                loop.bounded and any(tag[:2] == "n:" for tag in loop.asks)
            )
            left = any(
                guard.leaves in ("break", "raise", "return")
                and any(tag[:4] in ("op:>", "op:<") for tag in guard.asks)
                for guard in facts.guards
            )
            if counted or left:
                yield Sign("bounded_run", one, loop.line, frozenset({one}))
