"""A computational rule without constraints: its threshold read from the statement.

This is a fallback, so it decides only if nothing is left to interpretation: one comparison, one
number, no condition, and one fact whose key says nothing that the statement does not say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from jurat.engine.comparisons import compile_numeric, parse_amount
from jurat.engine.outcome import Outcome, OutcomeState
from jurat.engine.units import compute_stem, is_unit, list_stems, split_words
from jurat.rules.constraints import NumericConstraint, Operator
from jurat.rules.rule import Modality, Rule

_COMPARATIVES: tuple[tuple[str, Operator], ...] = (
    (r"(?:more|greater|larger|higher|longer|bigger) than|above|over|exceed(?:s|ed|ing)?", ">"),
    (r"(?:less|fewer|lower|smaller|shorter) than|below|under", "<"),
    (r"at most|up to|(?:a )?maximum(?: of)?|limited to|capped at|within|≤|<=", "<="),
    (r"at least|(?:a )?minimum(?: of)?|≥|>=", ">="),
    (r"exactly|equals?(?: to)?", "=="),
)
_OPPOSITE: dict[Operator, Operator] = {
    "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="
}  # fmt: skip
_NUMBER = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]{1,30}(?:\.[0-9]{1,30})?"
_VERB = (
    r"(?:is|are|be|stays?|remains?|has|have|lasts?|takes?|costs?|goes|go|uses?|contains?|adds?"
    r"|limited|kept)"
)
_COMPARISON = re.compile(
    rf"(?P<lead>^\s*|\b{_VERB}\s+)?"
    rf"(?P<no>\b(?:not|never|no|cannot|can't|mustn't|shouldn't)\s+(?:{_VERB}\s+)?)?"
    + "(?P<words>"
    + "|".join(f"(?P<c{index}>{text})" for index, (text, _) in enumerate(_COMPARATIVES))
    + r")\s+(?:a total of\s+)?(?P<symbol>[$€£¥]|[A-Z]{3}\s)?\s*"
    + rf"(?P<number>{_NUMBER})(?![0-9.,]*[0-9])\s*"
    + r"(?P<scale>(?:k|hundred|thousand|million|billion|trillion)\b)?"
    + r"\s*(?P<unit>%|[A-Za-z]+)?",
    re.IGNORECASE,
)
# What makes a comparison a condition, or the subject of another sentence.
_CONDITION = re.compile(
    r"\b(?:if|unless|except|excluding|when|where|or|otherwise|that|which|who|whose|without"
    r"|needs?|requires?|required|forbidden|prohibited|triggers?|leads? to|must be \w+ed)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|never|no|nor|neither|cannot|\w+n't)\b", re.IGNORECASE)
_DIGITS = re.compile(rf"(?:{_NUMBER})")
_TWO_READINGS = re.compile(r"[0-9]{1,3}\.[0-9]{3}")
"""1.000 is one to some who write rules, and a thousand to others."""
_SCALES = {
    "k": 10**3, "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9,
    "trillion": 10**12,
}  # fmt: skip
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_FILLERS = list_stems("total amount value number count num of the current per in a an all sum")
_MODALS = list_stems("must should shall may can will")
_PERCENT = frozenset({"%", "percent", "pct"})
_MAX_DEPTH = 8


class Threshold(NamedTuple):
    """A comparison found in prose. `unnamed`: of "the amount" or the like, and nothing else."""

    operator: Operator
    number: Decimal
    unit: str | None
    unnamed: bool = False


class _Candidate(NamedTuple):
    path: str
    value: object
    holder: Mapping[str, Any]
    unit: str | None
    said: frozenset[str]
    score: tuple[int, int]

    @property
    def is_number(self) -> bool:
        return not isinstance(parse_amount(self.value), str)


def find_threshold(rule: Rule) -> Threshold | None:
    """The one comparison that a statement makes, or None if it makes none or is not clear.

    The comparison must be what the sentence says: behind a verb, a "not", or at its beginning.
    Under MUST_NOT only a negated comparison is clear ("must not exceed 45"): rules of this modality
    are written both as what is forbidden and as what is asked for.
    """
    statement = rule.statement
    found = list(_COMPARISON.finditer(statement))
    # A second number may be the condition of the first: then a program cannot know what is
    # compared.
    if len(found) != 1 or len(_DIGITS.findall(statement)) != 1 or _CONDITION.search(statement):
        return None
    match = found[0]
    if _TWO_READINGS.fullmatch(match["number"]):
        return None
    negated = match["no"] is not None
    stated = match["lead"] is not None or match["words"].lower().startswith(
        ("exceed", "equal", "<=", ">=", "≤", "≥")
    )
    if len(_NEGATION.findall(statement)) != negated or not (negated or stated):
        return None
    if rule.modality is Modality.MUST_NOT and not negated:
        return None
    operators = (op for index, (_, op) in enumerate(_COMPARATIVES) if match[f"c{index}"])
    operator = next(operators)
    number = Decimal(match["number"].replace(",", ""))
    number *= _SCALES.get((match["scale"] or "").lower(), 1)
    subject = list_stems(statement[: match.start()]) - _MODALS
    return Threshold(
        _OPPOSITE[operator] if negated else operator,
        number,
        _find_unit(match),
        unnamed=bool(subject) and subject <= _FILLERS,
    )


def check_threshold_statement(rule: Rule, facts: Mapping[str, Any]) -> Outcome | None:
    """The statement's comparison with the one fact it speaks of; None if that is not clear."""
    threshold = find_threshold(rule)
    if threshold is None:
        return None
    mentioned = list_stems(rule.statement)
    best = _choose_best(list(_find_candidates(facts, mentioned, unnamed=threshold.unnamed)))
    if best is None:
        return None
    # 0.16 may be 16% or 0.16%: a factor of a hundred is not guessed.
    if threshold.unit in _PERCENT and _is_share(best):
        return None
    check = compile_numeric(
        NumericConstraint(
            type="numeric",
            field_path="fact",
            operator=threshold.operator,
            threshold=threshold.number,
            unit=threshold.unit,
        ),
        {},
    )
    fact: object = best.value
    if best.unit is not None and not isinstance(fact, Mapping):
        fact = {"value": fact, "unit": best.unit}
    beside = {key: best.holder[key] for key in ("currency", "unit") if key in best.holder}
    outcome = check({**beside, "fact": fact})
    if outcome.state is OutcomeState.INDETERMINATE:
        return None
    evidence = tuple(item._replace(path=best.path, value=best.value) for item in outcome.evidence)
    return outcome._replace(evidence=evidence)


def _choose_best(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """The number that is spoken of most clearly, if one is, and no other value says more of it."""
    numbers = sorted(
        (item for item in candidates if item.is_number), key=lambda item: item.score, reverse=True
    )
    # Two that fit alike: to take the first would be to judge by the order of keys.
    if not numbers or any(item.score == numbers[0].score for item in numbers[1:]):
        return None
    best = numbers[0]
    return None if any(item.said > best.said for item in candidates) else best


def _is_share(candidate: _Candidate) -> bool:
    """Whether 0.16 may mean 16%: a bare number up to 1 beside a rule in percent."""
    measured = parse_amount(candidate.value)
    if isinstance(measured, str) or candidate.unit or measured[1]:
        return False
    return abs(measured[0]) <= 1


def _find_unit(match: re.Match[str]) -> str | None:
    symbol = (match["symbol"] or "").strip()
    if symbol:
        return _CURRENCIES.get(symbol, symbol.upper())
    unit: str | None = match["unit"]
    if unit is None:
        return None
    return unit if is_unit(unit) or re.fullmatch("[A-Z]{3}", unit) else None


def _find_candidates(
    facts: Mapping[str, Any], mentioned: frozenset[str], *, unnamed: bool
) -> Iterator[_Candidate]:
    """Values whose key says nothing beyond the statement, scored by how much it says.

    A key such as `amount` says nothing, except if the statement says no more of what it compares.
    """
    for path, key, around, value, holder in _iter_values(facts, "", ""):
        spoken = split_words(key)
        unit = spoken[-1] if len(spoken) > 1 and is_unit(spoken[-1]) else None
        said = {compute_stem(word) for word in spoken if not is_unit(word)}
        needed = said - _FILLERS
        if (needed or (unnamed and said)) and (said if unnamed else needed) <= mentioned:
            score = (len(needed), len(list_stems(around) & mentioned))
            yield _Candidate(path, value, holder, unit, frozenset(said), score)


def _iter_values(
    facts: Mapping[str, Any], path: str, around: str, depth: int = 0
) -> Iterator[tuple[str, str, str, object, Mapping[str, Any]]]:
    """Every value that may be the one spoken of, inside of lists as well. Nobody states a flag."""
    for name, value in facts.items():
        key = str(name)
        for inner, item in _iter_items(f"{path}.{key}" if path else key, value):
            if isinstance(item, Mapping) and "value" not in item:
                if depth < _MAX_DEPTH:
                    yield from _iter_values(item, inner, f"{around} {key}", depth + 1)
            elif item is not None and not isinstance(item, bool):
                yield inner, key, around, item, facts


def _iter_items(path: str, value: object) -> Iterator[tuple[str, object]]:
    if not isinstance(value, (list, tuple)):
        yield path, value
        return
    for index, item in enumerate(value):
        yield f"{path}[{index}]", item
