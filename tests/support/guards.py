"""Changes around safeguards, made up: taken away, and only moved, renamed or put in other words.

The code is written as applications write it, from what the weaknesses' pages (CWE-862, 306, 352,
347, 918, 22, 770) call the missing check, and not from the rules' own examples.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jurat.source.diff import FileChange
from tests.support.histories import make_text, make_whole


@dataclass(frozen=True, slots=True)
class Guarded:
    """Code that a guard protects.

    `code` is without it and has GUARD where it stands, on a line of its own, FUNCTION for what it
    is about, and NAME for a name. `instead` does the same in other words.
    """

    ending: str
    code: str
    guard: str
    instead: str


def _read(ending: str, code: str, guard: str, instead: str) -> Guarded:
    return Guarded(ending, code.lstrip("\n"), guard, instead)


GUARDED = (
    _read("py", """
@app.route("/NAME/<int:number>")
GUARD
def FUNCTION(number):
    row = Row.query.get_or_404(number)
    return render_template("row.html", row=row)
""", "@login_required\n", '@roles_required("clerk")\n'),
    _read("py", """
def FUNCTION(request, number):
    document = get_object_or_404(Document, pk=number)
GUARD
    document.delete()
    return redirect("documents")
""", "    if document.owner != request.user:\n        return HttpResponseForbidden()\n",
     "    require_owner(document, request.user)\n"),
    _read("py", """
def FUNCTION(number):
    order = load(number)
GUARD
    return jsonify(order.as_dict())
""", "    if not current_user.is_admin:\n        abort(403)\n", "    check_admin(current_user)\n"),
    _read("py", """
@router.delete("/NAME/{number}")
async def FUNCTION(
    number: int,
    db: Session = Depends(open_session),
GUARD
):
    await remove(db, number)
""", "    user: User = Depends(current_user),\n", "    user: User = Security(current_user),\n"),
    _read("py", """
def FUNCTION(token):
    return jwt.decode(
        token,
        KEY,
        algorithms=["RS256"],
GUARD
    )
""", '        audience="NAME",\n', "        audience=settings.AUDIENCE,\n"),
    _read("py", """
def FUNCTION(url):
GUARD
    answer = requests.get(url, timeout=5)
    return answer.content
""", "    if is_private_address(url):\n        raise ValueError(url)\n",
     "    check_public_address(url)\n"),
    _read("py", """
def FUNCTION(folder, name):
    path = (folder / name).resolve()
GUARD
    return path.read_bytes()
""", '    if not path.is_relative_to(folder):\n        raise ValueError("outside")\n',
     "    verify_inside(path, folder)\n"),
    _read("py", """
class FUNCTION(View):
GUARD
    def get(self, request):
        return render(request, "NAME.html", {"rows": Row.objects.all()})
""", "    @method_decorator(login_required)\n",
     '    @method_decorator(permission_required("NAME"))\n'),
    _read("py", """
def FUNCTION(number):
    return requests.get(
        f"https://api.example/NAME/{number}",
GUARD
    )
""", "        timeout=10,\n", "        timeout=TIMEOUT,\n"),
    _read("js", """
router.delete("/NAME/:number", async (req, res) => {
  const row = await rows.findById(req.params.number);
GUARD
  await row.remove();
  res.sendStatus(204);
});
""", "  if (row.ownerId !== req.user.id) {\n    return res.status(403).end();\n  }\n",
     "  assertOwner(row, req.user);\n"),
    _read("js", """
router.post(
  "/NAME",
GUARD
  async (req, res) => {
    res.json(await pay(req.body));
  },
);
""", "  requireLogin,\n", '  requireRole("clerk"),\n'),
    _read("js", """
const NAME = express.Router();
GUARD
NAME.get("/", list);
NAME.delete("/:number", remove);
""", "NAME.use(requireAdmin);\n", 'NAME.use(passport.authenticate("jwt"));\n'),
    _read("js", """
export async function FUNCTION(address) {
  const url = new URL(address);
GUARD
  return fetch(url);
}
""", "  if (!ALLOWED_HOSTS.has(url.hostname)) {\n    throw new Error(address);\n  }\n",
     "  assertAllowedHost(url);\n"),
    _read("js", """
function FUNCTION(target, source) {
  for (const key of Object.keys(source)) {
GUARD
    target[key] = source[key];
  }
  return target;
}
""", '    if (key === "__proto__") continue;\n', "    if (isPrivateKey(key)) continue;\n"),
    _read("js", """
const NAME = express();
GUARD
NAME.use(express.urlencoded({ extended: false }));
NAME.post("/change", change);
""", "NAME.use(csrf());\n", "NAME.use(lusca.csrf());\n"),
    _read("js", """
export const FUNCTION = (token) =>
  jwt.verify(token, KEY, {
    algorithms: ["RS256"],
GUARD
  });
""", '    issuer: "https://NAME.example",\n', "    issuer: ISSUER,\n"),
    _read("ts", """
@Controller("NAME")
export class FUNCTION {
GUARD
  @Delete(":number")
  remove(@Param("number") number: string) {
    return this.rows.remove(number);
  }
}
""", "  @UseGuards(AdminGuard)\n", '  @Roles("admin")\n'),
    _read("ts", """
export async function FUNCTION(request: Request, body: Buffer): Promise<void> {
GUARD
  await queue.add(JSON.parse(body.toString()));
}
""", '  if (!verifySignature(body, request.headers["x-signature"])) {\n'
     '    throw new Error("refused");\n  }\n', "  requireSignature(request, body);\n"),
    _read("go", """
package NAME

func FUNCTION(w http.ResponseWriter, r *http.Request) {
GUARD
	remove(r.PathValue("number"))
	w.WriteHeader(http.StatusNoContent)
}
""", "\tif !isAdmin(r) {\n\t\thttp.Error(w, \"no\", http.StatusForbidden)\n\t\treturn\n\t}\n",
     "\tmustBeAdmin(r)\n\trequireAdmin(r)\n"),
    _read("go", """
package NAME

func FUNCTION(engine *gin.Engine) {
	admin := engine.Group("/NAME")
GUARD
	admin.DELETE("/:number", remove)
}
""", "\tadmin.Use(RequireLogin())\n", "\tadmin.Use(AuthRequired())\n"),
    _read("go", """
package NAME

func FUNCTION(w http.ResponseWriter, r *http.Request) {
GUARD
	data, _ := io.ReadAll(r.Body)
	store(data)
}
""", "\tr.Body = http.MaxBytesReader(w, r.Body, 1<<20)\n",
     "\tr.Body = http.MaxBytesReader(w, r.Body, maxBody)\n"),
    _read("java", """
class NAME {
GUARD
    @DeleteMapping("/rows/{number}")
    void FUNCTION(long number) {
        rows.deleteById(number);
    }
}
""", "    @PreAuthorize(\"hasRole('ADMIN')\")\n", "    @Secured(\"ROLE_ADMIN\")\n"),
    _read("java", """
class NAME {
    Row FUNCTION(long number, User user) {
        Row row = rows.find(number);
GUARD
        return row;
    }
}
""", "        if (!row.isOwner(user)) {\n            throw new AccessDeniedException(\"no\");\n"
     "        }\n", "        requireOwner(row, user);\n"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GuardChange:
    """A change, and what was done to the guard in it."""

    what: str
    number: int
    files: tuple[FileChange, ...]


class _Place:
    """A file with a guarded piece among others."""

    def __init__(self, chance: random.Random, one: Guarded) -> None:
        self.chance = chance
        self.one = one
        self.path = f"src/{make_text(chance)}.{one.ending}"
        self.name, self.function = make_text(chance), make_text(chance)
        self.filler = {"py": _PY, "go": _GO, "java": _JAVA}.get(one.ending, _JS)
        self.above, self.below = self.fill(), self.fill()

    def fill(self) -> str:
        return self.filler.replace("FILLER", make_text(self.chance))

    def piece(self, guard: str, function: str = "") -> str:
        """The guarded code with this in the place of its guard."""
        code = self.one.code.replace("GUARD\n", guard)
        return code.replace("FUNCTION", function or self.function).replace("NAME", self.name)

    def text(self, piece: str) -> str:
        # Go's package comes first, and once.
        head, rest = "", piece
        if piece.startswith("package"):
            head, _, rest = piece.partition("\n")
            head += "\n\n"
        return f"{head}{self.above}\n{rest}\n{self.below}"

    def change(self, what: str, number: int, head: str) -> GuardChange:
        base = self.text(self.piece(self.one.guard))
        files = [(self.path, base, head)]
        if what == "move_away":
            files.append((f"src/{make_text(self.chance)}.{self.one.ending}", "", self.moved()))
        return GuardChange(what, number, make_whole(files))

    def moved(self) -> str:
        """The guarded code alone, below something else."""
        code = self.piece(self.one.guard)
        start, rest = code.split("\n", 1) if self.one.ending == "go" else ("", code)
        return f"{start}\n{self.fill()}\n{rest}"


_PY = "def FILLER(order):\n    total = order.price\n    return total + 1\n"
_JS = "function FILLER(order) {\n  return order.price + 1;\n}\n"
_GO = "func FILLER(n int) int {\n\treturn n + 1\n}\n"
_JAVA = "class FILLER {\n    int add(int n) {\n        return n + 1;\n    }\n}\n"


def _cut(place: _Place) -> str:
    return place.text(place.piece(""))


def _comment_out(place: _Place) -> str:
    mark = "# " if place.one.ending == "py" else "// "
    lines = place.one.guard.splitlines()
    return place.text(place.piece("".join(f"{mark}{line}\n" for line in lines)))


def _change_beside(place: _Place) -> str:
    return _cut(place).replace("+ 1", "+ 2")


def _add_elsewhere(place: _Place) -> str:
    # What would do in the guard's place stands in a function of nobody's.
    word = {"py": "def other(request):\n    require_login(request)\n",
            "go": "func other(r *http.Request) {\n\trequireLogin(r)\n}\n",
            "java": "class Other {\n    void other(User user) {\n        requireLogin(user);\n"
                    "    }\n}\n",
            }.get(place.one.ending, "function other(req) {\n  requireLogin(req);\n}\n")  # fmt: skip
    return f"{_cut(place)}\n{word}"


def _promise(place: _Place) -> str:
    mark = "#" if place.one.ending == "py" else "//"
    return place.text(place.piece(f"{mark} require_login() is called by the gateway\n"))


def _put_noise_there(place: _Place) -> str:
    first = place.one.guard.lstrip()
    if first.startswith(("@", "user:")) or place.one.guard.endswith(",\n"):
        return _cut(place)  # no place for a statement
    margin = place.one.guard[: len(place.one.guard) - len(first)]
    end = ";" if place.one.ending in ("js", "ts", "java") else ""
    return place.text(place.piece(f'{margin}log("here"){end}\n'))


_REMOVALS: tuple[Callable[[_Place], str], ...] = (
    _cut, _put_noise_there, _comment_out, _change_beside, _add_elsewhere, _promise,
)  # fmt: skip


def _keep_among_others(place: _Place) -> str:
    return place.text(place.piece(place.one.guard)).replace("+ 1", "+ 2")


def _move_down(place: _Place) -> str:
    piece = place.piece(place.one.guard)
    head, rest = ("", piece)
    if piece.startswith("package"):
        head, _, rest = piece.partition("\n")
    return f"{head}\n{place.above}\n{place.below}\n{rest}"


def _rename(place: _Place) -> str:
    text = place.text(place.piece(place.one.guard, f"{place.function}_anew"))
    return text.replace(place.name, f"{place.name}s")


def _reword(place: _Place) -> str:
    return place.text(place.piece(place.one.instead))


def _wrap(place: _Place) -> str:
    # A remark above the guard, an empty line below it.
    mark = "#" if place.one.ending == "py" else "//"
    return place.text(place.piece(f"{mark} as agreed\n{place.one.guard}\n"))


def _give_up(place: _Place) -> str:
    start = f"{place.piece('').partition(chr(10))[0]}\n" if place.one.ending == "go" else ""
    return f"{start}{place.above}\n{place.below}"


def _move_away(place: _Place) -> str:
    return _give_up(place)


_KEPT: tuple[Callable[[_Place], str], ...] = (
    _move_away,
    _keep_among_others, _move_down, _rename, _reword, _wrap, _give_up,
)  # fmt: skip


def make_guard_removals(number: int, seed: int) -> Iterator[GuardChange]:
    """So many changes that take a guard away and leave what it guarded."""
    yield from _make(number, seed, _REMOVALS)


def make_guard_moves(number: int, seed: int) -> Iterator[GuardChange]:
    """So many changes after which what was guarded is guarded, or gone."""
    yield from _make(number, seed, _KEPT)


def _make(
    number: int, seed: int, ways: tuple[Callable[[_Place], str], ...]
) -> Iterator[GuardChange]:
    chance = random.Random(seed)
    for count in range(number):
        which = count % len(GUARDED)
        place = _Place(chance, GUARDED[which])
        way = ways[(count // len(GUARDED)) % len(ways)]
        yield place.change(way.__name__.strip("_"), which, way(place))
