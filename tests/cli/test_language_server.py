"""`jurat lsp` in a process of its own, asked by a real client: what an editor sees as one types."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from jurat.cli.checkout import GitCheckout
from jurat.cli.editor import EditorArgs, EditorSession
from jurat.cli.local_source import RulesFrom
from jurat.errors import ConfigurationError
from tests.support.checkout import Checkout
from tests.support.command import RULES
from tests.support.process import HANGING
from tests.support.production import python

OLD = "import hashlib\n\n\ndef old(data):\n    return hashlib.md5(data)\n"
CONFIGURATION = "version: 1\npacks: []\nrules: [rules.yml]\n"
EDITED = OLD + "\n\ndef added(text):\n    return hashlib.md5(text)  # für 🦜\n"
CAPABILITIES = lsp.ClientCapabilities(
    workspace=lsp.WorkspaceClientCapabilities(
        workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True)
    )
)


@dataclass
class Editor:
    """What a person does in an editor, by pygls' own client."""

    client: LanguageClient
    said: list[str]
    published: asyncio.Queue[lsp.PublishDiagnosticsParams] = field(default_factory=asyncio.Queue)
    version: int = 0

    def open(self, path: Path, text: str | None = None) -> str:
        self.version += 1
        content = path.read_text() if text is None else text
        item = lsp.TextDocumentItem(path.as_uri(), "python", self.version, content)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return item.uri

    def write(self, uri: str, text: str) -> None:
        self.version += 1
        named = lsp.VersionedTextDocumentIdentifier(self.version, uri)
        whole = [lsp.TextDocumentContentChangeWholeDocument(text)]
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(named, whole))

    async def told(self, uri: str) -> lsp.PublishDiagnosticsParams:
        """The next diagnostics of a file."""
        async with asyncio.timeout(60):
            while (item := await self.published.get()).uri != uri:
                pass
        return item

    async def actions(self, uri: str, line: int, only: str | None = None) -> list[lsp.CodeAction]:
        place = lsp.Range(lsp.Position(line, 4), lsp.Position(line, 4))
        asked = lsp.CodeActionParams(
            lsp.TextDocumentIdentifier(uri),
            place,
            lsp.CodeActionContext([], [only] if only else None),
        )
        found = await self.client.text_document_code_action_async(asked)
        return [item for item in found or [] if isinstance(item, lsp.CodeAction)]


@asynccontextmanager
async def editing(folder: Path, *arguments: str) -> AsyncIterator[Editor]:
    client = LanguageClient("a test", "1")
    editor = Editor(client, [])

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def keep(params: lsp.PublishDiagnosticsParams) -> None:
        editor.published.put_nowait(params)

    client.feature(lsp.WINDOW_SHOW_MESSAGE)(lambda params: editor.said.append(params.message))
    client.feature(lsp.WINDOW_LOG_MESSAGE)(lambda params: editor.said.append(params.message))
    # pygls is an extra, which the environment that ships is without.
    await client.start_io(sys.executable, "-m", "jurat", "lsp", *arguments, cwd=folder)
    begun = await client.initialize_async(
        lsp.InitializeParams(CAPABILITIES, root_uri=folder.as_uri())
    )
    assert begun.server_info is not None
    client.initialized(lsp.InitializedParams())
    yield editor
    await client.shutdown_async(None)
    client.exit(None)
    server = client._server  # the client has no other way to its process
    assert server is not None
    assert await asyncio.wait_for(server.wait(), HANGING) == 0
    await client.stop()


@pytest.fixture
def edited(checkout: Checkout) -> Checkout:
    checkout.write(
        {".github/jurat.yml": CONFIGURATION, "rules.yml": RULES, "app.py": OLD, "more.py": "\n"}
    )
    checkout.commit()
    return checkout


async def test_a_session_from_the_first_word_to_the_last(edited: Checkout) -> None:
    folder = edited.folder
    async with editing(folder) as editor:
        uri = editor.open(folder / "app.py")
        assert (await editor.told(uri)).diagnostics == (), "old code is no news"

        editor.write(uri, EDITED)  # and not saved
        told = await editor.told(uri)
        assert told.version == editor.version
        (problem,) = told.diagnostics
        assert (problem.code, problem.source) == ("acme.no-md5", "jurat")
        assert problem.severity is lsp.DiagnosticSeverity.Error
        assert problem.range == lsp.Range(lsp.Position(8, 4), lsp.Position(8, 38)), "in UTF-16"

        hover = await editor.client.text_document_hover_async(
            lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(8, 6))
        )
        assert hover is not None
        assert isinstance(hover.contents, lsp.MarkupContent)
        assert "**CRITICAL** · `acme.no-md5`" in hover.contents.value
        assert "Computed, without a model" in hover.contents.value

        alone, together = await editor.actions(uri, 8)
        assert (alone.title, alone.is_preferred) == ("jurat: fix acme.no-md5", True)
        assert together.kind == "source.fixAll.jurat"
        assert alone.edit == together.edit
        assert alone.edit is not None
        (change,) = alone.edit.document_changes or []
        assert isinstance(change, lsp.TextDocumentEdit)
        assert change.text_document.version == editor.version
        assert [item.new_text for item in change.edits if isinstance(item, lsp.TextEdit)] == [
            "    return hashlib.sha256(text)  # für 🦜"
        ]
        assert await editor.actions(uri, 0, "quickfix") == []

        editor.write(uri, EDITED.replace("md5(text)", "sha256(text)"))
        assert (await editor.told(uri)).diagnostics == ()
        assert await editor.actions(uri, 8) == []
        assert editor.said == [
            "1 rules are decided while you type. No model is asked: 0 rules that need one are"
            " left to `jurat review`."
        ]


async def test_a_configuration_is_read_again_and_its_errors_stand_in_it(edited: Checkout) -> None:
    folder = edited.folder
    async with editing(folder) as editor:
        uri = editor.open(folder / "app.py", EDITED)
        assert len((await editor.told(uri)).diagnostics) == 1
        own = editor.open(
            folder / ".github/jurat.yml", CONFIGURATION + "levels: {acme.no-md5: off}"
        )
        assert (await editor.told(uri)).diagnostics == (), "unsaved, it is in force"

        editor.write(own, CONFIGURATION + "levles: {}\n")
        told = await editor.told(own)
        while not told.diagnostics:
            told = await editor.told(own)
        assert told.diagnostics[0].range.start.line == 3
        assert "did you mean" in told.diagnostics[0].message
        assert any("Nothing is reviewed until" in text for text in editor.said)

        editor.write(own, CONFIGURATION)
        while not (await editor.told(uri)).diagnostics:
            pass


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    command = [python(), "-m", "jurat", "lsp"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "jurat: A language server needs pygls, which is not installed."
        " Run: pip install 'jurat[lsp]'\n"
    )


# What is behind the protocol, in this process.


@asynccontextmanager
async def reviewing(
    checkout: Checkout, asked: EditorArgs | None = None
) -> AsyncIterator[EditorSession]:
    with GitCheckout.containing(checkout.folder) as repository:
        yield EditorSession(repository, asked or EditorArgs())


async def found(session: EditorSession, path: Path, text: str) -> list[str]:
    reviewed = await session.review_file(path, text, {path: text})
    return [item.rule.id for item in reviewed.findings] if reviewed else ["none of ours"]


async def test_the_base_moves_with_the_checkout(edited: Checkout) -> None:
    path = edited.folder / "app.py"
    async with reviewing(edited) as session:
        assert await found(session, path, EDITED) == ["acme.no-md5"]
        edited.write({"app.py": EDITED})
        edited.commit()
        assert await found(session, path, EDITED) == []
        edited.git("switch", "--quiet", "-c", "work")
        edited.write({"app.py": EDITED + "\nhashlib.md5(b'')\n"})
        edited.commit()
        assert await found(session, path, path.read_text()) == ["acme.no-md5"], "as in a review"
        edited.git("mv", "app.py", "moved.py")
        edited.commit()
        moved = edited.folder / "moved.py"
        assert await found(session, moved, moved.read_text()) == ["acme.no-md5"]


async def test_line_ends_of_the_disk_are_no_change(edited: Checkout) -> None:
    async with reviewing(edited) as session:
        path = edited.folder / "app.py"
        assert await found(session, path, OLD.replace("\n", "\r\n")) == []
        assert await found(session, path, EDITED.replace("\n", "\r\n")) == ["acme.no-md5"]
        assert await found(session, path, EDITED.rstrip("\n")) == ["acme.no-md5"]
        assert await found(session, path, "") == []


async def test_what_is_none_of_the_checkouts_is_left_alone(
    edited: Checkout, tmp_path: Path
) -> None:
    async with reviewing(edited) as session:
        assert await found(session, tmp_path / "other.py", EDITED) == ["none of ours"]
        assert await found(session, edited.folder / ".git" / "x.py", EDITED) == ["none of ours"]


async def test_a_broken_rule_file_does_not_leave_the_rules_of_before_in_force(
    edited: Checkout,
) -> None:
    path = edited.folder / "app.py"
    async with reviewing(edited) as session:
        assert await found(session, path, EDITED) == ["acme.no-md5"]
        edited.write({".github/jurat.yml": "version: 1\npacks: [gone]\n"})
        with pytest.raises(ConfigurationError):
            await found(session, path, EDITED)
        with pytest.raises(ConfigurationError):
            await found(session, path, EDITED)
        edited.write({".github/jurat.yml": "version: 1\npacks: []\n"})
        assert await found(session, path, EDITED) == []


async def test_the_bases_own_rules_can_be_asked_for(edited: Checkout) -> None:
    edited.write({".github/jurat.yml": "version: 1\npacks: []\n"})
    path = edited.folder / "app.py"
    async with reviewing(edited) as session:
        assert await found(session, path, EDITED) == []
    async with reviewing(edited, EditorArgs(rules_from=RulesFrom.BASE)) as session:
        assert await found(session, path, EDITED) == ["acme.no-md5"]
