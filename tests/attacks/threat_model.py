"""The table of attacks in docs/threat-model.md, made from the tests that play them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.attacks.attack import ATTACKERS, Attacker

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "threat-model.md"
BEGIN = "<!-- attacks: made by `make attack`, not by hand -->\n"
END = "<!-- end of attacks -->\n"


@dataclass(frozen=True, slots=True)
class Attack:
    """One played attack, and the test that plays it as `path::function`."""

    by: Attacker
    tries: str
    gets: str
    test: str


class _Collector:
    """A pytest plugin that keeps what is marked as an attack, each test function once."""

    def __init__(self) -> None:
        self.attacks: dict[str, Attack] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            if mark := item.get_closest_marker("attack"):
                test = item.nodeid.partition("[")[0]
                self.attacks[test] = Attack(**mark.kwargs, test=test)


def collect_attacks() -> tuple[Attack, ...]:
    """All attacks of this folder, in the order of their files, as pytest collects them."""
    collector = _Collector()
    # Without the terminal's plugin, pytest does not know the -q that pyproject.toml gives it.
    quiet = ["-p", "no:terminal", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    code = pytest.main(["--collect-only", *quiet, str(Path(__file__).parent)], plugins=[collector])
    if code != pytest.ExitCode.OK:
        raise SystemExit(f"the attacks cannot be collected: pytest says {code}")
    return tuple(collector.attacks.values())


def render_table(attacks: tuple[Attack, ...]) -> str:
    """One Markdown table for each attacker, with the number of attacks in its heading."""
    parts = [f"{len(attacks)} attacks are played by `make attack`, and by each run of the tests.\n"]
    for attacker in ATTACKERS:
        rows = [attack for attack in attacks if attack.by == attacker]
        heading = f"{attacker[0].upper()}{attacker[1:]}: {len(rows)}"
        parts.append(f"\n### {heading}\n\n| tries to | gets |\n|---|---|\n")
        parts.extend(f"| {_cell(row.tries)} | {_cell(row.gets)} |\n" for row in rows)
    return "".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def write_page(attacks: tuple[Attack, ...]) -> str:
    """The page with its table made anew; what stands outside the marks is kept."""
    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or not after:
        raise SystemExit(f"{PAGE.name} has lost its marks {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}{render_table(attacks)}{END}{after}"
