"""A bare git repository on disk, driven through git's plumbing."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

_ENVIRONMENT = {
    "PATH": os.environ.get("PATH", os.defpath),
    "LC_ALL": "C",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
}


_Answer = TypeVar("_Answer")

_SCRATCH = "refs/standin/scratch"
"""Holds what is written until something else does."""


class GitError(Exception):
    """git refused; the message is its standard error."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who wrote a commit."""

    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Symlink:
    """A file that is a symbolic link."""

    target: str


@dataclass(frozen=True, slots=True)
class Submodule:
    """A gitlink to a commit of another repository."""

    commit: str


@dataclass(frozen=True, slots=True)
class Executable:
    """A file with mode 100755."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """An object that the repository holds already."""

    mode: str
    sha: str


Content = bytes | str | Executable | Symlink | Submodule | Stored
"""What can be written at a path; text is UTF-8."""

Files = Mapping[str, Content | None]
"""Path to content; None deletes. A surrogate-escaped path stands for bytes that are not UTF-8."""


@dataclass(frozen=True, slots=True)
class GitObject:
    """A blob, tree, commit or tag as git stores it."""

    sha: str
    type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class CommitObject:
    """A parsed commit. `when` is in seconds since the epoch."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    when: int
    message: str


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One line of `git ls-tree`; `size` is None for everything but blobs."""

    mode: str
    type: str
    sha: str
    size: int | None
    path: str


@dataclass(frozen=True, slots=True)
class ChangedPath:
    """One line of `git diff --raw` with its numbers; they are None for binary files."""

    status: str
    path: str
    old_path: str
    old_mode: str
    new_mode: str
    old_sha: str
    new_sha: str
    additions: int | None
    deletions: int | None


def decode_path(raw: bytes) -> str:
    """A path's text; bytes that are not UTF-8 survive as surrogates."""
    return raw.decode("utf-8", "surrogateescape")


@cache
def _make_empty_repository() -> Path:
    """A bare repository without a commit, to be copied: git takes ten times as long to make one."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    options = ("--quiet", "--bare", "--template=", "--initial-branch=main")
    subprocess.run(["git", "init", *options], cwd=folder, env=_ENVIRONMENT, check=True)
    return folder


_ANSWERS: dict[tuple[object, ...], Any] = {}
"""What git said of objects that it was asked about: their names say all, in any repository."""


class GitStore:
    """One bare repository. What git says of objects is asked once, for all that hold them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        shutil.copytree(_make_empty_repository(), path)
        self._batch: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """End the object reader."""
        if self._batch is not None:
            self._batch.communicate()
            self._batch = None

    def run(self, *arguments: str, data: bytes = b"") -> bytes:
        """Run one git command in the repository and return its output."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=_ENVIRONMENT,
            input=data,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise GitError(done.stderr.decode("utf-8", "replace").strip())
        return done.stdout

    def commit(
        self, ref: str, files: Files, message: str, *, parents: list[str], author: Person, when: int
    ) -> str:
        """Write a commit with `files` laid over the first parent's tree, and move `ref` to it."""
        who = f"{author.name} <{author.email}> {when} +0000"
        text = message.encode()
        stream = [f"commit {ref}\nmark :1\nauthor {who}\ncommitter {who}\ndata {len(text)}\n"]
        out = bytearray(stream[0].encode() + text + b"\n")
        for number, parent in enumerate(parents):
            out += f"{'merge' if number else 'from'} {parent}\n".encode()
        if not parents:
            out += b"deleteall\n"
        for path, content in files.items():
            out += _file_command(path, content)
        out += b"\nget-mark :1\n"
        # --force lets a branch be rewritten, as a force push does.
        written = self.run("fast-import", "--quiet", "--force", data=bytes(out))
        return written.decode().strip()

    def write_tree(self, base: str, files: Files) -> str:
        """The tree `base` with `files` laid over it."""
        commands = b"".join(_file_command(path, content) for path, content in files.items())
        nobody = Person("standin", "standin")
        commit = self.write_commit(
            base, "A tree.", parents=[], author=nobody, when=0, more=commands
        )
        return self.read_commit(commit).tree

    def write_commit(
        self,
        tree: str,
        message: str,
        *,
        parents: list[str],
        author: Person,
        when: int,
        more: bytes = b"",
    ) -> str:
        """A commit that no ref points at. `more` are fast-import's commands for its files."""
        who = f"{author.name} <{author.email}> {when} +0000"
        text = message.encode()
        out = f"commit {_SCRATCH}\nmark :1\nauthor {who}\ncommitter {who}\n".encode()
        out += f"data {len(text)}\n".encode() + text + b"\n"
        for number, parent in enumerate(parents):
            out += f"{'merge' if number else 'from'} {parent}\n".encode()
        out += f'M 040000 {tree} ""\n'.encode() + more + b"\nget-mark :1\n"
        written = self.run("fast-import", "--quiet", "--force", data=out).decode().strip()
        self.delete_ref(_SCRATCH)
        return written

    def set_ref(self, ref: str, sha: str) -> None:
        """Point `ref` at `sha`, forward or not."""
        self.run("update-ref", ref, sha)

    def delete_ref(self, ref: str) -> None:
        """Remove `ref`."""
        self.run("update-ref", "-d", ref)

    def refs(self, prefix: str) -> dict[str, str]:
        """Full names of all refs below `prefix`, with the objects they point at."""
        lines = self.run("for-each-ref", "--format=%(refname) %(objectname)", prefix).decode()
        pairs = (line.rpartition(" ") for line in lines.splitlines())
        return {name: sha for name, _, sha in pairs}

    def fetch(self, source: GitStore, their_ref: str, our_ref: str) -> None:
        """Bring a ref (or a pattern of refs) and its history in from another store."""
        self.run("fetch", "--quiet", "--no-tags", str(source.path), f"+{their_ref}:{our_ref}")

    def object(self, name: str) -> GitObject | None:
        """Whatever `name` (an object name, a ref, `commit:path`) stands for, or None."""
        if "\n" in name:
            return None  # the batch protocol is one name a line
        if self._batch is None:
            self._batch = subprocess.Popen(
                ["git", "cat-file", "--batch"],
                cwd=self.path,
                env=_ENVIRONMENT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        reader, writer = self._batch.stdout, self._batch.stdin
        if reader is None or writer is None:
            raise GitError("git cat-file has no pipes")
        writer.write(name.encode("utf-8", "surrogateescape") + b"\n")
        writer.flush()
        header = reader.readline().rstrip(b"\n")
        if header.endswith((b" missing", b" ambiguous", b" submodule")):
            return None
        sha, kind, size = header.decode().split(" ")
        data = reader.read(int(size))
        reader.read(1)
        return GitObject(sha=sha, type=kind, data=data)

    def resolve(self, name: str) -> str | None:
        """The commit that a branch, tag, ref or (abbreviated) object name stands for, or None."""
        if not name or any(character in "~^:?*[\\ @{" or character < " " for character in name):
            return None  # revision syntax that GitHub does not take as a ref
        found = self.object(f"{name}^{{commit}}")
        return found.sha if found else None

    def read(self, commit: str, path: str) -> bytes | None:
        """The blob at `path` in `commit`, or None."""
        found = self.object(f"{commit}:{path}")
        return found.data if found and found.type == "blob" else None

    def read_commit(self, sha: str) -> CommitObject:
        """The commit named `sha`, parsed."""
        found = self.object(sha)
        if found is None or found.type != "commit":
            raise GitError(f"{sha} is no commit")
        head, _, message = found.data.partition(b"\n\n")
        fields: dict[str, list[str]] = {}
        for line in head.decode("utf-8", "replace").splitlines():
            key, _, value = line.partition(" ")
            fields.setdefault(key, []).append(value)
        name, _, rest = fields["author"][0].partition(" <")
        email, _, stamp = rest.partition("> ")
        return CommitObject(
            sha=found.sha,
            tree=fields["tree"][0],
            parents=tuple(fields.get("parent", ())),
            author=Person(name, email),
            when=int(stamp.split(" ")[0]),
            message=message.decode("utf-8", "replace"),
        )

    def _ask_once(self, ask: Callable[..., _Answer], *arguments: str | bool | int) -> _Answer:
        """What `ask` returns for objects of these names, if this repository has them all."""
        names = [name for name in arguments if isinstance(name, str) and name]
        if not all(map(self._is_object_name, names)):
            return ask(self, *arguments)
        key = (ask, *arguments)
        if key not in _ANSWERS:
            _ANSWERS[key] = ask(self, *arguments)
        answer: _Answer = _ANSWERS[key]
        return answer

    def _is_object_name(self, name: str) -> bool:
        """Whether this is the whole name of an object that is here: a ref's name moves."""
        found = self.object(name) if len(name) == len(EMPTY_TREE) else None
        return found is not None and found.sha == name

    def list_tree(self, treeish: str, *, recursive: bool = False) -> tuple[TreeEntry, ...]:
        """The entries of a tree; with `recursive`, of all trees below it, and those trees too."""
        return self._ask_once(GitStore._list_tree, treeish, recursive)

    def log(self, base: str | None, head: str) -> tuple[str, ...]:
        """Commits reachable from `head` and not from `base`, oldest first."""
        return self._ask_once(GitStore._log, base or "", head)

    def patch(self, base: str, head: str, context: int = 3) -> bytes:
        """What `git diff base head` prints; `base` may be a tree."""
        return self._ask_once(GitStore._patch, base, head, context)

    def changed_paths(self, base: str, head: str) -> tuple[ChangedPath, ...]:
        """The files that differ, in the order of the patch."""
        return self._ask_once(GitStore._changed_paths, base, head)

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor, or None of unrelated histories."""
        return self._ask_once(GitStore._merge_base, one, other)

    def _list_tree(self, treeish: str, recursive: bool) -> tuple[TreeEntry, ...]:
        flags = ["-r", "-t"] if recursive else []
        entries = []
        for record in self.run("ls-tree", "-z", "--long", *flags, treeish).split(b"\0")[:-1]:
            meta, _, path = record.partition(b"\t")
            mode, kind, sha, size = meta.decode().split()
            length = None if size == "-" else int(size)
            entries.append(TreeEntry(mode, kind, sha, length, decode_path(path)))
        return tuple(entries)

    def _log(self, base: str, head: str) -> tuple[str, ...]:
        excluded = [f"^{base}"] if base else []
        listed = self.run("rev-list", "--reverse", "--topo-order", head, *excluded)
        return tuple(listed.decode().split())

    def archive(self, sha: str, prefix: str) -> bytes:
        """A gzipped tar of the commit's files, each below `prefix`."""
        return self.run("archive", "--format=tar.gz", f"--prefix={prefix}", sha)

    def _patch(self, base: str, head: str, context: int) -> bytes:
        return self.run(
            "diff", "--no-color", "--no-ext-diff", "--no-textconv", "-M", f"-U{context}", base, head
        )

    def _changed_paths(self, base: str, head: str) -> tuple[ChangedPath, ...]:
        flags = ("--raw", "--numstat", "-z", "-M", "--abbrev=40")
        fields = iter(self.run("diff", *flags, base, head).split(b"\0")[:-1])
        raw: list[tuple[list[str], str, str]] = []
        numbers: list[tuple[int | None, int | None]] = []
        for field in fields:
            if field.startswith(b":"):
                meta = field[1:].decode().split(" ")
                old = decode_path(next(fields))
                new = decode_path(next(fields)) if meta[4][0] in "RC" else old
                raw.append((meta, old, new))
                continue
            added, removed, path = field.split(b"\t", 2)
            if not path:  # a rename names both paths after an empty one
                next(fields), next(fields)
            numbers.append((None, None) if added == b"-" else (int(added), int(removed)))
        return tuple(
            ChangedPath(meta[4][0], new, old, meta[0], meta[1], meta[2], meta[3], added, removed)
            for (meta, old, new), (added, removed) in zip(raw, numbers, strict=True)
        )

    def _merge_base(self, one: str, other: str) -> str | None:
        try:
            return self.run("merge-base", one, other).decode().split()[0]
        except GitError:
            return None


def _file_command(path: str, content: Content | None) -> bytes:
    """The fast-import command that puts `content` at `path`."""
    raw = path.encode("utf-8", "surrogateescape")
    raw = raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    name = b'"' + raw + b'"\n'
    match content:
        case None:
            return b"D " + name
        case Submodule(commit=commit):
            return f"M 160000 {commit} ".encode() + name
        case Stored(mode=kind, sha=sha):
            return f"M {kind} {sha} ".encode() + name
        case Symlink(target=target):
            mode, data = b"120000", target.encode()
        case Executable(data=data):
            mode = b"100755"
        case str():
            mode, data = b"100644", content.encode()
        case bytes():
            mode, data = b"100644", content
    return b"M " + mode + b" inline " + name + f"data {len(data)}\n".encode() + data + b"\n"
