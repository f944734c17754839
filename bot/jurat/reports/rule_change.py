"""The check of a change of rules: what changes in force, and what it would have meant lately."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from jurat.errors import FileError
from jurat.findings.evaluation import Conclusion
from jurat.reports.check_run import CheckRun, annotate_errors, list_errors
from jurat.reports.counts import pluralize
from jurat.reports.limits import CHECK_TEXT, fit
from jurat.reports.markdown import escape_markdown, quote_code, render_details, render_row
from jurat.rules.ruleset_diff import ChangeDirection, RuleSetChange

BEGUN = (
    "Trying the new rules",
    "Jurat loads the rules that this change would put in force, and tries them on recent reviews.",
)
_ROWS = 100
_URL = re.compile(r"https?://[\w.:/-]+", re.ASCII)
_SIGNS = {
    ChangeDirection.LOOSER: "▼",
    ChangeDirection.STRICTER: "▲",
    ChangeDirection.CHANGED: "●",
}


@dataclass(frozen=True, slots=True)
class ReplayedReview:
    """A past change under both sets of rules: the ids of those that deny it. `url` leads there."""

    number: int
    url: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What a change of rules comes to.

    `left_out` counts the past changes that could not be tried, by reason; `untried` are the ids of
    changed rules that only a model decides.
    """

    differences: tuple[RuleSetChange, ...]
    trials: tuple[ReplayedReview, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    untried: tuple[str, ...] = ()

    @property
    def newly_blocked(self) -> tuple[ReplayedReview, ...]:
        """What passed and would not any more."""
        return tuple(trial for trial in self.trials if trial.after and not trial.before)

    @property
    def released(self) -> tuple[ReplayedReview, ...]:
        """What was blocked and would not be any more."""
        return tuple(trial for trial in self.trials if trial.before and not trial.after)

    @property
    def loosened(self) -> bool:
        """Whether a rule or setting is weaker, or something passes that did not."""
        weaker = any(item.direction is ChangeDirection.LOOSER for item in self.differences)
        return weaker or bool(self.released)


def build_loaded_check(change: RuleChange) -> CheckRun:
    """The check if the new rules load. It never blocks; neutral if something is loosened."""
    newly, released = len(change.newly_blocked), len(change.released)
    if not change.differences:
        title = "Nothing changes in force"
    elif not change.trials:
        title = pluralize(len(change.differences), "change") + " in force"
    else:
        title = f"Would newly block {newly}, no longer block {released}"
    parts = [
        _describe_trials(change),
        _render_trials(change),
        _render_differences(change.differences),
    ]
    if change.untried:
        names = ", ".join(quote_code(name) for name in change.untried[:_ROWS])
        parts.append(f"Judged by a model, and so not tried: {names}.")
    parts.append(
        "This pull request itself is judged by its base's rules; these count once it is merged."
    )
    return CheckRun(
        # Never a failure: whether rules may be weaker is for the people who review the change.
        Conclusion.NEUTRAL if change.loosened else Conclusion.SUCCESS,
        title,
        fit("\n\n".join(part for part in parts if part), CHECK_TEXT, "\n\n_And so on._"),
    )


def build_repaired_check() -> CheckRun:
    """The check if the base's rules are broken and this change's are not."""
    return CheckRun(
        Conclusion.SUCCESS,
        "The rules can be loaded again",
        "Those of the base branch cannot be loaded, so that there is nothing to compare these with."
        " Once this is merged, comment `/recheck` on the pull requests that failed.",
    )


def build_broken_check(error: FileError) -> CheckRun:
    """The check if the new configuration or rules cannot be loaded: each error on its line."""
    return CheckRun(
        Conclusion.FAILURE,
        f"{pluralize(1 + len(error.others), 'error')} in the configuration or the rules",
        fit(
            "Once this is merged, nothing could be judged. Fix what is named here and push again;"
            " `jurat rules check` finds the same.\n\n" + list_errors(error),
            CHECK_TEXT,
            "\n\n_And so on._",
        ),
        annotations=annotate_errors(error),
    )


def build_unread_check(error: FileError) -> CheckRun:
    """The check if a branch builds on a file that Jurat does not read on a branch's word."""
    return CheckRun(
        Conclusion.NEUTRAL,
        "What this would put in force was not read",
        "A branch's configuration makes Jurat read no other repository than its own, but for the"
        " files on which the base branch builds already. What the new rules would say is not known"
        f" here: look at that file before you merge this.\n\n{list_errors(error)}",
        annotations=tuple(
            replace(note, level="warning", title="Not read") for note in annotate_errors(error)
        ),
    )


def build_given_up_check(reason: str) -> CheckRun:
    """The check if the trial was given up. Nothing is known, and nothing is blocked."""
    return CheckRun(
        Conclusion.NEUTRAL,
        "The new rules could not be tried",
        f"{escape_markdown(reason)}\n\nNothing is blocked by that. Re-run this check to try again.",
    )


def _describe_trials(change: RuleChange) -> str:
    if not change.differences:
        return "**Nothing changes in force**: only words that decide nothing are different."
    out = sum(change.left_out.values())
    if not change.trials and not out:
        return "No other pull request was reviewed yet that the new rules could be tried on."
    line = (
        f"**They would newly block {len(change.newly_blocked)} and no longer block"
        f" {len(change.released)}** of the {pluralize(len(change.trials), 'pull request')} reviewed"
        " last, each tried at the head that was reviewed."
    )
    if out:
        reasons = ", ".join(f"{count} {reason}" for reason, count in change.left_out.items())
        line += f" {out} more could not be tried: {reasons}."
    return line


def _render_trials(change: RuleChange) -> str:
    rows = [
        render_row(word, _render_link(trial), _render_names(rules))
        for word, trials in (
            ("newly blocked", [(item, item.after) for item in change.newly_blocked]),
            ("no longer blocked", [(item, item.before) for item in change.released]),
        )
        for trial, rules in trials
    ]
    return "\n".join(["| | Pull request | By |", "|---|---|---|", *rows]) if rows else ""


def _render_differences(found: Sequence[RuleSetChange]) -> str:
    if not found:
        return ""
    rows = ["| | What changes in force | Before | After |", "|---|---|---|---|"]
    rows += [
        render_row(
            f"{_SIGNS[item.direction]} {item.direction}",
            _render_subject(item),
            *_render_sides(item),
        )
        for item in found[:_ROWS]
    ]
    if len(found) > _ROWS:
        rows.append(f"\n…and {pluralize(len(found) - _ROWS, 'more change')}.")
    table = "\n".join(rows)
    if len(found) <= 10:
        return table
    return render_details(pluralize(len(found), "change") + " in force", table)


def _render_subject(item: RuleSetChange) -> str:
    name = quote_code(item.subject)
    return name if item.what in ("rule", "setting") else f"{name} {escape_markdown(item.what)}"


def _render_sides(item: RuleSetChange) -> tuple[str, str]:
    if item.before is item.after is None:
        return "", ""  # both are too long to be shown
    before, after = (
        "none" if text is None else escape_markdown(text) for text in (item.before, item.after)
    )
    return before, after


def _render_names(rules: Iterable[str]) -> str:
    return ", ".join(quote_code(rule) for rule in rules)


def _render_link(trial: ReplayedReview) -> str:
    label = f"#{trial.number}"
    return f"[{label}]({trial.url})" if _URL.fullmatch(trial.url) else quote_code(label)
