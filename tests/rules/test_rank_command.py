"""`jurat rules rank`: what goes in, what comes out, and what it says of a file it cannot read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from jurat.cli.rank import parse_candidates, rank
from jurat.errors import ExitCode, FileError, JuratError, UsageError
from jurat.resources import get_bundled_path
from jurat.rules.vocabulary import load_shipped_vocabulary

ROWS: list[dict[str, Any]] = [
    {
        "id": "guideline",
        "score": 0.72,
        "text": "On consent.",
        "references": ["EDPB Guidelines 05/2020"],
    },
    {
        "id": "norm",
        "score": 0.66,
        "authority": {"source_class": "binding_law", "domain": "data_protection"},
    },
]

app = typer.Typer()
app.command()(rank)


def run(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(app, list(arguments), input=stdin)


def ranked(tmp_path: Path, rows: object, query: str = "Einwilligung", *more: str) -> Result:
    file = tmp_path / "candidates.json"
    file.write_text(json.dumps(rows))
    return run("--query", query, "--candidates", str(file), *more)


def test_rows_come_back_in_their_new_order_with_score_and_why(tmp_path: Path) -> None:
    result = ranked(tmp_path, ROWS, "Einwilligung", "--format", "json")
    assert result.exit_code == 0
    first, second = json.loads(result.stdout)
    assert (first["id"], second["id"]) == ("norm", "guideline")
    assert first["score"] == 1.26
    assert first["authority"] == ROWS[1]["authority"]
    assert first["why"] == [
        {"amount": 0.66, "reason": "relevance"},
        {"amount": 0.4, "reason": "binding_law, weight 100"},
        {"amount": 0.05, "reason": "jurisdiction home"},
        {"amount": 0.15, "reason": "domain data_protection"},
    ]
    assert {key: second[key] for key in ("text", "references")} == {
        "text": "On consent.",
        "references": ["EDPB Guidelines 05/2020"],
    }
    assert "authority" not in second


def test_the_text_form_shows_place_score_and_reasons(tmp_path: Path) -> None:
    result = ranked(tmp_path, [ROWS[0]])
    assert result.stdout.splitlines() == [
        "  1.  1.200  guideline",
        "     +0.720  relevance",
        "     +0.280  supervisory_guidance, weight 70",
        "     +0.050  jurisdiction EU",
        "     +0.150  domain data_protection",
    ]


def test_the_text_form_obeys_no_character_of_an_id(tmp_path: Path) -> None:
    result = ranked(tmp_path, [{"id": "\x1b[31mred\nline", "score": 0}])
    assert result.stdout.splitlines()[0].endswith("U+001B[31mred line")


def test_standard_input_is_read(tmp_path: Path) -> None:
    result = run("--query", "x", "--candidates", "-", "--format", "json", stdin=json.dumps(ROWS))
    assert len(json.loads(result.stdout)) == 2


def test_an_empty_list_is_an_empty_list(tmp_path: Path) -> None:
    result = ranked(tmp_path, [], "x", "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])


def test_another_vocabulary_is_taken(tmp_path: Path) -> None:
    other = tmp_path / "other.yml"
    text = get_bundled_path("rules", "authority.yml").read_text("utf-8")
    other.write_text(text.replace("binding_law: 100", "binding_law: 10"), "utf-8")
    result = ranked(tmp_path, ROWS, "Einwilligung", "--vocabulary", str(other))
    assert result.stdout.splitlines()[0].endswith("guideline")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "c.json:1: is not valid JSON: Expecting value"),
        ('[\n{"id": }]', "c.json:2: is not valid JSON: Expecting value"),
        ("{}", "c.json: must hold a list of candidates"),
        ("[1]", "c.json: candidates[0]: must be a mapping of keys to values"),
        ('[{"score": 1}]', "c.json: candidates[0].id: is required"),
        ('[{"id": "a"}]', "c.json: candidates[0].score: is required"),
        ('[{"id": "", "score": 1}]', "candidates[0].id: "),
        ('[{"id": "a", "score": "0.5"}]', "candidates[0].score: must be a number, not '0.5'"),
        ('[{"id": "a", "score": true}]', "candidates[0].score: must be a number, not true"),
        ('[{"id": "a", "score": NaN}]', "c.json: cannot be read: NaN is no score"),
        ('[{"id": "a", "score": 12.5}]', "candidates[0].score: "),
        ('[{"id": "a", "score": 1e400}]', "candidates[0].score: "),
        ('[{"id": "a", "score": 1%s}]' % ("0" * 400), "candidates[0].score: "),
        ('[{"id": "a", "score": 1%s}]' % ("0" * 5000), "c.json: cannot be read: "),
        ('[{"id": "a", "score": 1, "score": 0}]', "the key 'score' stands twice in one object"),
        ('[{"id": "a", "score": 1, "refs": []}]', "candidates[0].refs: unknown key"),
        (
            '[{"id": "a", "score": 1, "authority": {"source_class": "bindinglaw"}}]',
            "candidates[0].authority.source_class: unknown class 'bindinglaw'; "
            "did you mean 'binding_law'?",
        ),
        (
            '[{"id": "a", "score": 1, "authority": {"weight": 101}}]',
            "candidates[0].authority.weight: ",
        ),
        ("[" * 100_000, "c.json: cannot be read: "),
    ],
)
def test_a_broken_file_is_one_line_that_says_where(text: str, said: str) -> None:
    with pytest.raises(FileError) as caught:
        parse_candidates(text, "c.json", load_shipped_vocabulary())
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code is ExitCode.USAGE


def test_every_fault_of_a_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileError) as caught:
        parse_candidates(
            '[{"id": 1, "score": 0}, {"id": "a"}]', "c.json", load_shipped_vocabulary()
        )
    assert len(caught.value.others) == 1


def test_a_file_that_cannot_be_read_is_a_usage_error(tmp_path: Path) -> None:
    missing = run("--query", "x", "--candidates", str(tmp_path / "none.json"))
    assert isinstance(missing.exception, UsageError)
    assert "none.json cannot be read: No such file or directory." in str(missing.exception)
    (tmp_path / "latin.json").write_bytes(b'[{"id": "\xe4", "score": 1}]')
    latin = run("--query", "x", "--candidates", str(tmp_path / "latin.json"))
    assert isinstance(latin.exception, JuratError)
    assert str(latin.exception).endswith("latin.json: is not UTF-8 text; save it as UTF-8")
