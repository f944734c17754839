"""Behaviours that keep harm out: checks of what comes in and who asks, retries, masks, consent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.code.function_facts import CallFact, FunctionFacts, GuardFact, Tags
from jurat.rating.code.sql_statements import read_statement
from jurat.rating.code.tag_search import has_name, has_text
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.surroundings import is_on_the_way

_INJECTION = re.compile(
    r"ignore (?:all |any |the )?(?:previous|prior|above)|system prompt|jailbreak"
    r"|disregard|you are now"
    r"|reveal your|developer mode|prompt injection|override your|new instructions|pretend to be"
    r"|ignore\\s|disregard\\s|</?system>|act as",
    re.IGNORECASE,
)
_MODERATION = re.compile(
    r"moderations?\.create|llm_guard|nemoguardrails|guardrails|rebuff|lakera|presidio_analyzer"
    r"|analyze_text|apply_guardrail|content_?safety|llama_?guard"
)
_MATCH = re.compile(
    r"(?:^|\.)(?:search|match|findall|fullmatch|test|includes|finditer|indexOf|find|count|contains"
    r"|some|any|startswith|startsWith|filter|exec)(?:\(\))?$"
)
_REFUSALS = ("401", "403")
_WHO = re.compile(
    r"authorization|bearer|token|api[-_]?key|session|role|permission|user|scope|password|signature"
    r"|cookie|x-\w+|admin|is_staff",
    re.IGNORECASE,
)
COMPARES = re.compile(r"compare_digest|timingSafeEqual|jwt\.(?:decode|verify)|verify_token"
                      r"|check_password"
                      r"|jsonwebtoken\.verify|verify_oauth2_token|jwtVerify"
                      r"|bcrypt\.checkpw")  # fmt: skip
_VERIFIES = re.compile(
    r"(?:^|\.)(?:jwt\.decode|jsonwebtoken\.verify|jwtVerify|verify_oauth2_token)$"
)
_SUBST = re.compile(r"(?:^|\.)(?:sub|subn|replace|replaceAll|replaceFirst)$")
AGREED = re.compile(
    r"consent|opt[-_ ]?(?:in|out)|(?:^|[^a-z])agree(?:[sd]|ment)?(?![a-z])|permission_given"
    r"|agreed|agrees|lawful|accepted_terms|gdpr_ok|has_agreed",
    re.IGNORECASE,
)
_NETWORK = re.compile(
    r"^(?:requests|httpx|aiohttp|urllib|urllib3|axios|fetch|node-fetch|got|undici)\b"
)
_CLIENT = re.compile(
    r"^(?:openai|anthropic|@anthropic-ai|cohere|mistralai|groq|together|ollama|@google|google\.gen)"
)
_TIMES = frozenset(
    ("timeout", "max_retries", "maxRetries", "request_timeout", "retries", "num_retries")
)
_CONFINED = re.compile(
    r"--network[= ]none|--read-only|--cap-drop|nsjail|firejail|bwrap|seccomp|gvisor|--memory|--cpus"
)
_LIMITS = re.compile(
    r"resource\.setrlimit|RestrictedPython|docker\.|e2b|isolated-vm|vm\.runIn|seccomp|landlock"
)


@register_behaviour("input_gate")
def find_input_gates(conduct: Conduct) -> Iterator[Sign]:
    """What comes in is refused, on the way to a model, if it is not as it should be."""
    for one in sorted(conduct.beside & set(conduct.subjects)):
        if _is_handed_constants(conduct, one):
            continue
        for guard in conduct.facts(one).guards:
            asks = conduct.expand(one, guard.asks)
            refuses = guard.leaves == "raise" or _is_saying(guard, ("400", "422", "413"))
            given = any(tag[:2] == "p:" for tag in asks)
            measured = any(tag[:3] == "op:" for tag in asks) or any(tag[:2] == "x:" for tag in asks)
            apart = is_about_caller(guard, asks) or _is_saying(guard, ("429",))
            if refuses and given and measured and not apart:
                yield Sign("input_gate", one, guard.line, _list_carriers(conduct, one, guard.asks))


def _is_handed_constants(conduct: Conduct, one: Function) -> bool:
    """Whether all that a function is handed stands in the code: then nothing comes in by it."""
    if one in conduct.leading or one in conduct.handlers:
        return False
    handed = [
        call.given
        for caller in conduct.program.callers.get(one, ())
        for call in conduct.facts(caller).calls
        if one in conduct.targets(caller, call.callee)
    ]
    return bool(handed) and all(tag[:2] in _FIXED for tags in handed for tag in tags)


_FIXED = ("t:", "n:", "c:", "s:", "op")


def _is_saying(guard: GuardFact, numbers: tuple[str, ...]) -> bool:
    return any(
        (tag[:2] == "n:" and tag[2:].removesuffix(".0") in numbers)
        or (tag[:2] == "t:" and tag[2:5] in numbers)
        or any(tag.endswith(f"HTTP_{number}") or f"HTTP_{number}_" in tag for number in numbers)
        for tag in guard.says
    )


def _list_carriers(conduct: Conduct, one: Function, asks: Tags) -> frozenset[Function]:
    return conduct.list_behind(one, asks) | {one}


@register_behaviour("prompt_gate")
def find_prompt_gates(conduct: Conduct) -> Iterator[Sign]:
    """Hidden instructions keep what they stand in from a model, or are taken out before."""
    for one in sorted(conduct.beside & set(conduct.subjects)):
        for guard in conduct.facts(one).guards:
            asks = conduct.expand(one, guard.asks)
            # Who only asks whether there is a prompt has looked for nothing in it.
            searched = "op:in" in asks or has_name(asks, _MATCH)
            looked = searched and has_text(asks, _INJECTION)
            looked = looked and any(t[:2] in ("p:", "x:") for t in asks)
            moderated = has_name(asks, _MODERATION)
            if guard.leaves and (looked or moderated):
                yield Sign("prompt_gate", one, guard.line, _list_carriers(conduct, one, guard.asks))
        for call in conduct.facts(one).calls:
            name = conduct.name(one, call.callee)
            if _SUBST.search(name) and has_text(call.given | call.receiver, _INJECTION):
                yield Sign("prompt_gate", one, call.line, frozenset({one}))


_HEADERS = frozenset(("a:headers", "a:cookies", "k:authorization", "k:Authorization"))


def is_about_caller(guard: GuardFact, asks: Tags) -> bool:
    """Whether a condition asks who calls, and not what a person decided."""
    return _is_saying(guard, _REFUSALS) or has_name(asks, COMPARES) or not _HEADERS.isdisjoint(asks)


@register_behaviour("caller_check")
def find_caller_checks(conduct: Conduct) -> Iterator[Sign]:
    """Who may not is refused: 401 or 403, by what the caller shows."""
    for one, call, name in conduct.iter_calls(conduct.subjects):
        unchecked = {"k:verify_signature", "c:False"} <= call.given
        if _VERIFIES.search(name) and call.arguments > 1 and not unchecked:
            yield Sign("caller_check", one, call.line, frozenset({one}))
    # In a large program a client of a model stands apart from who asks for it.
    clients = frozenset() if conduct.is_small else {path for path, _ in conduct.inferring}
    for one in conduct.subjects:
        facts = conduct.facts(one)
        used = one in conduct.handlers or conduct.program.callers.get(one)
        if one[0] in clients and not conduct.is_asked_by_people(one):
            continue  # it is not let in itself
        for guard in facts.guards if used else ():
            if not guard.leaves:
                continue
            asks = conduct.expand(one, guard.asks)
            presents = has_text(asks, _WHO) or has_name(asks, COMPARES) or any(
                tag[:2] in ("p:", "a:") for tag in asks
            )  # fmt: skip
            if (_is_saying(guard, _REFUSALS) and presents) or has_name(asks, COMPARES):
                yield Sign(
                    "caller_check", one, guard.line, _list_carriers(conduct, one, guard.asks)
                )


@register_behaviour("request_cap")
def find_request_caps(conduct: Conduct) -> Iterator[Sign]:
    """Who asks too often is refused."""
    for one in conduct.subjects:
        for guard in conduct.facts(one).guards:
            if guard.leaves and _is_saying(guard, ("429",)) and guard.asks:
                yield Sign("request_cap", one, guard.line, _list_carriers(conduct, one, guard.asks))


@register_behaviour("caught_failure")
def find_caught_failures(conduct: Conduct) -> Iterator[Sign]:
    """A model or a service that fails is asked again, or something else is done."""
    for one in conduct.subjects:
        if not is_on_the_way(conduct, one):
            continue
        facts = conduct.facts(one)
        for call in facts.calls:
            asked = conduct.asks_model(one, call) or _NETWORK.search(conduct.name(one, call.callee))
            if (
                call.retried
                and asked
                and _is_answered(conduct, one)
                and not _is_endless(facts, call)
            ):
                yield Sign("caught_failure", one, call.line, frozenset({one}))
            if (
                call.callee.endswith(".catch")
                and call.given
                and _is_caught_answer(conduct, one, call)
            ):
                yield Sign("caught_failure", one, call.line, frozenset({one}))


_COUNTS = frozenset(("op:<", "op:>", "op:<=", "op:>="))


def _is_endless(facts: FunctionFacts, call: CallFact) -> bool:
    """Whether a call is tried again until it is answered, however long that takes.

    Nothing counts: neither what the loop goes on by, nor what it is left by.
    """
    loops = [facts.loops[number] for number in call.loops]
    asked = f"x:{call.callee}"
    endless = any(
        not loop.bounded
        and (asked in loop.asks or all(tag[:2] == "c:" for tag in loop.asks))
        and not loop.asks & _COUNTS
        for loop in loops
    )
    left = any(
        guard.leaves and guard.asks & _COUNTS and set(guard.asks) - {asked}
        for guard in facts.guards
    )
    return endless and not left and asked in facts.returns


def _is_caught_answer(conduct: Conduct, one: Function, caught: CallFact) -> bool:
    """Whether what is caught is a model's or a service's answer, and a function goes on without."""
    asked = any(
        f"x:{call.callee}" in caught.receiver
        and (
            conduct.asks_model(one, call) or _NETWORK.search(conduct.name(one, call.callee) or "-")
        )
        for call in conduct.facts(one).calls
    )
    return asked and bool(conduct.facts(one).loops or conduct.facts(one).guards)


_DIGESTS = re.compile(
    r"(?:^|\.)(?:hashlib\.\w+|sha256|sha512|blake2b|file_digest|createHash|subtle\.digest|hexdigest)(?:\(\)|$)"
)
_OPENS_MODEL = re.compile(
    r"(?:^|\.)(?:load\w*|read_bytes|readFile\w*|InferenceSession|from_pretrained|Booster|open)(?:\(\))?$"
)


@register_behaviour("checked_model")
def find_checked_models(conduct: Conduct) -> Iterator[Sign]:
    """The file of a model that is not the one that was meant is not used."""
    for one in conduct.subjects:
        facts = conduct.facts(one)
        for guard in facts.guards:
            if guard.leaves != "raise" or not guard.asks & {"op:!=", "op:==", "op:not in"}:
                continue
            if "x:builtins.len" in guard.asks:
                continue  # how many there are
            if has_name(conduct.expand(one, guard.asks), _DIGESTS) and any(
                _OPENS_MODEL.search(conduct.name(item, call.callee) or call.callee)
                for item in (one, *conduct.program.callers.get(one, ()))
                for call in conduct.facts(item).calls
            ):
                yield Sign(
                    "checked_model", one, guard.line, _list_carriers(conduct, one, guard.asks)
                )


def _is_answered(conduct: Conduct, one: Function) -> bool:
    """Whether a handler goes on: again, with another value, or with another call."""
    facts = conduct.facts(one)
    handlers = {number for number, guard in enumerate(facts.guards) if guard.handler}
    again = any(call.loops and call.caught for call in facts.calls)
    other = any(
        handlers & set(call.guards) and not conduct.is_logged(one, call) for call in facts.calls
    ) or any(handlers & set(write.guards) for write in facts.writes)
    return again or other or bool(facts.returns)


@register_behaviour("bounded_call")
def find_bounded_calls(conduct: Conduct) -> Iterator[Sign]:
    """A call of a model or a service has a deadline, or a number of tries."""
    for one, call, name in conduct.iter_calls(conduct.subjects):
        on_the_way = is_on_the_way(conduct, one)
        if on_the_way and _has_time(call) and (
            conduct.infers(one, call) or _NETWORK.search(name) or _CLIENT.search(name)
            or call.callee.rpartition(".")[2][:1].isupper()
        ):  # fmt: skip
            yield Sign("bounded_call", one, call.line, frozenset({one}))
        if (on_the_way or one in conduct.handlers) and name.endswith(_WAITS):
            yield Sign("bounded_call", one, call.line, frozenset({one}))


def _has_time(call: CallFact) -> bool:
    return not _TIMES.isdisjoint(call.keywords) or any(
        tag[:2] == "k:" and tag[2:] in _TIMES for tag in call.given
    )


_WAITS = ("asyncio.wait_for", "asyncio.timeout", "AbortSignal.timeout")
"""What bounds whatever stands inside."""
_WORD = re.compile(r"\w+")


@register_behaviour("agreement_gate")
def find_agreement_gates(conduct: Conduct) -> Iterator[Sign]:
    """Nothing is done about people who have not agreed."""
    for one in conduct.subjects:
        facts = conduct.facts(one)
        for guard in facts.guards:
            # In a large program what it was made with says many things beside what is asked.
            asks = conduct.expand(one, guard.asks, 3 if conduct.is_small else 0)
            agreed = any(AGREED.search(name) for tag in asks for name in _list_asked_names(tag))
            if agreed and _is_decided_by(conduct, one, facts.guards.index(guard)):
                yield Sign(
                    "agreement_gate", one, guard.line, _list_carriers(conduct, one, guard.asks)
                )


def _list_asked_names(tag: str) -> Iterable[str]:
    """The fields, tables and words by which something is looked up that a condition asks.

    A sentence or an address may speak of anything, such as a banner on cookies.
    """
    kind, said = tag[:2], tag[2:]
    if kind in ("a:", "k:") or (kind == "t:" and _WORD.fullmatch(said)):
        return (said,)
    stated = read_statement(said) if kind == "t:" else None
    return stated.tables if stated is not None else ()


def _is_decided_by(conduct: Conduct, one: Function, number: int) -> bool:
    facts = conduct.facts(one)
    calls: tuple[CallFact, ...] = facts.calls
    return bool(facts.guards[number].leaves) or any(
        number in call.guards and conduct.is_effect(one, call) for call in calls
    )


@register_behaviour("confined_run")
def find_confined(conduct: Conduct) -> Iterator[Sign]:
    """What the system runs is kept in bounds, or chosen from a list of what it may do."""
    for one, call, name in conduct.iter_calls(conduct.subjects):
        if has_text(call.given, _CONFINED) or _LIMITS.search(name):
            yield Sign("confined_run", one, call.line, frozenset({one}))
    for one in sorted(conduct.beside & set(conduct.subjects)):
        for guard in conduct.facts(one).guards:
            listed = ("op:not in" in guard.asks or "op:in" in guard.asks) and any(
                tag[:2] == "s:" for tag in guard.asks
            )
            if guard.leaves and listed and any(t[:2] in ("p:", "a:", "k:") for t in guard.asks):
                yield Sign("confined_run", one, guard.line, frozenset({one}))
