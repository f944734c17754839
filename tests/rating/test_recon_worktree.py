"""One walk: what is looked at, what is left out and why, and no file is read twice."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from jurat.errors import UsageError
from jurat.rating.recon import scan_worktree
from jurat.rating.signals import sightings
from jurat.rating.signals.file_roles import Role, detect_role
from jurat.rating.signals.file_signs import Memory
from jurat.rating.signals.worktree import (
    FILE_LIMIT,
    FileEntry,
    Worktree,
    build_worktree,
    open_folder,
)
from jurat.source.parser_pool import ParserPool
from jurat.source.parsing import ParseFailure
from tests.support.recon import a_worktree, look

CALLS_A_MODEL = "import openai\n"


def written(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def paths(root: Path) -> list[str]:
    return [entry.path for entry in open_folder(root).entries]


def test_gitignore_is_obeyed_and_the_nearest_one_has_the_last_word(tmp_path: Path) -> None:
    written(
        tmp_path,
        {
            ".gitignore": "*.log\n/secret/\nbuild/\n",
            "a.log": "",
            "secret/key.py": "",
            "in/secret/kept.py": "",
            "in/build/gone.py": "",
            "in/.gitignore": "!a.log\nlocal.py\n",
            "in/a.log": "",
            "in/local.py": "",
            "local.py": "",
        },
    )
    found = paths(tmp_path)
    assert found == [
        ".gitignore",
        "in/.gitignore",
        "in/a.log",
        "in/secret/kept.py",
        "local.py",
    ]
    reasons = dict(open_folder(tmp_path).left_out)
    assert reasons["secret/"] == reasons["a.log"] == reasons["in/build/"] == "ignored by git"


def test_vendored_and_generated_files_are_left_out(tmp_path: Path) -> None:
    foreign = ["node_modules/x/a.js", "vendor/a.go", "api_pb2.py", ".venv/lib/a.py", "a.min.js"]
    written(tmp_path, dict.fromkeys([*foreign, "app.py"], "x"))
    assert paths(tmp_path) == ["app.py"]
    assert set(dict(open_folder(tmp_path).left_out).values()) == {"generated or vendored"}
    entries = [FileEntry(path, 1) for path in [*foreign, "app.py"]]
    assert [e.path for e in build_worktree(entries, lambda entry: b"x").entries] == ["app.py"]


def test_links_are_not_followed(tmp_path: Path) -> None:
    elsewhere = written(tmp_path / "outside", {"agent.py": CALLS_A_MODEL})
    root = written(tmp_path / "root", {"app.py": ""})
    (root / "linked").symlink_to(elsewhere)
    (root / "agent.py").symlink_to(elsewhere / "agent.py")
    (root / "loop").symlink_to(root)
    worktree = open_folder(root)
    assert [entry.path for entry in worktree.entries] == ["app.py"]
    assert dict(worktree.left_out) == dict.fromkeys(["linked", "agent.py", "loop"], "a link")


def test_a_link_that_comes_after_the_walk_is_unread(tmp_path: Path) -> None:
    elsewhere = written(tmp_path / "outside", {"agent.py": CALLS_A_MODEL})
    root = written(tmp_path / "root", {"app.py": ""})
    worktree = open_folder(root)
    (root / "app.py").unlink()
    (root / "app.py").symlink_to(elsewhere / "agent.py")
    signals, inventory = scan_worktree(worktree)
    assert not signals["model_usage"]
    assert inventory.unread[0].path == "app.py"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert open_folder(tmp_path).left_out == (("pipe.py", "no regular file"),)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        open_folder(tmp_path / "missing")


def test_code_that_is_too_large_or_no_text_is_unread_and_no_pass() -> None:
    data = {"big.py": b"x = 1\n" * (FILE_LIMIT // 6 + 1), "blob.py": b"\0" + CALLS_A_MODEL.encode()}
    data["logo.md"] = b"\0 no page"
    entries = [FileEntry(path, len(content)) for path, content in data.items()]
    signals, inventory = scan_worktree(build_worktree(entries, lambda entry: data[entry.path]))
    assert [file.path for file in inventory.unread] == ["big.py", "blob.py"]
    assert not signals["model_usage"]


def test_a_size_that_lies_is_found_out() -> None:
    data = b"x = 1\n" * (FILE_LIMIT // 6 + 1)
    _, inventory = scan_worktree(build_worktree([FileEntry("big.py", 6)], lambda entry: data))
    assert "larger" in (inventory.unread[0].unread or "")


def test_a_parser_that_dies_costs_its_file_alone() -> None:
    def dying(work, items):  # type: ignore[no-untyped-def]
        results = [work(item) for item in items]
        return [ParseFailure("its parser died"), *results[1:]]

    worktree = a_worktree({"a.py": CALLS_A_MODEL, "b.py": "import anthropic\n"})
    signals, inventory = scan_worktree(worktree, dying)
    assert [(file.path, file.unread) for file in inventory.unread] == [("a.py", "its parser died")]
    assert [e.path for e in signals["model_usage"].evidence] == ["b.py"]


def test_parsing_may_run_in_a_pool_of_processes() -> None:
    with ParserPool(1) as pool:
        signals, _ = scan_worktree(a_worktree({"a.py": CALLS_A_MODEL}), pool)
    assert signals["model_usage"].evidence[0].snippet == "import openai"


def test_every_file_is_read_once_and_base_and_head_share_what_is_unchanged() -> None:
    reads: Counter[str] = Counter()
    looked: Counter[str] = Counter()
    data = {f"m{n}.py": f"import openai\nx = {n}\n".encode() for n in range(20)}

    def worktree(texts: dict[str, bytes]) -> Worktree:
        def read(entry: FileEntry) -> bytes:
            reads[entry.digest] += 1
            return texts[entry.path]

        return build_worktree([FileEntry(p, len(t), t.decode()) for p, t in texts.items()], read)

    def counting(work, items):  # type: ignore[no-untyped-def]
        looked.update(item.text for item in items)
        return [work(item) for item in items]

    memory: Memory = {}
    before, _ = scan_worktree(worktree(data), counting, memory)
    after, _ = scan_worktree(worktree(data | {"m3.py": b"x = 3\n"}), counting, memory)
    assert max(reads.values()) == max(looked.values()) == 1
    assert len(reads) == 21
    assert len(before["model_usage"].evidence) == 20
    assert {e.path for e in after["model_usage"].evidence} == set(data) - {"m3.py"}


def test_the_same_text_counts_by_what_its_file_is_for() -> None:
    memory: Memory = {}
    text = CALLS_A_MODEL.encode()
    paths_ = ("app.py", "tests/test_app.py", "fixtures/app.py")
    entries = [FileEntry(path, len(text), "same") for path in paths_]
    signals, _ = scan_worktree(build_worktree(entries, lambda entry: text), memory=memory)
    assert [e.path for e in signals["model_usage"].evidence] == ["app.py"]


def test_evidence_is_cut_in_width_and_no_probe_is_crowded_out() -> None:
    many = "".join(f"def f{n}():\n    logger.info('{'x' * 400}')\n" for n in range(50))
    seen = look({"a.py": many, "b.py": "import structlog\nlogger.info('b')\n"})
    evidence = seen.signals["logging_calls"].evidence
    assert {len(e.snippet) for e in evidence if e.snippet.endswith("…")} == {sightings.SNIPPET + 1}
    assert len([e for e in evidence if e.path == "a.py"]) == 50
    assert [e.path for e in evidence if e.path == "b.py"] == ["b.py"]


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/app.py", Role.CODE),
        ("web/app.tsx", Role.CODE),
        ("tests/test_app.py", Role.TEST),
        ("app.test.ts", Role.TEST),
        ("evals/run.py", Role.TEST),
        ("evals/README.md", Role.DOCUMENT),
        ("agents/wide_benchmark.py", Role.TEST),
        ("agents/benchmark_data/hr/policy.md", Role.EXAMPLE),
        ("tests/fixtures/app.py", Role.EXAMPLE),
        ("examples/app.py", Role.EXAMPLE),
        ("doctests/search.py", Role.EXAMPLE),
        ("docs/AGENTS.md", Role.EXAMPLE),
        (".claude/skills/x/prompts/system.md", Role.EXAMPLE),
        ("prompts/system.md", Role.PROMPT),
        ("agent/system_prompt.txt", Role.PROMPT),
        ("README.md", Role.DOCUMENT),
        ("cli/templates/README.md.jinja2", Role.OTHER),
        ("app/templates/index.html.jinja2", Role.PAGE),
        ("SECURITY", Role.DOCUMENT),
        ("pyproject.toml", Role.SETTINGS),
        ("Dockerfile", Role.SETTINGS),
        ("logo.png", Role.OTHER),
    ],
)
def test_what_a_file_is_for(path: str, role: Role) -> None:
    assert detect_role(path) is role


def test_an_empty_file_shows_nothing_by_its_name() -> None:
    assert not look({"docs/model_card.md": ""}).signals["model_document"]
    assert look({"docs/model_card.md": "# Card\n"}).signals["model_document"]


def test_no_function_is_looked_for_without_end_in_nested_code() -> None:
    # With lines behind it: one long line alone is a bundle, and left out.
    nested = "f(" * 4_000 + "requires_approval" + ")" * 4_000 + "\n" * 100
    evidence = look({"a.py": nested}).signals["human_approval"].evidence
    assert [(e.line, e.first) for e in evidence] == [(1, 0)]
