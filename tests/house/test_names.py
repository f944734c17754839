# ruff: noqa: E501, SIM905 -- word lists and long rows read best as they are
"""Names are plain English: functions begin with a verb, classes are nouns, and one word means one thing.

docs/glossary.md says which word is meant; this only keeps the old dictionary from coming back. A list
here is open: a good verb that is missing is a line to add.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

JURAT = Path(__file__).parents[2] / "bot" / "jurat"

VERBS = frozenset(
    """
    accept adapt add aggregate align allow anchor annotate apply ask assemble assign attach
    attempt audit authorize auto backtest begin bind blank build call cancel cap carry change check
    choose claim classify clean close cluster collect combine commit compare compile complete
    compute conclude configure confirm construct count create cut decide decode decompose
    dedent delete deliver deny derive describe detach detect diff digest dismiss do downgrade
    drain draw drop dump edit embed encode enqueue ensure enter escape estimate evaluate
    exchange execute exit expand explain extract fail fetch fill filter find fit flatten flush
    fold follow forget format freeze from get give group hand handle identify infer inline
    insert invert iter join judge keep lease leave limit lint list listen load locate look
    make map mark match measure merge normalize note number open pack pair parse pause pick
    place plan pluralize post prepare print process publish quote raise rank rate react read
    rebuild receive recheck record redact redeliver refuse register reject release remove
    render replace replay reply report requeue rerank resolve restate restore resume retry
    review round run save scan score search select send serialize serve set settle shorten
    show sign skip sleep slice spell split start stop stretch strike strip suggest sum summarize take
    tell terminate tick to transact translate try unescape unquote update upgrade validate
    verify wait wake walk warn watch widen with write
    """.split()
)
"""What a function may begin with; `from` and `to` convert, `is`, `has`, `can` and the like answer."""

PREDICATES = frozenset({"are", "can", "fits", "has", "is", "needs"})
"""What a function begins with that answers yes or no, and so returns a bool."""

BANNED = frozenset(
    "asking bury case corpus exhibit heard listening material obey obeying occasion outside shown standing"
    " telling told unearned".split()
)
"""Words of the dictionary that only its authors could speak."""

EXEMPT_DECORATORS = ("property", "override", "fixture", "register_rule", "setter")
"""Properties read as nouns; others fixed the name of what is overridden or registered by name."""

EXCEPTIONS = {
    "ActiveRules.says_the_same": "a noun still: a method",
    "AnalyticsFilter._in_order": "a noun still: a method",
    "AnswerCache.recall": "a noun still: a method",
    "AnswerCache.remember": "a noun still: a method",
    "ApiRequest._without_nulls": "a noun still: a method",
    "App.readiness": "a noun still: a method",
    "AppCredentials.authorization": "a noun still: a method",
    "Baseline.without": "a noun still: a method",
    "Batch.only": "a noun still: a method",
    "Candidate.of": "a noun still: a method",
    "ChangedFiles.some_fit": "a noun still: a method",
    "CheckResult._completed": "a noun still: a method",
    "CheckRunWriter._missing": "a noun still: a method",
    "CheckRunWriter._runs": "a noun still: a method",
    "CheckRunWriter.concluded": "a noun still: a method",
    "CheckRunWriter.concluded_as": "a noun still: a method",
    "Checker._each_once": "a noun still: a method",
    "CodeMatches.first": "a noun still: a method",
    "CommitFiles._at": "a noun still: a method",
    "CommitFiles.files": "a noun still: a method",
    "Connection._client": "a noun still: a method",
    "Connection.aclose": "a library's name for it",
    "Connection.calling": "a noun still: a method",
    "Credentials.authorization": "a noun still: a method",
    "Database.at": "a noun still: a method",
    "Database.reading": "a noun still: a method",
    "Database.writing": "a noun still: a method",
    "DatabaseEvaluationStore.decisions": "a noun still: a method",
    "DatabaseEvaluationStore.recall": "a noun still: a method",
    "DatabaseEvaluationStore.remember": "a noun still: a method",
    "DatabaseEvaluationStore.standings": "a noun still: a method",
    "Definition.parameters": "a noun still: a method",
    "Definition.signature": "a noun still: a method",
    "Document.line": "a noun still: a method",
    "Effective._in_order": "a noun still: a method",
    "EvaluateRequest._something": "a noun still: a method",
    "Evaluation.having": "a noun still: a method",
    "EvaluationStore.decisions": "a noun still: a method",
    "EvaluationStore.standings": "a noun still: a method",
    "Example._code_or_facts": "a noun still: a method",
    "Excerpt.of": "a noun still: a method",
    "Excerpt.text": "a noun still: a method",
    "FileChange.fragments": "a noun still: a method",
    "GeminiEmbedder._batch": "a noun still: a method",
    "GeminiEmbedder.aclose": "a library's name for it",
    "GeminiJudge._config": "a noun still: a method",
    "GeminiJudge.aclose": "a library's name for it",
    "GeminiJudge.model_id": "a noun still: a method",
    "GitCheckout._object": "a noun still: a method",
    "GitCheckout.around": "a noun still: a method",
    "GitCheckout.content": "a noun still: a method",
    "GitCheckout.names": "a noun still: a method",
    "GitHub._alone": "a noun still: a method",
    "GitHub._answer": "a noun still: a method",
    "GitHub._authorised": "a noun still: a method",
    "GitHub._followed": "a noun still: a method",
    "GitHub._once": "a noun still: a method",
    "GitHub._paced": "a noun still: a method",
    "GitHub._request": "a noun still: a method",
    "GitHub._sent": "a noun still: a method",
    "GitHub._within_limits": "a noun still: a method",
    "GitHub.each": "a noun still: a method",
    "GitHub.raw": "a noun still: a method",
    "GitHubApp._client": "a noun still: a method",
    "GitHubApp.identity": "a noun still: a method",
    "GitHubApp.installation": "a noun still: a method",
    "InapplicableRuleModel.of": "a noun still: a method",
    "InstallationCredentials.authorization": "a noun still: a method",
    "Intake.again": "a noun still: a method",
    "Intake.known": "a noun still: a method",
    "Inventory.of": "a noun still: a method",
    "JobHandlers._command": "a noun still: a method",
    "JobHandlers._concerned": "a noun still: a method",
    "JobHandlers._own_rules": "a noun still: a method",
    "JobHandlers._publisher": "a noun still: a method",
    "JobQueue.backlog": "a noun still: a method",
    "JobQueue.heartbeat": "a noun still: a method",
    "JobQueue.latest_tick": "a noun still: a method",
    "JobQueue.records": "a noun still: a method",
    "Judge.model_id": "a noun still: a method",
    "JudgeSession._asked": "a noun still: a method",
    "JudgeSession._batch": "a noun still: a method",
    "JudgeSession._single": "a noun still: a method",
    "JudgeSession._singly": "a noun still: a method",
    "JudgeSession._tier_of": "a noun still: a method",
    "JudgeSession._together": "a noun still: a method",
    "JudgeSession.hear": "a noun still: a method",
    "Limit.admits": "a noun still: a method",
    "Limit.beside": "a noun still: a method",
    "LinearRegex.finditer": "a library's name for it",
    "LocalSource._alone": "a noun still: a method",
    "LocalSource._checkout": "a noun still: a method",
    "LookupConstraint._comparison_needs_a_result": "a noun still: a method",
    "MergeGroupPublisher.concluded_as": "a noun still: a method",
    "Meter.answered": "a noun still: a method",
    "Meter.paused": "a noun still: a method",
    "MeteredJudge.model_id": "a noun still: a method",
    "ModelMetrics.answered": "a noun still: a method",
    "ModelsFile.options": "a noun still: a method",
    "NullStore.decisions": "a noun still: a method",
    "NullStore.recall": "a noun still: a method",
    "NullStore.remember": "a noun still: a method",
    "NullStore.standings": "a noun still: a method",
    "OpenCheckStore.all": "a noun still: a method",
    "OpenCheckStore.end": "a noun still: a method",
    "OrderConstraint._distinct": "a noun still: a method",
    "ParserPool._new_pool": "a noun still: a method",
    "ParserPool._outcome": "a noun still: a method",
    "ParserPool._running": "a noun still: a method",
    "PathIndex.of": "a noun still: a method",
    "PatternConstraint._one_matcher": "a noun still: a method",
    "Periodically._patiently": "a noun still: a method",
    "Periodically.problem": "a noun still: a method",
    "PhraseIndex.of": "a noun still: a method",
    "PhraseIndex.without": "a noun still: a method",
    "Phrases.all": "a noun still: a method",
    "Phrases.first": "a noun still: a method",
    "Phrases.of": "a noun still: a method",
    "ProcrastinateQueue._back": "a noun still: a method",
    "ProcrastinateQueue.backlog": "a noun still: a method",
    "ProcrastinateQueue.heartbeat": "a noun still: a method",
    "ProcrastinateQueue.latest_tick": "a noun still: a method",
    "ProcrastinateQueue.records": "a noun still: a method",
    "ProgressJudge.model_id": "a noun still: a method",
    "PrometheusMetrics._counter": "a noun still: a method",
    "PrometheusMetrics._gauge": "a noun still: a method",
    "PrometheusMetrics._histogram": "a noun still: a method",
    "PrometheusMetrics.delivered": "a noun still: a method",
    "PrometheusMetrics.exposition": "a noun still: a method",
    "PrometheusMetrics.gave_up": "a noun still: a method",
    "PrometheusMetrics.meter": "a noun still: a method",
    "PrometheusMetrics.reviewed": "a noun still: a method",
    "Provenance._provisions": "a noun still: a method",
    "Provenance.citation": "a noun still: a method",
    "Provenance.within": "a noun still: a method",
    "PullRequestPublisher.awaited": "a noun still: a method",
    "PullRequestPublisher.concluded": "a noun still: a method",
    "PullRequestPublisher.concluded_as": "a noun still: a method",
    "PullRequestPublisher.finding": "a noun still: a method",
    "PullRequestPublisher.planned": "a noun still: a method",
    "PullRequestPublisher.posted": "a noun still: a method",
    "PullRequestView.commented_lines": "a noun still: a method",
    "PullRequestView.comments_on": "a noun still: a method",
    "Pulse.beat": "a noun still: a method",
    "Pulse.living": "a noun still: a method",
    "Pulse.miss": "a noun still: a method",
    "Pulse.problem": "a noun still: a method",
    "QuickRequest._one_action": "a noun still: a method",
    "RankedCandidate.raised": "a noun still: a method",
    "Rating.having": "a noun still: a method",
    "RatingReader._rated": "a noun still: a method",
    "Ratings.history": "a noun still: a method",
    "Readiness.problems": "a noun still: a method",
    "Reconciler._checks": "a noun still: a method",
    "Reconciler._deliveries": "a noun still: a method",
    "Reconciler._end": "a noun still: a method",
    "Reconciler._unended": "a noun still: a method",
    "RecordedGitHub._answer": "a noun still: a method",
    "RecordedGitHub._token": "a noun still: a method",
    "Redelivery._again": "a noun still: a method",
    "Redelivery._failed": "a noun still: a method",
    "Redelivery._unchecked": "a noun still: a method",
    "Redelivery._unchecked_in": "a noun still: a method",
    "Redelivery.delivery": "a noun still: a method",
    "Redelivery.missed": "a noun still: a method",
    "Relations.targets": "a noun still: a method",
    "RememberedReview.counting": "a noun still: a method",
    "ReviewComments.finding": "a noun still: a method",
    "ReviewComments.posted": "a noun still: a method",
    "ReviewRunner.end": "a noun still: a method",
    "RuleActivityAnswer.of": "a noun still: a method",
    "RuleAnswer.of": "a noun still: a method",
    "RuleHistory.decided": "a noun still: a method",
    "RuleHistory.decided_within": "a noun still: a method",
    "RuleHistory.standings": "a noun still: a method",
    "RuleSetCache.rules_for": "a noun still: a method",
    "RulesCheck._denying": "a noun still: a method",
    "RulesCheck._trial": "a noun still: a method",
    "RulesCheck._tried": "a noun still: a method",
    "ScriptedJudge.model_id": "a noun still: a method",
    "SelectionCriteria.of": "a noun still: a method",
    "Settings._api_token": "a noun still: a method",
    "Settings._api_url": "a noun still: a method",
    "Settings._app_id": "a noun still: a method",
    "Settings._models_file": "a noun still: a method",
    "Settings._port": "a noun still: a method",
    "Settings._private_key": "a noun still: a method",
    "Settings._webhook_path": "a noun still: a method",
    "Settings._webhook_secret": "a noun still: a method",
    "Settings.for_app": "a noun still: a method",
    "Settings.for_database": "a noun still: a method",
    "Settings.for_logs": "a noun still: a method",
    "Settings.for_model": "a noun still: a method",
    "Settings.for_server": "a noun still: a method",
    "Settings.for_worker": "a noun still: a method",
    "SignalPattern._looks_for_something": "a noun still: a method",
    "Signals.strongest": "a noun still: a method",
    "Store.activity": "a noun still: a method",
    "Store.decisions": "a noun still: a method",
    "Store.decisions_after": "a noun still: a method",
    "Store.last_probe_run": "a noun still: a method",
    "Store.last_review": "a noun still: a method",
    "Store.past_reviews": "a noun still: a method",
    "Store.recall": "a noun still: a method",
    "Store.remember": "a noun still: a method",
    "StringFormat._fitting": "a noun still: a method",
    "TableQueue.backlog": "a noun still: a method",
    "TableQueue.heartbeat": "a noun still: a method",
    "TableQueue.latest_tick": "a noun still: a method",
    "TableQueue.records": "a noun still: a method",
    "Tracing._span": "a noun still: a method",
    "Tracing.handler": "a noun still: a method",
    "Vocabulary.markers_of": "a noun still: a method",
    "Worker._work": "a noun still: a method",
    "Worker.problem": "a noun still: a method",
    "WriteTrial._silence": "a noun still: a method",
    "WriteTrial.problem": "a noun still: a method",
    "WriteTurns._instant": "a noun still: a method",
    "WriteTurns._next": "a noun still: a method",
    "WriteTurns.of": "a noun still: a method",
    "_Alignment._aligned": "a noun still: a method",
    "_Alignment._origin": "a noun still: a method",
    "_Alignment.same": "a noun still: a method",
    "_ClauseReader._absolute": "a noun still: a method",
    "_ClauseReader._after_an_end": "a noun still: a method",
    "_ClauseReader._beside": "a noun still: a method",
    "_ClauseReader._convincing": "a noun still: a method",
    "_ClauseReader._counted": "a noun still: a method",
    "_ClauseReader._name_at": "a noun still: a method",
    "_ClauseReader._next": "a noun still: a method",
    "_ClauseReader.openings": "a noun still: a method",
    "_Comments.covers": "a noun still: a method",
    "_Commit._message": "a noun still: a method",
    "_Decisions._holds": "a noun still: a method",
    "_Decisions._renamed": "a noun still: a method",
    "_Decisions.waiver": "a noun still: a method",
    "_Doors._may_look": "a noun still: a method",
    "_Doors.form": "a noun still: a method",
    "_Doors.guarded": "a noun still: a method",
    "_Doors.overview": "a noun still: a method",
    "_GitHubMeter.answered": "a noun still: a method",
    "_GitHubMeter.paused": "a noun still: a method",
    "_Heedless.over": "a noun still: a method",
    "_JudgedLines.at": "a noun still: a method",
    "_Names.of": "a noun still: a method",
    "_Page._of_text": "a noun still: a method",
    "_Page._of_value": "a noun still: a method",
    "_PlacedProbe.error": "a noun still: a method",
    "_Places.files": "a noun still: a method",
    "_Places.of": "a noun still: a method",
    "_Sent.origin": "a noun still: a method",
    "_Trial.decisions": "a noun still: a method",
    "_Trial.recall": "a noun still: a method",
    "_Trial.remember": "a noun still: a method",
    "_Trial.standings": "a noun still: a method",
    "_Verdict._is_a_share": "a noun still: a method",
    "_Webhook._answer": "a noun still: a method",
    "_Webhook._verified": "a noun still: a method",
    "_YamlReader._alias": "a noun still: a method",
    "_YamlReader._error": "a noun still: a method",
    "_YamlReader._key": "a noun still: a method",
    "_YamlReader._mapping": "a noun still: a method",
    "_YamlReader._node": "a noun still: a method",
    "_YamlReader._scalar": "a noun still: a method",
    "_YamlReader._sequence": "a noun still: a method",
    "_YamlReader._value": "a noun still: a method",
    "_YamlReader.document": "a noun still: a method",
    "_beginning": "a noun still: a method",
    "_both": "a noun still: a method",
    "_choices": "a noun still: a method",
    "_decisions": "a noun still: a method",
    "_end": "a noun still: a method",
    "_end_sentence": "a noun still: a method",
    "_evidence_at": "a noun still: a method",
    "_extends": "a noun still: a method",
    "_files": "the word of a command, or the command line itself",
    "_first_covering": "a noun still: a method",
    "_fixes_at": "a noun still: a method",
    "_gate": "a noun still: a method",
    "_marked": "a noun still: a method",
    "_no_rating": "a noun still: a method",
    "_path_index": "a noun still: a method",
    "_pieces": "a noun still: a method",
    "_plain": "a noun still: a method",
    "_row": "the word of a command, or the command line itself",
    "_squeeze": "a noun still: a method",
    "_turns": "a noun still: a method",
    "_words_of": "a noun still: a method",
    "analytics": "the id of an operation in the API",
    "applicable_rules": "the id of an operation in the API",
    "banking_rules": "fixed by the seeds",
    "database_options": "the word of a command, or the command line itself",
    "decision_rationale_rules": "fixed by the seeds",
    "demo": "the word of a command, or the command line itself",
    "docs": "the word of a command, or the command line itself",
    "doctor": "the word of a command, or the command line itself",
    "evaluation": "the id of an operation in the API",
    "evaluation_id": "a noun still: a method",
    "groundlens_banking_rules": "fixed by the seeds",
    "main": "the word of a command, or the command line itself",
    "openapi": "the id of an operation in the API",
    "options": "the word of a command, or the command line itself",
    "require_confirmation": "a noun still: a method",
    "verdict_rationale_rules": "fixed by the seeds",
    "work": "the word of a command, or the command line itself",
}
"""Functions that do not begin with a verb, and why."""

BANNED_EXCEPTIONS: dict[str, str] = {
    "App.standing": "not renamed yet",
    "Batch.shown_to": "not renamed yet",
    "CasePoint": "a field of the seeds",
    "CaseScore": "a field of the seeds",
    "ExcerptLine.shown": "not renamed yet",
    "JobHandlers._case": "not renamed yet",
    "JobQueue.bury": "not renamed yet",
    "JudgeErrorKind.worth_asking_singly": "not renamed yet",
    "PhraseIndex.heard": "not renamed yet",
    "ProcrastinateQueue.bury": "not renamed yet",
    "RecordedGitHub.listening": "not renamed yet",
    "Store.mark_shown": "not renamed yet",
    "TableQueue.bury": "not renamed yet",
    "WorstCase": "not renamed yet",
    "_compute_standing": "not renamed yet",
    "_is_in_material": "not renamed yet",
    "_is_shown_by": "not renamed yet",
    "_is_told": "not renamed yet",
    "_iter_shown": "not renamed yet",
    "find_in_material": "not renamed yet",
    "fold_case": "not renamed yet",
}
"""Names that hold a banned word all the same, and why."""

SHARED_CLASSES = frozenset({"RuleSet"})
"""Public class names that two modules may have: audit's `RuleSet` was fixed before ours."""


def list_words(name: str) -> list[str]:
    """The words of a snake_case or CamelCase name, in lower case."""
    spread = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return [word for word in spread.split("_") if word]


def iter_names(body: list[ast.stmt], inside: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Each class and function of a module or class by its dotted name; what is inside a function is its own."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield f"{inside}{node.name}", node
            yield from iter_names(node.body, f"{inside}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{inside}{node.name}", node
        elif isinstance(node, ast.If | ast.Try):
            yield from iter_names(node.body, inside)


def is_exempt(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether nobody here chose the name."""
    if node.name.startswith("__"):
        return True
    return any(
        ast.unparse(decorator).partition("(")[0].endswith(EXEMPT_DECORATORS)
        for decorator in node.decorator_list
    )


def find_problem(name: str, node: ast.stmt) -> str:
    """What is wrong with the name of a class or function, "" if nothing is."""
    words = list_words(name.rpartition(".")[2])
    if banned := BANNED.intersection(words):
        return f"holds {', '.join(sorted(banned))}" if name not in BANNED_EXCEPTIONS else ""
    if isinstance(node, ast.ClassDef):
        if words and words[-1].endswith(("ing", "ed")) and words[-1] not in NOUNS:
            return f"ends in {words[-1]}, which is no noun"
        return ""
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    if is_exempt(node) or name in EXCEPTIONS:
        return ""
    if words[0] in PREDICATES:
        answers = "" if node.returns is None else ast.unparse(node.returns)
        return (
            "" if "bool" in answers or "TypeGuard" in answers else f"answers {answers or 'nothing'}"
        )
    return "" if words[0] in VERBS else f"begins with {words[0]}, which is no verb of the list"


NOUNS = frozenset(
    "anything changed closed ending finding listing mapping opening ping rating recording requested sighting string tracing".split()
)
"""Nouns that end as a participle does."""


def find_problems(source: str, module: str) -> list[str]:
    """What is wrong with the names of a module."""
    found = [
        f"{module}.{name} {problem}"
        for name, node in iter_names(ast.parse(source).body, "")
        if (problem := find_problem(name, node))
    ]
    if banned := BANNED.intersection(list_words(module.replace(".", "_"))):
        found.append(f"{module} holds {', '.join(sorted(banned))}")
    return found


def list_modules() -> list[Path]:
    """All modules but the migrations, whose names are their history."""
    return [path for path in sorted(JURAT.rglob("*.py")) if "migrations" not in path.parts]


def to_module(path: Path) -> str:
    """The dotted name of a module below the package."""
    return ".".join(path.relative_to(JURAT).with_suffix("").parts)


def test_names_are_plain_english() -> None:
    problems = [
        problem
        for path in list_modules()
        for problem in find_problems(path.read_text(encoding="utf-8"), to_module(path))
    ]
    assert problems == []


def test_no_public_class_name_twice() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in list_modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(to_module(path))
    twice = {name: found for name, found in homes.items() if len(found) > 1}
    assert set(twice) <= SHARED_CLASSES, twice


def test_exceptions_are_sorted_and_all_needed() -> None:
    names = {
        name
        for path in list_modules()
        for name, _ in iter_names(ast.parse(path.read_text(encoding="utf-8")).body)
    }
    for table in (EXCEPTIONS, BANNED_EXCEPTIONS):
        assert list(table) == sorted(table)
        assert set(table) <= names


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("def named(x): ...", "begins with named"),
        ("def verdict_of(x): ...", "begins with verdict"),
        ("class A:\n    def _told(self): ...", "A._told holds told"),
        ("async def told(): ...", "told holds told"),
        ("def find_exhibit(): ...", "holds exhibit"),
        ("class Reviewed: ...", "ends in reviewed"),
        ("class Outside: ...", "holds outside"),
        ("def is_open() -> str: ...", "answers str"),
        ("if True:\n    def shortened(): ...", "begins with shortened"),
    ],
)
def test_lint_finds(source: str, problem: str) -> None:
    (found,) = find_problems(source, "m")
    assert problem in found


def test_lint_finds_a_module_that_is_called_by_a_banned_word() -> None:
    assert find_problems("", "app.occasion") == ["app.occasion holds occasion"]


@pytest.mark.parametrize(
    "source",
    [
        "def find_rule() -> str: ...",
        "def is_open() -> bool: ...",
        "class A:\n    @property\n    def named(self): ...\n    def __len__(self): ...",
        "def run():\n    def named(): ...",
    ],
)
def test_lint_allows(source: str) -> None:
    assert find_problems(source, "m") == []
