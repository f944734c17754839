"""The table of attacks in docs/threat-model.md, made from the tests that play them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.attacks.attack import ATTACKERS, Attacker

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "threat-model.md"
BEGIN = "<!-- attacks: made by `make attack`, not by hand -->\n"
END = "<!-- end of attacks -->\n"


@dataclass(frozen=True, slots=True)
class Attack:
    """One played attack."""

    by: Attacker
    tries: str
    gets: str


def collect_attacks() -> tuple[Attack, ...]:
    """All attacks of this folder, each test function once, in the order of their files."""
    files = sorted(Path(__file__).parent.glob("test_*.py"))
    modules = (import_module(f"{__package__}.{file.stem}") for file in files)
    return tuple(attack for module in modules for attack in _iter_attacks(module))


def _iter_attacks(holder: object) -> Iterator[Attack]:
    """Those that the tests of a module or a class play."""
    for name, test in vars(holder).items():
        if isinstance(test, type) and name.startswith("Test"):
            yield from _iter_attacks(test)
        for mark in getattr(test, "pytestmark", ()) if name.startswith("test_") else ():
            if mark.name == "attack":
                yield Attack(**mark.kwargs)


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
