"""Git as a command: arguments in, bytes out, and nothing run that a configuration names."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Self

from bot.errors import UsageError

_COMMAND = (
    "git",
    "--no-pager",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",  # may name a program
    "-c",
    "core.quotePath=true",
    "-c",
    "diff.suppressBlankEmpty=false",
)

_DIFF = (
    "diff",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--full-index",
    "--find-renames",
    "--submodule=short",
    "--ignore-submodules=dirty",
    "--unified=3",
    "--inter-hunk-context=0",
)
"""Every option whose default a user's configuration may change, and the two that run programs."""

_BOUND_TO_ONE_REPOSITORY = (
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
)
"""Set by git for its hooks: right for the repository around us, wrong for one named by --repo."""


class Repository:
    """A checkout, or a bare repository. Close it, or use it as a context manager.

    `root` is its top folder; of a bare repository, or inside a .git folder, where one was looked.
    """

    def __init__(
        self, root: Path, environment: Mapping[str, str], *, is_bare: bool = False
    ) -> None:
        self.root = root
        self.is_bare = is_bare
        self._environment = environment
        self._objects: subprocess.Popen[bytes] | None = None

    @classmethod
    def around(cls, folder: Path | None) -> Self:
        """The repository that holds `folder`, by default the current one.

        Raises UsageError where there is none.
        """
        environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
        if folder is not None:
            for name in _BOUND_TO_ONE_REPOSITORY:
                environment.pop(name, None)
            if not folder.is_dir():
                raise UsageError(f"{folder} is not a folder.", hint="Name a checkout with --repo.")
        start = cls(folder or Path(), environment)
        found = start.attempt("rev-parse", "--is-bare-repository", "--show-toplevel")
        bare, _, top = os.fsdecode(found.stdout).partition("\n")
        if found.returncode == 0:
            return cls(Path(top.removesuffix("\n")), environment)
        if bare.strip() == "true":
            return cls(start.root, environment, is_bare=True)
        hint = "Run bylaw inside a checkout, name one with --repo, or give a --diff."
        raise UsageError(f"{_complaint(found)}.", hint=hint)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that reads objects."""
        if self._objects is not None:
            self._objects.communicate()
            self._objects = None

    def attempt(
        self, *arguments: str, stdin: bytes = b"", index: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git, whatever comes of it. `index` stands in for the repository's own."""
        extra = {"GIT_INDEX_FILE": str(index)} if index else {}
        try:
            return subprocess.run(  # noqa: S603 - no shell, and refs are resolved to SHAs first
                [*_COMMAND, *arguments],
                cwd=self.root,
                input=stdin,
                capture_output=True,
                check=False,
                env={**self._environment, **extra},
            )
        except FileNotFoundError as error:
            raise UsageError(
                "git was not found.", hint="Install git, or give the change with --diff."
            ) from error

    def run(self, *arguments: str, stdin: bytes = b"", index: Path | None = None) -> bytes:
        """What git prints. Raises UsageError with git's own complaint where it fails."""
        done = self.attempt(*arguments, stdin=stdin, index=index)
        if done.returncode:
            raise UsageError(f"git {arguments[0]} failed in {self.root}: {_complaint(done)}.")
        return done.stdout

    def diff(self, base: str, head: str | None = None, *, index: Path | None = None) -> bytes:
        """The unified diff from commit `base` to commit `head`, or to the work tree."""
        return self.run(*_DIFF, base, *([head] if head else []), "--", index=index)

    def names(self, *arguments: str) -> list[str]:
        """The file names that a command prints under -z."""
        printed = self.run(*arguments).split(b"\0")
        return [name.decode(errors="surrogateescape") for name in printed if name]

    def commit(self, ref: str) -> str | None:
        """The SHA of the commit that `ref` names, None where there is none.

        It goes to git through a pipe, so that one that looks like an option is none.
        """
        found = self._object(f"{ref}^{{commit}}")
        return found.sha if found else None

    def content(self, commit: str, path: str) -> bytes | None:
        """A file of a commit, or of a symbolic link its target; None where there is no such file.

        A path with a line break in it cannot be asked for.
        """
        found = self._object(f"{commit}:{path}")
        return found.content if found and found.kind == b"blob" else None

    def _object(self, name: str) -> _Object | None:
        """An object by its name (gitrevisions), read by one process for all (git-cat-file)."""
        if "\n" in name:
            return None
        if self._objects is None:
            self._objects = subprocess.Popen(  # noqa: S603 - as above
                [*_COMMAND, "cat-file", "--batch"],
                cwd=self.root,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment,
            )
        asked, answers = self._objects.stdin, self._objects.stdout
        if asked is None or answers is None:
            raise AssertionError("both are pipes")
        asked.write(as_bytes(name) + b"\n")
        asked.flush()
        header = answers.readline()
        if not header:
            raise UsageError(f"git cat-file failed in {self.root}.", hint="Run git fsck there.")
        if header.endswith((b" missing\n", b" ambiguous\n")):
            return None
        sha, kind, length = header.split()
        content = answers.read(int(length))
        answers.read(1)
        return _Object(sha.decode(), kind, content)


def as_bytes(name: str) -> bytes:
    """A name as git has it: UTF-8, as in a diff, whatever the locale makes of file names."""
    return name.encode(errors="surrogateescape")


class _Object(NamedTuple):
    sha: str
    kind: bytes
    content: bytes


def _complaint(done: subprocess.CompletedProcess[bytes]) -> str:
    """The line in which git says what is wrong."""
    lines = done.stderr.decode(errors="replace").splitlines()
    fatal = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    said = (fatal or lines or [f"git ended with status {done.returncode}"])[0]
    return said.removeprefix("fatal: ").removeprefix("error: ").rstrip(".")
