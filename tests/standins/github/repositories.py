"""A repository: what git holds, and who may do what with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from tests.standins.github.accounts import Account, Role
from tests.standins.github.checks import CheckRun, CheckSuite
from tests.standins.github.conversation import IssueComment, ReviewComment
from tests.standins.github.diffs import Diffs
from tests.standins.github.git import GitStore
from tests.standins.github.protection import Protection
from tests.standins.github.pulls import PullRequest

if TYPE_CHECKING:
    from tests.standins.github.world import World


@dataclass(eq=False, repr=False, slots=True)
class Repository:
    """One repository with everything said in it. `git` is a real bare repository.

    Branches in `protected` take commits through pull requests alone; commits in `signed` were made,
    and signed, by GitHub itself.
    """

    world: World
    id: int
    owner: Account
    name: str
    git: GitStore
    private: bool
    created_at: datetime
    default_branch: str = "main"
    fork_of: Repository | None = None
    pushed_at: datetime | None = None
    commits_written: int = 0
    last_number: int = 0
    protected: set[str] = field(default_factory=set)
    signed: set[str] = field(default_factory=set)
    roles: dict[str, Role] = field(default_factory=dict)
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    comments: dict[int, IssueComment] = field(default_factory=dict)
    review_comments: dict[int, ReviewComment] = field(default_factory=dict)
    check_suites: dict[int, CheckSuite] = field(default_factory=dict)
    check_runs: dict[int, CheckRun] = field(default_factory=dict)
    protections: dict[str, Protection] = field(default_factory=dict)
    diffs: Diffs = field(init=False)

    def __post_init__(self) -> None:
        self.diffs = Diffs(self.git)

    def __repr__(self) -> str:
        return f"<Repository {self.full_name}>"

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return f"{self.owner.login}/{self.name}"

    def head(self, branch: str = "") -> str | None:
        """The commit at the tip of a branch (the default branch if unnamed), or None."""
        return self.git.resolve(f"refs/heads/{branch or self.default_branch}")

    def read(self, path: str, ref: str = "") -> bytes | None:
        """A file's bytes at a branch, tag or commit, or None."""
        commit = self.git.resolve(ref or self.default_branch)
        return self.git.read(commit, path) if commit else None

    def role(self, login: str) -> Role:
        """What `login` may do here; everybody reads a public repository."""
        granted = self.roles.get(login.lower())
        if login.lower() == self.owner.login.lower():
            granted = "admin"
        return granted or ("none" if self.private else "read")
