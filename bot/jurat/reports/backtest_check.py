"""The check of a look back: what was merged that would have been stopped, and proposed levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from jurat.findings.backtest import Aftermath, Backtest, ReplayedFinding, RuleBacktest
from jurat.findings.evaluation import Conclusion
from jurat.reports.check_run import CheckRun
from jurat.reports.counts import pluralize
from jurat.reports.limits import CHECK_TEXT, fit
from jurat.reports.markdown import escape_markdown, quote_code, render_fence, render_row

_ROWS = 30
_EXAMPLES = 10


def build_backtest_check(
    backtest: Backtest, branch: str, left_out: Mapping[str, int] | None = None
) -> CheckRun:
    """The check of merged pull requests, whose `commit` is `#` and their number.

    It never blocks. `left_out` counts those that could not be tried, by reason.
    """
    total = pluralize(len(backtest.changes), "merged pull request")
    stopped = backtest.stopped or "None"
    parts = [
        _describe(backtest, branch, left_out or {}),
        _render_rules(backtest),
        _render_examples(backtest),
        _render_levels(backtest),
        "No model was asked, so the rules that only a model can judge have no part in this."
        " `jurat rules backtest` replays more of the history in a checkout. Re-run this check to"
        " look back again.",
    ]
    return CheckRun(
        Conclusion.NEUTRAL,
        f"{stopped} of {total} would have been stopped",
        fit("\n\n".join(filter(None, parts)), CHECK_TEXT, "\n\n_And so on._"),
    )


def _describe(backtest: Backtest, branch: str, left_out: Mapping[str, int]) -> str:
    count = backtest.stopped or "none"
    total = pluralize(len(backtest.changes), "pull request")
    said = (
        f"Jurat looked back: by the rules in force on {quote_code(branch)} now, **{count} of the"
        f" {total} merged last would have been stopped**. This is a proposal. It sets nothing and"
        " blocks nothing."
    )
    if left_out:
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
        said += f" {sum(left_out.values())} more could not be tried: {reasons}."
    return said


def _render_rules(backtest: Backtest) -> str:
    if not backtest.rules:
        return "No rule had anything to say of them."
    head = (
        "| Rule | Pull requests | Would have stopped | Findings | Mended later | Proposed level |\n"
        "|---|---|---|---|---|---|"
    )
    rows = [
        render_row(
            quote_code(item.rule),
            str(item.changes),
            str(item.stopped),
            str(item.firings),
            str(item.fixed),
            f"{quote_code(item.suggested)}: {item.reason}" if item.suggested else "as it is",
        )
        for item in backtest.rules[:_ROWS]
    ]
    left = len(backtest.rules) - _ROWS
    more = [f"\n…and {pluralize(left, 'more rule')}."] if left > 0 else []
    return "\n".join([head, *rows, *more])


def _render_examples(backtest: Backtest) -> str:
    examples = [item for rule in backtest.rules for item in _list_blocking(rule)][:_EXAMPLES]
    if not examples:
        return ""
    return "What would have stopped them, for example:\n\n" + "\n".join(examples)


def _list_blocking(rule: RuleBacktest) -> Iterator[str]:
    for commit, firing in rule.examples:
        if firing.blocks:
            yield f"- {commit}: {_describe_firing(firing)}"


def _describe_firing(firing: ReplayedFinding) -> str:
    place = quote_code(f"{firing.path}:{firing.line}") if firing.path else "the whole change"
    after = "" if firing.aftermath is Aftermath.STANDS else f" ({firing.aftermath})"
    return f"{place} {escape_markdown(firing.message)}{after}"


def _render_levels(backtest: Backtest) -> str:
    if not backtest.levels:
        return ""
    lines = ["levels:", *(f"  {rule}: {level}" for rule, level in backtest.levels.items())]
    return "With these lines in `.github/jurat.yml` less would have been said:\n\n" + render_fence(
        "\n".join(lines), "yaml"
    )
