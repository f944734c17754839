"""One self-contained HTML page that looks like the pull request's conversation and files tabs."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from bot.demo.view import CommentView, PullRequestView
from bot.publishing.templates import templates_in

_TAGS = {
    *("a", "blockquote", "br", "code", "details", "div", "em", "h1", "h2", "h3", "hr", "li", "ol"),
    *("p", "pre", "span", "strong", "sub", "summary", "table", "tbody", "td", "th", "thead"),
    *("tr", "ul"),
}
_ATTRIBUTES = {"a": {"href"}, "div": {"class"}, "span": {"class"}, "code": {"class"}}


def render_page(view: PullRequestView, note: str) -> str:
    """The page as HTML. `note` says under what conditions the review was made."""
    templates = templates_in(Path(__file__).parent)
    return templates.get_template("page.html.j2").render(
        view=view,
        note=note,
        markdown=_markdown,
        comment_html=lambda comment: _comment_html(view, comment),
    )


def _comment_html(view: PullRequestView, comment: CommentView) -> Markup:
    original = [line.text for line in view.commented_lines(comment)]
    return _markdown(comment.body, {"original": original})


def _markdown(text: str, env: MutableMapping[str, Any] | None = None) -> Markup:
    """Markdown as GitHub renders it: its own HTML subset, sanitised after rendering."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.add_render_rule("fence", _fence)
    html = parser.render(text, env if env is not None else {})
    # The sanitiser drops what is not listed: scripts, styles, handlers, comments.
    return Markup(nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES))  # noqa: S704


def _fence(
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
            f"{_diff_rows(removed, 'removed')}{_diff_rows(added, 'added')}</div>"
        )
    if token.info.strip() == "diff":
        rows = "".join(
            _diff_rows([line[1:]], "removed" if line.startswith("-") else "added")
            for line in token.content.splitlines()
        )
        return f'<div class="suggestion">{rows}</div>'
    return renderer.fence(tokens, index, options, env)


def _diff_rows(lines: Sequence[str], kind: str) -> str:
    sign = "+" if kind == "added" else "-"
    return "".join(f'<div class="{kind}">{sign} {escape(line)}</div>' for line in lines)
