"""An author who would rather have a new fault taken for an old one."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.attacks.attack import attack
from tests.standins.github import PullRequest, actions
from tests.support.rules import NO_MD5
from tests.support.town import BROKEN, Town

PRODUCT = NO_MD5.replace(
    "    languages: [python]\n", "    languages: [python]\n    paths: ['!tests/**']\n"
)
SAFE = NO_MD5.replace(
    "pattern: hashlib.md5($$$A), fix: hashlib.sha256($$$A)", "pattern: XX"
).replace(
    "      - {type: pattern, language: python, pattern: XX}\n",
    "      - type: pattern\n        language: python\n        rule:\n"
    "          pattern: hashlib.md5($$$A)\n"
    "          not: {has: {kind: argument_list, has: {kind: keyword_argument}}}\n",
)
CHECKOUT = """
version: 1
rules:
  - id: ci.no-checkout-of-strangers
    statement: A workflow that holds secrets checks out no stranger's code.
    kind: computational
    modality: MUST_NOT
    severity: CRITICAL
    languages: [yaml]
    constraints:
      - type: pattern
        language: yaml
        rule:
          kind: block_mapping_pair
          regex: '^uses: actions/checkout'
          inside:
            kind: document
            stopBy: end
            has: {kind: block_mapping_pair, regex: '^pull_request_target:', stopBy: end}
"""
WORKFLOW = (
    "on:\n  pull_request:\n    branches: [main]\n\npermissions: {}\n\njobs:\n  build:\n"
    "    runs-on: ubuntu-latest\n    timeout-minutes: 5\n    steps:\n"
    "      - uses: actions/checkout@v4\n      - run: make\n"
)
FILLER = "".join(f"ROW_{number} = {number}\n" for number in range(30))


async def reviewed(
    town: Town,
    app: App,
    base: dict[str, str],
    head: dict[str, str | None],
    *,
    rules: str = PRODUCT,
    configuration: str = "",
) -> PullRequest:
    """The pull request that turns `base` into `head`, where None deletes a file."""
    settings = {".github/jurat.yml": f"version: 1\npacks: []\nrules: [policy]\n{configuration}"}
    actions.push(town.repository, "main", {**base, **settings, "policy/house.yml": rules})
    actions.push(town.repository, "fix", head)
    pull = actions.open_pull_request(town.repository, head="fix")
    await town.settle(app)
    return pull


def spots(pull: PullRequest) -> list[tuple[str, int | None]]:
    return [(item.anchor.path, item.anchor.line) for item in pull.review_comments]


@attack(
    "a fork's author",
    tries="pass new code off as moved, by deleting a commented copy of it in another file",
    gets="the failure: a comment never broke the rule",
)
async def test_a_comment_pays_for_code(town: Town, app: App) -> None:
    dead = BROKEN.replace("    return", "    # return")
    pull = await reviewed(town, app, {"old.py": dead}, {"old.py": None, "digest.py": BROKEN})
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="pass new code off as moved, by deleting a copy of it that stood in a text",
    gets="the failure: a text never broke the rule",
)
async def test_a_docstring_pays_for_code(town: Town, app: App) -> None:
    told = f'"""An example:\n\n{BROKEN}"""\n'
    pull = await reviewed(
        town, app, {"old.py": told + FILLER}, {"old.py": FILLER, "digest.py": BROKEN}
    )
    assert town.check(pull).conclusion == "failure"


@pytest.mark.parametrize(
    ("old", "configuration"),
    [("tests/digest.py", ""), ("old/digest.py", "ignore: ['old/**']\n"), ("digest.txt", "")],
)
@attack(
    "a fork's author",
    tries="rename a file out of the tests, an ignored folder or another language, unchanged",
    gets="the failure, in the summary: no line of the diff can carry it",
)
async def test_a_rename_out_of_the_shade(
    town: Town, app: App, old: str, configuration: str
) -> None:
    pull = await reviewed(
        town,
        app,
        {old: BROKEN},
        {old: None, "src/digest.py": BROKEN},
        configuration=configuration,
    )
    check = town.check(pull)
    assert check.conclusion == "failure"
    assert "`src/digest.py:5`" in (check.summary or "") + (check.text or "")


@attack(
    "a fork's author",
    tries="move a file out of the tests by deleting it there and adding it anew",
    gets="the failure: the rule did not look at tests",
)
async def test_a_deleted_test_pays_for_code(town: Town, app: App) -> None:
    pull = await reviewed(
        town,
        app,
        {"tests/a.py": BROKEN + FILLER},
        {"tests/a.py": None, "src/b.py": f"import os\n\n\n{BROKEN}"},
    )
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="move one fault and add a second of the same text beside it",
    gets="the failure, for the one that is more",
)
async def test_one_moves_and_two_arrive(town: Town, app: App) -> None:
    twice = BROKEN + BROKEN.partition("\n")[2].replace("name", "again")
    pull = await reviewed(
        town, app, {"old.py": BROKEN + FILLER}, {"old.py": FILLER, "digest.py": twice}
    )
    assert town.check(pull).conclusion == "failure"
    assert spots(pull) == [("digest.py", 9)]


@attack(
    "a fork's author",
    tries="take one offending call out of a file and put another like it into a second file",
    gets="the failure: nothing but the call is the same",
)
async def test_another_call_pays(town: Town, app: App) -> None:
    legacy = "import hashlib\n\nLEGACY = hashlib.md5(data)\n"
    pull = await reviewed(
        town, app, {"old.py": legacy + FILLER}, {"old.py": FILLER, "digest.py": BROKEN}
    )
    assert town.check(pull).conclusion == "failure"


@attack(
    "a fork's author",
    tries="copy a file that breaks the rule already",
    gets="the failure: the old one stays, and this one is new",
)
async def test_a_copy_of_an_old_file(town: Town, app: App) -> None:
    pull = await reviewed(town, app, {"old.py": BROKEN}, {"new.py": BROKEN})
    assert town.check(pull).conclusion == "failure"
    assert spots(pull) == [("new.py", 5)]


@attack(
    "a fork's author",
    tries="add no line at all, and only delete the argument that made a call safe",
    gets="the failure, and a comment beside what is gone, which names the rule that it kept",
)
async def test_a_safeguard_is_deleted(town: Town, app: App) -> None:
    base = "import hashlib\n\nKEY = hashlib.md5(\n    URL,\n    usedforsecurity=False,\n)\n"
    pull = await reviewed(
        town,
        app,
        {"key.py": base},
        {"key.py": base.replace("    usedforsecurity=False,\n", "")},
        rules=SAFE,
    )
    assert town.check(pull).conclusion == "failure"
    (comment,) = pull.review_comments
    assert (comment.anchor.path, comment.anchor.line) == ("key.py", 5)
    assert "This removed what kept `py.no-md5` true here." in comment.body


@attack(
    "a fork's author",
    tries="leave the dangerous line alone, and change only the trigger far above it",
    gets="the failure, and a comment at the trigger that says where the old line stands",
)
async def test_the_trigger_above_an_old_checkout(town: Town, app: App) -> None:
    path = ".github/workflows/ci.yml"
    head = WORKFLOW.replace("pull_request:", "pull_request_target:")
    pull = await reviewed(town, app, {path: WORKFLOW}, {path: head}, rules=CHECKOUT)
    assert town.check(pull).conclusion == "failure"
    (comment,) = pull.review_comments
    assert (comment.anchor.path, comment.anchor.line) == (path, 2)
    assert "the change at line 2. It stands at line 12." in comment.body
