"""What the stand-in says of a change is what git says, read by a parser that is not ours."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from unidiff.patch import PatchSet

from tests.standins.github import DiffLimits, ManualClock, Repository, StandIn, actions
from tests.standins.github.diffs import Diffs
from tests.standins.github.git import Executable, Files, GitStore, Person, Submodule, Symlink
from tests.support.github import APP_ID, Client

HERE = "/repos/acme/payments"
DIFF = "application/vnd.github.diff"
TEN = "".join(f"line {number}\n" for number in range(1, 11))

ODD: tuple[Files, Files] = (
    {
        "edited.py": TEN,
        "removed.py": "gone\n",
        "renamed.py": TEN,
        "renamed and edited.py": TEN.upper(),
        "mode.sh": "#!/bin/sh\n",
        "no newline.txt": "one\ntwo",
        "crlf.txt": "one\r\ntwo\r\n",
        "form feed.txt": "one\x0ctwo\rthree\nfour\n",
        "latin.txt": b"caf\xe9\n",
        "picture.bin": b"\x00\x01",
        "kind.txt": "text\n",
        "vendor/lib": Submodule("1" * 40),
        "untouched.py": TEN,
    },
    {
        "edited.py": TEN.replace("line 5\n", "line five\nand more\n"),
        "removed.py": None,
        "renamed.py": None,
        "new name.py": TEN,
        "renamed and edited.py": None,
        "moved/edited.py": TEN.upper().replace("LINE 2\n", "LINE TWO\n"),
        "mode.sh": Executable(b"#!/bin/sh\n"),
        "no newline.txt": "one\ntwo\nthree",
        "crlf.txt": "one\r\ntwo!\r\n",
        "form feed.txt": "one\x0ctwo\rthree\nfive\n",
        "latin.txt": b"caf\xe9!\n",
        "picture.bin": b"\x00\x02",
        "kind.txt": Symlink("edited.py"),
        "vendor/lib": Submodule("2" * 40),
        "added.py": "new\n",
        "grüße.txt": "hallo\n",
        'quo"te.txt': "q\n",
        "tab\tbed.txt": "t\n",
        "empty.txt": "",
    },
)


@pytest.fixture
def repository(github: StandIn) -> Repository:
    before, after = ODD
    repository = github.create_repository("acme/payments", before)
    actions.push(repository, "odd", after, by="ann")
    actions.open_pull_request(repository, head="odd", by="ann")
    return repository


def printed_by_git(repository: Repository) -> bytes:
    command = ["git", "diff", "main...odd"]
    return subprocess.run(command, cwd=repository.git.path, capture_output=True, check=True).stdout


async def test_the_diff_is_what_git_prints(repository: Repository, client: Client) -> None:
    served = await client.get(f"{HERE}/pulls/1", Accept=DIFF)
    assert served == printed_by_git(repository)
    assert b"caf\xe9!" in served
    assert await client.get(f"{HERE}/compare/main...odd", Accept=DIFF) == served
    assert await client.get(f"{HERE}/commits/odd", Accept=DIFF) == served


async def test_files_and_their_numbers_are_gits(repository: Repository, client: Client) -> None:
    files = {
        file["filename"]: file for file in await client.get(f"{HERE}/pulls/1/files?per_page=100")
    }
    assert {name: file["status"] for name, file in files.items()} == {
        "added.py": "added",
        "crlf.txt": "modified",
        "edited.py": "modified",
        "empty.txt": "added",
        "form feed.txt": "modified",
        "grüße.txt": "added",
        "kind.txt": "changed",
        "latin.txt": "modified",
        "mode.sh": "modified",
        "moved/edited.py": "renamed",
        "new name.py": "renamed",
        "no newline.txt": "modified",
        "picture.bin": "modified",
        'quo"te.txt': "added",
        "removed.py": "removed",
        "tab\tbed.txt": "added",
        "vendor/lib": "modified",
    }
    without = {"empty.txt", "kind.txt", "mode.sh", "new name.py", "picture.bin"}
    assert {name for name, file in files.items() if "patch" not in file} == without
    assert files["moved/edited.py"]["previous_filename"] == "renamed and edited.py"
    edited = files["edited.py"]
    assert (edited["additions"], edited["deletions"], edited["changes"]) == (2, 1, 3)
    assert edited["patch"].startswith("@@ -2,7 +2,8 @@ line 1\n line 2\n")
    assert edited["patch"].endswith("\n line 8")
    assert "\\ No newline at end of file" in files["no newline.txt"]["patch"]
    assert files["latin.txt"]["patch"] == "@@ -1 +1 @@\n-caf\ufffd\n+caf\ufffd!"
    pull = await client.get(f"{HERE}/pulls/1")
    assert pull["changed_files"] == len(files)
    assert pull["additions"] == sum(file["additions"] for file in files.values())
    compared = await client.get(f"{HERE}/compare/main...odd")
    assert compared["files"] == list(files.values())
    assert compared["status"] == "ahead"


def test_lines_and_positions_are_those_that_unidiff_finds(repository: Repository) -> None:
    pull = repository.pulls[1]
    for file in pull.files():
        if not file.patch or b"\r" in file.patch or b"\x0c" in file.patch:
            continue  # unidiff splits lines there, git does not
        assert [(one.old, one.new) for one in file.lines()] == _read_by_unidiff(file.patch)
    odd = pull.file("form feed.txt")
    assert odd is not None
    assert [(one.old, one.new) for one in odd.lines()] == [(1, 1), (2, None), (None, 2)]


LINES = st.lists(
    st.sampled_from(["a\n", "b\n", "c\n", "--- d\n", "+++ e\n", "@@ f\n", "\n"]), max_size=40
)


@given(LINES, LINES)
@settings(max_examples=40, deadline=None)
def test_any_diff_is_read_like_unidiff_reads_it(
    scratch: GitStore, before: list[str], after: list[str]
) -> None:
    one, other = _two_commits(scratch, before, after)
    for file in Diffs(scratch).files(one, other):
        if not file.patch:
            continue
        found = list(file.lines())
        assert [(line.old, line.new) for line in found] == _read_by_unidiff(file.patch)
        shown = file.patch.split(b"\n")
        for line in found:
            assert shown[line.position] == line.text
            if line.new is not None:
                assert line.text[1:].decode() == after[line.new - 1].rstrip("\n")
                assert file.find("RIGHT", line.new) == line
            assert file.at(line.position) == line


@given(LINES, LINES)
@settings(max_examples=40, deadline=None)
def test_a_line_that_is_followed_has_the_same_text_and_neighbours(
    scratch: GitStore, before: list[str], after: list[str]
) -> None:
    one, other = _two_commits(scratch, before, after)
    diffs = Diffs(scratch)
    places = []
    for number in range(1, len(before) + 1):
        moved = diffs.follow(one, other, "f.txt", number, number)
        if moved is not None:
            places.append(number + moved)
            assert after[number + moved - 1] == before[number - 1]
    assert places == sorted(set(places))
    for first in range(1, len(before)):
        moved = diffs.follow(one, other, "f.txt", first, first + 1)
        if moved is not None:
            start = first - 1 + moved
            assert after[start : start + 2] == before[first - 1 : first + 1]
    if before == after:
        assert len(places) == len(before)


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> GitStore:
    return GitStore(tmp_path_factory.mktemp("scratch") / "x.git")


@pytest.fixture(scope="session", autouse=True)
def close_scratch(scratch: GitStore) -> object:
    yield
    scratch.close()


def _two_commits(store: GitStore, before: list[str], after: list[str]) -> tuple[str, str]:
    who = Person("ann", "ann@example.com")
    shas = [
        store.commit(
            "refs/heads/x", {"f.txt": text, "keep": "k"}, "m", parents=[], author=who, when=1
        )
        for text in ("".join(before), "".join(after))
    ]
    return shas[0], shas[1]


def _read_by_unidiff(patch: bytes) -> list[tuple[int | None, int | None]]:
    text = "--- a/f\n+++ b/f\n" + patch.decode("utf-8", "replace")
    (file,) = PatchSet(text)
    return [
        (line.source_line_no, line.target_line_no)
        for hunk in file
        for line in hunk
        if line.line_type in " +-"
    ]


async def test_a_pull_request_is_compared_with_its_merge_base(
    github: StandIn, client: Client
) -> None:
    repository = github.create_repository("acme/payments", {"a.py": TEN, "b.py": TEN})
    actions.push(repository, "fix", {"a.py": TEN + "more\n"}, by="ann")
    actions.open_pull_request(repository, head="fix", by="ann")
    actions.push(repository, "main", {"b.py": "other\n"})
    files = await client.get(f"{HERE}/pulls/1/files")
    assert [file["filename"] for file in files] == ["a.py"]
    compared = await client.get(f"{HERE}/compare/main...fix")
    assert (compared["status"], compared["ahead_by"], compared["behind_by"]) == ("diverged", 1, 1)
    merge_base = compared["merge_base_commit"]["sha"]
    assert merge_base == compared["commits"][0]["parents"][0]["sha"]
    assert (await client.get(f"{HERE}/compare/main...main"))["status"] == "identical"
    assert (await client.refused("GET", f"{HERE}/compare/main...gone"))[0] == 404
    assert (await client.refused("GET", f"{HERE}/compare/main..fix"))[0] == 404


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({f"f{number}.txt": "x\n" for number in range(301)}, "number of files (300)"),
        ({"long.txt": "x\n" * 20_000}, "number of lines (20000)"),
        ({"wide.txt": "x" * 1_000_000}, "number of bytes"),
    ],
)
async def test_a_huge_diff_is_refused_as_a_whole_but_its_files_are_listed(
    github: StandIn, client: Client, files: dict[str, str], words: str
) -> None:
    repository = github.create_repository("acme/payments", {"a": "a"})
    actions.push(repository, "huge", files, by="ann")
    actions.open_pull_request(repository, head="huge", by="ann")
    for path in ("pulls/1", "compare/main...huge"):
        status, body, _ = await client.ask("GET", f"{HERE}/{path}", Accept=DIFF)
        assert status == 406
        assert words in body["message"]
        assert body["errors"] == [{"resource": "PullRequest", "field": "diff", "code": "too_large"}]
    first = await client.get(f"{HERE}/pulls/1/files?per_page=100")
    assert len(first) == min(len(files), 100)
    assert ("patch" in first[0]) == (len(files) > 1)


async def test_just_below_its_limits_a_diff_is_served(github: StandIn, client: Client) -> None:
    repository = github.create_repository("acme/payments", {"a": "a"})
    files = {f"f{number}.txt": "x\n" for number in range(300)}
    actions.push(repository, "large", files, by="ann")
    actions.open_pull_request(repository, head="large", by="ann")
    served = await client.get(f"{HERE}/pulls/1", Accept=DIFF)
    assert served.count(b"diff --git") == 300


async def test_the_list_of_files_ends_at_its_limit(app_key: str, clock: ManualClock) -> None:
    async with StandIn(
        app_id=APP_ID,
        private_key=app_key,
        webhook_secret="s",
        clock=clock,
        diff_limits=DiffLimits(listed_files=250),
    ) as github:
        repository = github.create_repository("acme/payments", {"a": "a"})
        actions.push(repository, "x", {f"f{number}.txt": "x\n" for number in range(260)})
        pull = actions.open_pull_request(repository, head="x")
        assert len(pull.files()) == 260
        (event,) = [event for event in github.outbox if event.name == "pull_request"]
        assert event.payload["pull_request"]["changed_files"] == 260
