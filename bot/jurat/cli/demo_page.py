"""The demo's pull request as GitHub would show it: in the terminal, and as a page."""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup
from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from jurat.reports.markdown import load_templates
from jurat.source.diff import FileChange, Line
from jurat.source.diff_parser import parse_diff
from jurat.source.visible_text import to_terminal_line, to_terminal_text, to_visible_text

# One self-contained HTML page that looks like the pull request's conversation and files tabs.

_TAGS = {
    *("a", "blockquote", "br", "code", "details", "div", "em", "h1", "h2", "h3", "hr", "li", "ol"),
    *("p", "pre", "span", "strong", "sub", "summary", "table", "tbody", "td", "th", "thead"),
    *("tr", "ul"),
}
_ATTRIBUTES = {"a": {"href"}, "div": {"class"}, "span": {"class"}, "code": {"class"}}


def render_page(view: PullRequestView, note: str) -> str:
    """The page as HTML. `note` says under what conditions the review was made."""
    templates = load_templates(Path(__file__).parent / "templates")
    templates.filters |= {"visible": to_visible_text}
    return templates.get_template("demo.html.j2").render(
        view=view,
        note=note,
        markdown=_render_markdown,
        comment_html=lambda comment: _render_comment_html(view, comment),
    )


def _render_comment_html(view: PullRequestView, comment: CommentView) -> Markup:
    original = [line.text for line in view.list_commented_lines(comment)]
    return _render_markdown(comment.body, {"original": original})


def _render_markdown(text: str, env: MutableMapping[str, Any] | None = None) -> Markup:
    """Markdown as GitHub renders it: its own HTML subset, sanitised after rendering."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.add_render_rule("fence", _render_fence)
    html = parser.render(text, env if env is not None else {})
    # The sanitiser drops what is not listed: scripts, styles, handlers, comments.
    return Markup(nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES))  # noqa: S704


def _render_fence(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    options: Any,
    env: MutableMapping[str, Any],
) -> str:
    token = tokens[index]
    if token.info.strip() == "suggestion":
        removed, added = env.get("original", []), token.content.splitlines()
        return (
            '<div class="suggestion"><div class="suggestion-title">Suggested change</div>'
            f"{_render_diff_rows(removed, 'removed')}{_render_diff_rows(added, 'added')}</div>"
        )
    if token.info.strip() == "diff":
        rows = "".join(
            _render_diff_rows([line[1:]], "removed" if line.startswith("-") else "added")
            for line in token.content.splitlines()
        )
        return f'<div class="suggestion">{rows}</div>'
    return renderer.fence(tokens, index, options, env)


def _render_diff_rows(lines: Sequence[str], kind: str) -> str:
    sign = "+" if kind == "added" else "-"
    return "".join(
        f'<div class="{kind}">{sign} {escape(to_visible_text(line))}</div>' for line in lines
    )


_COLOURS = {"failure": "red", "success": "green", "action_required": "yellow"}
_SIGNS = {"added": ("+", "green"), "removed": ("-", "red"), "context": (" ", "dim")}
_CONTEXT = 3
_SECTION = re.compile(r"<details>\s*<summary>(.*?)</summary>.*?</details>", re.DOTALL)
_FENCED_SUGGESTION = re.compile(r"^(`{3,})suggestion.*?^\1\s*$", re.DOTALL | re.MULTILINE)
_HIDDEN = re.compile(r"<!--.*?-->", re.DOTALL)


def print_view(view: PullRequestView, console: Console) -> None:
    """Print the check run, then each inline comment under its hunk, its suggestion as a diff."""
    title = to_terminal_line(f"{view.repository} #{view.number} {view.title}")
    console.print(Rule(Text(title)))
    colour = _COLOURS.get(view.check.conclusion, "yellow")
    heading = Text.assemble(
        ("● ", colour),
        (f"{view.check.name} · {view.check.conclusion.replace('_', ' ')}", f"bold {colour}"),
        f"   {to_terminal_line(view.check.title)}",
    )
    console.print(
        Panel(Markdown(_fold_markdown(view.check.summary)), title=heading, title_align="left")
    )
    for comment in view.comments:
        console.print()
        console.print(_render_hunk(view, comment))
        console.print(Padding(_render_remark(view, comment), (0, 0, 0, 4)))


def _render_hunk(view: PullRequestView, comment: CommentView) -> RenderableType:
    lines = [
        line
        for file in view.files
        if file.path == comment.path
        for hunk in file.hunks
        for line in hunk.lines
        if line.new is not None and comment.start_line - _CONTEXT <= line.new <= comment.line
    ]
    span = f"{comment.start_line}-" if comment.start_line != comment.line else ""
    place = Text(f"{to_terminal_text(comment.path)}:{span}{comment.line}", "bold cyan")
    return Group(place, *(_render_diff_line(line) for line in lines))


def _render_remark(view: PullRequestView, comment: CommentView) -> RenderableType:
    parts: list[RenderableType] = []
    said, *rest = _FENCED_SUGGESTION.split(comment.body, maxsplit=1)
    parts.append(Markdown(_fold_markdown(said)))
    if comment.suggestion is not None:
        parts += [Text(), Text("Suggested change", "dim")]
        lines = view.list_commented_lines(comment)
        parts += [_format_signed("removed", line.text) for line in lines]
        parts += [_format_signed("added", text) for text in comment.suggestion.splitlines()]
        parts += [Text(), Markdown(_fold_markdown(rest[-1]))]
    return Panel(
        Group(*parts),
        title=Text(to_terminal_line(comment.author)),
        title_align="left",
        border_style="dim",
    )


def _render_diff_line(line: Line) -> Text:
    number = Text(f"{line.new or '':>5} ", "dim")
    return number + _format_signed(line.kind, line.text)


def _format_signed(kind: str, text: str) -> Text:
    sign, colour = _SIGNS[kind]
    return Text(f"{sign} {to_terminal_text(text)}", colour)


def _fold_markdown(text: str) -> str:
    """Markdown as GitHub first shows it: of a folded section only the title, no hidden comment.

    A cell of a table has one line here.
    """
    visible = _SECTION.sub(r"▸ \1\n", text).replace("<br>", " — ")
    return _HIDDEN.sub("", visible).replace("&#64;", "@").replace("&#8203;", "")


# A pull request as GitHub would show it, from what GitHub holds after a review.

Json = Mapping[str, Any]

_SUGGESTION = re.compile(r"^(`{3,})suggestion[^\n]*\n(.*?)^\1\s*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CommentView:
    """An inline comment on head lines `start_line` to `line` of `path`."""

    author: str
    path: str
    start_line: int
    line: int
    body: str

    @property
    def suggestion(self) -> str | None:
        """The lines a click would put in place of the commented ones; None without a button."""
        match = _SUGGESTION.search(self.body)
        return match[2] if match else None


@dataclass(frozen=True, slots=True)
class AnnotationView:
    """A note of the check on a line."""

    path: str
    start_line: int
    level: str
    title: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckView:
    """The check run."""

    name: str
    status: str
    conclusion: str
    title: str
    summary: str
    annotations: tuple[AnnotationView, ...]
    buttons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PullRequestView:
    """Everything that a person sees of a pull request after a review."""

    repository: str
    number: int
    title: str
    body: str
    author: str
    base: str
    head: str
    head_sha: str
    files: tuple[FileChange, ...]
    check: CheckView
    review_body: str
    comments: tuple[CommentView, ...]

    def comments_on(self, path: str, line: int | None) -> tuple[CommentView, ...]:
        """The comments that GitHub shows below one head line."""
        return tuple(
            comment for comment in self.comments if comment.path == path and comment.line == line
        )

    def list_commented_lines(self, comment: CommentView) -> tuple[Line, ...]:
        """The head lines that a comment stands on."""
        return tuple(
            line
            for file in self.files
            if file.path == comment.path
            for hunk in file.hunks
            for line in hunk.lines
            if line.new is not None and comment.start_line <= line.new <= comment.line
        )


_CHECK = "jurat"
"""The name of the check that a commit has."""


def build_view(
    pull: Json,
    diff: bytes,
    *,
    checks: Sequence[Json],
    reviews: Sequence[Json],
    comments: Sequence[Json],
) -> PullRequestView:
    """A pull request with its newest check `jurat`, and all reviews and comments.

    All but the diff is as the REST API has it; a check run has its annotations and actions too, as
    they were sent.
    """
    runs = [
        run for run in checks if run["head_sha"] == pull["head"]["sha"] and run["name"] == _CHECK
    ]
    return PullRequestView(
        repository=pull["base"]["repo"]["full_name"],
        number=pull["number"],
        title=pull["title"],
        body=pull["body"] or "",
        author=pull["user"]["login"],
        base=pull["base"]["ref"],
        head=pull["head"]["ref"],
        head_sha=pull["head"]["sha"],
        files=parse_diff(diff).files,
        check=_build_check_view(runs[-1] if runs else None),
        review_body="\n\n".join(review["body"] for review in reviews),
        comments=tuple(_build_comment_view(item) for item in comments),
    )


def _build_check_view(run: Json | None) -> CheckView:
    if run is None:
        return CheckView(_CHECK, "missing", "pending", "No check has been reported", "", ())
    output = run["output"]
    return CheckView(
        name=run["name"],
        status=run["status"],
        conclusion=run["conclusion"] or "pending",
        title=output["title"] or "",
        summary=output["summary"] or "",
        buttons=tuple(action["label"] for action in run.get("actions", ())),
        annotations=tuple(
            AnnotationView(
                note["path"],
                note["start_line"],
                note["annotation_level"],
                note.get("title", ""),
                note["message"],
            )
            for note in output.get("annotations", ())
        ),
    )


def _build_comment_view(comment: Json) -> CommentView:
    """An outdated comment, whose line is null, keeps the line it was written on."""
    old = "" if comment["line"] else "original_"
    line = comment[f"{old}line"] or 1
    first = comment.get(f"{old}start_line") or line
    return CommentView(comment["user"]["login"], comment["path"], first, line, comment["body"])
