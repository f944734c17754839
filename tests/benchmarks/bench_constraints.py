"""Times compiled constraints: evaluations a second, with the evidence kept.

python -m tests.benchmarks.bench_constraints
"""

from __future__ import annotations

import time
from typing import Any

from pydantic import TypeAdapter

from bot.corpus.constraints import FactConstraint
from bot.dispatch.comparisons import compile_facts

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
    ("numeric, a float", OVERTIME, {"monthly_overtime_hours": 44.5}),
    ("numeric, converted", OVERTIME, {"monthly_overtime_hours": {"value": 9, "unit": "min"}}),
    (
        "numeric, ten items",
        {**OVERTIME, "field_path": "change.functions[*].complexity", "unit": None},
        FUNCTIONS,
    ),
    (
        "date",
        {
            "type": "date",
            "field_path": "approved_on",
            "operator": "<",
            "reference_date": "2027-01-01",
        },
        FLAT,
    ),
    (
        "enum",
        {
            "type": "enum",
            "field_path": "contract_type",
            "allowed_values": ["permanent", "fixed_term"],
        },
        FLAT,
    ),
)


def main() -> None:
    adapter: TypeAdapter[FactConstraint] = TypeAdapter(FactConstraint)
    print("Constraints, evaluations a second:")
    for name, constraint, facts in CASES:
        check = compile_facts(adapter.validate_python(constraint), {})
        rounds = ROUNDS if "flat" in name else ROUNDS // 10
        started = time.perf_counter()
        for _ in range(rounds):
            check(facts)
        rate = rounds / (time.perf_counter() - started)
        missed = f"  (missed: {AIM:,})" if "flat" in name and rate < AIM else ""
        print(f"  {name:<24}{rate:>12,.0f}{missed}")


if __name__ == "__main__":
    main()
