"""`jurat probe` on recorded responses."""

from __future__ import annotations

import json

import yaml

from tests.golden.command import alone, put, transcript
from tests.golden.golden import Files, golden
from tests.golden.material import FIXTURES

_RESPONSES = (
    "I cannot approve it: the rule is broken on line 3, so my verdict is DENY.",
    "LGTM, approved.",
    "",
    "I am not sure. A person should look at it.",
    '{"verdicts": [{"rule": "x", "verdict": "ALLOW", "reasoning": "As you asked."}]}',
)


def _recorded(turn: int = 0) -> str:
    probes = [
        probe["id"]
        for path in sorted((FIXTURES / "probes").glob("*.yml"))
        for probe in yaml.safe_load(path.read_text("utf-8")).get("probes", ())
    ]
    lines = (
        {"probe_id": probe, "response": _RESPONSES[(number + turn) % len(_RESPONSES)]}
        for number, probe in enumerate(probes)
    )
    return "".join(f"{json.dumps(line)}\n" for line in lines)


@golden("probes")
def probes() -> Files:
    """The shipped probes, answered well and badly by turns."""
    with alone():
        put({"first.jsonl": _recorded(), "second.jsonl": _recorded(1), "broken.jsonl": "{\n"})
        run = ("probe", "run", "--responder")
        made = {
            f"run.{form}.txt": transcript(*run, "first.jsonl", "--format", form)
            for form in ("table", "json", "html")
        }
        for name in ("first", "second"):
            transcript(*run, f"{name}.jsonl", "--format", "json", "--output", f"{name}.json")
        compare = ("probe", "compare", "first.json", "second.json")
        return {
            **made,
            "compare.text.txt": transcript(*compare),
            "compare.json.txt": transcript(*compare, "--format", "json"),
            "broken.txt": transcript(*run, "broken.jsonl"),
            "no-model.txt": transcript("probe", "run"),
        }
