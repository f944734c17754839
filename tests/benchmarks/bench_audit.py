"""Times audits of rationales, beside the model call whose answer one of them guards.

python -m tests.benchmarks.bench_audit [--quick]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable, Sequence

from jurat.audit import banking_rules, decision_rationale_rules
from jurat.audit.verdict_rules import audit_verdict
from jurat.findings.finding import Location
from jurat.findings.verdict import DecidedBy, RuleVerdict, Verdict
from jurat.judge.gemini import GeminiJudge
from jurat.judge.judge import ask_judge
from tests.standins.gemini.script import Script
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Notebook, a_diff, a_normative_rule, denying
from tests.support.values import a_context, with_findings

AIM = 10_000
"""Audits a second, in order of magnitude."""

ROUNDS = 5
CALLS = 20

QUESTION = "Should the loan be approved?"
RATIONALE = (
    "The loan should be deferred because the 850,000 EUR that the borrower asks for exceed the"
    " limit of 800,000 EUR in policy section 4.2. Income documents for 2024 are missing, so the"
    " repayment cannot be confirmed. Bureau A reports no arrears and bureau B one late payment; the"
    " two conflict, which suggests that both be asked again. An AML flag is present in case {}."
)
CONTEXT = (
    "The borrower asks for a loan of 850,000 EUR. Policy section 4.2 limits single exposures to"
    " 800,000 EUR. Income documents for 2024 are missing. An AML flag is present. Bureau A reports"
    " no arrears, bureau B reports one late payment."
)

RULE = a_normative_rule()
LINES = ["+    total = total + row.amount"] * 200
MATERIAL = "\n".join(["=== pay.py (modified, python)", "1+log(secret)", *LINES])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of every size")
    count = 500 if parser.parse_args().quick else 5_000
    print(f"Audits, the best of {ROUNDS} rounds of {count:,} different texts:")
    per_audit = [timed(name, work, texts(count)) for name, work in AUDITS.items()]
    if min(1 / seconds for seconds in per_audit) < AIM / 10:
        print(f"  Missed: the order of {AIM:,} a second.")
    call = asyncio.run(model_call())
    print(
        f"One call through the real client to a stand-in on this machine, which thinks about"
        f" nothing: {call * 1000:.1f} ms, the time of {call / per_audit[-1]:,.0f} audits."
    )


def texts(count: int) -> Sequence[str]:
    """Rationales that differ, so that nothing remembered of one serves for another."""
    return [RATIONALE.format(number) for number in range(count)]


def decision(text: str) -> None:
    DECISION.evaluate(
        question=QUESTION, response=text, context=CONTEXT, metadata={"flags_present": ["AML"]}
    )


def banking(text: str) -> None:
    BANKING.evaluate(question=QUESTION, response=text, metadata={"flags_present": ["AML"]})


def a_denial(text: str) -> None:
    reasoning = f'It writes "log(secret)" into the log of case {text[-4:]}, where a reader sees it.'
    verdict(Verdict.DENY, reasoning)


def an_allowance(text: str) -> None:
    verdict(Verdict.ALLOW, f"No secret is written to the log of case {text[-4:]}.")


def verdict(kind: Verdict, reasoning: str) -> None:
    given = with_findings(RuleVerdict(RULE, kind, 0.9, reasoning, DecidedBy.BATCH), [PLACE])
    if audit_verdict(given, MATERIAL) is not given:
        raise SystemExit("The reasoning of the benchmark was flagged.")


PLACE = Location(file_path="pay.py", start_line=1, end_line=1, fields={"snippet": "log(secret)"})
DECISION = decision_rationale_rules()
BANKING = banking_rules()
AUDITS: dict[str, Callable[[str], None]] = {
    "decision, 20 rules": decision,
    "banking, 22 rules": banking,
    "verdict ALLOW": an_allowance,
    "verdict DENY": a_denial,
}


def timed(name: str, work: Callable[[str], None], given: Sequence[str]) -> float:
    """Print, and return, the seconds of one audit."""
    rounds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for text in given:
            work(text)
        rounds.append((time.perf_counter() - started) / len(given))
    seconds = min(rounds)
    print(f"  {name:<20}{1 / seconds:9,.0f} a second{seconds * 1e6:9.0f} µs each", flush=True)
    return seconds


async def model_call() -> float:
    """Seconds of one call, the median of several, with the SDK loaded before."""
    async with StandInGemini(Script()) as gemini:
        gemini.judges(RULE.id, denying("log(secret)"))
        async with GeminiJudge(gemini.api_key, base_url=gemini.base_url) as model:
            seconds = []
            for number in range(CALLS + 1):
                context = a_context(a_diff("pay.py", "+log(secret)", f"+x = {number}"))
                started = time.perf_counter()
                await ask_judge(context, [RULE], model, Notebook(), audit=audit_verdict)
                seconds.append(time.perf_counter() - started)
    return statistics.median(seconds[1:])


if __name__ == "__main__":
    main()
