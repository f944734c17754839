"""README.md promises what there is: commands, options, exit codes, files, a rule that works.

The pages in docs/ show commands as well.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml
from typer.core import TyperGroup

from jurat import __version__
from jurat.cli.main import app
from jurat.cli.registry import load_command
from jurat.errors import ExitCode
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import RuleKind
from tests.support.production import python

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
URLS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]
PAGES = sorted((ROOT / "docs").glob("*.md"))
_COMMAND = re.compile(r"^(?:\$ |- (?:run: )?|pipx run --spec \S+ )?(jurat .+)$")
"""A command in a block: alone, behind a prompt, as a step of a build, or run without installing."""


def list_blocks(page: str) -> list[tuple[str, str]]:
    """The blocks of code on a page, each with its language."""
    return re.findall(r"^ *```(\w*)\n(.*?)^ *```$", page, re.MULTILINE | re.DOTALL)


def list_anchors(page: str) -> set[str]:
    """What GitHub makes of each heading."""
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


BLOCKS = list_blocks(README)


def command_lines() -> list[str]:
    """Every `jurat …` that the page shows, as a line of its own or within one."""
    blocks = [line.strip() for _, block in BLOCKS for line in block.splitlines()]
    spans = re.findall(r"`([^`\n]+)`", README)
    return [line for line in [*blocks, *spans] if line.startswith("jurat ")]


def copied_lines() -> list[str]:
    """Every `jurat …` in a block of the other pages, which readers copy as it stands."""
    blocks = [block for page in PAGES for _, block in list_blocks(page.read_text())]
    found = (_COMMAND.match(line.strip()) for block in blocks for line in block.splitlines())
    return [command[1] for command in found if command]


def parse(arguments: list[str]) -> None:
    """Have the command line read them; its error if it cannot."""
    command: Any = typer.main.get_command(app)  # of the click that typer brings along
    words = list(arguments)
    while words and isinstance(command, TyperGroup):
        _, command, words = command.resolve_command(typer.Context(command), words)
    with command.make_context(command.name, words):
        pass


def test_the_page_shows_commands() -> None:
    assert len(command_lines()) >= 10
    assert len(copied_lines()) >= 10


@pytest.mark.parametrize("line", [*command_lines(), *copied_lines()])
def test_every_command_line_is_one_that_jurat_has(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = shlex.split(line.partition(" > ")[0], comments=True)[1:]
    monkeypatch.chdir(tmp_path)
    for name in arguments:  # files and folders that the reader has
        if re.fullmatch(r"[\w./-]+\.\w+", name):
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).touch()
        elif name in {"house-rules", "OLD", "NEW"}:
            Path(name).mkdir()
    parse(arguments)


def test_an_option_that_is_not_there_would_be_seen() -> None:
    for line in ("review --form sarif", "rules chek", "serve here", "rate . --format pdf"):
        with pytest.raises(
            Exception, match=r"No such option|No such command|unexpected|is not one"
        ):
            parse(line.split())


def test_the_exit_codes_are_those_of_the_command() -> None:
    (sentence,) = re.findall(r"^The exit code is .+?\.", README, re.MULTILINE)
    assert [int(code) for code in re.findall(r"\b(\d)\b", sentence)] == sorted(ExitCode)
    review: Any = load_command("review")
    defaults = {parameter.name: parameter.default for parameter in review.params}
    assert f"`--fail-on` (default `{defaults['fail_on'].value}`)" in sentence


def test_what_it_costs_is_what_the_other_pages_say() -> None:
    costs = README.split("## What it costs, and what it cannot\n")[1].split("\n## ")[0]
    models = (ROOT / "docs" / "models.md").read_text()
    for tokens in re.findall(r"[\d,]+(?= tokens)|(?<=one of )[\d,]+", costs):
        assert f" {tokens} (1) |" in models
    rules = load_ruleset(read_pack("engineering")).rules
    assert sum(rule.kind is RuleKind.NORMATIVE for rule in rules.values()) == 3
    assert "All but three of the shipped rules need none" in costs


@pytest.mark.parametrize(
    ("said", "row"),
    [
        (r"(\d+) in (\d+) of the grave ones", "HIGH and CRITICAL: faults stopped"),
        (r"(\d+) in (\d+) of the real ones", "found before the fix"),
        (r"(\d+) in (\d+) of the changes", "changes that were merged"),
        (r"(\d+) in (\d+) was right", "right of what blocks"),
    ],
)
def test_how_often_it_is_right_is_what_was_measured(said: str, row: str) -> None:
    """Rounded, so that a measurement moves it only when it must."""
    part, whole = map(int, next(re.finditer(said, README)).groups())
    (line,) = [
        line
        for line in (ROOT / "docs" / "quality.md").read_text().splitlines()
        if line.startswith("|") and row in line
    ]
    share = float(line.split("|")[4].strip().rstrip("%")) / 100
    assert part / whole == pytest.approx(share, rel=0.12)


def test_how_to_install_comes_before_the_first_command() -> None:
    first = min(README.index(f"\n{line}") for line in command_lines() if f"\n{line}" in README)
    assert README.index("## Install\n") < first


def test_the_wheel_and_the_image_are_of_this_version() -> None:
    for page in ("README.md", "SECURITY.md"):
        text = (ROOT / page).read_text()
        wheels = re.findall(r"jurat-([\w.]+)-py3-none-any\.whl", text)
        images = re.findall(r"ghcr\.io/[\w-]+/jurat:([\w.]+)", text)
        assert {*wheels, *images} == {__version__}


def test_make_has_the_targets() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"(?:^|`)make (\w[\w-]*)", README, re.MULTILINE))
    assert named >= {"demo", "test", "dist"}
    assert [name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


@pytest.mark.parametrize("page", ["README.md", "SECURITY.md"])
def test_links_within_the_repository_lead_somewhere(page: str) -> None:
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)]+)\)", (ROOT / page).read_text())
    assert links
    raw = URLS["Homepage"].replace("github.com", "raw.githubusercontent.com") + "/main/"
    for picture, target in links:
        if picture:  # seen wherever the page is shown, a package index too
            assert target.startswith(raw)
            assert (ROOT / target.removeprefix(raw)).exists()
        elif "://" in target:
            assert target.startswith(URLS["Homepage"] + "/")
        else:
            name, _, anchor = target.partition("#")
            assert (ROOT / name).exists(), target
            assert not anchor or anchor in list_anchors((ROOT / name).read_text()), target


def test_the_projects_urls_are_of_one_home() -> None:
    assert {"Homepage", "Documentation", "Changelog", "Issues", "Security"} == URLS.keys()
    assert [url for url in URLS.values() if not url.startswith(URLS["Homepage"])] == []
    tree = URLS["Homepage"] + r"/(?:blob|tree)/main/(.+)"
    paths = [found[1] for url in URLS.values() if (found := re.fullmatch(tree, url))]
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_first_rule_is_in_force_where_the_page_puts_it_and_passes_its_examples(
    tmp_path: Path,
) -> None:
    shown = {block.partition("\n")[0].removeprefix("# "): block for kind, block in BLOCKS if kind}
    workflow = shown.pop(".github/workflows/jurat.yml")
    assert workflow.partition("\n")[2] in (ROOT / "docs" / "ci.md").read_text()
    assert shown.keys() == {".github/jurat.yml", "house-rules/money.yml"}
    for name, text in shown.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    assert yaml.safe_load(shown[".github/jurat.yml"])["rules"] == ["house-rules"]
    for command in ("check", "test"):
        program = [python(), "-m", "jurat", "rules", command, "house-rules"]
        ended = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
