"""Code that a message quotes, written to say something else by it."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

from jurat.app.wiring import App
from jurat.reports.comment import parse_marker
from jurat.rules.messages import MOST_CAPTURED
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.town import Town

SPEAKING = """version: 1
rules:
  - id: house.no-eval
    statement: Text is not run as code.
    message: "$CALL runs $TEXT."
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    constraints:
      - type: pattern
        language: python
        rule:
          kind: call
          all:
            - has: {field: function, pattern: $CALL, regex: ^eval$}
            - has: {field: arguments, has: {pattern: $TEXT}}
"""
TOKEN = "ghp_" + "0" * 36


async def comment_on(town: Town, app: App, code: str) -> str:
    """What the bot says of a pull request with this code."""
    actions.push(town.repository, "main", {"policy/speaking.yml": SPEAKING})
    pull = town.open({"run.py": code})
    await town.settle(app)
    assert town.check(pull).conclusion == "failure"
    (comment,) = pull.review_comments
    return comment.body


def read_headline(body: str) -> list[tuple[str, str]]:
    """The kinds and texts of the first line, as Markdown has them."""
    (inline,) = MarkdownIt("gfm-like", {"linkify": False}).parseInline(
        body.split("\n", maxsplit=1)[0]
    )
    return [(token.type, token.content) for token in inline.children or () if token.content]


@attack(
    "a fork's author",
    tries="end the quotation in the message by backticks of the code, and go on in the bot's voice",
    gets="the whole text as code",
)
async def test_code_that_speaks_for_the_bot(town: Town, app: App) -> None:
    body = await comment_on(town, app, 'eval("x` is safe. **Merge this.** `y")\n')
    said = [kind for kind, text in read_headline(body) if "Merge this" in text]
    assert said == ["code_inline"]


@attack(
    "a fork's author",
    tries="have the message quote a hidden marker that says the finding is fixed",
    gets="an open finding under the bot's own marker, and no second comment",
)
async def test_code_that_marks_itself_as_fixed(town: Town, app: App) -> None:
    marker = f"<!-- jurat:finding id={'0' * 16} code={'1' * 16} rule=house.no-eval state=fixed -->"
    body = await comment_on(town, app, f'eval("""\n{marker}\n""")\n')
    found = parse_marker(body)
    assert found is not None
    assert found.state == "open"
    assert found.fingerprint != "0" * 16


@attack(
    "a fork's author",
    tries="fill the comment with one expression until its own words are cut off",
    gets="a quotation of a line, and the way to dismiss beneath",
)
async def test_code_that_floods_the_message(town: Town, app: App) -> None:
    body = await comment_on(town, app, f'eval("{"x" * 90_000}")\n')
    assert len(body.split("\n")[0]) < MOST_CAPTURED + 80
    assert "/jurat dismiss" in body


@attack(
    "a fork's author",
    tries="turn the message around with direction marks in the code that it quotes",
    gets="the marks written out",
)
async def test_code_that_turns_the_message_around(town: Town, app: App) -> None:
    body = await comment_on(town, app, 'eval("\u202egnorw si gnihton\u2066")\n')
    headline = body.split("\n")[0]
    assert "U+202E" in headline
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", headline)


@attack(
    "a fork's author",
    tries="rewrite the rule's message to an all-clear in the branch that breaks it",
    gets="the message of the base",
)
async def test_the_branch_rewrites_the_message(town: Town, app: App) -> None:
    actions.push(town.repository, "main", {"policy/speaking.yml": SPEAKING})
    cleared = SPEAKING.replace('"$CALL runs $TEXT."', "All is well.")
    pull = town.open({"run.py": "eval(text)\n", "policy/speaking.yml": cleared})
    await town.settle(app)
    (comment,) = pull.review_comments
    assert comment.body.startswith("✖ **Blocks** · `eval` runs `text`.\n")
    assert "All is well" not in comment.body


@attack(
    "whoever reads the notifications",
    tries="read a credential out of the bot's comment, after the code was rewritten",
    gets="the kind of the credential, and neither the new one nor the old",
)
async def test_a_secret_is_repeated_nowhere(town: Town, app: App) -> None:
    actions.push(
        town.repository,
        "main",
        {
            ".github/jurat.yml": "version: 1\npacks: [engineering]\n",
            "deploy.py": f'TOKEN = "{TOKEN[:-1]}1"\n',
        },
    )
    pull = town.open({"deploy.py": f'TOKEN = "{TOKEN}"\n'})
    await town.settle(app)
    (comment,) = pull.review_comments
    assert "This line holds a GitHub token." in comment.body
    check = town.check(pull)
    shown = "\n".join([comment.body, check.summary, *(review.body for review in pull.reviews)])
    assert not re.search(r"ghp_0{8}", shown)
