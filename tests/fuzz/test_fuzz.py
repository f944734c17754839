"""No bytes from outside crash a reader or hold it up; what it cannot take it refuses as it should.

The REST API has its own in tests/api/test_hostile.py.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from hypothesis import given, settings
from hypothesis import strategies as st

from jurat.errors import FileError, UsageError
from jurat.facts.context import Surface
from jurat.github.contents import read_members
from jurat.judge.replies import UnparsableReplyError, read_reply
from jurat.reports.markdown import escape_markdown, quote_code
from jurat.rules.loader import load_config, load_ruleset
from jurat.source.diff_parser import parse_diff
from tests.fuzz.mutation import deadline, mutated, mutations
from tests.server import samples
from tests.support.command import RULES
from tests.support.server import Hook, guid, sign

E = TypeVar("E", bound=Exception)

ROOT = Path(__file__).parents[2]
EXAMPLES = settings(max_examples=300)

DIFFS = [path.read_bytes()[:6_000] for path in sorted((ROOT / "fixtures/diffs").rglob("*.diff"))]
RULE_FILES = [
    RULES.encode(),
    *(path.read_bytes()[:8_000] for path in sorted((ROOT / "rules").rglob("*.yml"))[:6]),
]
CONFIGURATION = b"""\
version: 1
packs: [engineering]
rules: [policy]
ignore: ["**/generated/**", vendor]
surfaces: {"docs/**": document}
review: {max_rules: 20, severity_min: LOW, max_comments: 10, drafts: true, unassessed: neutral}
commands: {permission: write}
"""
REPLY = json.dumps(
    {
        "verdicts": [
            {
                "rule": "a.rule",
                "reasoning": "It says so.",
                "findings": [{"file_path": "a.py", "quote": "x = 1", "start_line": 3}],
                "verdict": "DENY",
                "confidence": 0.9,
                "issue": "x is one",
                "fix_suggestion": "Do not.",
            }
        ]
        * 3
    }
).encode()


def an_archive() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in (("top/a.py", b"x = 1\n" * 50), ("top/../../etc/passwd", b"root")):
            about = tarfile.TarInfo(name)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
        link = tarfile.TarInfo("top/b.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return packed.getvalue()


def refusal(kind: type[E], read: Callable[[], object]) -> E | None:
    """How a reader refused, None if it read. Any other error is a defect."""
    with deadline():
        try:
            read()
        except kind as refused:
            return refused
    return None


@EXAMPLES
@given(mutations(DIFFS))
def test_any_diff_is_read_or_refused(data: bytes) -> None:
    refused = refusal(UsageError, lambda: parse_diff(data))
    assert refused is None or len(str(refused).splitlines()) == 1
    for file in parse_diff(data).files if refused is None else ():
        quote_code(file.path)
        escape_markdown(file.path)


@EXAMPLES
@given(mutations(RULE_FILES))
def test_any_rule_file_is_loaded_or_refused(data: bytes) -> None:
    path, text = "policy/house.yml", data.decode("utf-8", "replace")
    refused = refusal(FileError, lambda: load_ruleset({path: text}))
    assert refused is None or (refused.path == path and refused.line >= 0)


@EXAMPLES
@given(mutations([CONFIGURATION]))
def test_any_configuration_is_loaded_or_refused(data: bytes) -> None:
    path, text = ".github/jurat.yml", data.decode("utf-8", "replace")
    refused = refusal(FileError, lambda: load_config(path, text))
    assert refused is None or refused.path == path


@EXAMPLES
@given(mutations([REPLY]), st.sampled_from(Surface))
def test_any_reply_of_a_model_is_read_or_refused(data: bytes, surface: Surface) -> None:
    text = data.decode("utf-8", "replace")
    refused = refusal(UnparsableReplyError, lambda: read_reply(text, surface))
    assert refused is None or str(refused)


@EXAMPLES
@given(mutations([an_archive()]))
def test_any_archive_gives_files_that_were_asked_for_and_no_other(data: bytes) -> None:
    limits = {"file_limit": 1_000, "total_limit": 1_500, "unpacked_limit": 50_000}
    with deadline():
        found = read_members(gzip.compress(data, 1), {"a.py", "b.py", "etc/passwd"}, **limits)
    assert found.keys() <= {"a.py", "b.py", "etc/passwd"}
    assert sum(map(len, found.values())) <= 1_500
    assert "b.py" not in found or b"root" not in found["b.py"]


@EXAMPLES
@given(mutations([gzip.compress(an_archive(), 1)]))
def test_any_packed_bytes_are_unpacked_or_passed_over(data: bytes) -> None:
    with deadline():
        read_members(data, {"a.py"}, file_limit=1_000, total_limit=1_000, unpacked_limit=50_000)


async def test_no_signed_body_makes_the_webhook_fail(hook: Hook) -> None:
    draw = random.Random(20_260_302)
    seeds = {
        "pull_request": samples.pull_request(),
        "issue_comment": samples.envelope(
            action="created",
            issue={"number": 12, "pull_request": {}},
            comment=samples.comment(),
        ),
        "merge_group": samples.envelope(
            action="checks_requested",
            merge_group={
                "head_sha": samples.HEAD,
                "head_ref": "refs/heads/gh-readonly-queue/main/pr-1-x",
                "base_sha": samples.OTHER,
                "base_ref": "refs/heads/main",
            },
        ),
        "installation": {"action": "created", "installation": {"id": 1, "account": None}},
    }
    statuses = set()
    for number in range(600):
        event, payload = draw.choice(list(seeds.items()))
        body = mutated(json.dumps(payload).encode(), draw)
        if draw.random() < 0.2:
            body = b"payload=" + body
        form = draw.choice(["application/json"] * 4 + ["application/x-www-form-urlencoded"])
        headers = {
            "Content-Type": form,
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": guid(number + 1),
            "X-Hub-Signature-256": sign(body),
        }
        async with hook.client.post(hook.path, data=body, headers=headers) as answer:
            statuses.add(answer.status)
            assert answer.status in (200, 202, 400), (answer.status, body)
    assert statuses == {200, 202, 400}
