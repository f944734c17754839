"""The re-ranking: the golden cases, the seed's arithmetic, its defects, and what always holds."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.rules import authority
from jurat.rules.authority import (
    Candidate,
    RankedCandidate,
    classify_authority,
    find_query_domain,
    is_guidance_query,
    rerank_by_authority,
)
from jurat.rules.rule import Authority
from jurat.rules.vocabulary import load_shipped_vocabulary
from tests.rules import golden

VOCABULARY = load_shipped_vocabulary()
GOLDEN = golden.cases()
HARDEST = golden.cases("hardest.yml")

ON_DATA_PROTECTION = "Pflichten bei personenbezogenen Daten"
FOR_GUIDANCE = "What does the EDPB recommend on consent?"


def a_candidate(name: str = "norm", score: float = 0.6, **block: object) -> Candidate:
    return Candidate(name, score, authority=Authority.model_validate(block))


def rank(query: str, *candidates: Candidate) -> list[RankedCandidate]:
    return rerank_by_authority(query, candidates, VOCABULARY)


def ids(ranked: list[RankedCandidate]) -> list[str]:
    return [item.candidate.id for item in ranked]


def score_of(query: str, candidate: Candidate) -> float:
    (ranked,) = rank(query, candidate)
    return ranked.score


@pytest.mark.parametrize("case", GOLDEN, ids=[case.name for case in GOLDEN])
def test_golden_order(case: golden.Case) -> None:
    assert tuple(ids(case.ranked())) == case.order


@pytest.mark.parametrize("ten", [HARDEST[:10], HARDEST[10:]], ids=["first", "unseen"])
def test_of_ten_hard_questions_nine_are_answered(ten: list[golden.Case]) -> None:
    wrong = [case.name for case in ten if tuple(ids(case.ranked())) != case.order]
    assert len(ten) == 10
    assert len(wrong) <= 1, wrong


@pytest.mark.parametrize(
    ("reference", "source_class", "jurisdiction"),
    [
        ("EuGH C-311/18", "case_law", "EU"),
        ("ECLI:EU:C:2020:559", "case_law", "EU"),
        ("BVerfG, Beschluss vom 06.11.2019, 1 BvR 16/13", "case_law", "DE"),
        ("LG München I, Urteil v. 20.01.2022, 3 O 17493/20", "case_law", "DE"),
        ("BGE 144 III 481", "foreign_law", "CH"),
        ("AG Köln, 133 C 137/08", "case_law", "DE"),
        ("VG Berlin, Beschl. v. 1.2.2021 - 1 K 2/20", "case_law", "DE"),
        ("BGH VI ZR 405/18", "case_law", "DE"),
        ("High Court of Ireland [2022] IEHC 544", "foreign_law", "IE"),
        ("Cour de cassation, 12-28.013", "foreign_law", "FR"),
        ("Handbuch zum BGB", "unknown", None),
        ("GDPR for dummies", "unknown", None),
        ("Zeitschrift für Datenschutz: das BDSG nach fünf Jahren", "unknown", None),
        ("Introduction to the AI Act", "unknown", None),
        ("Riley v. California, 573 U.S. 373", "foreign_law", "US"),
        ("Kommentar zu Art. 6 DSGVO", "unknown", None),
        ("DORA metrics", "unknown", None),
        ("Art. 17 DORA", "binding_law", "EU"),
        ("Swiss cheese model", "unknown", None),
        ("Swiss Federal Act on Data Protection", "foreign_law", "CH"),
        ("CWE-89", "technical_standard", None),
    ],
)
def test_a_court_is_told_from_a_title_that_sounds_like_law(
    reference: str, source_class: str, jurisdiction: str | None
) -> None:
    found = classify_authority(Candidate("a", 0.5, references=(reference,)), VOCABULARY)
    assert found.source_class == source_class
    assert jurisdiction is None or found.jurisdiction == jurisdiction


def test_what_somebody_wrote_about_a_law_is_behind_the_law_it_is_cited_with() -> None:
    both = Candidate("a", 0.5, references=("Blog: consent explained", "Art. 7 DSGVO"))
    assert classify_authority(both, VOCABULARY).source_class == "binding_law"


def test_golden_figures() -> None:
    figures = golden.measure(GOLDEN)
    assert figures.cases >= 20
    assert (figures.guidance_top_1, figures.foreign_top_1) == (0, 0)
    assert figures.top_1 == figures.top_3 == figures.cases


def test_the_figures_count_what_comes_first_wrongly() -> None:
    law = {"source_class": "binding_law", "jurisdiction": "EU", "domain": "data_protection"}
    guidance = a_candidate("guidance", 0.9, source_class="supervisory_guidance")
    foreign = a_candidate("foreign", 0.9, **{**law, "jurisdiction": "CH"})
    norm, weak = a_candidate("norm", 0.1, **law), a_candidate("weak", -1, **law)
    wrong = [
        golden.Case("guidance", ON_DATA_PROTECTION, (guidance, norm), ("norm", "guidance")),
        golden.Case("foreign", ON_DATA_PROTECTION, (foreign, weak), ("weak", "foreign")),
    ]
    figures = golden.measure(wrong)
    assert (figures.guidance_top_1, figures.foreign_top_1) == (1, 1)
    assert (figures.top_1, figures.top_3) == (0, 2)


def test_the_coefficients_are_the_seed_s() -> None:
    assert {
        name: getattr(authority, name)
        for name in dir(authority)
        if name.isupper() and isinstance(getattr(authority, name), float)
    } == {
        "AUTHORITY_COEF": 0.40,
        "JURISDICTION_GAIN": 0.05,
        "FOREIGN_PENALTY": 0.60,
        "UNKNOWN_PENALTY": 0.08,
        "DOMAIN_MATCH_GAIN": 0.15,
        "OFF_DOMAIN_PENALTY": 0.10,
        "SCOPE_PENALTY": 0.25,
        "TOPIC_GAIN": 0.18,
        "SUPERSEDED_PENALTY": 0.50,
        "GUIDANCE_INTENT_GAIN": 0.25,
        "GUIDANCE_INTENT_MARGIN": 0.05,
        "GUIDANCE_LIFT": 0.001,
        "_ROUNDING": 1e-9,
    }


@pytest.mark.parametrize(
    ("block", "added"),
    [
        ({"source_class": "binding_law"}, 0.40 + 0.05),
        ({"source_class": "case_law"}, 0.34 + 0.05),
        ({"source_class": "case_law", "jurisdiction": "CH"}, -0.60),
        ({"source_class": "technical_standard"}, 0.32 + 0.05),
        ({"source_class": "supervisory_guidance"}, 0.28 + 0.05),
        ({"source_class": "internal_policy"}, 0.24 + 0.05),
        ({"source_class": "unknown"}, 0.20 + 0.05 - 0.08),
        ({"source_class": "foreign_law"}, -0.60),
        ({"source_class": "binding_law", "jurisdiction": "CH"}, -0.60),
        ({"source_class": "binding_law", "jurisdiction": "CH", "weight": 50}, 0.20 - 0.60),
        ({"source_class": "binding_law", "weight": 0}, 0.05),
        ({"source_class": "binding_law", "superseded": True}, 0.40 + 0.05 - 0.50),
        ({"source_class": "binding_law", "domain": "data_protection"}, 0.40 + 0.05 + 0.15),
        ({"source_class": "binding_law", "domain": "security"}, 0.40 + 0.05 - 0.10),
        ({"source_class": "binding_law", "scope_class": "law_enforcement"}, 0.45 - 0.25),
        ({"source_class": "binding_law", "topics": ["retention"]}, 0.45),
    ],
)
def test_what_a_block_adds(block: dict[str, object], added: float) -> None:
    assert score_of(ON_DATA_PROTECTION, a_candidate(**block)) == pytest.approx(0.6 + added)


def test_a_topic_is_added_once() -> None:
    candidate = a_candidate(source_class="binding_law", topics=["consent", "encryption"])
    on_both = "Encrypt what the consent banner stores"
    assert score_of(on_both, candidate) == pytest.approx(0.6 + 0.45 + 0.18)


def test_a_listed_topic_that_the_vocabulary_does_not_hold_is_heard_by_its_name() -> None:
    candidate = a_candidate(source_class="binding_law", topics=["four_eyes"])
    assert score_of("Four eyes on each release", candidate) == pytest.approx(0.6 + 0.45 + 0.18)
    assert score_of("Fourteen eyes", candidate) == pytest.approx(0.6 + 0.45)


def test_a_topic_in_the_text_alone_is_relevance_and_no_authority() -> None:
    speaking = Candidate("a", 0.6, "Passwords are stored encrypted.")
    assert score_of("encryption of backups", speaking) == score_of("", speaking)


def test_fewer_than_two_candidates_are_scored() -> None:
    assert rank(ON_DATA_PROTECTION) == []
    (alone,) = rank(ON_DATA_PROTECTION, a_candidate(source_class="binding_law"))
    assert alone.score == pytest.approx(1.05)
    assert [part.reason for part in alone.why] == [
        "relevance",
        "binding_law, weight 100",
        "jurisdiction home",
    ]


@pytest.mark.parametrize(
    "query",
    [
        "Wie lautet die Pflicht?",
        "Was die Norm besagt und aussagt",
        "lautlos, Lautsprecher",
        "ein bsiges Wort",
        "Bundeskasse",
        "the guide lines the wall",
        "misguidance",
    ],
)
def test_signals_inside_other_words_are_not_heard(query: str) -> None:
    assert not is_guidance_query(query, VOCABULARY)


@pytest.mark.parametrize(
    "query",
    [
        "Laut Gesetz?",
        "laut",
        "(laut)",
        "was sagt die DSK",
        "Leitlinien der ENISA",
        "BSI-Empfehlungen",
        "EUROPÄISCHER DATENSCHUTZAUSSCHUSS",
        "europaeischer\n datenschutzausschuss",
        "Europa\u0308ischer Datenschutzausschuss",
        "What does the European Data Protection Board think?",
        "EDPB\u00ad Guide\u00adlines",
    ],
)
def test_signals_are_heard_in_every_spelling(query: str) -> None:
    assert is_guidance_query(query, VOCABULARY)


@pytest.mark.parametrize(
    ("query", "wants"),
    [
        ("Was verlangt das BSI-Gesetz?", False),
        ("Verschlüsselung nach BSI TR-02102", False),
        ("Was steht für das BSI im BSI-Gesetz?", True),
    ],
)
def test_an_act_named_after_an_authority_is_no_authority(query: str, *, wants: bool) -> None:
    assert is_guidance_query(query, VOCABULARY) is wants


def test_a_domain_is_the_one_with_the_most_keywords_and_then_the_first() -> None:
    assert find_query_domain("TLS for personal data and cookies", VOCABULARY) == "data_protection"
    assert find_query_domain("invoices with VAT, and their payment", VOCABULARY) == "accounting"
    assert find_query_domain("payment of an invoice", VOCABULARY) == "payments"
    assert find_query_domain("invoice of a payment", VOCABULARY) == "accounting"
    assert find_query_domain("rename a variable", VOCABULARY) is None


@pytest.mark.parametrize(
    ("reference", "source_class", "jurisdiction", "domain"),
    [
        ("Art. 32 DSGVO", "binding_law", "EU", "data_protection"),
        ("GDPR, article 5(1)(f)", "binding_law", "EU", "data_protection"),
        ("§ 26 BDSG", "binding_law", "DE", "data_protection"),
        ("§5 TDDDG", "binding_law", "DE", "data_protection"),
        ("EDPB Guidelines 05/2020, Art. 7 GDPR", "supervisory_guidance", "EU", "data_protection"),
        ("Article 29 Working Party WP 259", "supervisory_guidance", "EU", "data_protection"),
        ("DSK-Orientierungshilfe zu § 25 TDDDG", "supervisory_guidance", "DE", "data_protection"),
        ("BSI-Gesetz § 8a", "binding_law", "DE", "security"),
        ("BSI TR-02102", "technical_standard", "DE", "security"),
        ("BSI-Empfehlung CS-005", "supervisory_guidance", "DE", "security"),
        ("ISO/IEC 27001 A.8.2", "technical_standard", None, "security"),
        ("RFC 9457 section 3", "technical_standard", None, None),
        ("RFC9457", "technical_standard", None, None),
        ("WCAG 2.2 1.1.1", "technical_standard", None, "accessibility"),
        ("PCI DSS 4.0 Requirement 3", "technical_standard", None, "payments"),
        ("Art. 19 FADP (CH)", "foreign_law", "CH", "data_protection"),
        ("CCPA § 1798.100", "foreign_law", "US", "data_protection"),
        ("45 CFR 164.312", "foreign_law", "US", None),
        ("UK GDPR Art. 5", "foreign_law", "GB", "data_protection"),
        ("Travel policy (internal policy), article 3", "internal_policy", None, None),
        ("§ 312k BGB", "binding_law", "DE", "consumer_protection"),
        ("Regulation (EU) 2022/2554 Art. 12", "binding_law", "EU", "security"),
        ("somebody's blog", "unknown", None, None),
        ("Articles about art", "unknown", None, None),
    ],
)
def test_a_rule_without_a_block_is_classified_by_its_references(
    reference: str, source_class: str, jurisdiction: str | None, domain: str | None
) -> None:
    standing = classify_authority(Candidate("x", 0.5, references=(reference,)), VOCABULARY)
    assert (standing.source_class, standing.jurisdiction, standing.domain) == (
        source_class,
        jurisdiction,
        domain,
    )


def test_the_first_reference_of_a_known_class_is_the_principal_source() -> None:
    def classes(*references: str) -> tuple[str, str | None, bool]:
        standing = classify_authority(Candidate("x", 0.5, references=references), VOCABULARY)
        return standing.source_class, standing.jurisdiction, standing.superseded

    assert classes("Art. 7 GDPR", "EDPB Guidelines 05/2020") == ("binding_law", "EU", False)
    assert classes("EDPB Guidelines 05/2020", "Art. 7 GDPR")[0] == "supervisory_guidance"
    assert classes("see the wiki", "House rule: logs", "CCPA") == ("internal_policy", None, False)
    assert classes("Art. 6 GDPR", "Directive 95/46/EC")[2] is False


def test_a_block_counts_before_references_and_references_fill_what_it_leaves_open() -> None:
    block = Authority(source_class="internal_policy", topics=("consent",))
    candidate = Candidate("x", 0.5, references=("Art. 7 GDPR",), authority=block)
    standing = classify_authority(candidate, VOCABULARY)
    assert (standing.source_class, standing.domain) == ("internal_policy", "data_protection")


def test_a_house_rule_that_cites_foreign_or_superseded_law_is_the_house_s() -> None:
    block = Authority(source_class="internal_policy")
    references = ("Art. 19 FADP (CH)", "Directive 95/46/EC")
    standing = classify_authority(
        Candidate("x", 0.5, references=references, authority=block), VOCABULARY
    )
    assert (standing.foreign, standing.superseded, standing.jurisdiction) == (False, False, None)
    assert standing.domain == "data_protection"


def test_an_unknown_source_class_counts_as_unknown() -> None:
    assert (
        classify_authority(a_candidate(source_class="divine_law"), VOCABULARY).source_class
        == "unknown"
    )


def test_a_guideline_exactly_at_the_margin_competes() -> None:
    norm = a_candidate("norm", 0.70, source_class="binding_law")
    guideline = a_candidate("guideline", 0.65, source_class="supervisory_guidance")
    assert ids(rank(FOR_GUIDANCE, norm, guideline)) == ["guideline", "norm"]
    below = a_candidate("guideline", 0.649, source_class="supervisory_guidance")
    assert ids(rank(FOR_GUIDANCE, norm, below)) == ["norm", "guideline"]


def test_the_margin_is_taken_on_raw_relevance_of_home_law() -> None:
    norm = a_candidate("norm", 0.66, source_class="binding_law", jurisdiction="EU")
    foreign = a_candidate("foreign", 0.95, source_class="binding_law", jurisdiction="US")
    guideline = a_candidate("guideline", 0.64, source_class="supervisory_guidance")
    assert ids(rank(FOR_GUIDANCE, foreign, norm, guideline))[0] == "guideline"


def test_the_gain_is_given_and_the_lift_only_where_the_gain_falls_short() -> None:
    norm = a_candidate("norm", 0.70, source_class="binding_law")
    strong = a_candidate("strong", 0.72, source_class="supervisory_guidance")
    enough = rank(FOR_GUIDANCE, norm, strong)[0]
    assert enough.score == pytest.approx(0.72 + 0.28 + 0.05 + 0.25)
    rich = a_candidate("rich", 0.70, source_class="binding_law", domain="data_protection")
    lifted, best = rank(FOR_GUIDANCE, rich, strong)[:2]
    assert lifted.candidate is strong
    assert lifted.score == pytest.approx(best.score + authority.GUIDANCE_LIFT)
    assert lifted.why[-1].reason == "lifted above the best binding norm"


def test_without_a_request_for_guidance_nothing_is_raised() -> None:
    norm = a_candidate("norm", 0.66, source_class="binding_law")
    guideline = a_candidate("guideline", 0.72, source_class="supervisory_guidance")
    assert ids(rank("consent", guideline, norm)) == ["norm", "guideline"]


SCORES = st.floats(0, 1, allow_nan=False).map(lambda score: round(score, 3))
BLOCKS = st.builds(
    Authority,
    source_class=st.sampled_from(sorted(VOCABULARY.source_classes)),
    weight=st.none() | st.integers(0, 100),
    jurisdiction=st.sampled_from([None, "DE", "EU", "CH", "US"]),
    domain=st.sampled_from([None, "data_protection", "security"]),
    scope_class=st.sampled_from([None, "law_enforcement"]),
    topics=st.sampled_from([(), ("consent",), ("encryption", "consent")]),
    superseded=st.booleans(),
)
CANDIDATES = st.lists(
    st.builds(
        Candidate,
        id=st.text("abc", min_size=1, max_size=3),
        score=SCORES,
        references=st.sampled_from([(), ("Art. 7 GDPR",), ("EDPB Guidelines 05/2020",)]),
        authority=st.none() | BLOCKS,
    ),
    max_size=12,
)
QUERIES = st.sampled_from(
    [FOR_GUIDANCE, ON_DATA_PROTECTION, "Swiss law on consent", "encrypt backups", ""]
)


@given(QUERIES, CANDIDATES)
def test_nothing_is_dropped_and_nothing_changes_but_the_order(
    query: str, candidates: list[Candidate]
) -> None:
    ranked = rank(query, *candidates)
    assert sorted(map(id, (item.candidate for item in ranked))) == sorted(map(id, candidates))


@given(QUERIES, CANDIDATES)
def test_the_same_input_gives_the_same_output(query: str, candidates: list[Candidate]) -> None:
    assert rank(query, *candidates) == rank(query, *candidates)


@given(QUERIES, CANDIDATES)
def test_scores_fall_and_add_up(query: str, candidates: list[Candidate]) -> None:
    ranked = rank(query, *candidates)
    assert all(one.score >= other.score for one, other in pairwise(ranked))
    for item in ranked:
        assert item.why[0].amount == item.candidate.score
        assert sum(part.amount for part in item.why) == pytest.approx(item.score)


@given(QUERIES, CANDIDATES)
def test_equals_keep_their_order(query: str, candidates: list[Candidate]) -> None:
    ranked = rank(query, *candidates)
    place = {id(candidate): at for at, candidate in enumerate(candidates)}
    for one, other in pairwise(ranked):
        if one.score == other.score:
            assert place[id(one.candidate)] < place[id(other.candidate)]


@given(CANDIDATES, st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_what_is_not_raised(
    candidates: list[Candidate], random: Random
) -> None:
    shuffled = sorted(candidates, key=lambda _: random.random())
    one = rank(ON_DATA_PROTECTION, *candidates)
    other = rank(ON_DATA_PROTECTION, *shuffled)
    assert [item.score for item in one] == [item.score for item in other]


@given(CANDIDATES)
def test_guidelines_keep_their_order_among_themselves_when_they_are_raised(
    candidates: list[Candidate],
) -> None:
    ranked = rank(FOR_GUIDANCE, *candidates)
    lifted = [item for item in ranked if item.why[-1].reason.startswith("lifted")]
    before = [item.score - item.why[-1].amount for item in lifted]
    assert before == sorted(before, reverse=True) or before == pytest.approx(
        sorted(before, reverse=True)
    )
    binding = [item.score for item in ranked if item.authority_class.source_class == "binding_law"]
    assert all(item.score > max(binding) for item in lifted)
