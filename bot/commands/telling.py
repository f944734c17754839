"""`/bylaw explain`, `/bylaw config` and `/bylaw help`: answers that change nothing."""

from __future__ import annotations

from difflib import get_close_matches

import yaml

from bot.commands.case import Answer, Case
from bot.commands.reviewed import reviewed
from bot.errors import FileError
from bot.github.base_files import FoundConfiguration, read_configuration
from bot.github.contents import Snapshot
from bot.publishing.broken import broken_rows
from bot.publishing.markdown import bounded, code_span, fence
from bot.publishing.rule_page import page
from bot.verdicts import Verdict

_LONGEST = 20_000
"""Characters of an answer: a comment takes three times as many, but nobody reads that."""

HELP = """\
| Comment | What it does |
|---|---|
| `/recheck` | reviews this pull request again |
| `/bylaw explain RULE` | says what a rule demands, why, and how it is decided |
| `/bylaw dismiss FINDING reason` | sets a finding aside, here and wherever it comes up again; \
FINDING may be left out in an answer to its comment |
| `/bylaw confirm reason` | lets this commit pass where it needs a person's confirmation |
| `/bylaw config` | shows what is in force here |
| `/bylaw help` | shows this |"""


async def explain(case: Case, arguments: str) -> Answer:
    """A rule as a page, and what it said of this pull request."""
    if isinstance(case.base, FileError):
        return _broken(case.base)
    rule_id = arguments.partition(" ")[0].strip("`")
    if not rule_id and case.thread is not None:
        rule_id = case.thread.rule_id
    if not rule_id:
        return Answer(False, "Which rule? `/bylaw explain RULE`: the summary names each one.")
    rule = case.base.corpus.rules.get(rule_id)
    if rule is None:
        close = get_close_matches(rule_id, case.base.corpus.rules, n=1)
        meant = f" Did you mean {code_span(close[0])}?" if close else ""
        return Answer(False, f"No rule {code_span(rule_id[:128])} is in force here.{meant}")
    text = f"{page(rule)}\n\n{await _said(case, rule_id)}"
    return Answer(True, bounded(text, _LONGEST, "_The rest was too long to show._"))


async def config(case: Case, _arguments: str) -> Answer:
    """The configuration in force, as if all were written, and from which file each key comes."""
    if isinstance(case.base, FileError):
        return _broken(case.base)
    try:
        found = await read_configuration(
            Snapshot(case.github, case.pull.repository, case.pull.base.sha)
        )
    except FileError as error:
        return _broken(error)
    written = _written(found)
    rules = len(case.base.corpus)
    base = f"{code_span(case.pull.base.ref)} at {code_span(case.pull.base.sha[:12])}"
    text = f"In force on {base}, with {rules:,} rules:\n\n{fence(written, 'yaml')}"
    return Answer(True, bounded(text, _LONGEST, "```\n\n_The rest was too long to show._"))


async def show_help(_case: Case, _arguments: str) -> Answer:
    """The commands."""
    return Answer(True, HELP)


def _written(found: FoundConfiguration) -> str:
    """The configuration as YAML; behind each top-level key the files that it comes from."""
    parts = []
    for key, value in found.configuration.model_dump(mode="json", exclude={"extends"}).items():
        first, *more = yaml.safe_dump({key: value}, allow_unicode=True, sort_keys=False).split("\n")
        origin = ", then ".join(found.sources.get(key, ("default",)))
        parts.append("\n".join([f"{first}  # {origin}", *more]))
    return "".join(parts).rstrip("\n")


async def _said(case: Case, rule_id: str) -> str:
    stored = await case.store.last_review(case.pull.repository, case.pull.number)
    if stored is None:
        return "This pull request has not been reviewed yet."
    found = [item for item in reviewed(stored).findings if item.rule_id == rule_id]
    if found:
        names = ", ".join(f"{code_span(item.short)} at {code_span(item.place)}" for item in found)
        word = "blocks" if found[0].verdict is Verdict.DENY else "needs confirmation"
        return f"**In this pull request** it {word}: {names}."
    rows = stored.response["rule_verdicts"]
    if any(row["rule_id"] == rule_id for row in rows):
        return "**In this pull request** it found nothing."
    unassessed = [row for row in stored.response["not_assessed"] if row["rule_id"] == rule_id]
    if unassessed:
        return "**In this pull request** it was not assessed: the check's summary says why."
    return "**In this pull request** it does not apply."


def _broken(error: FileError) -> Answer:
    return Answer(
        False,
        "The configuration on the base branch cannot be loaded, so nothing is in force:\n\n"
        f"{broken_rows(error)}\n\nFix it on the base branch, then comment `/recheck`.",
    )
