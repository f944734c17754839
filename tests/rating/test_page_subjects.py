"""What pages of a large program tell: each pair differs in where it stands, or in its title."""

from __future__ import annotations

import pytest

from jurat.rating.recon import scan_worktree
from jurat.rating.signals.page_subjects import is_of_whole, list_product_words
from tests.support.rating import worktree_of

PRODUCT = list_product_words(("Hireflow: rank applicants", "hireflow"))


@pytest.mark.parametrize(
    ("path", "title", "signal"),
    [
        ("README.md", "Whatever", "limitations_document"),
        ("docs/index.rst", "Hello", "instructions_for_use"),
        ("docs/start/introduction.md", "Hello", "technical_documentation"),
        ("docs/limits.md", "Known limitations of Hireflow 2", "limitations_document"),
        ("docs/x.md", "Architecture", "technical_documentation"),
        ("docs/architecture.md", "Of boxes and arrows", "technical_documentation"),
        ("governance/training.md", "Training of operators", "operator_training_document"),
        ("PRIVACY.md", "Your data", "privacy_document"),
    ],
)
def test_a_front_page_and_a_page_called_as_an_account_is_tell_of_the_product(
    path: str, title: str, signal: str
) -> None:
    assert is_of_whole(path, title, signal, PRODUCT)


@pytest.mark.parametrize(
    ("path", "title", "signal"),
    [
        ("packages/mail/README.md", "Limitations", "limitations_document"),
        ("docs/scanners/toxicity.md", "Toxicity scanner", "technical_documentation"),
        ("docs/mail.md", "Architecture of the mail queue", "technical_documentation"),
        ("docs/styles.md", "PDF template guide", "instructions_for_use"),
        ("skills/refs/models.md", "Intended use", "intended_use_document"),
        ("BACKLOG.md", "Issues by difficulty", "risk_management_document"),
        ("docs/limits.md", "Known limitations of Hireflow 2", "technical_documentation"),
    ],
)
def test_a_page_on_a_part_or_on_something_else_does_not(path: str, title: str, signal: str) -> None:
    assert not is_of_whole(path, title, signal, PRODUCT)


LIMITS = """# TITLE

## Known limitations

It cannot read scans, and it is wrong in 7 % of 2,000 applications that we tested in 2026.
It must not be used for decisions on people under 18, as none of them was in the data.
"""


@pytest.mark.parametrize(
    ("title", "lines", "told"),
    [("Mail queue", 10, True), ("Mail queue", 4_000, False), ("Limits", 4_000, True)],
)
def test_a_small_program_has_no_parts(title: str, lines: int, *, told: bool) -> None:
    code = "def go():\n" + "    pass\n" * lines
    files = {"main.py": code, "docs/notes.md": LIMITS.replace("TITLE", title)}
    signals, _ = scan_worktree(worktree_of(files))
    assert signals["limitations_document"]
    assert bool(signals.keep_held()["limitations_document"]) is told


COURSES = """# TITLE

Each of the 14 case workers must pass an exam of 20 questions, every year since 1 March 2026, before
they may work with the system. A course of 2 hours for operators tells them its limits, what is
wrong in 7 % of answers, and how to overrule it.
"""


@pytest.mark.parametrize(
    ("path", "title", "told"),
    [
        ("README.md", "Hireflow", False),
        ("README.md", "Training of operators", True),
        ("docs/people.md", "Hireflow", True),
    ],
)
def test_a_front_page_tells_what_its_makers_do_under_a_heading_that_says_so(
    path: str, title: str, *, told: bool
) -> None:
    files = {path: COURSES.replace("TITLE", title), "main.py": "import openai\n"}
    signals, _ = scan_worktree(worktree_of(files))
    assert bool(signals.keep_held()["operator_training_document"]) is told
