"""Fields of somebody of which only a part is said: an age in decades, where a number begins."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.privacy.sent import list_content
from jurat.rating.code.expression_reader import CUT
from jurat.rating.code.function_facts import CallFact
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.stores import is_given
from jurat.rating.texts.personal_fields import is_personal

_COARSE = re.compile(
    r"^(?:date_?of_?birth|dob|birth_?(?:date|day|year)|age|zip\w*|post_?(?:al_)?code|phone(?!me|ti)\w*"
    r"|iban|salary"
    r"|ip(?:_?addr(?:ess)?)?|lat(?:itude)?|lon(?:gitude)?)$",
    re.IGNORECASE,
)
"""What is said of somebody that says less if only a part of it is said."""
_PARTED = frozenset((CUT, "op://"))


def iter_coarse(conduct: Conduct, one: Function) -> Iterator[int]:
    """The lines on which only a part of such a field goes on, if nothing beside it tells who."""
    for call in conduct.facts(one).calls:
        if _is_said_in_part(conduct, one, call):
            yield call.line
    pairs = conduct.facts(one).pairs
    if any(is_personal(tag) for pair in pairs if not pair.value & _PARTED for tag in pair.value):
        return
    for pair in pairs:
        if pair.value & _PARTED and any(
            _COARSE.match(t[2:]) for t in pair.value if t[:2] in _FIELDS
        ):
            yield pair.line


def _is_said_in_part(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether an own function makes less of such a field, that goes on, and nothing else of who."""
    result = frozenset((f"x:{call.callee}", f"x:{call.callee}()"))
    if not any(_COARSE.match(t[2:]) for t in call.given if t[:2] in _FIELDS):
        return False
    built = {f"k:{pair.key}" for pair in conduct.facts(one).pairs}
    content = list_content(conduct, one) - built
    return (
        not result.isdisjoint(content)
        and not any(map(is_personal, content - call.given))
        and any(
            target[1] and is_given(facts.returns) and _PARTED & facts.returns
            for target in conduct.targets(one, call.callee)
            for facts in (conduct.facts(target),)
        )
    )


_FIELDS = ("a:", "k:")
