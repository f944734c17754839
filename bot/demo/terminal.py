"""A reviewed pull request in the terminal, as GitHub would show it."""

from __future__ import annotations

import re

from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from bot.demo.view import CommentView, PullRequestView
from bot.publishing.plaintext import to_visible_text
from bot.subjects.change import Line

_COLOURS = {"failure": "red", "success": "green", "action_required": "yellow"}
_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "context": (" ", "dim")}
_CONTEXT = 3
_SECTION = re.compile(r"<details>\s*<summary>(.*?)</summary>.*?</details>", re.DOTALL)
_FENCED_SUGGESTION = re.compile(r"^(`{3,})suggestion.*?^\1\s*$", re.DOTALL | re.MULTILINE)
_HIDDEN = re.compile(r"<!--.*?-->", re.DOTALL)


def show(view: PullRequestView, console: Console) -> None:
    """Print the check run, then each inline comment under its hunk, its suggestion as a diff."""
    console.print(Rule(Text(f"{view.repository} #{view.number}  {to_visible_text(view.title)}")))
    colour = _COLOURS.get(view.check.conclusion, "yellow")
    heading = Text.assemble(
        ("● ", colour),
        (f"{view.check.name} · {view.check.conclusion.replace('_', ' ')}", f"bold {colour}"),
        f"   {view.check.title}",
    )
    console.print(Panel(Markdown(_folded(view.check.summary)), title=heading, title_align="left"))
    for comment in view.comments:
        console.print()
        console.print(_hunk(view, comment))
        console.print(Padding(_remark(view, comment), (0, 0, 0, 4)))


def _hunk(view: PullRequestView, comment: CommentView) -> RenderableType:
    lines = [
        line
        for file in view.files
        if file.path == comment.path
        for hunk in file.hunks
        for line in hunk.lines
        if line.new is not None and comment.start_line - _CONTEXT <= line.new <= comment.line
    ]
    span = f"{comment.start_line}-" if comment.start_line != comment.line else ""
    place = Text(f"{to_visible_text(comment.path)}:{span}{comment.line}", "bold cyan")
    return Group(place, *(_diff_line(line) for line in lines))


def _remark(view: PullRequestView, comment: CommentView) -> RenderableType:
    parts: list[RenderableType] = []
    said, *rest = _FENCED_SUGGESTION.split(comment.body, maxsplit=1)
    parts.append(Markdown(_folded(said)))
    if comment.suggestion is not None:
        parts += [Text(), Text("Suggested change", "dim")]
        parts += [_signed("removed", line.text) for line in view.commented_lines(comment)]
        parts += [_signed("added", text) for text in comment.suggestion.splitlines()]
        parts += [Text(), Markdown(_folded(rest[-1]))]
    return Panel(Group(*parts), title=Text(comment.author), title_align="left", border_style="dim")


def _diff_line(line: Line) -> Text:
    number = Text(f"{line.new or '':>5} ", "dim")
    return number + _signed(line.kind, line.text)


def _signed(kind: str, text: str) -> Text:
    sign, colour = _SIGNS[kind]
    return Text(f"{sign} {to_visible_text(text)}", colour)


def _folded(text: str) -> str:
    """Markdown as GitHub first shows it: of a folded section only the title, no hidden comment.

    A cell of a table has one line here.
    """
    shown = _SECTION.sub(r"▸ \1\n", text).replace("<br>", " — ")
    return _HIDDEN.sub("", shown).replace("&#64;", "@").replace("&#8203;", "")
