"""What a change took away: told from what it moved, replaced, renamed, or gave up altogether."""

from __future__ import annotations

import pytest

from jurat.engine.code_scan import scan_code
from jurat.engine.rule_examples import build_added_file, build_changed_file
from jurat.findings.finding import Location
from jurat.rules.loader import load_ruleset, read_pack
from jurat.source.diff import FileChange
from jurat.source.parsing import parse_in_process

RULES = load_ruleset(read_pack("engineering")).rules

VIEWS = """\
from auth import login_required


@login_required
def export(request):
    return write(request)


def about(request):
    return page(request)
"""

CHECKED = """\
def show(request, number):
    invoice = Invoice.get(number)
    if invoice.owner_id != request.user.id:
        raise PermissionDenied
    return render(invoice)
"""


def find(rule: str, *files: FileChange) -> list[Location]:
    (matches,) = scan_code([(RULES[rule], files)], parse_in_process)
    assert not matches.unread
    return [place.location for place in matches.places]


def change(before: str, after: str, path: str = "shop/views.py") -> FileChange:
    return build_changed_file(path, "python", before, after)


def test_it_stands_where_the_guard_stood_and_names_it() -> None:
    (found,) = find("safeguard.login-removed", change(VIEWS, drop(VIEWS, "@login_required")))
    assert found.start_line == 4
    assert found.fields == {"snippet": "@login_required", "function_name": "export"}
    assert found.cause is not None
    assert found.cause.safeguard
    assert found.cause.removed == (4,)


def drop(text: str, *lines: str) -> str:
    kept = [line for line in text.splitlines() if not line.strip().startswith(lines)]
    return "\n".join(kept) + "\n"


@pytest.mark.parametrize(
    "after",
    [
        VIEWS.replace("@login_required", "# @login_required"),
        VIEWS.replace("@login_required\n", "\n# login is checked elsewhere\n"),
        drop(VIEWS, "@login_required", "from auth"),
        # A guard of another function is none of this one's.
        drop(VIEWS, "@login_required").replace("def about", "@login_required\ndef about"),
    ],
    ids=["commented out", "a promise", "with its import", "put on another"],
)
def test_a_guard_that_is_gone_is_missed_whatever_is_said_of_it(after: str) -> None:
    assert find("safeguard.login-removed", change(VIEWS, after))


@pytest.mark.parametrize(
    "after",
    [
        VIEWS.replace("@login_required", "@roles_required('clerk')"),
        VIEWS.replace("@login_required\ndef export", "@login_required\n@cached\ndef export"),
        VIEWS.replace("export(request)", "export_all(request)").replace("@login_required\n", ""),
        drop(VIEWS, "@login_required", "def export", "return write"),
        drop(VIEWS, "@login_required").replace("write(request)", "write(require_login(request))"),
        drop(VIEWS, "@login_required") + "\napp.before_request(require_login)\n",
    ],
    ids=["another guard", "kept", "renamed", "with what it guarded", "a call", "for all"],
)
def test_a_guard_that_something_stands_for_is_not_missed(after: str) -> None:
    assert find("safeguard.login-removed", change(VIEWS, after)) == []


def test_what_moves_to_another_file_is_not_missed() -> None:
    rest = VIEWS[VIEWS.index("def about") :]
    moved = build_added_file("shop/export.py", "python", VIEWS[: VIEWS.index("def about")])
    assert find("safeguard.login-removed", change(VIEWS, rest), moved) == []


def test_a_new_file_and_a_deleted_one_have_lost_nothing() -> None:
    added = build_added_file("shop/views.py", "python", drop(VIEWS, "@login_required"))
    assert find("safeguard.login-removed", added) == []


@pytest.mark.parametrize(
    ("after", "missed"),
    [
        (drop(CHECKED, "if invoice", "raise"), True),
        # The check is still made, and ends in nothing.
        (CHECKED.replace("        raise PermissionDenied\n", "        log(invoice)\n"), False),
        (CHECKED.replace("owner_id != request.user.id", "is_foreign(request.user)"), False),
        (drop(CHECKED, "if", "raise", "invoice", "return") + "    raise Gone\n", False),
    ],
    ids=["removed", "defused", "asked in other words", "given up"],
)
def test_a_refusal(after: str, missed: bool) -> None:
    assert bool(find("safeguard.refusal-removed", change(CHECKED, after))) is missed
