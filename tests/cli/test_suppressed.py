"""A local review heeds the suppressions of the base, in every format, and hides nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.checkout import Checkout
from tests.support.command import Run

SAYS = "jurat: ignore acme.no-md5 until 2999-01-31 -- a checksum"
BASE = f"import hashlib\n\n# {SAYS}\nx = hashlib.md5(a)\n"
WHY = "suppressed in digest.py:3 until 2999-01-31: a checksum"


@pytest.fixture
def changed(checkout: Checkout) -> Checkout:
    """A suppressed line is changed, and another suppression is added."""
    checkout.write({"digest.py": BASE})
    checkout.commit()
    checkout.write({"digest.py": BASE.replace("(a)", "(b)") + "# jurat: ignore acme.no-md5\n"})
    return checkout


def test_the_text_lists_what_is_set_aside_and_what_to_look_at(
    run: Run, changed: Checkout, rules: Path
) -> None:
    ran = run("review", "--repo", changed.folder, "--pack", "none", "--rules", rules)
    assert ran.code == 0
    assert (
        "Set aside: 1 finding, none counts\n"
        "  digest.py:4 acme.no-md5: suppressed in digest.py:3 until 2999-01-31: a\n"
        "  checksum\n"
        "\n"
        "Suppressions to look at: 1\n"
        "  digest.py:5 acme.no-md5: It does not count: it has no end: write `jurat:\n"
        "  ignore RULE until YYYY-MM-DD -- reason`.\n"
    ) in ran.out


def test_the_response_keeps_the_verdict_beside_the_waiver(
    run: Run, changed: Checkout, rules: Path
) -> None:
    ran = run(
        "review", "--repo", changed.folder, "--pack", "none", "--rules", rules, "--format", "json"
    )
    body = json.loads(ran.out)
    assert (body["overall_verdict"], body["violations"], body["rules_waived"]) == ("ALLOW", [], 1)
    (verdict,) = [row for row in body["rule_verdicts"] if row["waived"]]
    (finding,) = verdict["findings"]
    assert verdict["verdict"] == "DENY"
    assert finding["waiver"] == {
        "kind": "suppressed",
        "by": "digest.py:3",
        "why": "a checksum",
        "at": None,
        "until": "2999-01-31",
        "own": False,
    }
    assert [row["state"] for row in body["suppressions"]] == ["used", "unreadable"]


def test_sarif_says_that_a_result_is_suppressed_in_the_source(
    run: Run, changed: Checkout, rules: Path
) -> None:
    ran = run(
        "review", "--repo", changed.folder, "--pack", "none", "--rules", rules, "--format", "sarif"
    )
    (result,) = json.loads(ran.out)["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "inSource", "justification": WHY}]


def test_a_workflow_gets_a_notice_and_no_error(run: Run, changed: Checkout, rules: Path) -> None:
    ran = run(
        "review", "--repo", changed.folder, "--pack", "none", "--rules", rules, "--format", "github"
    )
    assert ran.out.startswith("::notice file=digest.py,line=4,")
    assert f"It does not count: {WHY}" in ran.out
    assert "::error" not in ran.out


def test_a_suppression_in_the_work_tree_alone_excuses_nothing(
    run: Run, checkout: Checkout, rules: Path
) -> None:
    checkout.write({"digest.py": "import hashlib\n"})
    checkout.commit()
    checkout.write({"digest.py": BASE})
    ran = run("review", "--repo", checkout.folder, "--pack", "none", "--rules", rules)
    assert ran.code == 1
    assert "digest.py:3 acme.no-md5: This change adds it, so it counts only once it is\n" in ran.out
