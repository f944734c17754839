"""From a diff and the repository's `surfaces` to a verdict on the right line of the right file."""

from __future__ import annotations

from typing import Any

import pytest

from jurat.facts.assembly import build_subjects
from jurat.facts.context import SURFACE_OF, SubjectKind
from jurat.findings.verdict import Verdict
from jurat.judge.judge import ask_judge
from jurat.source.diff import Diff, FileChange, FileStatus
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule, denying
from tests.support.values import a_rule


def added(path: str, text: str, language: str | None = None) -> FileChange:
    lines = text.splitlines()
    return a_diff(
        path,
        *(f"+{line}" for line in lines),
        head=text,
        language=language,
        status=FileStatus.ADDED,
        old_path=None,
    )


JSON_ENTRY = '{\n  "currency": "EUR",\n  "lines": [\n    {"amount": 120000.50}\n  ]\n}\n'
YAML_EVENT = "person: A-17\nsteps:\n  - name: warning\n  - name: dismissal\n    by: manager\n"
LIST = '[\n  {"amount": 1},\n  {"amount": 120000}\n]\n'
CONTRACT = "# Supply\n\n1. Term\n1.1 Two years.\n1.2 Prices may rise\nat any time.\n"
NOTICE = "# News\n\n## Prices\n\nEverything gets cheaper for ever.\n"


@pytest.mark.parametrize(
    ("kind", "file", "quote", "line", "named"),
    [
        (SubjectKind.TRANSACTION, added("ledger/7.json", JSON_ENTRY, "json"), "lines[0].amount",
         4, ("json_path", "$.lines[0].amount")),
        (SubjectKind.TRANSACTION, added("ledger/all.json", LIST, "json"), "120000",
         3, ("json_path", "$.items[1].amount")),
        (SubjectKind.EVENT, added("hr/7.yml", YAML_EVENT, "yaml"), "steps[1].by",
         5, ("step", "dismissal")),
        (SubjectKind.CLAUSE_SET, added("legal/supply.md", CONTRACT, "markdown"), "at any time",
         6, ("clause_ref", "1.2")),
        (SubjectKind.DOCUMENT, added("docs/news.md", NOTICE, "markdown"), "for ever",
         5, ("section", "Prices")),
        (SubjectKind.CREATIVE, added("mail/news.md", NOTICE, "markdown"), "for ever",
         5, ("segment", "Prices, paragraph 1")),
    ],
)  # fmt: skip
async def test_a_verdict_lands_on_its_line_whatever_the_surface(
    kind: SubjectKind, file: FileChange, quote: str, line: int, named: tuple[str, str]
) -> None:
    model = Spoken()
    rule = a_normative_rule("house.one", subject_kinds=(kind,))
    model.functions[rule.id] = denying(quote)
    code = a_diff("src/a.py", f"+{quote}", language="python")
    context = build_subjects(Diff((code, file)), surfaces={file.path: kind})
    (verdict,) = (await ask_judge(context, [rule], model, Notebook())).verdicts
    assert verdict.verdict is Verdict.DENY
    (place,) = verdict.locations
    assert (place.surface, place.file_path) == (SURFACE_OF[kind], file.path)
    assert place.start_line == line
    assert named in place.fields.items()


@pytest.mark.parametrize("kind", SubjectKind)
async def test_facts_alone_are_judged_on_the_surface_of_their_kind(kind: SubjectKind) -> None:
    model = Spoken()
    rule = a_normative_rule("house.one")
    model.functions[rule.id] = denying("12 hours")
    facts: dict[str, Any] = {"shift": {"length": "12 hours", "paid": True}}
    context = build_subjects(Diff(), facts=facts, kind=kind)
    (verdict,) = (await ask_judge(context, [rule], model, Notebook())).verdicts
    assert verdict.verdict is Verdict.DENY
    (place,) = verdict.locations
    assert place.surface is SURFACE_OF[kind]
    assert (place.file_path, place.start_line) == (None, None)


async def test_what_follows_from_a_diff_is_not_told_twice() -> None:
    model = Spoken()
    context = build_subjects(
        Diff((a_diff("a.py", "+x = 1", language="python"),)), facts={"team": "A"}
    )
    await ask_judge(context, [a_rule()], model, Notebook())
    assert "lines_added" not in model.asked[0].user
    assert 'team = "A"' in model.asked[0].fenced
