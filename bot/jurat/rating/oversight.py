"""Behaviours by which people oversee a system: they approve, stop, overrule, and see why."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from jurat.rating.behaviour import Sign, register_behaviour
from jurat.rating.conduct import Conduct
from jurat.rating.function_facts import CallFact, GuardFact, Tags
from jurat.rating.program_names import Function
from jurat.rating.safeguards import is_about_caller
from jurat.rating.settling import (
    find_replaced_decisions,
    find_settled_proposals,
    has_answer,
    is_act,
    list_acts,
    list_answered,
    list_own_acts,
    list_reached_to_change,
)
from jurat.rating.store_calls import list_store_calls
from jurat.rating.store_verbs import Access
from jurat.rating.stores import (
    is_addition,
    is_change,
    is_given,
    is_removal,
    list_called,
    list_filled,
    list_touched,
    list_worked_on,
    list_written,
)
from jurat.rating.surroundings import are_acquainted, is_small
from jurat.rating.tag_search import has_name, has_text

_PERSON = re.compile(
    r"(?:^|\.)(?:builtins\.input|click\.(?:confirm|prompt)|typer\.(?:confirm|prompt)"
    r"|rich\.prompt\.\w+\.ask|questionary\.\w+(?:\(\)\.ask)?|inquirer\.\w+|inquirer\.prompt"
    r"|langgraph\.types\.interrupt|window\.confirm|getpass\.getpass"
    r"|readline\.\w+(?:\(\))?\.question|createInterface\(\)\.question|streamlit\.(?:button|radio"
    r"|checkbox|form_submit_button)|tkinter\.messagebox\.ask\w+|sys\.stdin\.readline)(?:\(\))?$"
    # What a browser, and a package for the terminal, call by these words is a module of texts too.
    r"|^(?:\?\.)?(?:prompts|confirm|prompt)(?:\(\))?$"
)
_GRANTED = re.compile(
    r"^(?:approved?|accept(?:ed)?|confirm(?:ed)?|grant(?:ed)?|reject(?:ed)?|denied|declined?|signed"
    r"[_ -]?off|pending(?:[_ -]\w+)?|awaiting[_ -]\w+|in[_ -]review|needs[_ -]review|released"
    r"|approval|decision|human_decision|approved_by|reviewed_by|reviewer|signed_by)$",
    re.IGNORECASE,
)
_GRANTED_ROUTE = re.compile(
    r"approv|review|confirm|decision|decid|reject|sign-?off|release|accept|verdict|outcome|settle|grant"
    r"|refus|final|officer|clerk|conclu",
    re.IGNORECASE,
)
_FRAMEWORK = frozenset(
    ("interrupt_before", "interrupt_after", "human_input_mode", "needs_approval", "interrupt_on",
     "require_approval", "requires_confirmation", "human_input", "can_use_tool", "needsApproval",
     "interruptBefore", "interruptAfter", "requireApproval")
)  # fmt: skip
_OVERRULED = re.compile(
    r"overrid|overrul|revers|appeal|contest|correct|revert|undo|reopen|disregard|set_?aside"
    r"|final_?(?:decision|verdict|score|outcome)|human_(?:decision|verdict|score)|amend|dismiss"
    r"|replac|reconsider",
    re.IGNORECASE,
)
_CHANGE = re.compile(r"\b(?:UPDATE\s+\w+\s+SET|INSERT\s+INTO)\b", re.IGNORECASE)
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
    # Who asks where no answer of a model comes asks for something else: what to install, or where.
    answered = conduct.program.walk(list_answered(conduct) | conduct.tools, 1)
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
    yield from _find_released(conduct) if small else ()
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
        if any(_GRANTED.search(text) for text in says) or any(
            _GRANTED_ROUTE.search(route) for route in conduct.list_routes(one)
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

    if has_text(asks, _GRANTED) and (granted := list_near("granted")):
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


def _find_released(conduct: Conduct) -> Iterator[Sign]:
    """A decision waits in a place, and what follows from it is done by whoever a person calls."""
    waiting = any(_is_kept_waiting(conduct, one) for one in conduct.beside)
    filled = list_filled(conduct, conduct.beside & set(conduct.product))
    if not waiting and not filled:
        return
    said = {key for item in conduct.beside for key in _list_said_keys(conduct, item)} | _IDS
    own_acts = list_own_acts(conduct)
    changing = list_reached_to_change(conduct)
    for one in sorted(filter(conduct.is_subject, (conduct.handlers - conduct.leading) & changing)):
        # Who makes an object decides nothing, though it fills what the object keeps.
        reached = frozenset(
            item
            for item in conduct.program.walk([one], 2)
            if conduct.facts(item).name not in ("__init__", "constructor")
        )
        if own_acts and not {a for it in reached for a in list_acts(conduct, it)} - own_acts:
            continue  # what follows was done before anybody was asked
        says = (*conduct.list_routes(one), *(t for it in reached for t in _list_said(conduct, it)))
        # A sentence, such as what an error says, is no name of what a person decides.
        words = any(
            _GRANTED.search(text) or (" " not in text and _GRANTED_ROUTE.search(text))
            for text in says
        )
        inner = {item for item in reached if filled & list_worked_on(conduct, item)}
        # What waits, and is taken from where it waits at a person's call, needs no word for it.
        writes = bool(inner and _WRITING & conduct.list_verbs(one))
        if not words and not (writes and (waiting or _is_followed(conduct, reached, said))):
            continue
        acts = any(
            any(not write.constant for write in conduct.facts(item).writes)
            or any(
                conduct.is_effect(item, c)
                and not is_removal(c)
                and is_given(c.given)
                and not _is_noted(conduct, item, c)
                for c in conduct.facts(item).calls
            )
            for item in reached
        )
        decides = any(guard.asks for item in reached for guard in conduct.facts(item).guards) or (
            any(not w.constant for item in reached for w in conduct.facts(item).writes)
        )
        if (waiting and acts and decides) or (inner and acts):
            yield Sign("approval_gate", one, conduct.facts(one).first, frozenset({one, *inner}))


_WRITING = frozenset(("post", "put", "patch"))


def _is_followed(conduct: Conduct, reached: Iterable[Function], said: set[str]) -> bool:
    """Whether a person fills a field that no model fills, and something is done if it is so."""
    items = [item for item in reached if item not in conduct.leading]
    filled = {key for item in items for key in _list_said_keys(conduct, item)} - said
    return bool(filled) and any(
        call.guards and conduct.is_effect(item, call) and not is_change(call)
        for item in items
        for call in conduct.facts(item).calls
    )


def _list_said(conduct: Conduct, one: Function) -> Iterator[str]:
    """What a function says of what it changes: its texts, keys, and the fields that it writes."""
    facts = conduct.facts(one)
    yield from facts.says
    yield from (
        name for text in facts.says if _CHANGE.search(text) for name in _NAMES.findall(text)
    )
    yield from (pair.key for pair in facts.pairs)
    yield from (write.place[2:] for write in facts.writes)
    yield from (tag[2:] for call in facts.calls for tag in call.given if tag[:2] == "k:")


_KEEPS = frozenset(
    (
        *("append", "put", "add", "insert", "insert_one", "execute", "push", "save", "set"),
        *("create", "submit", "enqueue", "lpush", "rpush", "send_message", "run", "setdefault"),
        *("write", "write_text", "writelines", "writeFileSync", "appendFileSync", "insertOne"),
    )
)


_NAMES = re.compile(r"\w+")
_WAITS = re.compile(r"draft|propos|suggest|pending|wait|inbox|shel[fv]|for_review|opinion|queue")
"""What a place is called in which something waits for a person."""


def _is_kept_waiting(conduct: Conduct, one: Function) -> bool:
    facts = conduct.facts(one)
    pending = any(_GRANTED.search(text) for text in facts.says) or any(
        is_change(call) and any(_WAITS.search(place) for place in list_called(conduct, one, call))
        for call in facts.calls
    )
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


@register_behaviour("overruling")
def find_overruling(conduct: Conduct) -> Iterator[Sign]:
    """A person puts something else in the place of what the system decided."""
    yield from find_replaced_decisions(conduct)
    if not is_small(conduct):
        return  # words for it, and fields of one name, are everywhere
    around = conduct.beside & set(conduct.product)
    everywhere = _list_decided(conduct)
    kept_keys = {key for one in around for key in _list_said_keys(conduct, one)} - _IDS
    own_acts = list_own_acts(conduct)
    reached = list_reached_to_change(conduct)
    for one in conduct.subjects:
        if one in conduct.beside or one not in reached:
            continue
        # If the system has acted already, a word for it changes nothing unless something follows.
        is_late = bool(own_acts) and not any(
            any(list_acts(conduct, item)) for item in conduct.program.walk([one], 2)
        )
        facts = conduct.facts(one)
        routes = " ".join(conduct.list_routes(one))
        filled = frozenset(
            place
            for place in list_touched(conduct, one) & everywhere.keys()
            if any(are_acquainted(conduct, one[0], path) for path in everywhere[place])
        )
        for write in facts.writes:
            given = is_given(write.value)
            named = _OVERRULED.search(write.place[2:]) if write.place[:2] == "k:" else None
            kept = bool(filled & set(list_written(conduct, one, write)))
            kept = kept and _has_decision(write.place[2:])
            is_named = bool(named or _OVERRULED.search(routes))
            effective = is_named and not is_late and _is_looked_at(conduct, one, write.place[2:])
            if given and (kept or effective):
                yield Sign("overruling", one, write.line, frozenset({one}))
        for call in facts.calls:
            given = is_given(call.given)
            tags = call.given | call.receiver
            says = [tag[2:] for tag in tags if tag[:2] in ("t:", "k:")]
            changes = any(_CHANGE.search(text) for text in says)
            in_place = (
                is_change(call)
                and not is_removal(call)
                and filled & set(list_called(conduct, one, call))
            )
            keys = {tag[2:] for tag in call.given if tag[:2] == "k:"} | {
                word for text in says if _CHANGE.search(text) for word in _COLUMN.findall(text)
            }
            worded = not is_late and any(_OVERRULED.search(text) for text in (*says, routes))
            named_so = worded or bool(
                in_place and (keys & kept_keys or any(map(_has_decision, (*keys, routes))))
            )
            acts = (changes and not (is_addition(call) and _is_unread(conduct, one, call))) or (
                call.callee.rpartition(".")[2] not in ("get", "find", "select")
                and not _is_noted(conduct, one, call)
                and not changes
            )
            if given and acts and named_so and conduct.is_effect(one, call):
                yield Sign("overruling", one, call.line, frozenset({one}))


def _list_decided(conduct: Conduct) -> dict[str, set[str]]:
    """The places that who has an answer puts something into, each with the files of those."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one in list_answered(conduct):
        for place in list_filled(conduct, [one]):
            found[place].add(one[0])
    return found


def _is_looked_at(conduct: Conduct, one: Function, field: str) -> bool:
    """Whether anybody else looks at a field: else what is put there is an opinion in a drawer."""
    tags = {f"a:{field}", f"k:{field}", f"t:{field}"}
    for item in conduct.product:
        facts = conduct.facts(item)
        if item == one:
            continue
        looked = [facts.returns, *(guard.asks for guard in facts.guards)]
        looked += [tags for call in facts.calls for tags in (call.given, call.receiver)]
        if any(not tags.isdisjoint(said) for said in looked):
            return True
    return any(_SELECTS_ALL.search(t) for it in conduct.product for t in conduct.facts(it).says)


_SELECTS_ALL = re.compile(r"^\s*SELECT\s+\*", re.IGNORECASE)


def _is_unread(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether nobody takes anything out of where a call puts something."""
    added = {p for p in list_called(conduct, one, call) if p.startswith(("table:", "model:"))}
    read = {
        place
        for item in conduct.product
        for kept in list_store_calls(conduct, item)
        if kept.access is Access.READ
        for place in kept.places
    }
    return bool(added) and not added & read


def _is_noted(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a call leads to nothing but a record: what was decided stays as it is."""
    own = conduct.targets(one, call.callee)
    if not own:
        return is_addition(call)
    reached = conduct.program.walk([target for target in own if target[1]], 1)
    calls = [(item, other) for item in reached for other in conduct.facts(item).calls]
    kept = any(conduct.facts(item).writes for item in reached)
    acting = [other for item, other in calls if conduct.is_effect(item, other) or is_change(other)]
    return not kept and all(
        is_addition(other) or conduct.is_logged(item, other)
        for item, other in calls
        if other in acting
    )


_IDS = frozenset(("id", "key", "at", "name", "text", "type", "role", "content", "title", "user"))
_COLUMN = re.compile(r"(\w+)\s*=")
_DECIDED_WORD = re.compile(
    r"decision|decided|outcome|verdict|result|final|mark|grade|level|state|status|granted|approved"
    r"|refus|reject|grounds|settle|conclu",
    re.IGNORECASE,
)


def _has_decision(text: str) -> bool:
    return _DECIDED_WORD.search(text) is not None


def _list_said_keys(conduct: Conduct, one: Function) -> Iterator[str]:
    """The fields under which a function puts something into a place."""
    for call in conduct.facts(one).calls:
        if is_change(call) and not conduct.infers(one, call):
            yield from (tag[2:] for tag in call.given if tag[:2] == "k:")
            for text in (tag[2:] for tag in call.given if tag[:2] == "t:"):
                yield from (*_COLUMN.findall(text),)


@register_behaviour("explained_output")
def find_explanations(conduct: Conduct) -> Iterator[Sign]:
    """Who looks at a decision sees how sure it is, or why: a value that varies, under its name."""
    for one in sorted(conduct.beside & set(conduct.subjects)):
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
