"""To whom a large program says a text: to people, where a model's answers are said to them too.

A large program has texts of all sorts: names of parts, offers, errors, what a tool is for. A notice
is one that is told in the same way as the answer that it is about: by the same call, of the same
object, or by who gives the answer back. What a page shows, people see.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping

from jurat.rating.behaviours.tied import list_values
from jurat.rating.behaviours.uses.talks import is_of_talk
from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.program_names import Function
from jurat.rating.program.surroundings import are_acquainted
from jurat.rating.signals.evidence import SignalEvidence

_NOTHING: Tags = frozenset()
_PLAIN = re.compile(
    r"^builtins\.(?!print$)|^(?:re|json|os|logging|typing|copy|asyncio|time|math|itertools"
    r"|functools|collections|JSON|Math|Object|Array|Promise|console)\."
    r"|\.(?:get|set|add|append|extend|push|pop|update|setdefault|copy|keys|values|items|map|filter"
    r"|format|join|split|strip|trim|replace|encode|decode|lower|upper|includes|\w+swith)$"
)
"""What only works on a value, and tells nobody."""


def is_given_as_answers(conduct: Conduct, evidence: SignalEvidence) -> bool:
    """Whether a text is told as a model's answers are."""
    said, path = evidence.said.strip("\"'`"), evidence.path
    answered = list_values(conduct).answered
    for number, function in enumerate(conduct.program.files[path].functions):
        one = path, number
        if _has(function.returns, said) and answered.get(one, _NOTHING) & function.returns:
            return True
        for call in function.calls:
            if _has(call.given, said) and not conduct.infers(one, call):
                others = _list_channels(conduct).get(_get_channel(conduct, one, call), ())
                if any(are_acquainted(conduct, path, other) for other in others):
                    return True
    return False


def is_beside_answers(conduct: Conduct, path: str) -> bool:
    """Whether a page, or what it is shown with, has to do with what a model answers.

    A page of prices, of settings or of figures says of a machine what it says of anything.
    """
    return path in _list_beside_answers(conduct)


_KNOWN_TO = 12
"""Files that may import one before it is a tool for all, and makes none of them a place of talk."""


@ask_once
def _list_beside_answers(conduct: Conduct) -> frozenset[str]:
    """The files that have to do with answers, that import one of these, or are imported by one."""
    imported = {path: _list_parts(conduct, path) for path in conduct.program.files}
    known_to = Counter(other for others in imported.values() for other in others)
    answering = _list_answering(conduct)
    places = frozenset(path for path in answering if known_to[path] <= _KNOWN_TO)
    around = (path for path, others in imported.items() if not places.isdisjoint(others))
    return answering.union(around, *(imported[path] for path in answering))


def _list_parts(conduct: Conduct, path: str) -> frozenset[str]:
    """The files that a file imports, and those that they only hand on."""
    program = conduct.program
    imported = program.list_imported(path)
    handing = (one for one in imported if len(program.files[one].functions) == 1)
    return imported.union(*map(program.list_imported, handing))


def _list_answering(conduct: Conduct) -> frozenset[str]:
    """The files that have a value of an inference, or tell apart who speaks in a talk."""
    values, program = list_values(conduct), conduct.program
    paths = {path for path, number in (*values.given, *values.answered) if number}
    paths |= {path for path, facts in program.files.items() if is_of_talk(facts)}
    return program.live_files & paths


def _has(tags: Tags, said: str) -> bool:
    return any(tag[:2] in ("t:", "k:") and said in tag for tag in tags)


@ask_once
def _list_channels(conduct: Conduct) -> Mapping[str, frozenset[str]]:
    """By what each answer of a model is told, and in which files."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one, values in list_values(conduct).answered.items():
        for call in conduct.facts(one).calls if one in conduct.program.live else ():
            if conduct.infers(one, call) or conduct.is_logged(one, call):
                continue
            channel = _get_channel(conduct, one, call)
            if channel and not values.isdisjoint(call.given):
                found[channel].add(one[0])
    return {channel: frozenset(paths) for channel, paths in found.items()}


def _get_channel(conduct: Conduct, one: Function, call: CallFact) -> str:
    """What is called, or the library's object that it is called on; "" if it tells nobody."""
    if own := conduct.targets(one, call.callee):
        return str(own[0])
    if (inside := conduct.program.find_module(one[0], call.callee)) is not None:
        return str(inside)
    name = conduct.name(one, call.callee) or call.callee
    if _PLAIN.search(name):
        return ""
    return name if name.startswith(("?", "builtins.")) else name.rpartition(".")[0] or name
