"""What a change took away: told from what it moved, replaced, renamed, or gave up altogether."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from ast_grep_py import SgNode

from jurat.engine import code_search
from jurat.engine.code_scan import scan_code
from jurat.engine.pattern_search import PatternQuery, search_tree
from jurat.engine.regex_filter import RegexFilter
from jurat.engine.rule_examples import build_added_file, build_changed_file
from jurat.findings.finding import Location
from jurat.rules.loader import load_ruleset, read_pack
from jurat.source.diff import FileChange
from jurat.source.parsing import parse_in_process
from tests.support.guards import GUARDED, make_guard_moves, make_guard_removals

RULES = load_ruleset(read_pack("engineering")).rules

SAFEGUARDS = [rule for rule in RULES.values() if rule.id.startswith("safeguard.")]
CHANGES = int(os.environ.get("JURAT_GUARD_CHANGES", "300"))
"""Changes that are made up for each test; the figures in the changelog are of 1,000."""

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


def test_a_head_is_searched_only_where_the_base_guarded_something(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searched = []

    def search(
        text: str, root: SgNode, language: str, query: PatternQuery, regexes: RegexFilter
    ) -> list[SgNode]:
        searched.append(text)
        return search_tree(text, root, language, query, regexes)

    monkeypatch.setattr(code_search, "search_tree", search)
    # The word stands in a comment, and what is brought defines a function.
    open_to_all = VIEWS.replace("@login_required", "# no login_required")
    after = open_to_all.replace("def about(request)", "def about_us(request)")
    assert not find("safeguard.login-removed", change(open_to_all, after))
    assert set(searched) == {open_to_all}
    guarded = VIEWS.replace("def about(request)", "def about_us(request)")
    assert not find("safeguard.login-removed", change(VIEWS, guarded))
    assert set(searched) == {open_to_all, VIEWS, guarded}


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
        (CHECKED.replace("        raise PermissionDenied\n", "        log(invoice)\n"), True),
        (CHECKED.replace("raise PermissionDenied", "return turn_away(request)"), False),
        (CHECKED.replace("        raise Perm", "        log(invoice)\n        raise Perm"), False),
        (CHECKED.replace("owner_id != request.user.id", "is_foreign(request.user)"), False),
        (CHECKED.replace("invoice.owner_id != request.user.id", "foreign(number)"), False),
        (CHECKED.replace("invoice.owner_id != request.user.id", "False"), True),
        (drop(CHECKED, "if", "raise", "invoice", "return") + "    raise Gone\n", False),
    ],
    ids=[
        "removed",
        "defused",
        "another refusal",
        "a line more",
        "asked in other words",
        "of another",
        "never",
        "given up",
    ],
)
def test_a_refusal(after: str, missed: bool) -> None:
    assert bool(find("safeguard.refusal-removed", change(CHECKED, after))) is missed


CONFIG = (
    "def save(row):\n    if not %s(row.config):\n        raise ValueError\n    put(row.config)\n"
)


def test_a_shorter_name_is_another_check_and_no_deletion() -> None:
    """`is_safe_config` has all letters of `is_config`, and still somebody is refused by it."""
    before = CONFIG % "is_safe_config"
    assert find("safeguard.input-check-removed", change(before, CONFIG % "is_config")) == []
    assert find("safeguard.input-check-removed", change(before, drop(before, "if", "raise")))


REFUSAL = CHECKED[CHECKED.index("    if ") : CHECKED.index("    return")]


@pytest.mark.parametrize(
    ("line", "missed"),
    [
        ("log(invoice.owner_id, request.user.id)", True),
        ("await audit.record(invoice.owner_id, user=request.user)", True),
        ("invoice.owner_id != request.user.id", True),
        ("known = invoice.owner_id != request.user.id", True),
        ("request.user.id = invoice.owner_id", True),
        ("said = {'status': 'rejected', 'owner': invoice.owner_id, 'to': request.user}", True),
        ("known = invoice.owner_id == request.user.id\n    assert known or is_public", False),
        ("assert invoice.owner_id == request.user.id", False),
        ("require(invoice.owner_id == request.user.id)", False),
        ("check_owner(invoice, request.user)", False),
        ("await invoice.check_owner(request.user)", False),
        ("invoice = Invoice.get(number, owner=request.user)", False),
        ("return render(invoice) if invoice.owner_id == request.user.id else None", False),
    ],
)
def test_in_a_guards_place_only_what_can_refuse_stands_for_it(line: str, missed: bool) -> None:
    after = CHECKED.replace(REFUSAL, f"    {line}\n")
    assert bool(find("safeguard.refusal-removed", change(CHECKED, after))) is missed


ROUTES = """\
admin.post("/users", async (req, res) => {
  if (!req.user.isAdmin) {
    return res.sendStatus(403);
  }
  await save(req.body);
});

admin.post("/posts", async (req, res) => {
  await post(req.body);
});
"""
CHECK_OF_ROUTE = """\
  if (!req.user.isAdmin) {
    return res.sendStatus(403);
  }
"""
UNCHECKED = ROUTES.replace(CHECK_OF_ROUTE, "")


@pytest.mark.parametrize(
    ("line", "missed"),
    [
        ("console.log(req.user, isAdmin);", True),
        ("const admin = req.user.isAdmin;", True),
        ("await audit(req.user, req.isAdmin);", True),
        ("track('save', {user: req.user, admin: req.user.isAdmin});", True),
        ("const admin = req.user.isAdmin;\n  if (!admin) return refuse(res);", False),
        ("assertAdmin(req.user);", False),
        ("invariant(!!req.user.isAdmin);", False),
    ],
)
def test_in_the_place_of_a_routes_guard_only_what_can_refuse_stands_for_it(
    line: str, missed: bool
) -> None:
    after = ROUTES.replace(CHECK_OF_ROUTE, f"  {line}\n")
    assert bool(find("safeguard.refusal-removed", change_routes(after))) is missed


def change_routes(after: str, before: str = ROUTES) -> FileChange:
    return build_changed_file("shop/routes.js", "javascript", before, after)


BARE = drop(CHECKED, "if invoice", "raise")


@pytest.mark.parametrize(
    "after",
    [
        BARE + "\n\ndef pay(request):\n    require_owner(request)\n    return done(request)\n",
        BARE.replace("    return", "    log('require_owner(request)')\n    return"),
        BARE.replace("    invoice =", '    """Calls require_owner(request)."""\n    invoice ='),
        BARE.replace("    return", "    render()  # require_owner(request)\n    return"),
        "from shop.login_required import page\n\n\n" + BARE,
        BARE + "\n\ndef require_owner(request):\n    return True\n",
        BARE.replace("    return", "    if DEBUG:\n        require_owner(request)\n    return"),
        BARE + "    require_owner(request)\n",
        BARE.replace("    return", "    def later():\n        require_owner(request)\n    return"),
        BARE.replace("    return", "    later = lambda: require_owner(request)\n    return"),
    ],
    ids=[
        "in another function",
        "in a text",
        "in a docstring",
        "in a remark behind code",
        "as an import",
        "as a definition",
        "in a branch",
        "behind the return",
        "in a function of its own",
        "in a lambda",
    ],
)
def test_a_successor_elsewhere_is_none(after: str) -> None:
    assert find("safeguard.refusal-removed", change(CHECKED, after))


@pytest.mark.parametrize(
    "after",
    [
        BARE.replace("    return", "    require_owner(invoice, request)\n    return"),
        BARE.replace("render(invoice)", "render(require_owner(invoice, request))"),
        "app.before_request(ask_for_login)\n\n\n" + BARE,
    ],
    ids=["a call", "a call in another", "for all of the file"],
)
def test_a_successor_in_its_place_is_one(after: str) -> None:
    assert find("safeguard.refusal-removed", change(CHECKED, after)) == []


def test_a_successor_in_another_file_is_none() -> None:
    other = build_added_file("shop/other.py", "python", "app.before_request(ask_for_login)\n")
    assert find("safeguard.refusal-removed", change(CHECKED, BARE), other)


@pytest.mark.parametrize(
    ("after", "missed"),
    [
        (UNCHECKED, True),
        (UNCHECKED.replace("  await post", f"{CHECK_OF_ROUTE}  await post"), True),
        (UNCHECKED.replace("  await post", "  requireAdmin(req);\n  await post"), True),
        (UNCHECKED.replace('"/posts", async', '"/posts", requireAdmin(), async'), True),
        (UNCHECKED.replace("  await save", "  requireAdmin(req);\n  await save"), False),
        (UNCHECKED.replace('"/users", async', '"/users", requireAdmin(), async'), False),
        ("admin.use(requireAdmin());\n" + UNCHECKED, False),
    ],
    ids=["gone", "moved", "a call there", "handed to it", "a call here", "handed here", "for all"],
)
def test_handlers_without_a_name_are_told_apart_by_their_address(after: str, missed: bool) -> None:
    assert bool(find("safeguard.refusal-removed", change_routes(after))) is missed


ROUTER = """\
admin.use(requireAdmin);
admin.get("/a", a);
admin.get("/b", b);
admin.get("/c", c);
"""
OPEN_ROUTER = drop(ROUTER, "admin.use")


@pytest.mark.parametrize(
    ("after", "missed"),
    [
        (OPEN_ROUTER.replace('"/a", a', '"/a", requireAdmin, a'), True),
        (OPEN_ROUTER.replace(", ", ", requireAdmin, "), False),
        (OPEN_ROUTER + "pages.use(requireAdmin());\n", True),
        ("app.use(requireAdmin());\n" + OPEN_ROUTER + 'app.use("/admin", admin);\n', False),
    ],
    ids=["one of three has it", "each has it", "another router", "the router around it"],
)
def test_a_guard_of_a_router(after: str, missed: bool) -> None:
    found = find("safeguard.login-removed", change_routes(after, ROUTER))
    assert bool(found) is missed


@pytest.mark.parametrize(
    ("after", "missed"),
    [
        (BARE.replace("    return", "    guard(invoice, request)\n    return"), False),
        (BARE, True),
    ],
    ids=["called", "not called"],
)
def test_a_check_that_moves_into_a_function_serves_if_that_is_called(
    after: str, missed: bool
) -> None:
    helper = (
        "\n\ndef guard(invoice, request):\n"
        "    if invoice.owner_id != request.user.id:\n        raise PermissionDenied\n"
    )
    assert bool(find("safeguard.refusal-removed", change(CHECKED, after + helper))) is missed
    other = build_added_file("shop/guards.py", "python", helper.lstrip())
    called = after.replace("guard(", "guards.guard(")
    assert bool(find("safeguard.refusal-removed", change(CHECKED, called), other)) is missed


@pytest.mark.parametrize(
    ("call", "refusal", "missed"),
    [
        ("guard(invoice, request)", "return False", True),
        ("known = guard(invoice, request)", "return False", False),
        ("if not guard(invoice, request):\n        return None", "return False", False),
        ("guard(invoice, request) or refuse()", "return False", False),
        ("guard(invoice, request)", "abort(403)", False),
        ("guard(invoice, request)", 'return "rejected"', True),
        ("guard(invoice, request)", "return False\n    pay(invoice)", False),
    ],
)
def test_what_a_function_answers_serves_if_something_is_done_with_it(
    call: str, refusal: str, missed: bool
) -> None:
    checked = CHECKED.replace("raise PermissionDenied", refusal.partition("\n")[0])
    before = checked.replace("    return render", "    page = read()\n    return render")
    after = BARE.replace("    return", f"    page = read()\n    {call}\n    return")
    helper = (
        "\n\ndef guard(invoice, request):\n"
        f"    if invoice.owner_id != request.user.id:\n        {refusal}\n    return True\n"
    )
    found = find("safeguard.refusal-removed", change(before, after + helper))
    assert bool(found) is missed
    other = build_added_file("shop/guards.py", "python", helper.lstrip())
    called = after.replace("guard(", "guards.guard(")
    assert bool(find("safeguard.refusal-removed", change(before, called), other)) is missed


def test_a_check_that_stays_serves_for_no_other_if_what_follows_it_changes() -> None:
    before = (
        "def show(request, number):\n    invoice = Invoice.get(number)\n"
        "    if invoice.owner_id != request.user.id:\n        return False\n"
        "    if invoice.team.owner_id != request.user.id:\n        return False\n    return True\n"
    )
    owner = "    if invoice.owner_id != request.user.id:\n        return False\n"
    after = before.replace(owner, "").replace("return True", "note(number)\n    return True")
    assert find("safeguard.refusal-removed", change(before, after))


ANSWER = """\
package p

func answer(w http.ResponseWriter, err error) {
\tif errors.Is(err, ErrOwner) {
\t\thttp.Error(w, "no", http.StatusForbidden)
\t\treturn
\t}
\tdone(w)
}

func count(all []int) int {
\ttotal := 0
\tfor _, one := range all {
\t\ttotal += one
\t}
\treturn total
}
"""


@pytest.mark.parametrize(
    ("helper", "missed"),
    [
        ("\tif errors.Is(err, ErrOwner) {\n\t\treturn http.StatusForbidden\n\t}\n", False),
        (
            "\tswitch {\n\tcase errors.Is(err, ErrOwner):\n\t\treturn http.StatusForbidden\n\t}\n",
            False,
        ),
        ("\tif errors.Is(err, ErrOther) {\n\t\treturn http.StatusForbidden\n\t}\n", True),
        ("\tif errors.Is(err, ErrOwner) {\n\t\tcount(err)\n\t}\n", True),
    ],
    ids=["another end", "a case", "another condition", "no refusal"],
)
def test_a_condition_that_moves_into_a_function_serves_however_that_says_no(
    helper: str, missed: bool
) -> None:
    check = ANSWER[ANSWER.index("\tif errors") : ANSWER.index("\tdone")]
    bare = ANSWER.replace(check, "").replace("done(w)\n", "done(w)\n\tw.WriteHeader(read(err))\n")
    after = f"{bare}\nfunc read(err error) int {{\n{helper}\treturn 200\n}}\n"
    found = find("safeguard.refusal-removed", build_changed_file("a.go", "go", ANSWER, after))
    assert bool(found) is missed


def list_found(files: tuple[FileChange, ...]) -> list[str]:
    scanned = scan_code([(rule, files) for rule in SAFEGUARDS], parse_in_process)
    return [rule.id for rule, one in zip(SAFEGUARDS, scanned, strict=True) if one.places]


def test_nine_of_ten_guards_that_are_taken_away_are_missed() -> None:
    missed, made_of = Counter[int](), Counter[int]()
    for made in make_guard_removals(CHANGES, seed=16):
        made_of[made.number] += 1
        missed[made.number] += bool(list_found(made.files))
    assert len(made_of) == len(GUARDED)
    assert missed.total() >= 0.9 * made_of.total(), missed


def test_no_guard_is_missed_that_is_kept_moved_renamed_reworded_or_given_up() -> None:
    reported = [
        (made.what, made.number, found)
        for made in make_guard_moves(CHANGES, seed=17)
        if (found := list_found(made.files))
    ]
    assert reported == []


def test_a_setting_of_the_same_value_in_a_function_that_is_called_serves_for_no_other() -> None:
    before = (
        "def read(token):\n    known = find(token)\n    return known, jwt.decode(\n        token,\n"
        '        KEY,\n        audience="orders",\n    )\n'
    )
    after = before.replace('        audience="orders",\n', "") + (
        '\n\ndef find(token):\n    return jwt.decode(token, KEY, issuer="orders")\n'
    )
    assert find("safeguard.token-check-removed", change(before, after))
