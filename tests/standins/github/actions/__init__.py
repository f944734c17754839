"""What people do on GitHub, as plain functions: each changes the state and queues its events.

The REST API acts through the same functions, in the name of the App's bot user.
"""

from __future__ import annotations

from tests.standins.github.actions.branches import (
    ConflictError,
    create_branch,
    delete_branch,
    enqueue,
    fork,
    push,
    push_commit,
    rename_repository,
    update_branch,
)
from tests.standins.github.actions.checks import click, report_check, rerequest_run, rerequest_suite
from tests.standins.github.actions.conversation import (
    comment,
    comment_on_file,
    comment_on_line,
    delete_comment,
    edit_comment,
    react,
    reply,
)
from tests.standins.github.actions.installations import (
    choose_repositories,
    delete_repository,
    suspend,
    uninstall,
    unsuspend,
)
from tests.standins.github.actions.pulls import (
    close,
    convert_to_draft,
    edit_pull_request,
    label,
    mark_ready,
    merge,
    open_pull_request,
    reopen,
    unlabel,
)

__all__ = [
    "ConflictError",
    "choose_repositories",
    "click",
    "close",
    "comment",
    "comment_on_file",
    "comment_on_line",
    "convert_to_draft",
    "create_branch",
    "delete_branch",
    "delete_comment",
    "delete_repository",
    "edit_comment",
    "edit_pull_request",
    "enqueue",
    "fork",
    "label",
    "mark_ready",
    "merge",
    "open_pull_request",
    "push",
    "push_commit",
    "react",
    "rename_repository",
    "reopen",
    "reply",
    "report_check",
    "rerequest_run",
    "rerequest_suite",
    "suspend",
    "uninstall",
    "unlabel",
    "unsuspend",
    "update_branch",
]
