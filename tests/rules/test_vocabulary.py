"""Words and phrases, and the files that hold them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from jurat.errors import RuleError
from jurat.resources import get_bundled_path
from jurat.rules.loader import list_packs
from jurat.rules.relevance import (
    Phrase,
    PhraseIndex,
    fold_case,
    load_glossary,
    parse_glossary,
    split_words,
)
from jurat.rules.rule import RuleSet
from jurat.rules.vocabulary import (
    load_shipped_vocabulary,
    parse_vocabulary,
    read_vocabulary,
    with_known_authorities,
)
from tests.rules import labelled
from tests.support.values import a_rule

SHIPPED = get_bundled_path("rules", "authority.yml").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Größe", "groesse"),
        ("GROESSE", "groesse"),
        ("Lo\u0308schfrist", "loeschfrist"),
        ("Daten\u00adschutz", "datenschutz"),
        ("\uff27\uff24\uff30\uff32", "gdpr"),
        ("\u202eabc\u200b", "\u202eabc"),
        ("a\ud800b", "a?b"),
    ],
)
def test_spellings_fold_into_one(text: str, folded: str) -> None:
    assert fold_case(text) == folded


def test_words_are_runs_of_letters_and_digits() -> None:
    assert split_words("§ 8a BSI-Gesetz, src/gdpr_export.py!") == (
        ["8a", "bsi", "gesetz", "src", "gdpr", "export", "py"]
    )


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold_case(fold_case(text)) == fold_case(text)


def test_phrases_are_heard_as_whole_words() -> None:
    lexicon = PhraseIndex.of({"said": ["laut"], "guide": ["leitlinie*"], "board": ["data board*"]})
    assert lexicon.find("lautet") == {}
    assert lexicon.find("verlaut") == {}
    assert set(lexicon.find("Laut der Leitlinien")) == {"said", "guide"}
    assert set(lexicon.find("the data-boards")) == {"board"}
    assert lexicon.find("data the board") == {}
    assert lexicon.find("") == {}


def test_each_phrase_is_heard_where_it_first_stands() -> None:
    lexicon = PhraseIndex.of({"one": ["b", "a b"], "two": ["a"]})
    assert lexicon.find("a b b") == {"one": [2, 0], "two": [0]}


def test_neighbouring_phrases_are_all_heard() -> None:
    lexicon = PhraseIndex.of({word: [word] for word in ("a", "b", "c")})
    assert set(lexicon.find("a b c")) == {"a", "b", "c"}


def test_no_phrases_hear_nothing() -> None:
    assert PhraseIndex.of({}).find("text") == {}
    assert PhraseIndex.of({"empty": []}).find("text") == {}


@pytest.mark.parametrize("phrase", ["", " ", "*", "a*b", "§", "a * b", "**"])
def test_what_can_never_be_heard_is_no_phrase(phrase: str) -> None:
    with pytest.raises(ValidationError, match="is no phrase"):
        TypeAdapter(Phrase).validate_python(phrase)


def test_the_shipped_vocabulary_holds_the_page_s_weights() -> None:
    assert load_shipped_vocabulary().source_classes == {
        "binding_law": 100,
        "case_law": 85,
        "technical_standard": 80,
        "supervisory_guidance": 70,
        "internal_policy": 60,
        "unknown": 50,
        "foreign_law": 0,
    }
    assert load_shipped_vocabulary().home == ("DE", "EU")


def test_every_signal_of_the_seed_asks_for_guidance() -> None:
    seed = [
        *("edpb", "europäischer datenschutzausschuss", "europaeischer datenschutzausschuss"),
        *("dsk", "enisa", "bsi", "leitlinie", "guideline", "orientierungshilfe"),
        *("auslegung", "empfiehlt", "empfehlung", "sagt", "laut"),
    ]
    heard = load_shipped_vocabulary().interpretation_words
    assert [signal for signal in seed if not heard.find(signal)] == []


def test_files_of_words_are_no_rule_packs() -> None:
    assert {"authority", "authority.yml", "glossary"}.isdisjoint(list_packs())


@pytest.mark.parametrize(
    ("old", "new", "line_of", "problem"),
    [
        ("home: [DE, EU]", "home: []", "home", "home: "),
        ("home: [DE, EU]", "home: [germany]", "home", "home[0]: "),
        ("  unknown: 50", "  unknown: 500", "  unknown", "source_classes.unknown: "),
        ("  unknown: 50", "  unnamed: 50", "source_classes", "needs a weight for unknown"),
        ("  - leitlinie*", "  - leit*linie", "  - leit", "is no phrase"),
        ("  - leitlinie*", "  - ''", "  - ''", "is no phrase"),
        ("guidance_signals:", "guidance_signal:", "guidance_signal", "did you mean"),
        (
            "narrow_scopes: [law_enforcement]",
            "narrow_scopes: [law_enforcment]",
            "    narrow_scopes",
            "unknown scope class 'law_enforcment'; did you mean 'law_enforcement'?",
        ),
    ],
)
def test_a_broken_vocabulary_says_where(old: str, new: str, line_of: str, problem: str) -> None:
    text = SHIPPED.replace(old, new, 1)
    assert text != SHIPPED
    with pytest.raises(RuleError) as caught:
        parse_vocabulary(text, "authority.yml")
    every = "\n".join(map(str, (caught.value, *caught.value.others)))
    assert problem in every
    line = next(n for n, row in enumerate(text.splitlines(), 1) if row.startswith(line_of))
    assert f"authority.yml:{line}" in every


@pytest.mark.parametrize(
    ("marker", "problem"),
    [
        ("{source_class: binding_law}", "needs phrases or a pattern"),
        ("{phrases: [x], source_class: law}", "unknown source_class 'law'"),
        ("{phrases: [x], domain: privacy}", "unknown domain 'privacy'"),
        ("{phrases: [x], scope_class: army}", "unknown scope_class 'army'"),
        ("{pattern: '(', source_class: unknown}", "is no RE2 expression"),
        ("{pattern: 'BDSG', source_class: unknown}", "write 'bdsg'"),
        (r"{pattern: '\Sbdsg (?!x)', source_class: unknown}", "is no RE2 expression"),
        ("{pattern: x, body: true}", "by which a query names the body"),
    ],
)
def test_a_broken_marker_says_where(marker: str, problem: str) -> None:
    text = f"{SHIPPED}  - {marker}\n"
    with pytest.raises(RuleError) as caught:
        parse_vocabulary(text, "authority.yml")
    assert problem in str(caught.value)
    assert caught.value.line == len(text.splitlines())


def test_a_vocabulary_that_cannot_be_read_is_a_rule_error(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="cannot be read: No such file"):
        read_vocabulary(tmp_path / "none.yml")
    (tmp_path / "latin.yml").write_bytes(b"home: [\xe4]")
    with pytest.raises(RuleError, match="is not UTF-8 text"):
        read_vocabulary(tmp_path / "latin.yml")


def test_another_country_is_a_change_of_data() -> None:
    swiss = parse_vocabulary(SHIPPED.replace("home: [DE, EU]", "home: [CH]"), "authority.yml")
    assert swiss.home == ("CH",)


def test_a_rule_s_authority_is_checked_at_its_place() -> None:
    rules = [
        a_rule("a", origin="pack/hr.yml:7", authority={"source_class": "binding_lav"}),
        a_rule("b", origin="pack/hr.yml:3", authority={"jurisdiction": "Germany"}),
        a_rule("c", origin="pack/hr.yml:9", authority={"jurisdiction": "de-by", "topics": ["x"]}),
        a_rule("d"),
    ]
    with pytest.raises(RuleError) as caught:
        with_known_authorities(RuleSet({rule.id: rule for rule in rules}))
    assert [str(error) for error in (caught.value, *caught.value.others)] == [
        "pack/hr.yml:3: authority.jurisdiction: 'GERMANY' is no jurisdiction: "
        "write a country as DE, a part of it as DE-BY, or EU",
        "pack/hr.yml:7: authority.source_class: unknown class 'binding_lav'; "
        "did you mean 'binding_law'?",
    ]


def test_rules_whose_authority_is_known_pass() -> None:
    with_known_authorities(labelled.rule_set())
    with_known_authorities(RuleSet())


def test_the_glossary_bridges_languages() -> None:
    hears = load_glossary().find
    assert set(hears("Kündigung per Knopf")) & set(hears("cancel button")) == {"cancel", "button"}


def test_a_broken_glossary_says_where() -> None:
    with pytest.raises(RuleError, match=r"g.yml:3: concepts.a\[0\]: '\*' is no phrase"):
        parse_glossary("version: 1\nconcepts:\n  a: ['*']\n", "g.yml")
