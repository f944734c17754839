"""What the command says and exits with if the model fails, or cannot be asked at all.

Each run is a process of its own, as a user's is: what is missing there is missing from the start.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from jurat.errors import ExitCode
from tests.standins.gemini import reactions
from tests.standins.gemini.script import Script
from tests.standins.gemini.standin import StandInGemini
from tests.support.command import DIFF, NORMATIVE, RULES, Ran, written
from tests.support.gemini import denying
from tests.support.production import python
from tests.support.without import NO_SDK, NO_TRANSPORT, without

BOTH = RULES + NORMATIVE.partition("rules:\n")[2]
"""Rules for the computer, one of which the diff breaks, and one for the model."""
NO_CLIENT = "the model's client could not be made"


@pytest.fixture
async def gemini() -> AsyncIterator[StandInGemini]:
    async with StandInGemini(Script()) as standin:
        yield standin


async def jurat(
    folder: Path, *arguments: str, gemini: StandInGemini | None = None, missing: str = ""
) -> Ran:
    """Run the command in `folder` with a key, and without the modules that are `missing`."""
    environment: Mapping[str, str] = {
        **os.environ,
        "GEMINI_API_KEY": gemini.api_key if gemini else "a-key",
        "GOOGLE_GEMINI_BASE_URL": gemini.base_url if gemini else "http://127.0.0.1:1",
        **without(missing),
    }
    process = await asyncio.create_subprocess_exec(
        *(python(), "-m", "jurat", *arguments),
        cwd=folder,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return Ran(process.returncode, out.decode(), err.decode())


def reviewing(folder: Path, form: str = "text", *, rules: str = BOTH) -> tuple[str, ...]:
    written(folder / "a.diff", DIFF)
    written(folder / "rules.yml", rules)
    common = ("--pack", "none", "--rules", "rules.yml", "--format", form)
    return ("review", "--diff", "a.diff", *common)


@pytest.mark.parametrize(
    ("form", "finding"),
    [
        ("text", "Digests are made with a strong hash."),
        ("json", '"overall_verdict": "DENY"'),
        ("sarif", '"ruleId": "acme.no-md5"'),
        ("github", "::error file=digest.py,line=2"),
    ],
)
async def test_without_its_client_a_review_prints_what_it_found_and_is_incomplete(
    tmp_path: Path, form: str, finding: str
) -> None:
    ran = await jurat(tmp_path, *reviewing(tmp_path, form), missing=NO_SDK)
    assert (ran.code, ran.err) == (ExitCode.INCOMPLETE, "")
    assert finding in ran.out
    assert "acme.kind" in ran.out
    assert NO_CLIENT in " ".join(ran.out.split())


async def test_without_a_transport_it_is_the_same(tmp_path: Path) -> None:
    ran = await jurat(tmp_path, *reviewing(tmp_path, "github"), missing=NO_TRANSPORT)
    assert (ran.code, ran.err) == (ExitCode.INCOMPLETE, "")
    assert "::error file=digest.py,line=2" in ran.out
    assert f"acme.kind: The model gave no answer: {NO_CLIENT} (ImportError: " in ran.out


async def test_a_model_that_refuses_is_the_same(tmp_path: Path, gemini: StandInGemini) -> None:
    gemini.always(reactions.refused("SAFETY"))
    ran = await jurat(tmp_path, *reviewing(tmp_path, "github"), gemini=gemini)
    assert (ran.code, ran.err) == (ExitCode.INCOMPLETE, "")
    assert "::error file=digest.py,line=2" in ran.out
    assert "the API refused to answer (SAFETY)" in ran.out


async def test_findings_that_may_pass_do_not_make_it_complete(tmp_path: Path) -> None:
    ran = await jurat(tmp_path, *reviewing(tmp_path), "--fail-on", "never", missing=NO_SDK)
    assert ran.code == ExitCode.INCOMPLETE


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ("modality: SHOULD", ExitCode.INCOMPLETE),
        ("modality: MUST\n    maturity: experimental", ExitCode.PASSED),
    ],
)
async def test_a_rule_that_blocks_nothing_is_owed_an_answer_and_one_that_observes_is_not(
    tmp_path: Path, fields: str, code: ExitCode
) -> None:
    rules = NORMATIVE.replace("modality: MUST", fields)
    ran = await jurat(tmp_path, *reviewing(tmp_path, rules=rules), missing=NO_SDK)
    assert ran.code == code
    assert NO_CLIENT in " ".join(ran.out.split())


async def test_a_model_is_asked_without_the_transport_that_only_development_has(
    tmp_path: Path, gemini: StandInGemini
) -> None:
    gemini.judges("acme.kind", denying("hashlib.md5"))
    arguments = reviewing(tmp_path, "github", rules=NORMATIVE)
    ran = await jurat(tmp_path, *arguments, gemini=gemini, missing="httpx httpcore")
    assert (ran.code, ran.err) == (ExitCode.FINDINGS, "")
    assert "title=acme.kind" in ran.out


async def test_probes_are_reported_and_not_run(tmp_path: Path) -> None:
    ran = await jurat(tmp_path, "probe", "run", "--no-store", missing=NO_SDK)
    assert ran.code == ExitCode.INCOMPLETE
    assert "0 of 0 probes passed, 160 not run" in ran.out
    (line,) = ran.err.splitlines()
    assert line.startswith(f"jurat: 160 probes were not run: unavailable: {NO_CLIENT}")


async def test_a_rating_whose_ambiguous_clauses_nobody_judged_is_incomplete(tmp_path: Path) -> None:
    written(
        tmp_path / "agent.py",
        "import logging\nfrom openai import OpenAI\n\nlog = logging.getLogger(__name__)\n\n\n"
        "def answer(text):\n    log.info('asked')\n"
        "    return OpenAI().responses.create(model='gpt-5', input=text)\n",
    )
    judged = await jurat(tmp_path, "rate", ".", "--on", "2028-12-01", missing=NO_SDK)
    assert judged.code == ExitCode.INCOMPLETE
    assert "EU AI Act" in judged.out
    # Beside the record of what it was to be asked.
    sent, line = judged.err.splitlines()
    assert sent.startswith("jurat: sent ")
    assert f"could not be judged by the model: The model gave no answer: {NO_CLIENT}" in line


async def test_a_demo_needs_no_client_of_a_model(tmp_path: Path) -> None:
    ran = await jurat(tmp_path, "demo", missing=NO_SDK)
    assert (ran.code, ran.err) == (ExitCode.PASSED, "")


async def test_a_second_review_asks_nothing_unless_no_answer_is_kept(
    tmp_path: Path, gemini: StandInGemini, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = reviewing(tmp_path)
    first = await jurat(tmp_path, *arguments, gemini=gemini)
    second = await jurat(tmp_path, *arguments, gemini=gemini)
    assert (len(gemini.asked), first.code) == (1, second.code)
    file = Path(os.environ["XDG_CACHE_HOME"], "jurat", "answers.sqlite3")
    assert [os.stat(path).st_mode & 0o777 for path in (file, file.parent)] == [0o600, 0o700]  # noqa: PTH116 - done at once
    monkeypatch.setenv("JURAT_NO_CACHE", "1")
    await jurat(tmp_path, *arguments, gemini=gemini)
    assert len(gemini.asked) == 2


async def test_answers_that_cannot_be_kept_cost_a_note(
    tmp_path: Path, gemini: StandInGemini, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "a file", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a file"))
    ran = await jurat(tmp_path, *reviewing(tmp_path), gemini=gemini)
    assert "answers of models are not kept" in ran.err
    assert len(gemini.asked) == 1
