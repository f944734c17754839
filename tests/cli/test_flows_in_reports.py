"""What programs read of a value's way, and the weakness that a finding is."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.support.checkout import Checkout

CODE = """\
package shop

import (
	"net/http"
	"os"
)

func show(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	path := "/srv/reports/" + name
	os.ReadFile(path)
}
"""


def test_sarif_has_the_way_and_the_weakness(tmp_path: Path, run: Run) -> None:
    checkout = Checkout(tmp_path / "shop")
    checkout.write({"README.md": "A shop.\n"})
    checkout.commit("begin")
    checkout.write({"shop/show.go": CODE})
    review = ("review", "--repo", str(checkout.folder), "--format")
    log = json.loads(run(*review, "sarif").out)["runs"][0]
    (result,) = [one for one in log["results"] if one["ruleId"] == "flow.path-traversal"]
    (rule,) = [r for r in log["tool"]["driver"]["rules"] if r["id"] == "flow.path-traversal"]
    assert "external/cwe/cwe-022" in rule["properties"]["tags"]
    ((flow,),) = [one["threadFlows"] for one in result["codeFlows"]]
    places = [one["location"]["physicalLocation"] for one in flow["locations"]]
    assert [place["region"]["startLine"] for place in places] == [9, 9, 10, 11]
    assert {place["artifactLocation"]["uri"] for place in places} == {"shop/show.go"}
    answer = json.loads(run(*review, "json").out)
    verdicts = [one for one in answer["rule_verdicts"] if one["rule_id"] == "flow.path-traversal"]
    assert [one["cwe"] for one in verdicts[0]["findings"]] == [["CWE-22"]]


def test_a_way_through_another_file_names_it(tmp_path: Path, run: Run) -> None:
    checkout = Checkout(tmp_path / "shop")
    checkout.write({"README.md": "A shop.\n"})
    checkout.commit("begin")
    reader = 'package shop\n\nimport "os"\n\nfunc read(path string) {\n\tos.ReadFile(path)\n}\n'
    handler = CODE.replace("os.ReadFile(path)", "read(path)").replace('\t"os"\n', "")
    checkout.write({"shop/show.go": handler, "shop/read.go": reader})
    review = ("review", "--repo", str(checkout.folder), "--format")
    log = json.loads(run(*review, "sarif").out)["runs"][0]
    (result,) = [one for one in log["results"] if one["ruleId"] == "flow.path-traversal"]
    (thread,) = result["codeFlows"][0]["threadFlows"]
    places = [one["location"]["physicalLocation"] for one in thread["locations"]]
    files = [place["artifactLocation"]["uri"] for place in places]
    assert (files[0], files[-1]) == ("shop/show.go", "shop/read.go")
    answer = json.loads(run(*review, "json").out)
    (verdict,) = [one for one in answer["rule_verdicts"] if one["rule_id"] == "flow.path-traversal"]
    (place,) = verdict["locations"]
    assert place["file_path"] == "shop/read.go"
    assert place["steps"][0]["file_path"] == "shop/show.go"
