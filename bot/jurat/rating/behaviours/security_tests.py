"""What tests do: they ask the product and say what must come out, and some of them attack it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.code.tagged_values import NOTHING
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.signals.file_roles import Role
from jurat.rules.constraints import compile_regex

_ATTACK = re.compile(
    r"ignore (?:all |any |the |your )*(?:previous|prior|above|earlier|instructions|rules|orders)"
    r"|disregard (?:all|the|your|previous)"
    r"|(?:repeat|translate|print|show) (?:the|your) (?:\w+ )?(?:text|words?|message|prompt"
    r"|instructions|orders)\b"
    r"|(?:reveal|print|repeat|show|leak|output|tell me|what is|forget) .{0,30}system prompt"
    r"|jailbr(?:eak|oken)|you are now (?:a|an|in|free|dan)\b|developer mode|<script|//script\["
    r"|'; ?drop|(?-i:\bDAN\b)|pretend (?:you|to be)|/etc/passwd|' or '?1|</?system>"
    r"|;\s*drop table|union select|(?:\.\./){3}|vergiss .{0,20}anweisung"
    r"|ignor\w+ .{0,20}(?:regel|instruc|consigne)",
    re.IGNORECASE,
)
"""What is sent to make a system do what it must not."""
_COMMAND = re.compile(r"\brm -rf\b")
"""What a user may run as well: it is an attack if it is refused, or one of several."""
_ATTACKS_KEPT = re.compile(
    r"(?:^|[/_.-])(?:attacks?|spoof\w*|adversarial|malicious|hostile|poison\w*|injections?|jailbreaks?"
    r"|red-?team)(?=[/_.-])\S*\.\w+$",
    re.IGNORECASE,
)
"""A file of such."""
_PAPER = re.compile(r"\.(?:pdf|docx?|html?|epub)$", re.IGNORECASE)
_MAY_BE_HOSTILE = compile_regex(
    r"(?i)ignor|disregard|(?:repeat|translate|print|show) (?:the|your) |system prompt|jailbr"
    r"|you are now |developer mode|<script|//script\[|'; ?drop|(?-i:\bDAN\b)|pretend |/etc/passwd"
    r"|' or |<system>|</system>|drop table|union select|\.\./\.\./\.\./|vergiss|rm -rf|attack|spoof"
    r"|adversarial|malicious|hostile|poison|injection|red-?team"
)
"""What one of these stands in, so that one search tells of most files that nothing is hostile."""
_CASES = re.compile(r"[\w.-]+\.(?:jsonl?|ya?ml|csv|txt|toml)")
"""A file of cases."""
_EXPECT = re.compile(
    r"(?:^|\.)(?:expect\(\)(?:\.\w+)+|assert\w*(?:\.\w+)?|raises|strictEqual|deepEqual|toBe\w*"
    r"|toEqual|toThrow|equal)$"
)


@register_behaviour("asserting_test")
def find_tests(conduct: Conduct) -> Iterator[Sign]:
    """A test calls the product and says what must come out."""
    for one in filter(conduct.is_subject, conduct.tests):
        facts = conduct.facts(one)
        if _has_assertion(conduct, one) and _is_about_product(conduct, one):
            yield Sign("asserting_test", one, facts.first or 1, frozenset({one}))


@register_behaviour("attacking_test")
def find_attacks(conduct: Conduct) -> Iterator[Sign]:
    """Hostile input goes to the product, and what must come of it is said."""
    served = {route for item in conduct.handlers for route in conduct.list_routes(item)}
    hostile = {path: _list_hostile(conduct, path) for path in conduct.program.files}
    for one in filter(conduct.is_subject, (*conduct.tests, *conduct.product)):
        facts = conduct.facts(one)
        # What costs little comes first: few files say anything hostile.
        if not hostile[one[0]] or not (_has_assertion(conduct, one) or has_failure_exit(facts)):
            continue
        if one in conduct.handlers and conduct.roles.get(one[0]) is not Role.TEST:
            continue
        handed = _list_handed(conduct, one)
        for call in facts.calls:
            given = call.given | call.receiver
            given |= handed if any(tag[:2] == "p:" for tag in given) else frozenset()
            tried = hostile[one[0]] & given
            if len(hostile[one[0]]) == 1 and not _is_refused(conduct, one):
                tried = frozenset(tag for tag in tried if not _is_meant_well(tag[2:]))
            if tried and _is_sent_to_product(conduct, one, call, served):
                yield Sign("attacking_test", one, facts.first or 1, frozenset({one}))
                break


def _list_hostile(conduct: Conduct, path: str) -> Tags:
    """The texts of a file that are an attack, or name a file of attacks.

    What a script in a folder of attacks reads beside it is one of them, whatever it is called.
    """
    says = {text for facts in conduct.program.files[path].functions for text in facts.says}
    folder = posixpath.dirname(path)
    if _MAY_BE_HOSTILE.search("\n".join((folder, *says)).encode("utf-8", "replace")) is None:
        return NOTHING
    return frozenset(
        f"t:{text}"
        for text in says
        if (_is_hostile(text) and not _is_leading_home(conduct, path, text))
        or (_CASES.fullmatch(text) and _is_hostile(f"{folder}/{text}"))
    )


def _is_leading_home(conduct: Conduct, path: str, text: str) -> bool:
    """Whether a text is a way from a file to a place of the repository, however far up it goes."""
    if not text.startswith("../"):
        return False
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
    return any(one == place or one.startswith(f"{place}/") for one in conduct.roles)


@lru_cache(maxsize=65_536)
def _is_hostile(text: str) -> bool:
    """Whether a text is an attack, or names a file of attacks."""
    return bool(_ATTACK.search(text) or _COMMAND.search(text) or _ATTACKS_KEPT.search(text))


def _is_meant_well(text: str) -> bool:
    """Whether a hostile text may be a command, or name a paper on attacks, and nothing else."""
    looks = _COMMAND.search(text) or _PAPER.search(text)
    return bool(looks) and not _ATTACK.search(text)


_REFUSALS = frozenset(("c:False", "c:None", "op:!=", "op:not in"))
_REFUSED = re.compile(
    r"(?:raises|[tT]hrows?|rejects|assertFalse|assertIsNone|toBeNull|toBeFalsy|notEqual)\b"
)


def _is_refused(conduct: Conduct, one: Function) -> bool:
    """Whether a test says that something must not be let through."""
    facts = conduct.facts(one)
    return any(_REFUSALS & asked for asked in facts.asserts) or any(
        _REFUSED.search(call.callee) for call in facts.calls
    )


def _has_assertion(conduct: Conduct, one: Function) -> bool:
    facts = conduct.facts(one)
    return any(any(tag[:2] != "c:" for tag in asked) for asked in facts.asserts) or any(
        _EXPECT.search(conduct.name(one, call.callee) or "-") for call in facts.calls
    )


def has_failure_exit(facts: FunctionFacts) -> bool:
    """Whether a script ends as failed by what it found."""
    return any(g.leaves == "raise" and g.asks and not g.handler for g in facts.guards) or any(
        call.callee.endswith(("process.exit", "sys.exit"))
        and call.given - {"n:0"}
        and (call.guards or any(tag[:3] == "op:" for tag in call.given))
        for call in facts.calls
    )


def _is_about_product(conduct: Conduct, one: Function, depth: int = 3) -> bool:
    reached = {one}
    for _ in range(depth):
        reached |= {t for item in reached for t in conduct.program.edges.get(item, ())}
        if any(
            conduct.roles.get(path) is not Role.TEST and number for path, number in reached - {one}
        ):
            return True
    return _has_product(conduct, one)


def _has_product(conduct: Conduct, one: Function) -> bool:
    """Whether the file imports the product: a test client asks it by its routes."""
    imported = (name for _, name in conduct.program.files[one[0]].imported if name)
    modules = (conduct.program.find_module(one[0], name) for name in imported)
    return any(at is not None and conduct.roles.get(at[0]) is not Role.TEST for at in modules)


def _list_handed(conduct: Conduct, one: Function) -> Tags:
    """What a runner hands to the parameters of a test: its marks, or the call around it."""
    facts = conduct.facts(one)
    handed = {tag for mark in facts.marks for tag in mark.given}
    around = conduct.facts((one[0], facts.parent)) if facts.parent >= 0 and one[1] else None
    for call in around.calls if around is not None else ():
        if f"x:function:{one[1]}" in call.given:
            handed |= call.given | call.receiver
    return frozenset(handed)


def _is_sent_to_product(
    conduct: Conduct, one: Function, call: CallFact, served: Collection[str]
) -> bool:
    """Whether a call asks the product: a model through its functions, or one of its routes."""
    targets = conduct.targets(one, call.callee)
    is_test = conduct.roles.get(one[0]) is Role.TEST
    if is_test:
        reached = conduct.program.walk(targets, 2)
        product = (each for each in reached if conduct.roles.get(each[0]) is not Role.TEST)
        if any(each in conduct.program.live for each in product):
            return True  # what only tests call is no defence of anything
    elif any(target in conduct.leading and target != one for target in targets):
        return True
    if not _SENDS.search(call.callee):
        return False
    return any(_is_served(tag, served) for tag in call.given) or (
        is_test and _has_product(conduct, one)
    )


_SENDS = re.compile(r"(?:^|\.)(?:fetch|post|request|get|put|inject|axios|send)$")


def _is_served(tag: str, routes: Collection[str]) -> bool:
    """Whether a text ends in a path under which the system answers."""
    path = tag[2:].rpartition("://")[2] if tag[:2] == "t:" else ""
    path = path[path.find("/") :] if "/" in path else ""
    return len(path) > 1 and any(
        (route.startswith("/") and path == route) or f"{path.rstrip('/')}/route." in f"/{route}"
        for route in routes
    )
