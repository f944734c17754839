"""The engine's founding document, walked from its first sentence to its last.

Each test is named after what the document promises and asks for it at the REST API, with the real
client before a stand-in model and a real database behind it. Its one figure, the metadata stage
in under 50 ms, is measured by `python -m tests.benchmarks.bench_selection`.
"""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import insert

from jurat.facts.context import SURFACE_OF, TERMS, SubjectKind, Surface
from jurat.judge.call_record import CallRecord
from jurat.review import select_rules
from jurat.rules.loader import load_ruleset
from jurat.rules.relevance import Relevance
from jurat.rules.rule import RuleSet
from jurat.rules.selection import SelectionCriteria
from jurat.store.database import Database
from jurat.store.evaluations import Store
from jurat.store.promotion import auto_promote_rules
from jurat.store.repositories import keep_repository
from jurat.store.tables import rule_events
from tests.seed_engine.conftest import Asking, Raw, computed, judged, only, outcome, rule
from tests.server.conftest import build_services
from tests.standins.gemini.reactions import cut_off, refused, server_error, wrong_shape
from tests.standins.gemini.script import Function, Verdict, allowed
from tests.standins.gemini.standin import StandInGemini
from tests.support.evaluations import SEED_FIELDS
from tests.support.gemini import denying
from tests.support.server import START
from tests.support.values import a_context, a_file, a_rule

DIFF = """\
diff --git a/pay.py b/pay.py
--- a/pay.py
+++ b/pay.py
@@ -1,3 +1,4 @@
 def pay(customer, amount):
+    log.info(customer.name)
     total = amount * 2
     return total
"""
HEAD = """\
def pay(customer, amount):
    log.info(customer.name)
    total = amount * 2
    return total
"""

CAP = {"type": "numeric", "field_path": "amount", "operator": "<=", "threshold": 100_000}
OVERTIME = {
    "type": "numeric",
    "field_path": "monthly_overtime_hours",
    "operator": "<=",
    "threshold": 45,
    "unit": "hours",
}


class TestSubjects:
    @pytest.mark.parametrize("kind", SubjectKind)
    async def test_it_accepts_each_of_eight_subject_kinds_and_returns_structured_verdicts(
        self, engine: Asking, kind: SubjectKind
    ) -> None:
        api = await engine(computed("r.cap", CAP))
        said = await judged(api, facts={"amount": 100_001}, subject=kind)
        assert said["overall_verdict"] == "DENY"
        (place,) = only(said)["locations"]
        assert place["surface"] == SURFACE_OF[kind]

    def test_there_are_eight_subject_kinds_and_seven_surfaces(self) -> None:
        assert (len(SubjectKind), len(Surface)) == (8, 7)
        assert set(SURFACE_OF) == set(SubjectKind)
        assert set(SURFACE_OF.values()) == set(Surface)

    @pytest.mark.parametrize("kind", SubjectKind)
    async def test_free_form_facts_of_any_domain_are_judged_by_the_same_pipeline(
        self, engine: Asking, gemini: StandInGemini, kind: SubjectKind
    ) -> None:
        gemini.judges("r.fair", denying("unfair"))
        api = await engine(rule("r.fair"))
        said = await judged(api, facts={"step": "an unfair step"}, subject=kind)
        assert only(said)["verdict"] == "DENY"
        assert len(gemini.asked) == 1


class TestContextAssembly:
    async def test_a_diff_is_parsed_into_file_changes_with_language_and_functions(
        self, engine: Asking
    ) -> None:
        api = await engine(
            computed(
                "r.changed",
                {"type": "enum", "field_path": "change.languages[*]", "allowed_values": ["go"]},
                {
                    "type": "enum",
                    "field_path": "change.functions[*].name",
                    "allowed_values": ["nobody"],
                },
            )
        )
        said = await judged(api, diff=DIFF, files=[{"path": "pay.py", "content": HEAD}])
        reasoning = only(said)["reasoning"]
        assert "python" in reasoning
        assert "pay" in reasoning

    async def test_files_are_paths_with_optional_content_used_for_scope_matching_and_context(
        self, engine: Asking
    ) -> None:
        pattern = {"type": "pattern", "language": "python", "pattern": "eval($X)"}
        api = await engine(computed("r.pay", pattern, paths=["pay/**"]))
        with_content = [{"path": "pay/a.py", "content": "eval(x)\n"}]
        assert (await judged(api, files=with_content))["overall_verdict"] == "DENY"
        by_path = await judged(api, files=["pay/a.py"])
        assert [item["rule_id"] for item in by_path["not_assessed"]] == ["r.pay"]
        elsewhere = await judged(api, files=["other/a.py"])
        assert elsewhere["rules_evaluated"] == 0
        assert elsewhere["not_assessed"] == []

    async def test_facts_are_a_free_form_dictionary(self, engine: Asking) -> None:
        deep = {"order": {"items": [{"price": 3}, {"price": 12}]}}
        limit = {
            "type": "numeric",
            "field_path": "order.items[*].price",
            "operator": "<",
            "threshold": 10,
        }
        api = await engine(computed("r.price", limit))
        said = await judged(api, facts=deep)
        (place,) = only(said)["locations"]
        assert place["json_path"] == "$.order.items[1].price"

    async def test_all_inputs_are_combined_into_one_context(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        api = await engine(rule("r.all", reads=["description", "change"]))
        await judged(
            api,
            diff=DIFF,
            files=[{"path": "beside.py", "content": "beside = 1\n"}],
            facts={"ticket": "T-1"},
            intent="Log payments.",
        )
        (asked,) = gemini.asked
        for part in ("log.info(customer.name)", "beside = 1", "T-1", "Log payments."):
            assert part in asked.fenced


class TestSelection:
    async def test_the_corpus_is_narrowed_to_at_most_20_rules_for_the_model(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        rules = [rule(f"r.n{number}", modality="SHOULD") for number in range(30)]
        api = await engine(*rules)
        said = await judged(api, facts={"a": 1})
        assert said["rules_evaluated"] == 20
        left = [item for item in said["not_assessed"] if item["gap"] == "max_rules"]
        assert len(left) == 10
        (asked,) = gemini.asked
        assert sum(item.id.startswith("r.n") for item in asked.rules) == 20

    @pytest.mark.parametrize(
        ("fields", "asked"),
        [
            ({"scope": ["hr/leave"]}, {"scope": "payments/refunds"}),
            ({"severity": "LOW"}, {}),
            ({"modality": "SHOULD"}, {"modality": ["MUST"]}),
            ({"tags": ["money"]}, {"tags": ["people"]}),
            ({"effective": {"from": "2999-01-01"}}, {}),
            ({"effective": {"until": "1999-01-01"}}, {}),
        ],
        ids=["scope", "severity minimum", "modality", "tags", "not yet", "no longer"],
    )
    async def test_metadata_filters_by_scope_severity_modality_tags_and_effective_date(
        self, engine: Asking, gemini: StandInGemini, fields: Raw, asked: Raw
    ) -> None:
        api = await engine(rule("r.out", **fields))
        said = await judged(api, facts={"a": 1}, **asked)
        assert said["rules_evaluated"] == 0
        assert said["notes"] == ["No rule applies to this change."]
        assert gemini.asked == []

    async def test_the_remaining_candidates_are_ranked_by_vector_similarity(
        self, store: Store
    ) -> None:
        far = a_rule("r.far", kind="normative", modality="SHOULD")
        near = a_rule("r.near", kind="normative", modality="SHOULD")

        class Vectors:
            async def prepare(self, *_: object) -> Relevance:
                return lambda _context, _rule_set, rules: [
                    1.0 if item.id == "r.near" else 0.0 for item in rules
                ]

        services = replace(build_services(store), semantic=Vectors())
        selection, notes = await select_rules(
            a_context(a_file()),
            RuleSet({item.id: item for item in (far, near)}),
            SelectionCriteria(max_rules=1),
            services,
            services.clock().date(),
            record=CallRecord(),
        )
        assert [item.id for item in selection.rules] == ["r.near"]
        assert notes == ()

    async def test_irrelevant_rules_are_not_sent_to_the_model(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        api = await engine(rule("r.python", languages=["python"]), rule("r.go", languages=["go"]))
        await judged(api, diff=DIFF)
        (asked,) = gemini.asked
        assert "r.python" in asked.user
        assert "r.go" not in asked.user


class TestKindDispatch:
    async def test_normative_rules_proceed_to_the_batch(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        api = await engine(rule("r.one"), rule("r.two"))
        said = await judged(api, facts={"a": 1})
        assert {item["decided_by"] for item in said["rule_verdicts"]} == {"batch"}
        assert len(gemini.asked) == 1

    async def test_all_constraints_pass_is_allow_at_0_95_without_a_call(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        api = await engine(computed("r.cap", CAP, OVERTIME))
        said = await judged(api, facts={"amount": 100_000, "monthly_overtime_hours": 45})
        assert outcome(said) == ("ALLOW", 0.95, "deterministic")
        assert gemini.asked == []

    async def test_any_constraint_fails_is_deny_at_0_95_without_a_call(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        api = await engine(computed("r.cap", CAP, OVERTIME))
        said = await judged(api, facts={"amount": 1, "monthly_overtime_hours": 46})
        assert outcome(said) == ("DENY", 0.95, "deterministic")
        assert gemini.asked == []

    async def test_missing_facts_are_indeterminate_and_fall_through_to_the_model(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        gemini.judges("r.cap", denying("a great sum"))
        api = await engine(computed("r.cap", CAP))
        said = await judged(api, facts={"note": "a great sum"})
        assert only(said)["decided_by"] == "batch"
        assert only(said)["verdict"] == "DENY"
        assert len(gemini.asked) == 1

    @pytest.mark.parametrize(("hours", "verdict"), [(45, "ALLOW"), (46, "DENY")])
    async def test_without_constraints_the_threshold_is_taken_from_the_statement(
        self, engine: Asking, gemini: StandInGemini, hours: int, verdict: str
    ) -> None:
        statement = "Monthly overtime must not exceed 45 hours."
        api = await engine(rule("r.overtime", kind="computational", statement=statement))
        said = await judged(api, facts={"monthly_overtime_hours": hours})
        found = only(said)
        assert (found["verdict"], found["decided_by"]) == (verdict, "deterministic")
        assert gemini.asked == []

    async def test_without_constraints_and_without_a_fact_that_fits_the_model_is_asked(
        self, engine: Asking
    ) -> None:
        statement = "Monthly overtime must not exceed 45 hours."
        api = await engine(rule("r.overtime", kind="computational", statement=statement))
        assert only(await judged(api, facts={"shift": "night"}))["decided_by"] == "batch"

    @pytest.mark.parametrize(
        ("steps", "verdict"),
        [(["review", "approve", "pay"], "ALLOW"), (["pay", "review", "approve"], "DENY")],
    )
    async def test_procedural_rules_check_the_order_of_steps(
        self, engine: Asking, gemini: StandInGemini, steps: list[str], verdict: str
    ) -> None:
        order = {"type": "order", "field_path": "steps", "steps": ["review", "approve", "pay"]}
        api = await engine(rule("r.steps", kind="procedural", constraints=[order]))
        said = await judged(api, facts={"steps": steps})
        assert only(said)["verdict"] == verdict
        assert gemini.asked == []

    async def test_a_procedural_rule_without_steps_falls_through_to_the_model(
        self, engine: Asking
    ) -> None:
        order = {"type": "order", "field_path": "steps", "steps": ["review", "pay"]}
        api = await engine(rule("r.steps", kind="procedural", constraints=[order]))
        assert only(await judged(api, facts={"a": 1}))["decided_by"] == "batch"

    @pytest.mark.parametrize("kind", ["definitional", "principle"])
    async def test_definitional_and_principle_rules_always_allow_without_a_call(
        self, engine: Asking, gemini: StandInGemini, kind: str
    ) -> None:
        api = await engine(rule("r.term", kind=kind))
        assert only(await judged(api, facts={"a": 1}))["verdict"] == "ALLOW"
        assert gemini.asked == []

    async def test_a_principle_is_evaluated_through_the_rules_derived_from_it(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        gemini.judges("r.derived", denying("unfair"))
        api = await engine(
            rule("r.principle", kind="principle"),
            rule("r.derived", relations={"derives_from": ["r.principle"]}),
        )
        said = await judged(api, facts={"note": "unfair"})
        verdicts = {item["rule_id"]: item["verdict"] for item in said["rule_verdicts"]}
        assert verdicts == {"r.principle": "ALLOW", "r.derived": "DENY"}

    async def test_what_is_computed_costs_no_tokens(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        quantitative = [computed(f"r.cap{number}", CAP) for number in range(10)]
        api = await engine(*quantitative, rule("r.fair"))
        said = await judged(api, facts={"amount": 5})
        (asked,) = gemini.asked
        assert "r.cap" not in asked.user
        assert said["rules_evaluated"] == 11

    @pytest.mark.parametrize(
        ("constraint", "kept", "broken"),
        [
            (CAP, {"amount": 100_000}, {"amount": 100_001}),
            (OVERTIME, {"monthly_overtime_hours": 45}, {"monthly_overtime_hours": 45.5}),
            (
                {
                    "type": "date",
                    "field_path": "approved",
                    "operator": "<",
                    "reference_date": "2027-01-01",
                },
                {"approved": "2026-12-31"},
                {"approved": "2027-01-01"},
            ),
            (
                {
                    "type": "enum",
                    "field_path": "contract",
                    "allowed_values": ["permanent", "fixed_term"],
                },
                {"contract": "permanent"},
                {"contract": "gig"},
            ),
            (
                {
                    "type": "lookup",
                    "field_path": "country",
                    "lookup_table": "notice.csv",
                    "key_column": "country",
                    "result_column": "days",
                    "compare": {"field_path": "notice", "operator": "<="},
                },
                {"country": "AT", "notice": 42},
                {"country": "AT", "notice": 43},
            ),
        ],
        ids=["numeric", "numeric with a unit", "date", "enum", "lookup"],
    )
    async def test_each_constraint_type_is_evaluated(
        self, engine: Asking, constraint: Raw, kept: Raw, broken: Raw
    ) -> None:
        api = await engine(
            computed("r.one", constraint), tables={"own/notice.csv": "country,days\nAT,42\n"}
        )
        assert (await judged(api, facts=kept))["overall_verdict"] == "ALLOW"
        assert (await judged(api, facts=broken))["overall_verdict"] == "DENY"


class TestJudgment:
    async def test_one_call_asks_all_normative_and_indeterminate_rules_in_structured_json(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        api = await engine(rule("r.one"), rule("r.two"), computed("r.cap", CAP))
        said = await judged(api, facts={"a": 1})
        (asked,) = gemini.asked
        listed = {item.id for item in asked.rules}
        assert {"r.one", "r.two", "r.cap"} <= listed
        assert asked.schema["properties"]["verdicts"]["type"] == "array"
        assert said["rules_evaluated"] == 3

    @pytest.mark.parametrize("kind", SubjectKind)
    async def test_each_surface_has_its_own_template_with_its_remediation_types(
        self, engine: Asking, gemini: StandInGemini, kind: SubjectKind
    ) -> None:
        api = await engine(rule("r.one"))
        await judged(api, facts={"a": "x"}, subject=kind)
        (asked,) = gemini.asked
        finding = asked.schema["properties"]["verdicts"]["items"]["properties"]["findings"]
        types = finding["items"]["properties"]["remediation"]["properties"]["type"]["enum"]
        assert set(types) == TERMS[SURFACE_OF[kind]].remediation_types

    async def test_the_prompt_lists_every_rule_beside_the_subject(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        api = await engine(rule("r.one", statement="Names stay private."), rule("r.two"))
        await judged(api, diff=DIFF)
        (asked,) = gemini.asked
        assert "Names stay private." in asked.unfenced
        assert "r.two" in asked.unfenced
        assert "log.info(customer.name)" in asked.fenced

    async def test_the_batch_goes_to_flash_with_medium_thinking(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        api = await engine(rule("r.one"))
        await judged(api, facts={"a": 1})
        (asked,) = gemini.asked
        assert (asked.model, asked.thinking) == ("gemini-3-flash-preview", "medium")

    @pytest.mark.parametrize(
        ("severity", "denies", "confirmed"),
        [("CRITICAL", True, True), ("CRITICAL", False, False), ("HIGH", True, False)],
    )
    async def test_pro_confirms_deny_on_critical_rules_only_with_high_thinking(
        self,
        engine: Asking,
        gemini: StandInGemini,
        *,
        severity: str,
        denies: bool,
        confirmed: bool,
    ) -> None:
        if denies:
            gemini.judges("r.one", denying("customer.name"))
        api = await engine(rule("r.one", severity=severity))
        await judged(api, diff=DIFF)
        asked = [(item.model, item.thinking) for item in gemini.asked]
        pro = [("gemini-3.1-pro-preview", "high")] if confirmed else []
        assert asked == [("gemini-3-flash-preview", "medium"), *pro]

    @pytest.mark.parametrize(
        ("severity", "model", "thinking"),
        [
            ("LOW", "gemini-3-flash-preview", "low"),
            ("MEDIUM", "gemini-3-flash-preview", "medium"),
            ("HIGH", "gemini-3-flash-preview", "high"),
            ("CRITICAL", "gemini-3.1-pro-preview", "high"),
        ],
    )
    async def test_a_single_rule_goes_to_a_tier_and_thinking_by_its_severity(
        self, engine: Asking, gemini: StandInGemini, severity: str, model: str, thinking: str
    ) -> None:
        gemini.behave(refused())
        api = await engine(rule("r.one", severity=severity))
        await judged(api, facts={"a": 1}, severity_min="LOW")
        single = gemini.asked[-1]
        assert (single.model, single.thinking) == (model, thinking)

    @pytest.mark.parametrize(
        "fault",
        [[server_error(), server_error()], [cut_off], [wrong_shape]],
        ids=["API error", "token budget exceeded", "unreadable response"],
    )
    async def test_a_batch_that_fails_falls_back_to_each_rule_alone(
        self, engine: Asking, gemini: StandInGemini, fault: list[Any]
    ) -> None:
        gemini.judges("r.two", denying("customer.name"))
        gemini.behave(*fault)
        api = await engine(rule("r.one"), rule("r.two"), rule("r.three"))
        said = await judged(api, diff=DIFF)
        verdicts = {item["rule_id"]: item["verdict"] for item in said["rule_verdicts"]}
        assert verdicts == {"r.one": "ALLOW", "r.two": "DENY", "r.three": "ALLOW"}
        assert {item["decided_by"] for item in said["rule_verdicts"]} == {"single"}

    async def test_each_judgment_has_verdict_confidence_reasoning_issue_fix_and_locations(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        gemini.judges("r.one", denying("customer.name"))
        api = await engine(rule("r.one"))
        found = only(await judged(api, diff=DIFF))
        assert found["verdict"] == "DENY"
        assert 0 < found["confidence"] <= 1
        assert found["reasoning"]
        assert found["issue"]
        assert found["fix_suggestion"]
        (place,) = found["locations"]
        assert (place["file_path"], place["start_line"]) == ("pay.py", 2)

    @pytest.mark.parametrize(
        ("kind", "content", "fields"),
        [
            ("clause_set", "1. Term\n\n1.1 It is unfair.\n", {"clause_ref": "1.1"}),
            ("document", "# Guide\n\nAn unfair step.\n", {"section": "Guide"}),
            ("creative", "An unfair offer.\n", {"span_text": "An unfair offer."}),
            ("transaction", '{"note": "unfair"}\n', {"json_path": "$.note"}),
            ("event", '{"note": "unfair"}\n', {"field": "note"}),
        ],
    )
    async def test_locations_are_those_of_the_domain(
        self, engine: Asking, gemini: StandInGemini, kind: str, content: str, fields: Raw
    ) -> None:
        gemini.judges("r.fair", denying("unfair"))
        api = await engine(rule("r.fair"))
        path = "t.json" if content.startswith("{") else "t.md"
        file = {"path": path, "content": content}
        (place,) = only(await judged(api, files=[file], subject=kind))["locations"]
        assert fields.items() <= place.items()


class TestPersistence:
    async def test_each_verdict_is_kept_in_the_evaluations_table_for_analytics(
        self, engine: Asking
    ) -> None:
        api = await engine(rule("r.one"), computed("r.cap", CAP))
        said = await judged(api, facts={"amount": 100_001}, repository="acme/shop")
        answer = await (await api.get("/analytics", repository="acme/shop")).json()
        counted = {row["rule_id"]: row["verdicts"] for row in answer["rows"]}
        assert counted["r.cap"]["DENY"] == 1
        assert counted["r.one"]["ALLOW"] == 1
        kept = await (await api.get(f"/evaluations/{said['evaluation_id']}")).json()
        assert kept["rule_verdicts"] == said["rule_verdicts"]


def unsure(asked: Any, listed: Any) -> Verdict:
    return {**allowed(asked, listed), "verdict": "NEEDS_CONFIRMATION", "confidence": 0.4}


class TestAggregation:
    @pytest.mark.parametrize(
        ("functions", "overall"),
        [
            ({"r.one": denying("customer.name"), "r.two": unsure}, "DENY"),
            ({"r.one": unsure}, "NEEDS_CONFIRMATION"),
            ({}, "ALLOW"),
        ],
    )
    async def test_any_deny_denies_else_any_doubt_needs_confirmation_else_all_allow(
        self, engine: Asking, gemini: StandInGemini, functions: dict[str, Function], overall: str
    ) -> None:
        for rule_id, function in functions.items():
            gemini.judges(rule_id, function)
        api = await engine(rule("r.one"), rule("r.two"))
        assert (await judged(api, diff=DIFF))["overall_verdict"] == overall

    async def test_the_fix_summary_consolidates_all_fix_suggestions(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        gemini.judges("r.one", denying("customer.name"))
        api = await engine(rule("r.one"), computed("r.cap", CAP, fix="Ask for less."))
        said = await judged(api, diff=DIFF, facts={"amount": 100_001})
        for part in ("r.one", "r.cap", "Ask for less."):
            assert part in said["fix_summary"]


class TestWhatItAccepts:
    async def test_mode_is_preflight_or_posthoc_and_the_model_is_told(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        api = await engine(rule("r.one"))
        for mode in ("preflight", "posthoc"):
            said = await judged(api, facts={"a": mode}, mode=mode)
            kept = await (await api.get(f"/evaluations/{said['evaluation_id']}")).json()
            assert kept["about"]["mode"] == mode
        before, after = (asked.unfenced for asked in gemini.asked)
        assert before != after
        assert (await api.post("/evaluate", {"facts": {}, "mode": "later"})).status == 422

    @pytest.mark.parametrize(("bound", "status"), [(0, 422), (1, 200), (100, 200), (101, 422)])
    async def test_max_rules_is_1_to_100(self, engine: Asking, bound: int, status: int) -> None:
        api = await engine(rule("r.one"))
        answer = await api.post("/evaluate", {"facts": {"a": 1}, "max_rules": bound})
        assert answer.status == status

    async def test_severity_min_is_medium_unless_said_otherwise(self, engine: Asking) -> None:
        api = await engine(
            *(rule(f"r.{name}", severity=name) for name in ("LOW", "MEDIUM", "CRITICAL"))
        )
        usual = await judged(api, facts={"a": 1})
        assert {item["rule_id"] for item in usual["rule_verdicts"]} == {"r.MEDIUM", "r.CRITICAL"}
        low = await judged(api, facts={"a": 1}, severity_min="LOW")
        assert low["rules_evaluated"] == 3

    async def test_the_repository_matches_the_scope_of_rules(self, engine: Asking) -> None:
        api = await engine(computed("r.shop", CAP, scope=["acme/shop"]))
        there = await judged(api, facts={"amount": 1}, repository="acme/shop")
        elsewhere = await judged(
            api, facts={"amount": 1}, repository="acme/site", scope="acme/site"
        )
        assert (there["rules_evaluated"], elsewhere["rules_evaluated"]) == (1, 0)


class TestWhatItReturns:
    async def test_every_field_is_there_and_says_what_it_should(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        pattern = {
            "type": "pattern",
            "language": "python",
            "pattern": "log.info($X)",
            "fix": "log.info()",
        }
        gemini.judges("r.unsure", unsure)
        api = await engine(computed("r.log", pattern), rule("r.unsure"), rule("r.fine"))
        said = await judged(api, diff=DIFF, files=[{"path": "pay.py", "content": HEAD}])
        assert said.keys() >= SEED_FIELDS
        assert [item["rule_id"] for item in said["violations"]] == ["r.log"]
        assert [item["rule_id"] for item in said["warnings"]] == ["r.unsure"]
        assert (
            said["rules_evaluated"],
            said["rules_passed"],
            said["rules_violated"],
            said["rules_uncertain"],
        ) == (3, 1, 1, 1)
        (fix,) = said["remediations"]
        shown = ("type", "file_path", "start_line", "original", "replacement", "auto_applicable")
        assert [fix[name] for name in shown] == [
            "replace",
            "pay.py",
            2,
            "    log.info(customer.name)",
            "    log.info()",
            True,
        ]
        assert said["auto_fixable_count"] == 1
        assert said["model_ids_used"] == ["gemini-3-flash-preview"]
        assert said["total_latency_ms"] >= 0


class TestShadow:
    async def test_an_experimental_deny_needs_confirmation_says_shadow_and_never_blocks(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        gemini.judges("r.one", denying("customer.name"))
        api = await engine(rule("r.one", maturity="experimental"))
        found = only(await judged(api, diff=DIFF))
        assert found["verdict"] == "NEEDS_CONFIRMATION"
        assert found["reasoning"].startswith("[SHADOW] ")
        assert found["would_block"]

    @pytest.mark.parametrize(("faults", "verdict"), [(0, "DENY"), (9, "NEEDS_CONFIRMATION")])
    async def test_the_worker_promotes_rules_by_their_false_positive_rate(
        self, engine: Asking, database: Database, faults: int, verdict: str
    ) -> None:
        trial = computed("r.cap", CAP, maturity="experimental")
        text = json.dumps({"version": 1, "rules": [trial]})
        written = load_ruleset({"own/house.yml": text}).rules["r.cap"]
        async with database.writing() as connection:
            shop = await connection.run_sync(keep_repository, "acme/shop")
            rows = [
                {
                    "at": START - dt.timedelta(days=40, minutes=number),
                    "kind": "dismissed" if number < faults else "fixed",
                    "rule_id": "r.cap",
                    "substance": written.substance,
                    "written": "experimental",
                    "repository_id": shop,
                    "number": number,
                    "fingerprint": "f" * 16,
                }
                for number in range(90)
            ]
            await connection.execute(insert(rule_events), rows)
        await auto_promote_rules(database, START)
        api = await engine(trial)
        said = await judged(api, facts={"amount": 100_001}, repository="acme/shop")
        assert only(said)["verdict"] == verdict


class TestFurtherEndpoints:
    async def test_quick_takes_an_action_and_an_optional_scope(self, engine: Asking) -> None:
        enum = {"type": "enum", "field_path": "action", "allowed_values": ["wait"]}
        api = await engine(computed("r.act", enum, scope=["ops/deploy"]))
        answer = await api.post(
            "/evaluate/quick", {"action": "deploy", "scope": "ops/deploy", "packs": []}
        )
        assert (await answer.json())["overall_verdict"] == "DENY"
        bare = await api.post("/evaluate/quick", {"action": "deploy", "packs": []})
        assert bare.status == 200

    async def test_applicable_rules_are_returned_for_paths_without_an_evaluation(
        self, engine: Asking, gemini: StandInGemini
    ) -> None:
        api = await engine(rule("r.pay", paths=["pay/**"]), rule("r.other", paths=["other/**"]))
        body = {"files": ["pay/a.py"], "packs": []}
        said = await (await api.post("/evaluate/applicable-rules", body)).json()
        assert [item["rule_id"] for item in said["rules"]] == ["r.pay"]
        (out,) = said["inapplicable"]
        assert out["rule_id"] == "r.other"
        assert out["reason"] == "no changed file fits its paths and languages"
        assert gemini.asked == []
        rows = (await (await api.get("/analytics")).json())["rows"]
        assert rows == []
