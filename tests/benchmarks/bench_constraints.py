"""Times compiled constraints: evaluations a second, with the evidence kept.

python -m tests.benchmarks.bench_constraints

rule-engine (a general expression language, compiled once as well) evaluates the same three rules in
the same run where it is installed; `make bench` installs it into a folder of its own.
"""

from __future__ import annotations

import datetime as dt
import importlib.util
import time
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter

from jurat.engine.compiler import compile_constraint
from jurat.rules.constraints import FactConstraint

AIM = 1_000_000
"""Evaluations a second of a numeric constraint over flat facts."""

ROUNDS = 500_000

OVERTIME = {
    "type": "numeric",
    "field_path": "monthly_overtime_hours",
    "operator": "<=",
    "threshold": 45,
    "unit": "hours",
}
FLAT = {"monthly_overtime_hours": 44, "contract_type": "permanent", "approved_on": "2026-12-31"}
FUNCTIONS = {"change": {"functions": [{"path": "a.py", "complexity": n} for n in range(10)]}}
CASES: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("numeric, flat, passes", OVERTIME, FLAT),
    ("numeric, flat, fails", OVERTIME, {"monthly_overtime_hours": 52}),
    ("numeric, flat, a float", OVERTIME, {"monthly_overtime_hours": 44.5}),
    ("numeric, converted", OVERTIME, {"monthly_overtime_hours": {"value": 9, "unit": "min"}}),
    (
        "numeric, ten items",
        {**OVERTIME, "field_path": "change.functions[*].complexity", "unit": None},
        FUNCTIONS,
    ),
    (
        "numeric, flat, nested",
        {**OVERTIME, "field_path": "change.lines_added", "unit": None},
        {"change": {"lines_added": 300}},
    ),
    (
        "date, flat",
        {
            "type": "date",
            "field_path": "approved_on",
            "operator": "<",
            "reference_date": "2027-01-01",
        },
        FLAT,
    ),
    (
        "enum, flat",
        {
            "type": "enum",
            "field_path": "contract_type",
            "allowed_values": ["permanent", "fixed_term"],
        },
        FLAT,
    ),
)


RULE_ENGINE = (
    ("numeric", "monthly_overtime_hours <= 45"),
    ("date", "approved_on < d'2027-01-01'"),
    ("enum", "contract_type in ['permanent', 'fixed_term']"),
)


def rate_of(check: Callable[[Any], object], facts: object, rounds: int) -> float:
    """Calls a second."""
    started = time.perf_counter()
    for _ in range(rounds):
        check(facts)
    return rounds / (time.perf_counter() - started)


def beside_rule_engine(rates: dict[str, float]) -> None:
    """The same rules in rule-engine, which says yes or no and keeps no evidence."""
    if importlib.util.find_spec("rule_engine") is None:
        print("  rule-engine is not installed: `make bench` does that.")
        return
    import rule_engine  # noqa: PLC0415 - for this benchmark alone

    facts = {**FLAT, "approved_on": dt.datetime(2026, 12, 31, tzinfo=dt.UTC)}
    for kind, text in RULE_ENGINE:
        rate = rate_of(rule_engine.Rule(text).matches, facts, ROUNDS // 20)
        ours = next(found for name, found in rates.items() if name.startswith(kind))
        print(f"  rule-engine, {kind:<11}{rate:>12,.0f}  (Jurat: {ours / rate:,.0f} times)")


def main() -> None:
    adapter: TypeAdapter[FactConstraint] = TypeAdapter(FactConstraint)
    print("Constraints, evaluations a second:")
    rates: dict[str, float] = {}
    for name, constraint, facts in CASES:
        check = compile_constraint(adapter.validate_python(constraint), {})
        rounds = ROUNDS if "flat" in name else ROUNDS // 10
        rates[name] = rate = rate_of(check, facts, rounds)
        missed = f"  (missed: {AIM:,})" if "flat" in name and rate < AIM else ""
        print(f"  {name:<24}{rate:>12,.0f}{missed}")
    beside_rule_engine(rates)


if __name__ == "__main__":
    main()
