"""Logs that leave out what tells who somebody is: by a hook for each record, or by a setting."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.code.function_facts import Tags
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.texts.personal_fields import PERSONAL_KEY

_OF_LOGS = re.compile(r"^logging\.(?:\w+\.)*(?:Filter|Formatter|LoggerAdapter|Handler)$")


def is_log_hook(conduct: Conduct, one: Function) -> bool:
    """Whether a log calls a function for each record that it writes."""
    owner = conduct.facts(one).owner
    return bool(owner) and any(map(_OF_LOGS.match, conduct.program.list_roots(one[0], owner)))


_SETS_UP_LOG = re.compile(
    r"^(?:structlog\.configure|loguru\.logger\.(?:add|configure|patch)|pino(?:\.\w+)?"
    r"|winston\.(?:format(?:\(\))?|createLogger))$"
)


def find_masked_logs(conduct: Conduct) -> Iterator[Sign]:
    """Where a log is told to leave out fields that tell who somebody is, or by what to."""
    for one, call, name in conduct.iter_calls():
        if not _SETS_UP_LOG.search(name):
            continue
        if "k:redact" in call.given and conduct.is_subject(one) and _has_personal_path(call.given):
            yield Sign("masked_text", one, call.line, frozenset({one}))
        handed = (t for tag in call.given if tag[:2] == "x:" for t in conduct.targets(one, tag[2:]))
        for hook in (target for target in handed if target[1] and conduct.is_subject(target)):
            facts = conduct.facts(hook)
            said = conduct.expand(hook, frozenset().union(
                *(write.base for write in facts.writes), *(c.given for c in facts.calls)
            ))  # fmt: skip
            if _has_personal_path(said) and (facts.writes or facts.calls):
                lines = [w.line for w in facts.writes] + [c.line for c in facts.calls]
                yield Sign("masked_text", hook, lines[0], frozenset({one, hook}))


def _has_personal_path(tags: Tags) -> bool:
    """Whether a text names a field that tells who somebody is, or a way to one."""
    return any(
        tag[:2] == "t:" and PERSONAL_KEY.search(tag[2:].rpartition(".")[2]) is not None
        for tag in tags
    )
