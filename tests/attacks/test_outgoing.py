"""What somebody can do to have the model see what it must not."""

from __future__ import annotations

from sqlalchemy import select

from jurat.app.wiring import App
from jurat.store.tables import audit_log
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.secret_formats import FORMATS, draw_secret
from tests.support.town import BROKEN, Town

CLEAN = BROKEN.replace("md5", "sha512")
CONFIG = "version: 1\npacks: []\nrules: [policy]\n"
PRIVATE = CONFIG + "review: {private: ['payroll/**']}\n"


def read_all_sent(town: Town) -> str:
    """Everything that any model was sent, embeddings included."""
    asked = (f"{item.fenced}\n{item.unfenced}\n{item.system}" for item in town.gemini.asked)
    return "\n".join((*asked, *map(str, town.gemini.embedded)))


@attack(
    "a colleague",
    tries="push secrets of sixty kinds, for a model's provider to read them",
    gets="each masked in its line: none stands in any prompt",
)
async def test_secrets_of_sixty_kinds(town: Town, app: App) -> None:
    drawn = [draw_secret(name) for name in FORMATS]
    lines = "\n".join(f"# {line}" for _, line in drawn)
    actions.push(town.repository, "main", {"old.py": f"{lines}\nx = 1\n"})
    pull = town.open({"digest.py": f"{CLEAN}{lines}\n", "old.py": "x = 2\n"}, body=lines)
    await town.settle(app)
    sent = read_all_sent(town)
    assert town.gemini.asked
    assert town.check(pull).status == "completed"
    assert [secret for secret, _ in drawn if secret in sent] == []
    async with app.database.reading() as connection:
        query = select(audit_log.c.result).where(audit_log.c.action == "review")
        (result,) = (await connection.scalars(query)).all()
    assert len(result["sent"]) == len(town.gemini.asked)
    assert all(len(item["digest"]) == 64 and item["size"] > 0 for item in result["sent"])


@attack(
    "a fork's author",
    tries="change a private file, for a judged rule to pass without anybody having read it",
    gets="nothing of it sent, and the rule not assessed: the check asks for a person",
)
async def test_a_private_file(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {".github/jurat.yml": PRIVATE})
    pull = town.open({"payroll/may.py": "boss = 9_000\n", "digest.py": CLEAN})
    await town.settle(app)
    check = town.check(pull)
    assert "9_000" not in read_all_sent(town)
    assert "payroll" not in read_all_sent(town)
    assert check.conclusion == "action_required"
    assert "Shown to no model: 1 private file" in (check.summary or "")


@attack(
    "a fork's author",
    tries="rename a private file to where it is not private, to have it sent",
    gets="nothing of it sent: it is as private as it was",
)
async def test_a_private_file_that_moves(town: Town, app: App) -> None:
    secret = "\n".join(f"boss_{number} = {number}_000" for number in range(1, 20))
    actions.push(
        town.repository, "main", {".github/jurat.yml": PRIVATE, "payroll/may.py": f"{secret}\n"}
    )
    town.open({"payroll/may.py": None, "public.py": f"{secret}\nlast = 1\n"})  # type: ignore[dict-item]
    await town.settle(app)
    assert "boss_7" not in read_all_sent(town)


@attack(
    "a fork's author",
    tries="take a path off `review.private` in the same pull request, to have it sent",
    gets="nothing of it sent: the base's configuration counts",
)
async def test_a_change_of_what_is_private(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {".github/jurat.yml": PRIVATE})
    town.open({".github/jurat.yml": CONFIG, "payroll/may.py": "boss = 9_000\n"})
    await town.settle(app)
    assert "9_000" not in read_all_sent(town)


@attack(
    "a fork's author",
    tries="begin a private key that never ends, for the code below it to be masked away",
    gets="the code below shown: no line of code could be part of a key",
)
async def test_a_key_that_never_ends(town: Town, app: App) -> None:
    town.open({"digest.py": f"{CLEAN}# -----BEGIN PRIVATE KEY-----\nsteal(customers)\n"})
    await town.settle(app)
    assert "steal(customers)" in read_all_sent(town)
