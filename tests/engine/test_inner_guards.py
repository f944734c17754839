"""A check that became part of what it guarded, and what only looks like it."""

from __future__ import annotations

import pytest

from jurat.engine.code_scan import scan_code
from jurat.engine.rule_examples import build_changed_file
from jurat.rules.loader import load_ruleset, read_pack
from jurat.rules.rule import Rule
from jurat.source.parsing import parse_in_process

RULES = load_ruleset(read_pack("engineering")).rules
REFUSAL, LOGIN = RULES["safeguard.refusal-removed"], RULES["safeguard.login-removed"]

PYTHON = """\
def show(request, number):
    invoice = Invoice.get(pk=number)
    count_visit()
    if invoice.owner_id != request.user.id:
        raise PermissionDenied
    return render(invoice)
"""
GUARD = "    if invoice.owner_id != request.user.id:\n        raise PermissionDenied\n"
LOAD = "Invoice.get(pk=number)"

TYPESCRIPT = """\
export const cancel = async ({ id, userId, teamId }: Options) => {
  const letter = await db.letter.findUnique({ where: byId(id) });
  const isUserOwner = letter.userId === userId;
  const teamRole = await getRole({ teamId, reference: userId });
  const isMember = teamRole !== null;
  if (!isUserOwner && !isMember) {
    throw new NotAllowed();
  }
  return db.letter.delete({ where: { id: letter.id } });
};
"""
CLOSED = """\
  const { letterWhere } = await readWhere({ id, userId, teamId });
  const letter = await db.letter.findFirst({ where: letterWhere });
"""
OPEN = "  const letter = await db.letter.findUnique({ where: byId(id) });\n"
CHECK = "  if (!isUserOwner && !isMember) {\n    throw new NotAllowed();\n  }\n"

GO = """\
package p

func show(w http.ResponseWriter, r *http.Request, user User) {
	invoice := store.Find(r.PathValue("id"))
	if invoice.OwnerID != user.ID {
		http.Error(w, "no", http.StatusForbidden)
		return
	}
	write(w, invoice)
}
"""
JAVA = """\
class A {
    Invoice show(long number, User user) {
        Invoice invoice = invoices.findById(number);
        if (!invoice.isOwner(user)) {
            throw new AccessDeniedException("not yours");
        }
        return invoice;
    }
}
"""


def is_reported(language: str, before: str, after: str, rule: Rule = REFUSAL) -> bool:
    assert before != after
    path = {"python": "a.py", "typescript": "a.ts", "go": "a.go", "java": "A.java"}[language]
    file = build_changed_file(path, language, before, after)
    (matches,) = scan_code([(rule, [file])], parse_in_process)
    assert not matches.unread
    return bool(matches.places)


def load_by(call: str) -> str:
    return PYTHON.replace(GUARD, "").replace(LOAD, call)


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("python", PYTHON, load_by("Invoice.get(pk=number, owner=request.user)")),
        ("python", PYTHON, load_by("get_or_404(Invoice, number, owner_id=request.user.id)")),
        ("python", PYTHON, load_by("find(Invoice).filter(Invoice.owner_id == request.user.id)")),
        ("typescript", TYPESCRIPT, TYPESCRIPT.replace(CHECK, "").replace(OPEN, CLOSED)),
        (
            "go", GO,
            GO.replace(GO[GO.index("\tif inv") : GO.index("\twrite")], "")
            .replace("Find(r", "FindOfOwner(user.ID, r"),
        ),
        (
            "java", JAVA,
            JAVA.replace(JAVA[JAVA.index("        if (") : JAVA.index("        return")], "")
            .replace("findById(number)", "findByIdAndOwner(number, user)"),
        ),
    ],
    ids=["a filter", "a helper", "a comparison", "a value on the way", "Go", "Java"],
)  # fmt: skip
def test_who_is_refused_by_a_check_gets_nothing_from_a_load(
    language: str, before: str, after: str
) -> None:
    assert not is_reported(language, before, after)


def put_first(lines: str) -> str:
    return load_by(LOAD).replace("    count_visit()\n", lines + "    count_visit()\n")


OTHERS = {
    "the same load": load_by(LOAD),
    "one word": load_by("Invoice.get(pk=number, cache=request.user)"),
    "a text": load_by("Invoice.get(pk=number, label='owner user')"),
    "a remark": load_by("Invoice.get(pk=number)  # owner_id == request.user.id"),
    "a log": put_first("    log(owner=request.user)\n"),
    "another load": put_first("    own = Invoice.get(owner=request.user)\n"),
    "a branch": put_first(
        "    if number:\n        invoice = Invoice.get(pk=number, owner=request.user)\n"
    ),
    "another function": load_by(LOAD)
    + "\ndef show_all(request):\n    invoice = Invoice.get(owner=request.user)\n    f(invoice)\n",
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_only_speaks_of_whom_a_check_asked_serves_for_none(name: str) -> None:
    assert is_reported("python", PYTHON, OTHERS[name])


def test_neither_does_what_was_loaded_so_before() -> None:
    narrow = "Invoice.get(pk=number, owner=request.user)"
    wider = "Invoice.get(pk=number, owner=request.user, archived=False)"
    assert is_reported("python", PYTHON.replace(LOAD, narrow), load_by(wider))


def test_nor_a_load_by_another_key() -> None:
    open_to_all = TYPESCRIPT.replace(CHECK, "")
    assert is_reported("typescript", TYPESCRIPT, open_to_all)
    assert is_reported("typescript", TYPESCRIPT, open_to_all.replace("byId(id)", "byKey(id)"))


MARKED = """\
class Users {
    @PreAuthorize("@permissions.isSuperAdmin()")
    @PostMapping("/users")
    void save(User user) {
        count();
        users.save(user);
    }
}
"""
MARK = '    @PreAuthorize("@permissions.isSuperAdmin()")\n'
ASKED = """\
        if (!permissions.isSuperAdmin() && !user.isMe()) {
            throw new Refused();
        }
"""


def ask_in_body(lines: str) -> str:
    return MARKED.replace(MARK, "").replace("        count();\n", "        count();\n" + lines)


def test_what_a_mark_asked_is_asked_in_the_body() -> None:
    assert not is_reported("java", MARKED, ask_in_body(ASKED), LOGIN)


@pytest.mark.parametrize(
    "lines",
    [
        "",
        ASKED.replace("throw new Refused()", "count()"),
        ASKED.replace("isSuperAdmin", "isReady"),
        "        if (user.isNew()) {\n" + ASKED + "        }\n",
        "        boolean isSuperAdmin = permissions.isSuperAdmin();\n",
        "        // if (!permissions.isSuperAdmin()) throw\n",
    ],
    ids=["nothing", "leads nowhere", "another question", "a branch", "no condition", "a remark"],
)
def test_what_only_speaks_of_it_there_serves_for_none(lines: str) -> None:
    assert is_reported("java", MARKED, ask_in_body(lines), LOGIN)
