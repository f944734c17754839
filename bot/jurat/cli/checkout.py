"""What has changed in a checkout, and what its base says, read through git alone.

The change runs from the merge base with the default branch to the work tree, or to `head` if one
is named. The default branch is what origin/HEAD points to, else main, else master; the remote's
come before the local ones, as a pull request would be made against them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from jurat.errors import UsageError
from jurat.source.diff import Diff, FileChange
from jurat.source.diff_parser import decode_text, parse_diff
from jurat.source.file_text import attach_base

# Git as a command: arguments in, bytes out, and nothing run that a configuration names.

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


class GitCheckout:
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
    def containing(cls, folder: Path | None) -> Self:
        """The repository that holds `folder`, by default the current one.

        Raises UsageError if there is none.
        """
        # No optional lock: `git status` in an editor beside us must not fail on index.lock. C, as
        # git's own words are shown, and some are read.
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
        hint = "Run it inside a checkout, or name one with --repo."
        raise UsageError(f"{_find_error_line(found)}.", hint=hint)

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
        """What git prints. Raises UsageError with git's own complaint if it fails."""
        done = self.attempt(*arguments, stdin=stdin, index=index)
        if done.returncode:
            raise UsageError(f"git {arguments[0]} failed in {self.root}: {_find_error_line(done)}.")
        return done.stdout

    def diff(self, base: str, head: str | None = None, *, index: Path | None = None) -> bytes:
        """The unified diff from commit `base` to commit `head`, or to the work tree."""
        return self.run(*_DIFF, base, *([head] if head else []), "--", index=index)

    def list_names(self, *arguments: str) -> list[str]:
        """The file names that a command prints under -z."""
        printed = self.run(*arguments).split(b"\0")
        return [name.decode(errors="surrogateescape") for name in printed if name]

    def find_remote(self) -> str:
        """The address of `origin` as it is configured, "" if there is none."""
        return os.fsdecode(self.attempt("config", "--get", "remote.origin.url").stdout)

    def commit(self, ref: str) -> str | None:
        """The SHA of the commit that `ref` names, None if there is none.

        It goes to git through a pipe, so that one that looks like an option is none.
        """
        found = self._read_object(f"{ref}^{{commit}}")
        return found.sha if found else None

    def read_file(self, commit: str, path: str) -> bytes | None:
        """A file of a commit, or of a symbolic link its target; None if there is no such file.

        A path with a line break in it cannot be asked for.
        """
        found = self._read_object(f"{commit}:{path}")
        return found.content if found and found.kind == b"blob" else None

    def _read_object(self, name: str) -> _Object | None:
        """An object by its name (gitrevisions), read by one process for all (git-cat-file)."""
        if "\n" in name:
            return None
        if self._objects is None:
            self._objects = subprocess.Popen(  # noqa: S603 - as above
                [*_COMMAND, "cat-file", "--batch"],
                cwd=self.root,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # A pipe that nobody reads fills up, and git would wait for it for ever.
                stderr=subprocess.DEVNULL,
                env=self._environment,
            )
        asked, answers = self._objects.stdin, self._objects.stdout
        if asked is None or answers is None:
            raise AssertionError("both are pipes")
        asked.write(to_bytes(name) + b"\n")
        # Each question is answered before the next: both pipes full at once would be a deadlock.
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


def to_bytes(name: str) -> bytes:
    """A name as git has it: UTF-8, as in a diff, whatever the locale makes of file names."""
    return name.encode(errors="surrogateescape")


class _Object(NamedTuple):
    sha: str
    kind: bytes
    content: bytes


def _find_error_line(done: subprocess.CompletedProcess[bytes]) -> str:
    """The line in which git says what is wrong."""
    lines = done.stderr.decode(errors="replace").splitlines()
    fatal = [line for line in lines if line.startswith(("fatal: ", "error: "))]
    said = (fatal or lines or [f"git ended with status {done.returncode}"])[0]
    return said.removeprefix("fatal: ").removeprefix("error: ").rstrip(".")


_DEFAULT_BRANCHES = (
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
)
_COMMITS_TOLD = 50
"""Commits whose messages make up the intent if none is given."""


@dataclass(frozen=True, slots=True)
class CommitRange:
    """The two ends of a change. `head` is None for the work tree, uncommitted work included."""

    base: str
    head: str | None
    tip: str


def resolve_range(
    repository: GitCheckout, base: str | None = None, head: str | None = None
) -> CommitRange:
    """The commits that `base` and `head` name, `base` moved back to where the two part.

    Raises UsageError if a ref is unknown, there is no default branch, no common ancestor or
    nothing checked out.
    """
    tip = _resolve_tip(repository, head)
    named = resolve_commit(repository, base)
    # As a pull request shows it: what has happened on the base since is not this change's.
    shared = repository.attempt("merge-base", named, tip).stdout.decode().split()
    if not shared:
        raise UsageError(
            f"{base or 'The default branch'} and {head or 'HEAD'} share no history.",
            hint="In a shallow clone, run git fetch --unshallow; else name another --base.",
        )
    return CommitRange(shared[0], None if head is None else tip, tip)


def _resolve_tip(repository: GitCheckout, head: str | None) -> str:
    if repository.is_bare and head is None:
        raise UsageError(
            f"{repository.root} is a bare repository, with nothing checked out.",
            hint="Name the commit to review with --head.",
        )
    if tip := repository.commit("HEAD" if head is None else head):
        return tip
    if head is not None:
        raise _build_unknown_error(head, repository)
    raise UsageError(
        f"{repository.root} has no commit to compare with.",
        hint="Commit something first, or give the change with --diff.",
    )


def resolve_whole(repository: GitCheckout, head: str | None = None) -> CommitRange:
    """All that `head` holds, or the work tree, as a change that begins with nothing.

    Raises UsageError as `resolve_range` does.
    """
    tip = _resolve_tip(repository, head)
    # Its id is another one in a repository of SHA-256; git knows either without having it.
    nothing = repository.run("hash-object", "-t", "tree", "--stdin").decode().strip()
    return CommitRange(nothing, None if head is None else tip, tip)


def read_change(repository: GitCheckout, between: CommitRange) -> Diff:
    """The change, each file with both of its texts if they are at hand.

    The head versions are made from the base's and the diff, never read from the disk: what lies
    there may be written with other line endings, or through a filter, than git compares.
    """
    change = parse_diff(_read_raw_diff(repository, between))
    return Diff(tuple(_with_texts(file, repository, between.base) for file in change.files))


def find_last_commit(repository: GitCheckout, commit: str, path: str, lines: Sequence[int]) -> str:
    """The commit, in short, that wrote the last of these lines as `commit` has them (git-blame).

    Empty if that cannot be told: history may be cut off, or the path be none of the commit's.
    """
    ranges = [word for line in lines for word in ("-L", f"{line},{line}")]
    # A user's list of commits to ignore may not be there, and a text conversion runs a program.
    blamed = repository.attempt(
        *("-c", "blame.ignoreRevsFile=", "blame", "--no-textconv", "--porcelain"),
        *(*ranges, commit, "--", path),
    )
    times: dict[str, int] = {}
    sha = ""
    for line in blamed.stdout.decode(errors="replace").split("\n"):
        if header := _BLAMED.match(line):
            sha = header[1]
        elif line.startswith("committer-time "):
            times[sha] = int(line.split()[1])
        elif line == "boundary" and _is_shallow(repository):
            return ""
    return max(times, key=times.__getitem__)[:SHORT_SHA] if times and not blamed.returncode else ""


_BLAMED = re.compile(r"([0-9a-f]{40,64}) \d+ \d+")
SHORT_SHA = 7
"""Digits of a commit that people are shown."""


def _is_shallow(repository: GitCheckout) -> bool:
    return repository.run("rev-parse", "--is-shallow-repository").strip() == b"true"


def read_commit_messages(repository: GitCheckout, between: CommitRange) -> str:
    """What the commits of the change say of themselves, the latest first."""
    if between.base == between.tip:
        return ""
    output = repository.run(
        "log",
        "--no-color",
        "--format=%B",
        f"--max-count={_COMMITS_TOLD}",
        f"{between.base}..{between.tip}",
        "--",
    )
    return output.decode(errors="replace").strip()


def _read_raw_diff(repository: GitCheckout, between: CommitRange) -> bytes:
    if between.head is not None:
        return repository.diff(between.base, between.head)
    # A name that ends in a slash is a repository of its own inside this one.
    untracked = [
        name
        for name in repository.list_names("ls-files", "--others", "--exclude-standard", "-z")
        if not name.endswith("/")
    ]
    if not untracked:
        return repository.diff(between.base)
    with tempfile.TemporaryDirectory(prefix="jurat-") as folder:
        # A copy of the index that lists the new files makes git itself print them, with its own
        # idea of their modes, line endings and binary content; the repository stays as it is.
        index = Path(folder) / "index"
        current = os.fsdecode(repository.run("rev-parse", "--git-path", "index")).removesuffix("\n")
        if (repository.root / current).exists():
            # With its time: git reads again what changed no earlier than its index was written.
            shutil.copy2(repository.root / current, index)
        # The mode and the id are never used: git sees that the file on disk is another.
        entries = b"".join(
            f"100644 {between.base}\t".encode() + to_bytes(name) + b"\0" for name in untracked
        )
        repository.run("update-index", "-z", "--index-info", stdin=entries, index=index)
        return repository.diff(between.base, index=index)


def resolve_commit(repository: GitCheckout, ref: str | None) -> str:
    """The commit that `ref` names, None for the default branch's.

    Raises UsageError if the ref is unknown or there is no default branch.
    """
    if ref is not None:
        if (commit := repository.commit(ref)) is None:
            raise _build_unknown_error(ref, repository)
        return commit
    for name in _DEFAULT_BRANCHES:
        if commit := repository.commit(name):
            return commit
    raise UsageError(
        f"No default branch in {repository.root}: no origin/HEAD, main or master.",
        hint="Name the branch that this change is made against with --base.",
    )


def _build_unknown_error(ref: str, repository: GitCheckout) -> UsageError:
    return UsageError(
        f"{ref!r} names no commit in {repository.root}.",
        hint="Fetch it first, or name another branch, tag or commit.",
    )


def _with_texts(file: FileChange, repository: GitCheckout, base: str) -> FileChange:
    had_text = file.unread is None and not file.is_binary and not file.is_submodule
    content = repository.read_file(base, file.old_path) if file.old_path and had_text else None
    return file if content is None else attach_base(file, decode_text(content))
