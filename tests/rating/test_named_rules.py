"""Named rules: partial scores for partial evidence, at the right line."""

from __future__ import annotations

import pytest

from jurat.rating import controls
from jurat.rating.controls import SHOWN, score_proximity, sum_weighted, take_in_turn
from jurat.rating.law import load_regulations
from jurat.rating.named_rules import list_named_rules
from jurat.rating.signals.evidence import Signal, SignalEvidence, Signals
from jurat.rating.signals.recon_table import load_recon_table
from tests.support.rating import ALL_APPLY
from tests.support.recon import score

FACES = "import face_recognition\nknown = face_recognition.face_encodings(image)\n"
SCRAPER = "import requests, bs4\ndef scrape_profile_photos(url): ...\n"


def a_signal(name: str, *places: tuple[str, int]) -> Signal:
    """A signal whose evidence is at these paths, each by the probe of that number."""
    evidence = tuple(
        SignalEvidence(path, number, f"{name} {probe}", probe)
        for number, (path, probe) in enumerate(places, 1)
    )
    source = next(source for source in load_recon_table().signals if source.name == name)
    held = {probe for _, probe in places}
    strength = min(1.0, sum(source.probes[probe].weight for probe in held))
    return Signal(name, strength, evidence)


def signals(*those: Signal) -> Signals:
    return Signals({signal.name: signal for signal in those})


def test_the_rules_that_packs_name_are_all_there_and_all_are_used_or_weighed() -> None:
    used = {
        weighed_rule.rule
        for pack in load_regulations(ALL_APPLY)
        for clause in pack.clauses
        for weighed_rule in clause.checker.deterministic
    }
    assert used <= list_named_rules().keys()
    known = {source.name for source in load_recon_table().signals}
    assert {name for weights in controls.CONTROLS.values() for name in weights} <= known


@pytest.mark.parametrize("rule", list_named_rules())
def test_a_rule_finds_nothing_in_nothing(rule: str) -> None:
    found = score(rule, {"app.py": "x = 1\n"})
    assert found.value == (1 if rule == "no_protected_attributes" else 0)
    assert found.evidence == ()


def test_a_weighed_rule_adds_strengths_and_stops_at_one() -> None:
    seen = signals(a_signal("sandboxing", ("a.py", 1)), a_signal("access_control", ("b.py", 0)))
    assert sum_weighted(seen, {"sandboxing": 0.5, "access_control": 0.4}).value == pytest.approx(
        0.4
    )
    assert sum_weighted(seen, {"sandboxing": 9, "access_control": 1}).value == 1


def test_evidence_of_one_probe_does_not_crowd_out_another() -> None:
    many = a_signal("pii_presence", *[("a.py", 0)] * 500, ("b.py", 1), ("c.py", 2))
    shown = take_in_turn((many,), SHOWN)
    assert len(shown) == SHOWN
    assert [evidence.path for evidence in shown[:3]] == ["a.py", "b.py", "c.py"]


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("a/x.py", "a/x.py", 0.6, 1.0),
        ("a/x.py", "a/y.py", 0.5, 0.6),
        ("a/x.py", "b/y.py", 0.1, 0.15),
    ],
)
def test_two_halves_of_a_practice_weigh_by_how_close_they_stand(
    one: str, other: str, least: float, most: float
) -> None:
    seen = signals(a_signal("face_detection", (one, 0)), a_signal("image_scraping", (other, 2)))
    found = score_proximity(seen, "face_detection", "image_scraping")
    assert least <= found.value + 0.1 <= most + 0.1
    assert {evidence.path for evidence in found.evidence} == {one, other}


def test_half_of_a_practice_is_none() -> None:
    assert score("untargeted_face_scraping", {"a.py": FACES}).value == 0
    assert score("untargeted_face_scraping", {"a.py": SCRAPER}).value == 0
    assert score("untargeted_face_scraping", {"a.py": FACES + SCRAPER}).value >= 0.85


PRACTICES = {
    "manipulative_prompts": """
PROMPT = (
    "Use hypnotic language on the user. Plant an idea in their mind. "
    "Use subliminal messages to influence them."
)
""",
    "vulnerability_targeting": """
PROMPT = "Exploit that the user is lonely. Upsell the elderly."
""",
    "social_scoring_of_people": """
def citizen_score(person):
    return {"social_score": 3}
""",
    "crime_prediction_by_profile": """
def predict_recidivism(row):
    return model.predict(row[["zip_code", "family_background", "two_year_recid"]])
""",
    "emotion_inference_at_work": """
from fer import FER
def detect_emotion(employee):
    return FER().top_emotion(employee.photo)["dominant_emotion"]
row["employee_id"]
""",
    "sensitive_biometric_categories": """
from deepface import DeepFace
def predict_ethnicity(image):
    return DeepFace.analyze(image, actions=["race"])["dominant_race"]
""",
    "live_biometric_identification": """
import cv2, face_recognition
cctv = cv2.VideoCapture("rtsp://street")
def match_faces(frame, known_faces):
    return face_recognition.compare_faces(known_faces, frame)
""",
}


@pytest.mark.parametrize(("rule", "code"), PRACTICES.items())
def test_a_prohibited_practice_reaches_the_band_that_fails(rule: str, code: str) -> None:
    found = score(rule, {"app.py": code})
    assert found.value >= 0.65
    assert all(evidence.path == "app.py" for evidence in found.evidence)


def test_emotions_of_anybody_are_not_those_of_workers() -> None:
    code = "from fer import FER\ndef detect_emotion(photo): return FER().top_emotion(photo)\n"
    assert score("emotion_inference_at_work", {"app.py": code}).value == 0


TOOLS = """\
import structlog
log = structlog.get_logger()

@tool
def refund(order):
    log.info("refund", order=order)
    return pay(order)

@tool
def cancel(order):
    return drop(order)
"""


def test_logging_counts_where_tools_are_called() -> None:
    half = score("logging_at_tool_call_boundaries", {"tools.py": TOOLS})
    assert half.value == 0.5
    assert (half.evidence[0].line, half.evidence[0].snippet) == (
        6,
        'log.info("refund", order=order)',
    )
    assert half.evidence[-1].line == 9
    whole = TOOLS.replace("return drop", 'log.info("cancel")\n    return drop')
    assert score("logging_at_tool_call_boundaries", {"tools.py": whole}).value == 1


def test_logging_beside_the_tools_counts_a_little() -> None:
    beside = TOOLS.replace('    log.info("refund", order=order)\n', "") + "log.info('loaded')\n"
    assert score("logging_at_tool_call_boundaries", {"tools.py": beside}).value == 0.2


def test_a_tracing_library_counts_for_calls_that_do_not_log() -> None:
    traced = {"tools.py": TOOLS, "main.py": "import langsmith\n"}
    assert 0.5 < score("logging_at_tool_call_boundaries", traced).value < 1


def test_protected_attributes_count_where_people_are_decided_on() -> None:
    features = 'FEATURES = ["gender", "age"]\n'
    deciding = features + "def score_applicant(applicant): ...\n"
    assert score("no_protected_attributes", {"form.py": features}).value == 1
    assert score("no_protected_attributes", {"score.py": deciding}).value <= 0.3
    examined = {"score.py": deciding, "test_bias.py": "import fairlearn\n"}
    assert 0.3 < score("no_protected_attributes", examined).value < 1


def test_a_function_that_asks_a_trained_model_is_a_boundary_too() -> None:
    code = """import logging
log = logging.getLogger()
def score(model, row):
    value = model.predict_proba([row])
    {}
    return value
"""
    logged, silent = code.format('log.info("scored")'), code.format("pass")
    assert score("logging_at_tool_call_boundaries", {"score.py": logged}).value == 1
    assert score("logging_at_tool_call_boundaries", {"score.py": silent}).value == 0
