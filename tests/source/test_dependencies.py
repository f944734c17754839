"""Dependencies added, removed and moved to another version."""

from __future__ import annotations

from pathlib import Path

import pytest

from jurat.facts.derived import find_dependency_changes
from jurat.source.diff import FileChange
from tests.support.changes import changed_file, whole_file

MANIFESTS = {
    "requirements.txt": (
        "# pinned\n"
        "flask==3.0.3\n"
        "old-one>=1,<2 ; python_version < '3.9'\n"
        "Keep_Me[extra]~=2.0  # why\n"
        "-r more.txt\n",
        "# pinned\nflask==3.1.0\nKeep_Me[extra]~=2.0  # why\n-r more.txt\nnew.One\n",
        {("flask", "3.0.3", "3.1.0", 2)},
        {("new-one", None, None, 5)},
        {("old-one", ">=1,<2", None, None)},
    ),
    "pyproject.toml": (
        "[project]\n"
        'name = "x"\n'
        "dependencies = [\n"
        '    "flask==3.0.3",\n'
        '    "old>=1",\n'
        "]\n"
        "\n"
        "[project.optional-dependencies]\n"
        'dev = ["ruff>=0.4"]\n',
        "[project]\n"
        'name = "x"\n'
        "dependencies = [\n"
        '    "flask==3.1.0",\n'
        '    "new>=1",\n'
        "]\n"
        "\n"
        "[project.optional-dependencies]\n"
        'dev = ["ruff>=0.4"]\n',
        {("flask", "3.0.3", "3.1.0", 4)},
        {("new", None, ">=1", 5)},
        {("old", ">=1", None, None)},
    ),
    "package.json": (
        "{\n"
        '  "name": "x",\n'
        '  "version": "1.0.0",\n'
        '  "engines": {"node": ">=18"},\n'
        '  "dependencies": {\n'
        '    "express": "^4.19.2",\n'
        '    "old": "1.0.0"\n'
        "  }\n"
        "}\n",
        "{\n"
        '  "name": "x",\n'
        '  "version": "1.1.0",\n'
        '  "engines": {"node": ">=20"},\n'
        '  "dependencies": {\n'
        '    "express": "^5.0.0",\n'
        '    "@scope/new": "workspace:*"\n'
        "  }\n"
        "}\n",
        {("express", "^4.19.2", "^5.0.0", 6)},
        {("@scope/new", None, "workspace:*", 7)},
        {("old", "1.0.0", None, None)},
    ),
    "go.mod": (
        "module example.com/x\n"
        "\n"
        "go 1.21\n"
        "\n"
        "require (\n"
        "\tgithub.com/a/b v1.0.0\n"
        "\tgolang.org/x/old v0.1.0\n"
        ")\n",
        "module example.com/x\n"
        "\n"
        "go 1.22\n"
        "\n"
        "require (\n"
        "\tgithub.com/a/b v1.2.0\n"
        ")\n"
        "\n"
        "require gopkg.in/new.v2 v2.0.0 // indirect\n",
        {("github.com/a/b", "v1.0.0", "v1.2.0", 6)},
        {("gopkg.in/new.v2", None, "v2.0.0", 9)},
        {("golang.org/x/old", "v0.1.0", None, None)},
    ),
    "Cargo.toml": (
        "[package]\n"
        'name = "x"\n'
        'version = "0.1.0"\n'
        "\n"
        "[dependencies]\n"
        'serde = { version = "1.0.1", features = ["derive"] }\n'
        'old = "0.3"\n',
        "[package]\n"
        'name = "x"\n'
        'version = "0.2.0"\n'
        "\n"
        "[dependencies]\n"
        'serde = { version = "1.0.9", features = ["derive"] }\n'
        'new = "0.4"\n',
        {("serde", "1.0.1", "1.0.9", 6)},
        {("new", None, "0.4", 7)},
        {("old", "0.3", None, None)},
    ),
    "Gemfile": (
        'source "https://rubygems.org"\ngem "rails", "~> 7.0"\ngem "old"\n',
        'source "https://rubygems.org"\n'
        'gem "rails", "~> 7.1"\n'
        "gem 'new', \"1.0\", require: false\n",
        {("rails", "~> 7.0", "~> 7.1", 2)},
        {("new", None, "1.0", 3)},
        {("old", None, None, None)},
    ),
    "pom.xml": (
        "<project>\n"
        "  <artifactId>x</artifactId>\n"
        "  <version>1</version>\n"
        "  <dependencies>\n"
        "    <dependency>\n"
        "      <groupId>g</groupId>\n"
        "      <artifactId>a</artifactId>\n"
        "      <version>1.0</version>\n"
        "    </dependency>\n"
        "    <dependency>\n"
        "      <groupId>g</groupId>\n"
        "      <artifactId>old</artifactId>\n"
        "    </dependency>\n"
        "  </dependencies>\n"
        "</project>\n",
        "<project>\n"
        "  <artifactId>x</artifactId>\n"
        "  <version>2</version>\n"
        "  <dependencies>\n"
        "    <dependency>\n"
        "      <groupId>g</groupId>\n"
        "      <artifactId>a</artifactId>\n"
        "      <version>1.5</version>\n"
        "    </dependency>\n"
        "    <dependency>\n"
        "      <groupId>g</groupId>\n"
        "      <artifactId>new</artifactId>\n"
        "      <version>3</version>\n"
        "    </dependency>\n"
        "  </dependencies>\n"
        "</project>\n",
        {("g:a", "1.0", "1.5", 8)},
        {("g:new", None, "3", 13)},
        {("g:old", None, None, None)},
    ),
    "build.gradle.kts": (
        'dependencies {\n    implementation("g:a:1.0")\n    testImplementation("g:old:2.0")\n}\n',
        'dependencies {\n    implementation("g:a:1.1")\n    api("g:new:2.0")\n}\n',
        {("g:a", "1.0", "1.1", 2)},
        {("g:new", None, "2.0", 3)},
        {("g:old", "2.0", None, None)},
    ),
    "Shop.csproj": (
        "<ItemGroup>\n"
        '  <PackageReference Include="A" Version="1.0" />\n'
        '  <PackageReference Include="Old" Version="1" />\n'
        "</ItemGroup>\n",
        "<ItemGroup>\n"
        '  <PackageReference Include="A" Version="1.1" />\n'
        '  <PackageReference Include="New" Version="1" />\n'
        "</ItemGroup>\n",
        {("A", "1.0", "1.1", 2)},
        {("New", None, "1", 3)},
        {("Old", "1", None, None)},
    ),
    "composer.json": (
        '{"require": {\n  "monolog/monolog": "^2.0",\n  "old/old": "1.0"\n}}\n',
        '{"require": {\n  "monolog/monolog": "^3.0",\n  "new/new": "1.0"\n}}\n',
        {("monolog/monolog", "^2.0", "^3.0", 2)},
        {("new/new", None, "1.0", 3)},
        {("old/old", "1.0", None, None)},
    ),
}
Entry = tuple[str, str | None, str | None, int | None]


def found(file: FileChange) -> dict[str, set[Entry]]:
    return {
        kind: {
            (entry["name"], entry["from"], entry["to"], entry.get("start_line"))
            for entry in entries
        }
        for kind, entries in find_dependency_changes([file]).items()
    }


@pytest.mark.parametrize("at_hand", ["whole texts", "hunks"])
@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_tells_what_came_went_and_moved(name: str, at_hand: str, tmp_path: Path) -> None:
    base, head, upgraded, added, removed = MANIFESTS[name]
    make = whole_file if at_hand == "whole texts" else changed_file

    expected = {"upgraded": upgraded, "added": added, "removed": removed}
    assert found(make(tmp_path, f"app/{name}", base, head)) == expected


def test_all_of_a_new_manifest_is_added(tmp_path: Path) -> None:
    file = changed_file(tmp_path, "requirements/dev.txt", None, "pytest==8.0\n")

    assert found(file)["added"] == {("pytest", None, "8.0", 1)}


def test_a_manifest_that_does_not_parse_is_read_by_its_lines(tmp_path: Path) -> None:
    base = '{"dependencies": {\n  "a": "1.0.0",\n  "b": "1.0.0"\n}}\n'
    file = whole_file(tmp_path, "package.json", base, base.replace("1.0.0", "2.0.0")[:-4])

    assert {entry[0] for entry in found(file)["upgraded"]} == {"a", "b"}


@pytest.mark.parametrize(
    "text", ["[]", '"x"', '{"dependencies": []}', '{"dependencies": {"a": 1}}', "[" * 9000]
)
def test_a_manifest_of_no_known_shape_is_no_error(text: str, tmp_path: Path) -> None:
    found(whole_file(tmp_path, "package.json", "{}", text))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("pyproject.toml", '"flask==3.0"' + " " * 200_000 + "x"),
        ("requirements.txt", "flask" + "\t" * 200_000 + "x"),
    ],
)
def test_a_line_of_blanks_takes_no_longer_than_another(
    path: str, line: str, tmp_path: Path
) -> None:
    assert found(changed_file(tmp_path, path, None, f"{line}\n"))["added"] == set()


def test_another_file_is_no_manifest(tmp_path: Path) -> None:
    file = changed_file(tmp_path, "notes.txt", None, "pytest==8.0\n")

    assert find_dependency_changes([file]) == {"added": [], "removed": [], "upgraded": []}
