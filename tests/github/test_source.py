"""What a review reads: compared with what git itself holds behind the stand-in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import pytest

import tests.standins.github.routes.history as tree_routes
from jurat.errors import ConfigurationError, RuleError
from jurat.github.base_attributes import MAX_ATTRIBUTE_FILES, MAX_FOLDERS
from jurat.github.client import GitHub
from jurat.github.errors import AccessRefusedError, GitHubError, GitHubUnavailableError
from jurat.github.pull_requests import PullRequestSource, read_pull_request
from jurat.review_interfaces import Inputs
from jurat.source.diff import Diff, FileChange, FileStatus
from jurat.source.parsing import ParseFailure, ParseMap, parse_in_process
from jurat.source.unwritten import Unwritten
from tests.github.conftest import CONFIGURATION, RULES
from tests.standins.github import DiffLimits, PullRequest, Repository, StandIn, actions
from tests.standins.github.faults import BAD_GATEWAY, Fault, always, once
from tests.standins.github.git import Executable, Submodule, Symlink

Fetch = Callable[..., Awaitable[Inputs]]


@pytest.fixture
def repository(github: StandIn) -> Repository:
    return github.create_repository("acme/shop", {CONFIGURATION: "packs: []\n"})


@pytest.fixture
def fetch(api: GitHub) -> Fetch:
    async def fetch(pull: PullRequest, parse_map: ParseMap = parse_in_process) -> Inputs:
        read = await read_pull_request(api, pull.repository.full_name, pull.number)
        return await PullRequestSource(api, read, parse_map).fetch()

    return fetch


def opened(repository: Repository, files: dict[str, Any], **more: Any) -> PullRequest:
    actions.push(repository, "fix", files)
    return actions.open_pull_request(repository, head="fix", **more)


def on_main(repository: Repository, files: dict[str, Any]) -> None:
    actions.push(repository, "main", files)


def by_path(change: Diff) -> dict[str, FileChange]:
    return {file.path: file for file in change.files}


def asked(github: StandIn, route: str) -> int:
    return sum(route in exchange.route for exchange in github.exchanges)


class TestAttributes:
    ATTRIBUTES: ClassVar = {
        ".gitattributes": "* linguist-generated\n",
        "api/.gitattributes": "* -linguist-generated\n",
        "api/v1/.gitattributes": "a.py linguist-vendored\n",
        "elsewhere/.gitattributes": "* linguist-vendored\n",
    }

    async def test_those_of_the_folders_above_a_file_count_as_the_base_has_them(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        on_main(repository, self.ATTRIBUTES)
        own = dict.fromkeys(self.ATTRIBUTES, "* linguist-generated\n")
        inputs = await fetch(opened(repository, {**own, "api/v1/a.py": "", "new/b.py": ""}))
        assert [(line.path, line.holds) for line in inputs.attributes] == [
            (".gitattributes", True),
            ("api/.gitattributes", False),
            ("elsewhere/.gitattributes", True),
            ("api/v1/.gitattributes", True),
        ]
        assert asked(github, "/git/trees/") == 1

    async def test_none_is_asked_for_that_is_not_there_or_above_nothing(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        on_main(repository, self.ATTRIBUTES | {"b/.gitattributes": Symlink("../.gitattributes")})
        await fetch(opened(repository, {"a/b/c/d.py": "", "b/a.py": "", "api/a.py": ""}))
        read = [item.path for item in github.exchanges if ".gitattributes" in item.path]
        assert [path.partition("/contents/")[2] for path in read] == [
            ".gitattributes",
            "api/.gitattributes",
        ]

    async def test_above_the_bound_nothing_farther_counts(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        folders = [f"f{number:02}" for number in range(MAX_ATTRIBUTE_FILES + 5)]
        on_main(repository, {f"{name}/.gitattributes": "#\n" for name in folders})
        on_main(repository, {".gitattributes": "* linguist-generated\n"})
        inputs = await fetch(opened(repository, {f"{name}/a.py": "" for name in folders}))
        assert asked(github, "contents") == MAX_ATTRIBUTE_FILES + 1  # the configuration, too
        marker = Unwritten(inputs.attributes)
        judged = [name for name in folders if not marker.explain(f"{name}/a.py", "")]
        assert judged == folders[MAX_ATTRIBUTE_FILES - 1 :]

    async def test_a_file_that_is_too_large_is_not_guessed_at(
        self, fetch: Fetch, repository: Repository
    ) -> None:
        on_main(repository, self.ATTRIBUTES | {"api/.gitattributes": "#" * (1 << 20) + "\n\n"})
        inputs = await fetch(opened(repository, {"api/b.py": "", "b.py": ""}))
        marker = Unwritten(inputs.attributes)
        assert (marker.explain("api/b.py", ""), bool(marker.explain("b.py", ""))) == ("", True)

    async def test_of_a_repository_listed_in_part_the_folders_are_walked(
        self,
        fetch: Fetch,
        repository: Repository,
        github: StandIn,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        many = {f"z/{number}/{number}.py": "" for number in range(10)}
        on_main(repository, self.ATTRIBUTES | many)
        monkeypatch.setattr(tree_routes, "TREE_LIMIT", 12)
        inputs = await fetch(opened(repository, {"api/v1/a.py": "", "new/b.py": ""}))
        assert [line.path for line in inputs.attributes] == [
            ".gitattributes",
            "api/.gitattributes",
            "api/v1/.gitattributes",
        ]
        assert asked(github, "/git/trees/") == 4  # all at once; the root, api and api/v1

    async def test_folders_are_walked_up_to_a_bound(
        self,
        fetch: Fetch,
        repository: Repository,
        github: StandIn,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(tree_routes, "TREE_LIMIT", 80)
        folders = [f"f{number:02}" for number in range(MAX_FOLDERS + 5)]
        on_main(repository, {f"{name}/old.py": "" for name in folders})
        on_main(repository, {".gitattributes": "* linguist-generated\n"})
        inputs = await fetch(opened(repository, {f"{name}/a.py": "" for name in folders}))
        assert asked(github, "/git/trees/") == MAX_FOLDERS + 1
        marker = Unwritten(inputs.attributes)
        judged = [name for name in folders if not marker.explain(f"{name}/a.py", "")]
        assert judged == folders[MAX_FOLDERS - 1 :]


async def test_material_says_what_is_reviewed(
    fetch: Fetch, repository: Repository, github: StandIn
) -> None:
    pull = opened(repository, {"a.py": "x = 1\n"}, title="Add a", body="Because.", by="alice")
    material = await fetch(pull)
    assert material.intent == "Add a\n\nBecause."
    assert material.repository == "acme/shop"
    assert (material.base_sha, material.head_sha) == (repository.head(), pull.head_sha)
    assert material.facts["pull_request"] == {
        "number": 1,
        "title": "Add a",
        "author": "alice",
        "draft": False,
        "fork": False,
        "base": "main",
        "head": "fix",
        "labels": [],
    }
    assert github.writes() == []


async def test_a_fork_whose_repository_is_gone_is_read_all_the_same(
    fetch: Fetch, repository: Repository
) -> None:
    copy = actions.fork(repository, "mallory")
    actions.push(copy, "fix", {"README.md": "Forked\n"})
    pull = actions.open_pull_request(repository, head="mallory:fix")
    assert (await fetch(pull)).facts["pull_request"]["fork"] is True
    pull.head_repository = None
    material = await fetch(pull)
    assert material.facts["pull_request"]["fork"] is True
    assert by_path(material.change)["README.md"].head == "Forked\n"


class TestJudgedBy:
    @pytest.fixture
    def repository(self, github: StandIn) -> Repository:
        return github.create_repository("acme/shop", {"README.md": "Shop\n"})

    async def test_without_a_configuration_the_default_holds(
        self, fetch: Fetch, repository: Repository
    ) -> None:
        material = await fetch(opened(repository, {"a.py": "x = 1\n"}))
        assert material.configuration.packs == ("engineering",)

    async def test_the_base_commit_decides_not_the_head(
        self, fetch: Fetch, repository: Repository
    ) -> None:
        rules = {"rules/a.yml": RULES.format(id="base.rule")}
        on_main(repository, {CONFIGURATION: "packs: []\nrules: [rules]\n", **rules})
        weakened = {CONFIGURATION: "packs: []\n", "rules/a.yml": None, "rules/b.yml": "broken: ["}
        material = await fetch(opened(repository, weakened))
        assert list(material.rule_set.rules) == ["base.rule"]
        assert len(material.change.files) == 3

    async def test_a_later_base_does_not_count_before_it_is_the_pull_requests(
        self, fetch: Fetch, repository: Repository
    ) -> None:
        on_main(repository, {CONFIGURATION: "packs: []\nreview: {max_comments: 3}\n"})
        pull = opened(repository, {"a.py": "x = 1\n"})
        on_main(repository, {CONFIGURATION: "packs: []\nreview: {max_comments: 4}\n"})
        pull.base_sha = repository.git.read_commit(repository.head() or "").parents[0]
        assert (await fetch(pull)).configuration.review.max_comments == 3

    async def test_rules_are_files_and_folders_with_the_tables_they_name(
        self, fetch: Fetch, repository: Repository
    ) -> None:
        lookup = RULES.format(id="hr.notice") + (
            "    constraints:\n"
            "      - {type: lookup, field_path: country, lookup_table: t/n.csv,"
            " key_column: country}\n"
        )
        on_main(
            repository,
            {
                CONFIGURATION: "packs: []\nrules: [own/a.yml, team]\n",
                "own/a.yml": lookup,
                "own/t/n.csv": "country,days\nDE,28\n",
                "own/b.yml": "not: named",
                "team/deep/b.yml": RULES.format(id="b"),
                "team/a.yaml": RULES.format(id="a"),
                "team/README.md": "no rules",
            },
        )
        material = await fetch(opened(repository, {"x.py": "x = 1\n"}))
        assert list(material.rule_set.rules) == ["hr.notice", "a", "b"]
        assert material.rule_set.tables

    async def test_the_owners_configuration_counts_where_there_is_none(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        github.create_repository(
            "acme/.github",
            {
                CONFIGURATION: "packs: []\nrules: [rules]\n",
                "rules/a.yml": RULES.format(id="owners.rule"),
            },
        )
        on_main(repository, {"rules/a.yml": RULES.format(id="not.this")})
        pull = opened(repository, {"x.py": "x = 1\n"})
        assert list((await fetch(pull)).rule_set.rules) == ["owners.rule"]
        on_main(repository, {CONFIGURATION: "packs: []\n"})
        pull.base_sha = repository.head() or ""
        assert list((await fetch(pull)).rule_set.rules) == []

    async def test_an_owners_repository_without_a_commit_is_none(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        github.create_repository("acme/.github")
        material = await fetch(opened(repository, {"x.py": "x = 1\n"}))
        assert material.configuration.packs == ("engineering",)
        assert 409 in {exchange.status for exchange in github.exchanges}

    @pytest.mark.parametrize(
        "refusal", [Fault(422, "No commit found for SHA: HEAD"), Fault(451, "Blocked.")]
    )
    async def test_an_owners_repository_that_is_refused_is_not_taken_for_none(
        self, fetch: Fetch, repository: Repository, github: StandIn, refusal: Fault
    ) -> None:
        github.create_repository("acme/.github", {CONFIGURATION: "packs: []\n"})
        github.faults.append(always(refusal, "GET", "acme/.github/commits"))
        with pytest.raises(GitHubError):
            await fetch(opened(repository, {"x.py": "x = 1\n"}))

    @pytest.mark.parametrize(
        ("configuration", "line", "key"),
        [
            (b"packs: []\nmax_rules: 3\n", 2, "max_rules"),
            (b"packs: [nonsense]\n", 1, "packs[0]"),
            (b"packs: []\n# caf\xe9\n", 2, ""),
        ],
    )
    async def test_a_broken_configuration_names_its_line(
        self, fetch: Fetch, repository: Repository, configuration: bytes, line: int, key: str
    ) -> None:
        on_main(repository, {CONFIGURATION: configuration})
        with pytest.raises(ConfigurationError) as caught:
            await fetch(opened(repository, {"x.py": "x = 1\n"}))
        assert (caught.value.path, caught.value.line) == (CONFIGURATION, line)
        assert caught.value.key.replace(".0", "[0]") == key

    @pytest.mark.parametrize(
        ("files", "path"),
        [
            ({"rules/a.yml": "rules: [{id: x}]\n"}, "rules/a.yml"),
            ({"rules/a.yml": b"\xff"}, "rules/a.yml"),
            ({"rules/a.yml": b"#" * (1 << 20) + b"#"}, "rules/a.yml"),
            ({"other/a.yml": ""}, "rules"),
            ({"rules": Symlink("/etc")}, "rules"),
        ],
    )
    async def test_a_broken_rule_file_stops_the_review(
        self, fetch: Fetch, repository: Repository, files: dict[str, Any], path: str
    ) -> None:
        on_main(repository, {CONFIGURATION: "packs: []\nrules: [rules]\n", **files})
        with pytest.raises(RuleError) as caught:
            await fetch(opened(repository, {"x.py": "x = 1\n"}))
        assert caught.value.path == path

    async def test_an_error_in_the_owners_files_says_where_they_are(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        github.create_repository("acme/.github", {CONFIGURATION: "packs: []\na: 1\nb: 2\n"})
        with pytest.raises(ConfigurationError, match=r"acme/\.github/\.github/jurat\.yml:2") as it:
            await fetch(opened(repository, {"x.py": "x = 1\n"}))
        assert [error.line for error in it.value.others] == [3]

    async def test_a_missing_permission_is_no_missing_configuration(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        github.faults.append(always(Fault(403, "Resource not accessible"), "GET", "/contents/"))
        with pytest.raises(AccessRefusedError):
            await fetch(opened(repository, {"x.py": "x = 1\n"}))


LINES = [f"line {number}" for number in range(40)]


def text(*changed: int, mark: str = "changed", end: str = "\n") -> str:
    lines = [f"{mark} {at}" if at in changed else line for at, line in enumerate(LINES)]
    return "\n".join(lines) + end


BEFORE: dict[str, Any] = {
    "kept.py": text(),
    "changed.py": text(),
    "no-end.py": text(end=""),
    "crlf.py": text().replace("\n", "\r\n"),
    "latin.py": text().encode() + b"# caf\xe9\n",
    "gone.py": text().replace("line", "gone"),
    "old name.py": text(),
    "moved.py": text(),
    "emptied.py": text(),
    "mode.sh": text(),
    "picture.png": b"\x89PNG\0one",
    "link": Symlink("kept.py"),
    "module": Submodule("a" * 40),
    "dir/ünïcode.py": text(),
    'q"uote\\.py': text(),
    "tab\tname.py": text(),
}
AFTER: dict[str, Any] = {
    "changed.py": text(3, 30),
    "no-end.py": text(39, end="\n"),
    "crlf.py": text(5).replace("\n", "\r\n"),
    "latin.py": text(7).encode() + b"# caf\xe9\n",
    "gone.py": None,
    "old name.py": None,
    "new name.py": text(9),
    "moved.py": None,
    "elsewhere/moved.py": text(),
    "emptied.py": "",
    "mode.sh": Executable(text().encode()),
    "picture.png": b"\x89PNG\0two",
    "link": Symlink("changed.py"),
    "module": Submodule("b" * 40),
    "dir/ünïcode.py": text(1),
    'q"uote\\.py': text(2),
    "tab\tname.py": text(4),
    "added.py": text().replace("line", "added"),
    "added-empty.py": "",
    "added-no-end.py": "x = 1",
}


class TestChange:
    async def test_texts_are_those_of_both_commits(
        self, fetch: Fetch, repository: Repository
    ) -> None:
        on_main(repository, BEFORE)
        material = await fetch(opened(repository, AFTER))
        files = by_path(material.change)
        assert {path for path, file in files.items() if file.unread} == set()
        for name in ("changed.py", "no-end.py", "crlf.py", "dir/ünïcode.py", 'q"uote\\.py'):
            assert files[name].base == BEFORE[name], name
            assert files[name].head == AFTER[name], name
        assert files["tab\tname.py"].head == AFTER["tab\tname.py"]
        assert files["added-no-end.py"].head == "x = 1"
        assert files["gone.py"].base == BEFORE["gone.py"]
        assert files["latin.py"].head == text(7) + "# caf\ufffd\n"
        assert files["new name.py"].old_path == "old name.py"
        assert (files["picture.png"].is_binary, files["picture.png"].head) == (True, None)
        assert files["module"].is_submodule
        assert files["link"].head is None

    async def test_only_files_whose_text_is_not_in_the_diff_are_fetched(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        on_main(repository, BEFORE)
        await fetch(opened(repository, AFTER))
        fetched = {
            exchange.path.partition("/contents/")[2]
            for exchange in github.exchanges
            if "contents" in exchange.route and ".github" not in exchange.path
        }
        assert fetched == {
            "changed.py",
            "no-end.py",
            "crlf.py",
            "latin.py",
            "new name.py",
            "emptied.py",
            "dir/ünïcode.py",
            'q"uote\\.py',
            "tab\tname.py",
            # Renamed and nothing else: it may come from where a rule did not apply.
            "elsewhere/moved.py",
        }

    async def test_many_files_come_in_one_archive(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        names = [f"f{number}.py" for number in range(30)]
        on_main(repository, dict.fromkeys(names, text()))
        material = await fetch(opened(repository, dict.fromkeys(names, text(3))))
        assert [file.head for file in material.change.files] == [text(3)] * 30
        assert [file.base for file in material.change.files] == [text()] * 30
        assert asked(github, "tarball") == 1
        assert asked(github, "contents") == 1  # the configuration

    async def test_what_attributes_do_to_an_archive_is_undone(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        names = [f"f{number}.py" for number in range(22)]
        attributes = "f1.py export-ignore\nf2.py text eol=crlf\nf3.py export-subst\n"
        keyword = "commit = '$Format:%H%n%H$'\n"
        on_main(repository, dict.fromkeys(names, text()) | {"f3.py": keyword + text()})
        changed = dict.fromkeys(names, text(3)) | {"f3.py": keyword + text(3)}
        pull = opened(repository, changed | {".gitattributes": attributes})
        files = by_path((await fetch(pull)).change)
        assert [files[name].head for name in names] == [changed[name] for name in names]
        assert asked(github, "tarball") == 1

    @pytest.mark.parametrize("status", [404, 403, 410])
    async def test_without_the_archive_files_are_fetched_one_by_one(
        self, fetch: Fetch, repository: Repository, github: StandIn, status: int
    ) -> None:
        names = [f"f{number}.py" for number in range(30)]
        on_main(repository, dict.fromkeys(names, text()))
        github.faults.append(always(Fault(status, "No"), "GET", "/tarball/"))
        material = await fetch(opened(repository, dict.fromkeys(names, text(3))))
        assert [file.head for file in material.change.files] == [text(3)] * 30

    async def test_a_file_whose_text_is_withheld_keeps_its_hunks(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        on_main(repository, {"a.py": text(), "big.py": text() + "#" * (1 << 20)})
        github.faults.append(always(Fault(403, "Too large"), "GET", "/contents/a.py"))
        pull = opened(repository, {"a.py": text(3), "big.py": text(3) + "#" * (1 << 20)})
        material = await fetch(pull)
        for file in material.change.files:
            assert (file.head, file.unread) == (None, None)
            assert file.added_lines == {4}

    async def test_a_file_that_github_fails_to_serve_fails_the_review(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        on_main(repository, {"a.py": text()})
        github.faults.append(always(BAD_GATEWAY, "GET", "/contents/a.py"))
        with pytest.raises(GitHubUnavailableError):
            await fetch(opened(repository, {"a.py": text(3)}))

    async def test_a_passing_fault_is_not_noticed(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        on_main(repository, {"a.py": text()})
        github.faults.append(once(BAD_GATEWAY, "GET", "/pulls/1"))
        github.faults.append(once(BAD_GATEWAY, "GET", "/contents/a.py"))
        assert by_path((await fetch(opened(repository, {"a.py": text(3)}))).change)["a.py"].head

    async def test_an_empty_pull_request_is_an_empty_change(
        self, fetch: Fetch, repository: Repository
    ) -> None:
        actions.create_branch(repository, "fix")
        pull = actions.open_pull_request(repository, head="fix")
        assert (await fetch(pull)).change == Diff()


def comparable(change: Diff) -> dict[str, FileChange]:
    """The files without their modes, which GitHub's list of files does not tell."""
    return {
        file.path: replace(
            file,
            old_mode=None,
            new_mode=None,
            hunks=tuple(replace(hunk, section="") for hunk in file.hunks),
        )
        for file in change.files
    }


class TestRebuilt:
    """The diff is withheld (406 above 300 files, 20,000 lines or 1 MB)."""

    @pytest.fixture
    def github(self, github: StandIn) -> StandIn:
        github.world.limits = DiffLimits(files=0)
        return github

    @pytest.mark.parametrize("patches", ["listed", "withheld"])
    async def test_the_list_of_files_gives_the_same_change(
        self, fetch: Fetch, repository: Repository, github: StandIn, patches: str
    ) -> None:
        on_main(repository, BEFORE)
        pull = opened(repository, {**AFTER, "link": None, "module": None, "latin.py": None})
        github.world.limits = DiffLimits()
        expected = comparable((await fetch(pull)).change)
        assert asked(github, "/files") == 0
        lines = 3_000 if patches == "listed" else 2
        github.world.limits = DiffLimits(files=0, file_lines=lines)
        rebuilt = comparable((await fetch(pull)).change)
        assert asked(github, "/files") == 1
        if patches == "withheld":
            # No patch and no counts: a link or a submodule cannot be told from text by the list.
            expected.pop("link")
            expected.pop("module")
            rebuilt.pop("link")
            rebuilt.pop("module")
        assert rebuilt == expected

    async def test_all_pages_are_read(self, fetch: Fetch, repository: Repository) -> None:
        names = [f"f{number:03}.py" for number in range(250)]
        pull = opened(repository, dict.fromkeys(names, "x = 1\n"))
        files = (await fetch(pull)).change.files
        assert [(file.path, file.head) for file in files] == [(name, "x = 1\n") for name in names]

    async def test_the_merge_base_is_what_is_compared_with(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        on_main(repository, {"a.py": text()})
        pull = opened(repository, {"a.py": text(3)})
        on_main(repository, {"a.py": text(30, mark="other"), "b.py": "x\n"})
        pull.base_sha = repository.head() or ""
        github.world.limits = DiffLimits(files=0, file_lines=2)
        (file,) = (await fetch(pull)).change.files
        assert (file.base, file.head, file.added_lines) == (text(), text(3), {4})

    async def test_files_that_github_does_not_list_are_told(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        github.world.limits = DiffLimits(files=0, listed_files=2)
        pull = opened(repository, {f"f{number}.py": "x = 1\n" for number in range(5)})
        *read, unlisted = (await fetch(pull)).change.files
        assert [file.path for file in read] == ["f0.py", "f1.py"]
        assert "leaves out 3" in (unlisted.unread or "")

    async def test_a_file_too_large_to_compare_is_unread(
        self, fetch: Fetch, repository: Repository
    ) -> None:
        pull = opened(repository, {"big.txt": "x\n" * 600_000, "a.py": "x = 1\n"})
        files = by_path((await fetch(pull)).change)
        assert files["big.txt"].status is FileStatus.ADDED
        assert "larger than 1,048,576 bytes" in (files["big.txt"].unread or "")
        assert files["a.py"].head == "x = 1\n"

    async def test_a_large_binary_file_is_binary(
        self, fetch: Fetch, repository: Repository
    ) -> None:
        pull = opened(repository, {"film": b"\0" * 1_200_000})
        (file,) = (await fetch(pull)).change.files
        assert (file.is_binary, file.unread) == (True, None)

    async def test_a_file_that_is_withheld_altogether_is_unread(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        github.world.limits = DiffLimits(files=0, file_lines=2)
        github.faults.append(always(Fault(403, "Too large"), "GET", "/contents/a.py"))
        pull = opened(repository, {"a.py": text(), "b.py": text()})
        files = by_path((await fetch(pull)).change)
        assert "status 403" in (files["a.py"].unread or "")
        assert files["b.py"].head == text()

    async def test_a_comparison_that_was_stopped_is_unread(
        self, fetch: Fetch, repository: Repository, github: StandIn
    ) -> None:
        def stopped(work: Callable[[Any], Any], items: Sequence[Any]) -> Sequence[ParseFailure]:
            return [ParseFailure("it took longer than 5 s")] * len(items)

        github.world.limits = DiffLimits(files=0, file_lines=2)
        pull = opened(repository, {"a.py": text()})
        (file,) = (await fetch(pull, stopped)).change.files
        assert file.unread == "it took longer than 5 s"

    async def test_only_so_many_files_are_computed(
        self, fetch: Fetch, repository: Repository, github: StandIn, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr("jurat.github.diffs.MAX_REBUILT", 2)
        github.world.limits = DiffLimits(files=0, file_lines=2)
        pull = opened(repository, {f"f{number}.py": text() for number in range(4)})
        unread = [file.unread for file in (await fetch(pull)).change.files]
        assert [reason is None for reason in unread] == [True, True, False, False]


async def test_a_diff_with_fewer_files_than_the_pull_request_is_not_trusted(
    fetch: Fetch, repository: Repository, github: StandIn, monkeypatch: Any
) -> None:
    pull = opened(repository, {"a.py": text(), "b.py": text()})
    whole = GitHub.read_bytes

    async def cut(self: GitHub, *arguments: Any, **options: Any) -> bytes:
        content = await whole(self, *arguments, **options)
        return content.partition(b"diff --git a/b.py")[0]

    monkeypatch.setattr(GitHub, "read_bytes", cut)
    assert set(by_path((await fetch(pull)).change)) == {"a.py", "b.py"}
    assert asked(github, "/files") == 1
