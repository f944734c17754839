"""What a machine made is marked by what is done to it, and a mark that nothing writes is none."""

from __future__ import annotations

import pytest

from jurat.rating.recon import scan_worktree
from tests.rating.test_recon_signals import signal
from tests.support.rating import worktree_of

MADE = "import subprocess\nimport openai\n\n\ndef draw(text):\n    out = openai.OpenAI().images.generate(prompt=text)\n"  # noqa: E501
TOOL = "    subprocess.run(['c2patool', 'out.png', '-m', 'manifest.json'], check=True)\n"
LABEL = "    subprocess.run(['convert', 'out.png', '-draw', 'Made with AI', 'out.png'])\n"


def _hold(name: str, files: dict[str, str]) -> list[str]:
    found, _ = scan_worktree(worktree_of(files))
    return [one.said for one in found.keep_held()[name].evidence]


def test_a_tool_that_signs_marks_what_was_made() -> None:
    assert _hold("provenance_marking", {"main.py": f"{MADE}{TOOL}\n\ndraw(input())\n"})
    assert not _hold(
        "provenance_marking", {"main.py": f"{MADE}    return out\n\n\ndraw(input())\n"}
    )


def test_a_label_that_is_drawn_is_seen() -> None:
    assert "labelled_output" in _hold(
        "ai_disclosure", {"main.py": f"{MADE}{LABEL}\n\ndraw(input())\n"}
    )


def test_a_label_that_nothing_draws_is_none() -> None:
    dead = "LABEL = 'Made with AI'\n\n\ndef label(image):\n    return image\n"
    files = {"main.py": f"{MADE}    return out\n\n\ndraw(input())\n", "label.py": dead}
    assert _hold("ai_disclosure", files) == []


PAGE = "<html><body><p>You are chatting with a robot,\n not with a person.</p></body></html>"
ASK = "import openai\nfrom flask import Flask, render_template\napp = Flask(__name__)\n\n\n@app.get('/')\ndef page():\n    {}\n"  # noqa: E501


@pytest.mark.parametrize(
    ("path", "code", "shown"),
    [
        ("templates/chat.html", "return render_template('chat.html')", True),
        ("templates/chat.html", "return 'hello'", False),
        ("public/chat.html", "return 'hello'", True),
        ("docs/chat.html", "return render_template('chat.html')", False),
    ],
)
def test_a_notice_counts_on_a_page_that_is_shown(path: str, code: str, shown: bool) -> None:
    files = {path: PAGE, "app.py": ASK.format(code)}
    assert bool(_hold("ai_disclosure", files)) is shown


def test_a_page_that_a_shown_page_takes_in_is_shown() -> None:
    files = {
        "templates/base.html": PAGE,
        "templates/chat.html": "{% extends 'base.html' %}",
        "app.py": ASK.format("return render_template('chat.html')"),
    }
    assert _hold("ai_disclosure", files)


@pytest.mark.parametrize(
    "hidden",
    [f"<!-- {PAGE} -->", f"<script>/* {PAGE} */</script>", "{# You are chatting with a robot #}"],
)
def test_what_a_page_does_not_show_tells_nobody(hidden: str) -> None:
    assert not signal("ai_disclosure", {"index.html": hidden})
