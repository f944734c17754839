"""Behaviours by which people oversee a system: they approve, stop, overrule, and see why."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from jurat.rating.behaviour import Conduct, Sign, has_name, has_text, register_behaviour
from jurat.rating.function_facts import CallFact, Tags
from jurat.rating.reach import Function
from jurat.rating.safeguards import is_about_caller

_PERSON = re.compile(
    r"(?:^|\.)(?:builtins\.input|click\.(?:confirm|prompt)|typer\.(?:confirm|prompt)"
    r"|rich\.prompt\.\w+\.ask|questionary\.\w+(?:\(\)\.ask)?|inquirer\.\w+|inquirer\.prompt"
    r"|langgraph\.types\.interrupt|prompts|window\.confirm|confirm|prompt|getpass\.getpass"
    r"|readline\.\w+(?:\(\))?\.question|createInterface\(\)\.question|streamlit\.(?:button|radio"
    r"|checkbox|form_submit_button)|tkinter\.messagebox\.ask\w+|sys\.stdin\.readline)(?:\(\))?$"
)
_GRANTED = re.compile(
    r"^(?:approved?|accept(?:ed)?|confirm(?:ed)?|grant(?:ed)?|reject(?:ed)?|denied|declined?|signed"
    r"[_ -]?off|pending(?:[_ -]\w+)?|awaiting[_ -]\w+|in[_ -]review|needs[_ -]review|released"
    r"|approval|decision|human_decision|approved_by|reviewed_by|reviewer|signed_by)$",
    re.IGNORECASE,
)
_GRANTED_ROUTE = re.compile(
    r"approv|review|confirm|decision|reject|sign-?off|release|accept|verdict", re.IGNORECASE
)
_FRAMEWORK = frozenset(
    ("interrupt_before", "interrupt_after", "human_input_mode", "needs_approval", "interrupt_on",
     "require_approval", "requires_confirmation", "human_input", "can_use_tool", "needsApproval",
     "interruptBefore", "interruptAfter", "requireApproval")
)  # fmt: skip
_HALT = re.compile(
    r"\b(?:halt|halted|stop|stopped|stopping|pause|paused|kill|killed|kill[_-]?switch|cancel"
    r"|cancell?ed|abort|aborted|shutdown|suspend|suspended|freeze|frozen|disabled?|emergency)\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"(?:threading|asyncio|multiprocessing)\.Event\(\)|AbortController\(\)|CancelToken"
)
_EVENT_SET = re.compile(r"\.(?:set|abort|cancel)$")
_EVENT_ASKED = re.compile(
    r"\.(?:is_set|wait|aborted|throwIfAborted|throw_if_aborted)$|signal\.aborted"
)
_ENDS = re.compile(r"\.(?:cancel|terminate|kill|abort|revoke|shutdown|stop|task_done)$")
_SIGNALS = re.compile(r"(?:^|\.)(?:signal\.signal|add_signal_handler|process\.on)$")
_OVERRULED = re.compile(
    r"overrid|overrul|revers|appeal|contest|correct|revert|undo|reopen|disregard|set_?aside"
    r"|final_?(?:decision|verdict|score|outcome)|human_(?:decision|verdict|score)|amend|dismiss"
    r"|replac|reconsider",
    re.IGNORECASE,
)
_CHANGE = re.compile(r"\b(?:UPDATE\s+\w+\s+SET|INSERT\s+INTO)\b", re.IGNORECASE)
_UPDATED = re.compile(r"\bUPDATE\s+(\w+)\s+SET\b", re.IGNORECASE)
_FILLED = re.compile(r"\bINTO\s+(\w+)", re.IGNORECASE)
_TOLD = re.compile(
    r"^(?:confidence|confidences|confidence_score|probability|probabilities|uncertainty|score"
    r"|explanation|explanations|rationale|reasons?|reasoning|justification|why|evidence|factors"
    r"|top_features|feature_importances?|contributions|limitations|caveats|certainty|margin)$",
    re.IGNORECASE,
)
_TOLD_WORD = re.compile(
    r"\b(?:confidence|probability|uncertainty|because|reasons?|rationale|explanation|certainty)\b",
    re.IGNORECASE,
)


@register_behaviour("approval_gate")
def find_approvals(conduct: Conduct) -> Iterator[Sign]:
    """What is done stands behind a person's answer, whether asked at once or kept until then."""
    settled = _find_settled(conduct)
    for one, call, name in conduct.iter_calls():
        if name and any(word in _FRAMEWORK for word in call.keywords):
            if _is_turned_on(conduct, one, call):
                yield Sign("approval_gate", one, call.line, frozenset({one}))
            continue
        if not call.guards or not conduct.is_effect(one, call) or conduct.is_logged(one, call):
            continue
        for guard in conduct.list_guards(one, call):
            asks = conduct.expand(one, guard.asks)
            behind = conduct.list_behind(one, guard.asks)
            if has_name(asks, _PERSON) and _can_vary(asks):
                yield Sign("approval_gate", one, guard.line, behind | {one})
                break
            setters = _find_setters(settled, asks, one)
            if setters and not is_about_caller(guard, asks):
                yield Sign("approval_gate", one, guard.line, behind | setters | {one})
                break
    yield from _find_released(conduct)
    yield from _find_gating_marks(conduct)


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


def _find_settled(conduct: Conduct) -> dict[str, frozenset[Function]]:
    """What people set through a handler that asks no model, by place; texts by "t:"."""
    found: defaultdict[str, set[Function]] = defaultdict(set)
    for one in conduct.product:
        if one in conduct.beside or not conduct.is_asked_by_people(one):
            continue
        facts = conduct.facts(one)
        for write in facts.writes:
            # What is made, or read from a setting, is no person's answer.
            if write.constant or any(tag[:2] == "p:" for tag in write.value):
                found[write.place].add(one)
        says = {tag[2:] for w in facts.writes for tag in w.value if tag[:2] == "t:"}
        says |= {tag[2:] for c in facts.calls for tag in c.given if tag[:2] == "t:"}
        says |= {tag[2:] for p in facts.pairs for tag in p.value if tag[:2] == "t:"}
        says |= {p.key for p in facts.pairs}
        if any(_GRANTED.search(text) for text in says) or any(
            _GRANTED_ROUTE.search(route) for route in conduct.list_routes(one)
        ):
            found["granted"].add(one)
    return {place: frozenset(setters) for place, setters in found.items()}


def _find_setters(
    settled: dict[str, frozenset[Function]], asks: Tags, one: Function
) -> frozenset[Function]:
    if has_text(asks, _GRANTED) and settled.get("granted", frozenset()) - {one}:
        return settled["granted"] - {one}
    for tag in asks:
        others = settled.get(tag, frozenset()) - {one} if tag[:2] == "a:" else frozenset()
        if others and any(other[:2] in ("p:", "x:") for other in asks):
            return others
    return frozenset()


def _find_released(conduct: Conduct) -> Iterator[Sign]:
    """A decision waits in a list, and what follows from it is done by whoever a person calls."""
    waiting = any(_is_kept_waiting(conduct, one) for one in conduct.beside)
    kept = {tag for one in conduct.beside for tag in _list_kept(conduct, one)}
    if not waiting and not kept:
        return
    for one in sorted(conduct.handlers - conduct.leading):
        facts = conduct.facts(one)
        says = (*conduct.list_routes(one), *facts.says, *(pair.key for pair in facts.pairs))
        if not any(_GRANTED_ROUTE.search(text) or _GRANTED.search(text) for text in says):
            continue
        reached = conduct.program.walk([one], 2)
        touched = kept & {tag for item in reached for tag in _list_touched(conduct, item)}
        acts = any(
            conduct.facts(item).writes
            or any(conduct.is_effect(item, c) for c in conduct.facts(item).calls)
            for item in reached
        )
        decides = any(guard.asks for item in reached for guard in conduct.facts(item).guards) or (
            any(not w.constant for item in reached for w in conduct.facts(item).writes)
        )
        if (waiting and acts and decides) or (touched and acts):
            inner = {item for item in reached if kept & set(_list_touched(conduct, item))}
            yield Sign("approval_gate", one, facts.first, frozenset({one, *inner}))


_KEEPS = frozenset(
    (
        *("append", "put", "add", "insert", "insert_one", "execute", "push", "save", "set"),
        *("create", "submit", "enqueue", "lpush", "rpush", "send_message", "run", "setdefault"),
        *("write", "write_text", "writelines", "writeFileSync", "appendFileSync", "insertOne"),
    )
)


def _is_kept_waiting(conduct: Conduct, one: Function) -> bool:
    facts = conduct.facts(one)
    pending = any(_GRANTED.search(text) for text in facts.says)
    if not pending:
        return False
    # What an own function is called tells nothing: whether it keeps shows in what it calls.
    return bool(facts.writes) or any(
        call.callee.removesuffix("()").rpartition(".")[2] in _KEEPS
        and conduct.name(item, call.callee)
        for item in (one, *conduct.program.edges[one])
        if item == one or item not in conduct.leading
        for call in conduct.facts(item).calls
    )


def _list_kept(conduct: Conduct, one: Function) -> Iterator[str]:
    """The variables of a module, or of an object, into which a function puts what it was given."""
    facts = conduct.facts(one)
    for write in facts.writes:
        if not write.constant:
            yield from (tag for tag in (write.place, *write.base) if tag[:2] == "s:")
    for call in facts.calls:
        if call.callee.rpartition(".")[2] in _KEEPS and not conduct.infers(one, call):
            yield from _list_held(call)


def _list_touched(conduct: Conduct, one: Function) -> Iterator[str]:
    """The variables that a function takes something out of, or changes."""
    facts = conduct.facts(one)
    for call in facts.calls:
        yield from _list_held(call)
    for write in facts.writes:
        yield from (tag for tag in write.base if tag[:2] == "s:")


def _list_held(call: CallFact) -> Iterator[str]:
    """What a method is called of: a variable of the module, or what an object holds."""
    last = f"a:{call.callee.rpartition('.')[2]}"
    yield from (t for t in call.receiver if t[:2] == "s:" or (t[:2] == "a:" and t != last))


def _find_gating_marks(conduct: Conduct) -> Iterator[Sign]:
    """A decorator whose wrapper asks a person before it calls what it wraps."""
    for one in conduct.product:
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


@register_behaviour("halt")
def find_halts(conduct: Conduct) -> Iterator[Sign]:
    """A person's word ends what runs: an event, a signal, a flag that the work looks at."""
    asked = list(_iter_asked(conduct))
    events_set = [
        one for one, call, name in conduct.iter_calls()
        if _EVENT_SET.search(name) and (_EVENT.search(name) or has_name(call.receiver, _EVENT))
        and (conduct.is_asked_by_people(one) or _is_signal_handler(conduct, one))
    ]  # fmt: skip
    for one, line, asks in asked:
        if has_name(asks, _EVENT) and has_name(asks, _EVENT_ASKED):
            setters = {item for item in events_set if item != one}
            if setters:
                yield Sign("halt", one, line, frozenset({one, *setters}))
    writers: defaultdict[str, set[Function]] = defaultdict(set)
    for one in conduct.product:
        reached = conduct.is_asked_by_people(one) or _is_signal_handler(conduct, one)
        for write in conduct.facts(one).writes if reached and one not in conduct.leading else ():
            writers[write.place].add(one)
    halting = _find_halting_handlers(conduct)
    for one, line, asks in asked:
        for tag in asks:
            place = tag if tag[:2] in ("s:", "a:", "k:") else ""
            others = writers.get(place, set()) - {one}
            shared = tag[:2] == "s:" or (has_text(asks, _HALT) and tag[:2] == "k:") or (
                tag[:2] == "a:" and any(other[:2] == "s:" for other in asks)
            )  # fmt: skip
            if others and shared:
                yield Sign("halt", one, line, frozenset({one, *others}))
                break
        else:
            keepers = halting - {one}
            if has_text(asks, _HALT) and keepers and any(tag[:2] == "x:" for tag in asks):
                yield Sign("halt", one, line, frozenset({one, *keepers}))
    for one, call, name in conduct.iter_calls():
        if _ENDS.search(name) and one not in conduct.leading and conduct.is_asked_by_people(one):
            yield Sign("halt", one, call.line, frozenset({one}))


def _iter_asked(conduct: Conduct) -> Iterator[tuple[Function, int, Tags]]:
    """The conditions that end work in which a model is asked or something is done."""
    for one in conduct.product:
        facts = conduct.facts(one)
        near = one in conduct.beside or any(conduct.asks_model(one, c) for c in facts.calls)
        if not near:
            continue
        for guard in facts.guards:
            if guard.leaves:
                yield one, guard.line, conduct.expand(one, guard.asks)
        for loop in facts.loops:
            if loop.asks:
                yield one, loop.line, conduct.expand(one, loop.asks)


def _is_signal_handler(conduct: Conduct, one: Function) -> bool:
    return any(
        _SIGNALS.search(name) and any(
            one in conduct.targets(caller, tag[2:]) for tag in call.given if tag[:2] == "x:"
        )
        for caller, call, name in conduct.iter_calls(
            c for c in conduct.program.callers.get(one, ()) if c in conduct.program.live
        )
    )  # fmt: skip


def _find_halting_handlers(conduct: Conduct) -> set[Function]:
    """Handlers that keep the word to stop outside of the process."""
    found = set()
    for one in conduct.product:
        facts = conduct.facts(one)
        if one in conduct.beside or not conduct.is_asked_by_people(one):
            continue
        says = any(_HALT.search(text) for text in facts.says)
        if says and any(conduct.is_effect(one, call) for call in facts.calls):
            found.add(one)
    return found


@register_behaviour("overruling")
def find_overruling(conduct: Conduct) -> Iterator[Sign]:
    """A person puts something else in the place of what the system decided."""
    decided = {
        write.place
        for one in conduct.leading
        for item in (one, *conduct.program.edges.get(one, ()))
        for write in conduct.facts(item).writes
        if write.place != "i:"
    }
    tables = {table for one in conduct.beside for table in _list_tables(conduct, one)}
    for one in conduct.product:
        if one in conduct.beside or not conduct.is_asked_by_people(one):
            continue
        facts = conduct.facts(one)
        routes = " ".join(conduct.list_routes(one))
        for write in facts.writes:
            given = any(tag[:2] == "p:" for tag in write.value)
            named = _OVERRULED.search(write.place[2:]) if write.place[:2] == "k:" else None
            kept = write.place in decided and write.place[:2] in ("a:", "k:")
            if given and (kept or named or _OVERRULED.search(routes)):
                yield Sign("overruling", one, write.line, frozenset({one}))
        for call in facts.calls:
            given = any(tag[:2] == "p:" for tag in call.given)
            says = [tag[2:] for tag in call.given if tag[:2] in ("t:", "k:")]
            changes = any(_CHANGE.search(text) for text in says)
            named_so = any(_OVERRULED.search(text) for text in (*says, routes)) or any(
                table in tables for text in says for table in _UPDATED.findall(text)
            )
            acts = changes or call.callee.rpartition(".")[2] not in ("get", "find", "select")
            if given and acts and named_so and conduct.is_effect(one, call):
                yield Sign("overruling", one, call.line, frozenset({one}))


def _list_tables(conduct: Conduct, one: Function) -> Iterator[str]:
    """The tables that a function writes into, as its statements spell them."""
    for call in conduct.facts(one).calls:
        for text in (tag[2:] for tag in call.given if tag[:2] == "t:"):
            yield from (*_FILLED.findall(text), *_UPDATED.findall(text))


@register_behaviour("bounded_run")
def find_bounds(conduct: Conduct) -> Iterator[Sign]:
    """A run's steps end: the loop in which a model is asked counts, or leaves by a number."""
    for one in conduct.product:
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


@register_behaviour("explained_output")
def find_explanations(conduct: Conduct) -> Iterator[Sign]:
    """Who looks at a decision sees how sure it is, or why: a value that varies, under its name."""
    for one in sorted(conduct.beside & set(conduct.product)):
        facts = conduct.facts(one)
        if not (facts.returns or facts.writes or facts.calls):
            continue
        for pair in facts.pairs:
            if _TOLD.search(pair.key) and not pair.constant and pair.value:
                yield Sign("explained_output", one, pair.line, frozenset({one}))
        for call in facts.calls:
            name = conduct.name(one, call.callee)
            displays = name.rpartition(".")[2] in (
                "print",
                "input",
                "echo",
                "confirm",
                "write",
                "log",
            )
            if displays and has_text(call.given, _TOLD_WORD) and len(call.given) > 2:
                yield Sign("explained_output", one, call.line, frozenset({one}))
