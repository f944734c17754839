"""What leaves the house: no secret by any path into a prompt, and nothing of a private file."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest

from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.verdict import NotAssessedReason, Verdict
from jurat.judge.excerpts import build_excerpts
from jurat.judge.judge import ask_judge
from jurat.judge.quotes import find_quote
from jurat.judge.replies import QuotedFinding
from jurat.rules.relevance import build_query
from jurat.rules.rule import Example, Examples, Severity
from jurat.source.diff import FileChange
from tests.standins.gemini.reactions import saying
from tests.standins.gemini.reading import Asked
from tests.support.gemini import Notebook, Spoken, a_diff, a_normative_rule, denying
from tests.support.secret_formats import FORMATS, draw_secret
from tests.support.values import a_context


def read_prompts(spoken: Spoken) -> str:
    """Everything that the stand-in was ever given."""
    return "\n".join(_read(asked) for asked in spoken.asked)


def _read(asked: Asked) -> str:
    return f"{asked.fenced}\n{asked.unfenced}\n{asked.system}"


@pytest.mark.parametrize("name", FORMATS)
async def test_a_change_with_a_secret_of_each_kind_sends_none(name: str) -> None:
    secrets = {}
    for place in ("added", "removed", "kept", "intent", "fact", "text", "path", "rule", "example"):
        secrets[place] = draw_secret(name, len(secrets))
    file = a_diff("app.py", f"-{secrets['removed'][1]}", f" {secrets['kept'][1]}", "+log(x)")
    named = a_diff(f"config/{secrets['path'][1]}.py", f"+{secrets['added'][1]}")
    facts = {"setting": secrets["fact"][1], "config": f"a: 1\n{secrets['text'][1]}\n"}
    context = EvaluationContext(
        (Subject(SubjectKind.CODE_DIFF, (file, named), facts),),
        intent=f"Rotate it.\n\n    {secrets['intent'][1]}\n",
    )
    rule = a_normative_rule(
        statement=f"Log lines hold nothing like {secrets['rule'][1]}",
        severity=Severity.CRITICAL,
        examples=Examples(invalid=(Example(code=f"log({secrets['example'][1]})"),)),
    )
    spoken = Spoken()
    # Not JSON: the rule is then asked alone, with its examples.
    spoken.behaviour = saying("Well.")
    await ask_judge(context, [rule], spoken, Notebook())
    spoken.behaviour = Spoken().behaviour
    spoken.functions["house.no-secrets-in-logs"] = denying("log(x)")
    await ask_judge(context, [rule], spoken, Notebook())
    sent = read_prompts(spoken)
    assert len(spoken.asked) >= 3
    assert "masked: " in sent
    for place, (secret, _) in secrets.items():
        assert secret not in sent, place


def test_a_quote_with_a_mask_in_it_finds_its_line() -> None:
    secret, _ = draw_secret("stripe-access-token")
    subject = Subject(SubjectKind.CODE_DIFF, (a_diff("a.py", "+x = 1", f'+pay("{secret}")'),))
    (excerpt,) = build_excerpts(subject)
    shown = excerpt.blocks[0].rows[1].text
    assert shown == 'pay("⟦masked: issued token⟧")'
    match = find_quote(QuotedFinding(shown), [excerpt])
    assert match is not None
    assert match.rows[0].line == 2


def test_the_end_of_a_key_whose_beginning_no_hunk_shows_is_masked() -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", *("abcdefgh" * 8 for _ in range(9)), "Zz9="]
    text = "\n".join(lines) + "\nelse\n"
    file = replace(a_diff("key.txt", " Zz9=", "+else", first=11), head=text)
    (excerpt,) = build_excerpts(Subject(SubjectKind.CODE_DIFF, (file,)))
    assert "Zz9" not in excerpt.render()
    assert "12+else" in excerpt.render()


def test_a_named_secret_of_several_lines_is_masked_in_facts() -> None:
    facts = {"db": {"password": "correct\nhorse"}}
    (excerpt,) = build_excerpts(Subject(SubjectKind.EVENT, facts=facts))
    assert "horse" not in excerpt.render()


async def test_two_files_whose_names_show_alike_are_both_shown() -> None:
    first, second = (draw_secret("github-pat", seed)[0] for seed in (1, 2))
    context = a_context(a_diff(f"{first}.py", "+one()"), a_diff(f"{second}.py", "+two()"))
    spoken = Spoken()
    await ask_judge(context, [a_normative_rule()], spoken, Notebook())
    assert "one()" in read_prompts(spoken)
    assert "two()" in read_prompts(spoken)


def a_private_context(*others: FileChange) -> EvaluationContext:
    private = replace(a_diff("salaries/may.py", "+boss = 9_000"), private=True)
    return a_context(private, *others)


async def test_a_private_file_is_sent_to_nobody_and_its_rule_is_not_assessed() -> None:
    spoken = Spoken()
    context = a_private_context(a_diff("app.py", "+run()"))
    result = await ask_judge(context, [a_normative_rule()], spoken, Notebook())
    sent = read_prompts(spoken)
    assert "run()" in sent
    assert "9_000" not in sent
    assert "salaries" not in sent
    (verdict,) = result.verdicts
    assert verdict.verdict is Verdict.NOT_ASSESSED
    assert verdict.gap is NotAssessedReason.PRIVATE
    assert "salaries/may.py" in verdict.reasoning


async def test_what_is_found_beside_a_private_file_stands() -> None:
    spoken = Spoken()
    spoken.functions["house.no-secrets-in-logs"] = denying("log(key)")
    context = a_private_context(a_diff("app.py", "+log(key)"))
    result = await ask_judge(context, [a_normative_rule()], spoken, Notebook())
    assert result.verdicts[0].verdict is Verdict.DENY


async def test_nothing_is_asked_if_all_is_private() -> None:
    spoken = Spoken()
    result = await ask_judge(a_private_context(), [a_normative_rule()], spoken, Notebook())
    assert spoken.asked == []
    assert result.verdicts[0].gap is NotAssessedReason.PRIVATE


async def test_a_known_answer_speaks_for_no_private_file() -> None:
    """An ALLOW that was learnt before the file became private, or without it."""
    spoken, notebook = Spoken(), Notebook()
    await ask_judge(a_context(a_diff("app.py", "+run()")), [a_normative_rule()], spoken, notebook)
    context = a_private_context(a_diff("app.py", "+run()"))
    result = await ask_judge(context, [a_normative_rule()], spoken, notebook)
    assert len(spoken.asked) == 1
    assert result.verdicts[0].gap is NotAssessedReason.PRIVATE


def test_the_query_of_an_embedding_has_nothing_of_a_private_file() -> None:
    query = build_query(a_private_context(a_diff("app.py", "+run()")))
    assert "run()" in query
    assert "9_000" not in query
    assert "salaries" not in query


async def test_each_prompt_is_on_record_by_digest_and_size_answered_or_not() -> None:
    spoken = Spoken()
    spoken.behaviour = saying("Well.")
    context = a_context(a_diff("app.py", "+run()"))
    result = await ask_judge(context, [a_normative_rule()], spoken, Notebook())
    sent = [prompt for use in result.models for prompt in use.sent]
    texts = [f"{asked.system}\0{asked.user}".encode() for asked in spoken.asked]
    assert len(sent) >= 2
    assert [item.digest for item in sent] == [sha256(text).hexdigest() for text in texts]
    assert [item.size for item in sent] == [len(text) - 1 for text in texts]
