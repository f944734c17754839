"""The language server: an editor's questions over standard input and output, as LSP 3.17 has them.

https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from jurat import __version__
from jurat.cli.checkout import GitCheckout
from jurat.cli.editor import EditorArgs, EditorSession, FileReview
from jurat.engine.fix_verifier import apply_safe_fixes
from jurat.errors import FileError, JuratError
from jurat.findings.finding import Finding, Fix
from jurat.reports.comment import (
    describe_caution,
    describe_fix_check,
    render_explanation,
    render_fix_diff,
    render_headline,
    render_norm,
)
from jurat.reports.markdown import escape_markdown
from jurat.reports.summary import describe_finding, describe_norm, describe_way

_PAUSE = 0.1
"""Seconds without a key before a text is reviewed: who goes on typing asks for the next one."""

_SOURCE = "jurat"
_FIX_ALL = f"{lsp.CodeActionKind.SourceFixAll.value}.{_SOURCE}"
_ACTIONS = lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, _FIX_ALL])
_HTML = (("<span>$</span>", "$"), ("&#8203;", ""))
"""What GitHub needs in a text and an editor would print."""


@dataclass(slots=True)
class _OpenFiles:
    """What is known of what the editor has open, by URI."""

    sessions: dict[Path, EditorSession] = field(default_factory=dict)
    reviews: dict[str, tuple[FileReview, int]] = field(default_factory=dict)
    waiting: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)


def build_server(asked: EditorArgs) -> LanguageServer:
    """A server that reviews what an editor has open. `start_io` runs it."""
    server = LanguageServer(_SOURCE, __version__)
    desk = _Desk(server, asked, _OpenFiles())

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def open_file(_: LanguageServer, params: lsp.DidOpenTextDocumentParams) -> None:
        desk.ask_for(params.text_document.uri, pause=0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def change_file(_: LanguageServer, params: lsp.DidChangeTextDocumentParams) -> None:
        desk.ask_for(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def save_file(_: LanguageServer, params: lsp.DidSaveTextDocumentParams) -> None:
        desk.ask_for(params.text_document.uri, pause=0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def close_file(_: LanguageServer, params: lsp.DidCloseTextDocumentParams) -> None:
        desk.forget_file(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def explain(_: LanguageServer, params: lsp.HoverParams) -> lsp.Hover | None:
        return desk.explain_line(params.text_document.uri, params.position.line)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, _ACTIONS)
    async def offer_fixes(
        _: LanguageServer, params: lsp.CodeActionParams
    ) -> Sequence[lsp.CodeAction]:
        return list(desk.iter_actions(params))

    return server


@dataclass(frozen=True, slots=True)
class _Desk:
    """Whoever has a text reviewed once its author pauses, and tells the editor what came out."""

    server: LanguageServer
    asked: EditorArgs
    files: _OpenFiles

    def ask_for(self, uri: str, pause: float = _PAUSE) -> None:
        """Have a file reviewed after a pause, unless it is asked for again until then."""
        if (waiting := self.files.waiting.pop(uri, None)) is not None:
            waiting.cancel()
        self.files.waiting[uri] = asyncio.create_task(self._review(uri, pause))

    def forget_file(self, uri: str) -> None:
        """What was said of a file is gone with it, but for an error in a configuration."""
        if (waiting := self.files.waiting.pop(uri, None)) is not None:
            waiting.cancel()
        self.files.reviews.pop(uri, None)
        if uri not in self.files.broken:
            self._publish(uri, [])

    async def _review(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        name = to_fs_path(uri)
        if name is None or not uri.startswith("file:"):
            return
        document = self.server.workspace.get_text_document(uri)
        path, version, text = _resolve(name), document.version or 0, document.source
        try:
            session = self._find_session(path)
            if session.is_configuration(path):
                self._ask_for_others(uri)
            found = await session.review_file(path, text, self._list_unsaved())
        except FileError as error:
            self._report_broken(error)
            self._publish_unreviewed(uri)
        except JuratError as error:
            self._tell_once(str(error))
            self._publish_unreviewed(uri)
        else:
            self._clear_broken(uri)
            if document.version not in (None, version):
                return  # its author went on: the next review says it
            if found is None:
                self._publish(uri, [])
                return
            self._tell_limits(session)
            self.files.reviews[uri] = (found, version)
            said = [_to_diagnostic(item, found.text, self._count_units) for item in found.findings]
            self._publish(uri, said, version)

    def _find_session(self, path: Path) -> EditorSession:
        """The session of the checkout around a file. Raises UsageError if there is none."""
        known = [root for root in self.files.sessions if path.is_relative_to(root)]
        if known:
            return self.files.sessions[max(known, key=lambda root: len(root.parts))]
        folder = next(parent for parent in path.parents if parent.is_dir())
        session = EditorSession(GitCheckout.containing(folder), self.asked)
        self.files.sessions[session.root] = session
        return session

    def _list_unsaved(self) -> Mapping[Path, str]:
        documents = self.server.workspace.text_documents.values()
        return {Path(item.path).resolve(): item.source for item in documents if item.path}

    def _ask_for_others(self, uri: str) -> None:
        """Another configuration, or another rule, is another review of all that is open."""
        for other in [*self.files.reviews]:
            if other != uri:
                self.ask_for(other)

    def _report_broken(self, error: FileError) -> None:
        """Errors in the configuration and in rule files, each in its file."""
        self._tell_once(f"{error} Nothing is reviewed until that is mended.")
        by_uri: dict[str, list[lsp.Diagnostic]] = {}
        for item in (error, *error.others):
            place = lsp.Position(max(item.line - 1, 0), max(item.column - 1, 0))
            end = lsp.Position(place.line, place.character + 1 if item.column else 10_000)
            said = f"{item.key}: {item.problem}" if item.key else item.problem
            by_uri.setdefault(_to_uri(item.path), []).append(
                lsp.Diagnostic(
                    lsp.Range(place, end),
                    f"{said}. {item.hint}".removesuffix(" ").rstrip(),
                    severity=lsp.DiagnosticSeverity.Error,
                    source=_SOURCE,
                )
            )
        for uri in self.files.broken - by_uri.keys():
            self._publish(uri, [])
        self.files.broken.clear()
        self.files.broken.update(by_uri)
        for uri, said_there in by_uri.items():
            self._publish(uri, said_there)

    def _clear_broken(self, reviewed: str) -> None:
        for uri in self.files.broken - {reviewed}:
            self._publish(uri, [])
        if self.files.broken:
            self.files.broken.clear()
            self.files.said.clear()
            self._ask_for_all()

    def _ask_for_all(self) -> None:
        for uri in [*self.server.workspace.text_documents]:
            if uri not in self.files.reviews:
                self.ask_for(uri)

    def _publish_unreviewed(self, uri: str) -> None:
        """Nothing is known of a file any more."""
        self.files.reviews.pop(uri, None)
        if uri not in self.files.broken:
            self._publish(uri, [])

    def _tell_limits(self, session: EditorSession) -> None:
        computed, waiting = session.count_rules()
        self._tell_once(
            f"{computed:,} rules are decided while you type. No model is asked: {waiting:,} rules"
            " that need one are left to `jurat review`.",
            lsp.MessageType.Info,
        )

    def _tell_once(self, text: str, kind: lsp.MessageType = lsp.MessageType.Warning) -> None:
        if text in self.files.said:
            return
        self.files.said.add(text)
        if kind is lsp.MessageType.Info:
            self.server.window_log_message(lsp.LogMessageParams(kind, text))
        else:
            self.server.window_show_message(lsp.ShowMessageParams(kind, f"jurat: {text}"))

    def _publish(
        self, uri: str, said: Sequence[lsp.Diagnostic], version: int | None = None
    ) -> None:
        self.server.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, list(said), version)
        )

    def _count_units(self, text: str) -> int:
        units: int = self.server.workspace.position_codec.client_num_units(text)
        return units

    def _list_current(self, uri: str, first: int, last: int) -> list[Finding]:
        """The findings on 0-based lines of a text that has not changed since its review."""
        if uri not in self.files.reviews:
            return []
        found, version = self.files.reviews[uri]
        if self.server.workspace.get_text_document(uri).version not in (None, version):
            return []
        return [
            item
            for item in found.findings
            for start, end in [_find_lines(item)]
            if start - 1 <= last and first <= end - 1
        ]

    def explain_line(self, uri: str, line: int) -> lsp.Hover | None:
        """Why there are findings on a line; None if there is none."""
        findings = self._list_current(uri, line, line)
        if not findings:
            return None
        verdicts = self.files.reviews[uri][0].review.evaluation.by_rule
        texts = [render_explanation(item, verdicts[item.rule.id]) for item in findings]
        said = "\n\n---\n\n".join(
            _render_hover(item, text) for item, text in zip(findings, texts, strict=True)
        )
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, said))

    def iter_actions(self, params: lsp.CodeActionParams) -> Iterator[lsp.CodeAction]:
        """The fixes that were tried and held, each alone, and together those that need no look."""
        uri, wanted = params.text_document.uri, params.context.only
        first, last = params.range.start.line, params.range.end.line
        if _is_wanted(lsp.CodeActionKind.QuickFix.value, wanted):
            fixes: dict[Fix, list[Finding]] = {}
            for finding in self._list_current(uri, first, last):
                if finding.fix and finding.fix.is_verified:
                    fixes.setdefault(finding.fix, []).append(finding)
            for fix, findings in fixes.items():
                yield self._build_action(uri, fix, findings)
        if _is_wanted(_FIX_ALL, wanted) and self._list_current(uri, 0, 1 << 30):
            yield from self._iter_fixes_together(uri)

    def _build_action(self, uri: str, fix: Fix, findings: Sequence[Finding]) -> lsp.CodeAction:
        found, _ = self.files.reviews[uri]
        look = "" if fix.auto_applicable else " (look at it: it changes behaviour)"
        return lsp.CodeAction(
            f"jurat: fix {findings[0].rule.id}{look}",
            lsp.CodeActionKind.QuickFix,
            [_to_diagnostic(item, found.text, self._count_units) for item in findings],
            is_preferred=fix.auto_applicable,
            edit=self._build_edit(uri, [fix]),
        )

    def _iter_fixes_together(self, uri: str) -> Iterator[lsp.CodeAction]:
        found, _ = self.files.reviews[uri]
        held = apply_safe_fixes(
            found.review.context, found.review.evaluation, found.review.inputs.rule_set
        )
        for file in held:
            if not file.problem:
                yield lsp.CodeAction(
                    "jurat: apply every fix that needs no look",
                    _FIX_ALL,
                    edit=self._build_edit(uri, file.fixes),
                )

    def _build_edit(self, uri: str, fixes: Sequence[Fix]) -> lsp.WorkspaceEdit:
        found, version = self.files.reviews[uri]
        lines = found.text.replace("\r\n", "\n").split("\n")
        edits = [_to_edit(fix, lines, self._count_units) for fix in fixes]
        # For the version that was reviewed: an editor refuses it for any other.
        document = lsp.OptionalVersionedTextDocumentIdentifier(uri, version)
        workspace = self.server.client_capabilities.workspace
        can_version = workspace and workspace.workspace_edit
        if can_version and can_version.document_changes:
            return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, edits)])
        return lsp.WorkspaceEdit(changes={uri: edits})


def _is_wanted(kind: str, wanted: Sequence[lsp.CodeActionKind | str] | None) -> bool:
    """Whether a kind of action is asked for; a kind stands for those that it is a prefix of."""
    if wanted is None:
        return True
    names = [item.value if isinstance(item, lsp.CodeActionKind) else item for item in wanted]
    return any(kind == name or kind.startswith(f"{name}.") for name in names)


def _find_lines(finding: Finding) -> tuple[int, int]:
    location = finding.location
    start = (location.start_line if location else None) or 1
    return start, (location.end_line if location else None) or start


def _to_diagnostic(
    finding: Finding, text: str, count_units: Callable[[str], int]
) -> lsp.Diagnostic:
    lines = text.replace("\r\n", "\n").split("\n")
    start, end = _find_lines(finding)
    first, last = (lines[number - 1] if number <= len(lines) else "" for number in (start, end))
    indent = count_units(first[: len(first) - len(first.lstrip())])
    said = (describe_finding(finding), describe_norm(finding), describe_way(finding))
    link = next(filter(None, map(_find_link, finding.rule.references)), None)
    return lsp.Diagnostic(
        lsp.Range(
            lsp.Position(start - 1, indent), lsp.Position(end - 1, count_units(last.rstrip()))
        ),
        "\n".join(filter(None, said)),
        severity=_choose_severity(finding),
        code=finding.rule.id,
        code_description=lsp.CodeDescription(link) if link else None,
        source=_SOURCE,
    )


def _choose_severity(finding: Finding) -> lsp.DiagnosticSeverity:
    if finding.blocks:
        return lsp.DiagnosticSeverity.Error
    if finding.awaits_confirmation:
        return lsp.DiagnosticSeverity.Warning
    shadow = finding.shadow
    return lsp.DiagnosticSeverity.Hint if shadow else lsp.DiagnosticSeverity.Information


def _find_link(reference: str) -> str | None:
    """The https address that a reference ends in."""
    address = reference.rpartition(" ")[2]
    return address if urlsplit(address).scheme == "https" else None


def _render_hover(finding: Finding, explanation: str) -> str:
    parts = [render_headline(finding), render_norm(finding)]
    if way := describe_way(finding):
        parts.append(escape_markdown(way))
    fix = finding.fix
    if fix and fix.is_verified:
        looked = (describe_fix_check(fix), escape_markdown(describe_caution(fix)))
        parts += [render_fix_diff(fix), " ".join(filter(None, looked))]
    text = "\n\n".join([*parts, explanation])
    for html, plain in _HTML:
        text = text.replace(html, plain)
    return text


def _to_edit(fix: Fix, lines: Sequence[str], count_units: Callable[[str], int]) -> lsp.TextEdit:
    start, end = fix.start_line or 1, fix.end_line or 1
    if fix.type == "delete":
        return lsp.TextEdit(lsp.Range(lsp.Position(start - 1, 0), lsp.Position(end, 0)), "")
    last = lsp.Position(end - 1, count_units(lines[end - 1]))
    return lsp.TextEdit(lsp.Range(lsp.Position(start - 1, 0), last), fix.replacement)


def _resolve(name: str) -> Path:
    return Path(name).resolve()


def _to_uri(path: str) -> str:
    return from_fs_path(str(Path(path).resolve())) or path
