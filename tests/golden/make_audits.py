"""`jurat audit` over rationales of fixtures/rationales."""

from __future__ import annotations

import json

import yaml

from tests.golden.command import alone, put, transcript
from tests.golden.golden import Files, golden
from tests.golden.material import FIXTURES


@golden("audits")
def audits() -> Files:
    """Every fourth rationale of both sets as text; the first of each as JSON too."""
    made = {}
    for file, rule_set in (("decisions", "decision"), ("banking", "banking")):
        document = yaml.safe_load((FIXTURES / "rationales" / f"{file}.yml").read_text())
        parts, as_json = [], ""
        for entry in document["rationales"][::4]:
            case = {**document["case"], **entry}
            with alone():
                given = {"response.txt": case["response"]}
                asked = ["audit", "--response", "response.txt", "--question", case["question"]]
                if case.get("context"):
                    given["context.txt"] = case["context"]
                    asked += ["--context", "context.txt"]
                if case.get("metadata"):
                    given["metadata.json"] = json.dumps(case["metadata"])
                    asked += ["--metadata", "metadata.json"]
                put(given)
                asked += ["--set", rule_set]
                parts.append(f"## {entry['name']}\n{transcript(*asked)}")
                as_json = as_json or transcript(*asked, "--format", "json")
        made[f"{file}.txt"] = "\n".join(parts)
        made[f"{file}.json.txt"] = as_json
    return {**made, **_refused()}


def _refused() -> Files:
    with alone():
        put({"r.txt": "Further review needed.", "blank.txt": " \n", "m.json": "[1]"})
        asked = ("audit", "--question", "Why?", "--response")
        return {
            "verdicts.txt": "\n".join(
                transcript(*asked, "r.txt", "--set", name) for name in ("deny", "allow")
            ),
            "refused.txt": "\n".join(
                [
                    transcript(*asked, "nowhere.txt"),
                    transcript(*asked, "blank.txt"),
                    transcript(*asked, "r.txt", "--metadata", "m.json"),
                    transcript(*asked, "r.txt", "--regulation", "eu-ai-act"),
                    transcript(*asked, "r.txt", "--set", "banking", "--regulation", "gdpr"),
                ]
            ),
        }
