"""The formats that programs read: response, SARIF and workflow commands."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jurat.facts.context import Surface
from jurat.findings.evaluation import Coverage, Evaluation
from jurat.findings.finding import Location
from jurat.findings.verdict import Verdict
from jurat.reports.actions import format_command, to_workflow_commands
from jurat.reports.answer import EvaluationAnswer
from jurat.reports.line_prints import digest_lines
from jurat.reports.sarif import to_sarif
from jurat.rules.rule import Modality
from tests.support.evaluations import CODE, SEED_FIELDS, denied, everything, failed, the_file
from tests.support.values import a_fix, a_location, a_rule, a_verdict, with_findings


class TestResponse:
    def test_holds_every_field_of_the_contract(self) -> None:
        assert EvaluationAnswer.build(everything()).to_json().keys() >= SEED_FIELDS

    def test_is_json_and_the_same_each_time(self) -> None:
        first, second = (
            json.dumps(EvaluationAnswer.build(everything()).to_json()) for _ in range(2)
        )
        assert first == second

    def test_counts_add_up_without_what_was_not_assessed(self) -> None:
        body = EvaluationAnswer.build(everything()).to_json()
        assert body["rules_evaluated"] == len(body["rule_verdicts"]) == 4
        assert (body["rules_passed"], body["rules_violated"], body["rules_uncertain"]) == (1, 1, 2)
        assert [row["gap"] for row in body["not_assessed"]] == ["no_model", "max_rules"]

    def test_a_remediation_names_its_rule_and_its_lines(self) -> None:
        assert EvaluationAnswer.build(everything()).to_json()["remediations"] == [
            {
                "rule_id": "py.no-md5",
                "type": "replace",
                "file_path": "app.py",
                "start_line": 3,
                "end_line": 3,
                "original": CODE[2],
                "replacement": "    return sha256(data)",
                "auto_applicable": True,
                "description": "",
                "proven": True,
                "rules_rerun": 1,
                "problem": "",
            }
        ]

    def test_a_location_of_another_surface_keeps_its_own_fields(self) -> None:
        place = Location(Surface.TRANSACTION, fields={"json_path": "$.amount", "field_name": "x"})
        verdict = a_verdict(locations=(place,))
        evaluation = Evaluation("ev", Verdict.DENY, (verdict,), Coverage())
        (location,) = EvaluationAnswer.build(evaluation).to_json()["violations"][0]["locations"]
        assert location["json_path"] == "$.amount"
        assert location["surface"] == "transaction"
        assert location["file_path"] is None

    def test_an_experimental_rule_is_a_warning_that_would_block(self) -> None:
        rows = {
            row["rule_id"]: row
            for row in EvaluationAnswer.build(everything()).to_json()["warnings"]
        }
        assert rows["acme.new"]["would_block"] is True
        assert rows["tests.touched"]["would_block"] is False


class TestWorkflowCommands:
    def test_each_finding_is_one_command_at_its_lines(self) -> None:
        first, second, third, *rest = to_workflow_commands(everything()).splitlines()
        assert first == (
            "::error file=app.py,line=3,endLine=3,title=py.no-md5 (HIGH)::"
            "MD5 is broken.%0AThe rule: Digests are made with a strong hash."
            "%0AReplace with:%0A    return sha256(data)"
        )
        assert second.startswith("::warning title=tests.touched (HIGH)::")
        assert third.startswith("::notice file=app.py,line=4,")
        assert rest[0] == "::warning file=big.js,title=Not read::It has 9 MB."
        assert (
            rest[1]
            == "::warning title=Not assessed%3A 1 rule::acme.judged: No model is configured."
        )
        assert rest[2].startswith(
            "::notice title=Not assessed%3A 1 rule::acme.cut: Beyond max_rules"
        )

    def test_what_github_does_not_show_is_said_after_what_blocks(self) -> None:
        advice = a_rule("acme.advice", modality=Modality.SHOULD)
        places = tuple(a_location("app.py", line) for line in range(1, 13))
        verdicts = (with_findings(a_verdict(advice), places), denied())
        first, *rest = to_workflow_commands(
            Evaluation("ev", Verdict.DENY, verdicts, Coverage(1))
        ).splitlines()
        assert first.startswith("::error file=app.py")
        assert rest[-1] == "Jurat: GitHub shows 10 of these 12 warnings; this log has them all."

    def test_a_blocking_rule_that_failed_is_a_warning(self) -> None:
        assert to_workflow_commands(failed()).startswith("::warning title=Not assessed")

    def test_properties_and_message_are_escaped_as_the_toolkit_does(self) -> None:
        assert format_command("error", "50%\r\n::set-env", file="a:b,c%") == (
            "::error file=a%3Ab%2Cc%25::50%25%0A::set-env"
        )

    @given(st.text(), st.text())
    def test_no_text_makes_a_second_line_or_property(self, message: str, title: str) -> None:
        line = format_command("error", message, title=title)
        assert "\n" not in line
        assert "\r" not in line
        head = line.removeprefix("::error title=").split("::", 1)[0]
        assert not re.search("[:,]", head)


class TestSarif:
    def test_a_rule_has_a_name_a_link_and_two_descriptions(self) -> None:
        driver = to_sarif(everything(), version="1")["runs"][0]["tool"]["driver"]
        assert driver["informationUri"].startswith("https://")
        for rule in driver["rules"]:
            assert re.fullmatch("([A-Z][a-z0-9]*)+", rule["name"])
            assert rule["name"] != rule["id"]
            assert rule["helpUri"].startswith("https://")
            assert rule["shortDescription"]["text"] != rule["fullDescription"]["text"]

    def test_a_line_has_githubs_print_beside_ours(self) -> None:
        file = replace(the_file(), head="\n".join(CODE))
        (run,) = to_sarif(everything(), {file.path: file}, version="1")["runs"]
        line = 3
        assert (
            run["results"][0]["partialFingerprints"]["primaryLocationLineHash"]
            == (digest_lines("\n".join(CODE), [line])[line])
        )

    def log(self, evaluation: Evaluation) -> dict[str, Any]:
        (run,) = to_sarif(evaluation, version="1.2.3")["runs"]
        return dict(run)

    def test_each_result_points_at_its_rule(self) -> None:
        run = self.log(everything())
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        for notice in run["invocations"][0]["toolExecutionNotifications"]:
            if rule := notice.get("associatedRule"):
                assert rules[rule["index"]]["id"] == rule["id"]

    def test_each_result_has_a_place_and_a_lasting_fingerprint(self) -> None:
        results = self.log(everything())["results"]
        prints = [result["partialFingerprints"]["juratFinding/v1"] for result in results]
        assert len(set(prints)) == len(results) == 3
        for result in results:
            (place,) = result["locations"]
            assert place["physicalLocation"]["region"]["startLine"] >= 1

    def test_what_is_about_the_whole_change_stands_at_no_file_of_it(self) -> None:
        results = self.log(everything())["results"]
        places = {
            item["ruleId"]: item["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for item in results
        }
        assert places == {
            "py.no-md5": "app.py",
            "tests.touched": "pull-request",
            "acme.new": "app.py",
        }

    def test_a_place_without_a_line_is_the_first_one_as_the_format_counts(self) -> None:
        place = Location(file_path="app.py")
        run = self.log(Evaluation("ev", Verdict.DENY, (a_verdict(locations=(place,)),), Coverage()))
        (location,) = run["results"][0]["locations"]
        assert location["physicalLocation"]["region"] == {"startLine": 1, "endLine": 1}
        assert type(location["physicalLocation"]["region"]["startLine"]) is int

    def test_a_place_without_a_file_keeps_its_name(self) -> None:
        place = Location(Surface.TRANSACTION, fields={"json_path": "$.amount"})
        run = self.log(Evaluation("ev", Verdict.DENY, (a_verdict(locations=(place,)),), Coverage()))
        (location,) = run["results"][0]["locations"]
        assert location["logicalLocations"] == [{"fullyQualifiedName": "$.amount"}]

    def test_levels_follow_the_verdicts_and_shadow_is_suppressed(self) -> None:
        results = {result["ruleId"]: result for result in self.log(everything())["results"]}
        assert results["py.no-md5"]["level"] == "error"
        assert results["tests.touched"]["level"] == "warning"
        assert results["acme.new"]["level"] == "note"
        assert "suppressions" in results["acme.new"]
        assert "suppressions" not in results["py.no-md5"]

    def test_a_rules_own_level_is_what_its_findings_have_at_most(self) -> None:
        levels = {
            rule["id"]: rule["defaultConfiguration"]["level"]
            for rule in self.log(everything())["tool"]["driver"]["rules"]
        }
        assert (levels["py.no-md5"], levels["acme.new"]) == ("error", "note")

    def test_a_fix_replaces_whole_lines(self) -> None:
        (fix,) = self.log(everything())["results"][0]["fixes"]
        (change,) = fix["artifactChanges"]
        assert change["replacements"] == [
            {
                "deletedRegion": {"startLine": 3, "endLine": 3},
                "insertedContent": {"text": "    return sha256(data)"},
            }
        ]

    def test_nothing_that_a_model_says_is_a_link(self) -> None:
        issue = "items[0] is wrong, see [here](https://evil.example)"
        verdict = a_verdict(locations=(a_location("app.py", 2),), issue=issue)
        run = self.log(Evaluation("ev", Verdict.DENY, (verdict,), Coverage()))
        (result,) = run["results"]
        assert result["message"]["text"] == issue.replace("](", "] (")

    def test_a_rule_keeps_to_the_limits_of_code_scanning(self) -> None:
        rule = a_rule("long.one", statement="x" * 2000, tags=tuple(f"t{n}" for n in range(30)))
        verdict = a_verdict(rule=rule, locations=(a_location("app.py", 2),))
        run = self.log(Evaluation("ev", Verdict.DENY, (verdict,), Coverage()))
        (described,) = run["tool"]["driver"]["rules"]
        assert len(described["shortDescription"]["text"]) == 1024
        assert len(described["properties"]["tags"]) == 20

    def test_a_fix_leaves_the_last_lines_ending_alone(self) -> None:
        fix = a_fix("app.py", 2, new="a = 1\r\nb = 2\r")
        verdict = a_verdict(locations=(a_location("app.py", 2),), remediations=(fix,))
        run = self.log(Evaluation("ev", Verdict.DENY, (verdict,), Coverage()))
        (replacement,) = run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"]
        assert replacement["insertedContent"] == {"text": "a = 1\r\nb = 2"}

    def test_a_deletion_takes_the_line_ending_with_it(self) -> None:
        fix = replace(a_fix("app.py", 2, new=""), type="delete")
        verdict = a_verdict(locations=(a_location("app.py", 2),), remediations=(fix,))
        run = self.log(Evaluation("ev", Verdict.DENY, (verdict,), Coverage()))
        region = run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"][0]
        assert region["deletedRegion"] == {
            "startLine": 2,
            "startColumn": 1,
            "endLine": 3,
            "endColumn": 1,
        }

    def test_a_path_is_a_uri(self) -> None:
        place = a_location("a dir/50%: ö.py")
        run = self.log(Evaluation("ev", Verdict.DENY, (a_verdict(locations=(place,)),), Coverage()))
        location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert location["uri"] == "a%20dir/50%25%3A%20%C3%B6.py"

    def test_silence_about_a_blocking_rule_is_no_success(self) -> None:
        assert self.log(everything())["invocations"][0]["executionSuccessful"] is True
        assert self.log(failed())["invocations"][0]["executionSuccessful"] is False
