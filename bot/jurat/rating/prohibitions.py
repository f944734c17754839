"""Named rules on what Article 5 prohibits, and on data. 1.0 is the practice, 0.0 no sign of it.

Most of these practices are two lawful things done together, so most rules want both at one place: a
library that reads faces is no scraper, and a scraper reads no faces.
"""

from __future__ import annotations

from jurat.rating.controls import score_proximity, take_in_turn
from jurat.rating.signals.evidence import Inventory, Score, SignalEvidence, Signals, register_rule
from jurat.rating.signals.worktree import Worktree

# What decisions about people are fed with.

_DECISIONS = ("employment", "education", "credit", "law_enforcement", "health", "migration")
"""Signals of decisions in which an attribute that the law protects must not tell."""


@register_rule("no_protected_attributes")
def no_protected_attributes(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """1.0 if no attribute that the law protects stands in code that decides on people.

    If such attributes are there to be taken out, or to compare outcomes between groups, half of
    that is taken back: neither can be done without naming them.
    """
    met = [score_proximity(signals, decision, "protected_attributes") for decision in _DECISIONS]
    worst = max(met, key=lambda score: score.value)
    excused = signals.find_strongest(("fairness_evaluation", "data_minimisation")).strength
    return Score(round(1 - worst.value * (1 - 0.5 * excused), 6), worst.evidence)


@register_rule("manipulative_prompts")
def manipulative_prompts(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """Prompts or code that influence people unnoticed, or deceive them."""
    return _score_alone(signals, "subliminal_prompts")


@register_rule("vulnerability_targeting")
def vulnerability_targeting(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """Prompts or code that exploit age, disability or hardship."""
    return _score_alone(signals, "vulnerability_exploitation")


@register_rule("nudification_of_people")
def nudification_of_people(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """People are undressed in pictures."""
    return _score_alone(signals, "nudification")


@register_rule("social_scoring_of_people")
def social_scoring_of_people(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """People are scored by how they behave or what they are like."""
    return _score_alone(signals, "social_scoring")


@register_rule("crime_prediction_by_profile")
def crime_prediction_by_profile(
    signals: Signals, inventory: Inventory, worktree: Worktree
) -> Score:
    """Crime is predicted from who somebody is; a prediction whose features do not show is half."""
    prediction = signals["predictive_policing"]
    met = score_proximity(signals, "predictive_policing", "profiling_traits")
    alone = 0.5 * prediction.strength
    return Score(
        max(alone, met.value), met.evidence or _list_all_evidence(signals, "predictive_policing")
    )


@register_rule("untargeted_face_scraping")
def untargeted_face_scraping(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """Pictures are collected from the web or cameras, and the faces in them kept as vectors."""
    return score_proximity(signals, "image_scraping", "face_detection")


@register_rule("emotion_inference_at_work")
def emotion_inference_at_work(signals: Signals, inventory: Inventory, worktree: Worktree) -> Score:
    """Feelings are read off workers, pupils or students. Of anybody else's it is no prohibition."""
    return score_proximity(signals, "emotion_recognition", "workplace_or_school")


@register_rule("sensitive_biometric_categories")
def sensitive_biometric_categories(
    signals: Signals, inventory: Inventory, worktree: Worktree
) -> Score:
    """Race, opinions, faith or orientation are deduced from a face, a voice or a body."""
    deduced = score_proximity(signals, "biometric_categorisation", "biometrics")
    named = score_proximity(signals, "sensitive_traits", "biometrics")
    # What a model is told names the body itself: it needs no library that measures one.
    said = tuple(
        e
        for e in signals["biometric_categorisation"].evidence
        if e.kind in ("prompts", "behaviours")
    )
    asked = Score(signals["biometric_categorisation"].strength if said else 0.0, said)
    return max(deduced, named, asked, key=lambda score: score.value)


@register_rule("live_biometric_identification")
def live_biometric_identification(
    signals: Signals, inventory: Inventory, worktree: Worktree
) -> Score:
    """People in live pictures are looked up among many by their body."""
    return score_proximity(signals, "camera_stream", "person_identification")


def _score_alone(signals: Signals, name: str) -> Score:
    return Score(signals[name].strength, _list_all_evidence(signals, name))


def _list_all_evidence(signals: Signals, name: str) -> tuple[SignalEvidence, ...]:
    return take_in_turn((signals[name],), len(signals[name].evidence))
