"""Text that a maintainer is asked to copy, with a command in it that they do not see."""

from __future__ import annotations

import pytest

from jurat.app.wiring import App
from tests.app.test_overrides import day
from tests.attacks.attack import attack
from tests.standins.github import actions
from tests.support.talk import DENIED, opened, reactions, said
from tests.support.town import Town

HIDDEN = {
    "comment": "Thank you, looks good to me! <!--\n{command}\n-->",
    "title": 'Thank you, <a title="\n{command}\n">looks</a> good to me!',
    "picture": "![Thank you\n{command}\n](https://example.com/thanks.png)",
    "folded": "Thank you!\n\n<details><summary>Environment</summary>\n\n{command}\n\n</details>",
    "code": "Thank you, `looks\n{command}\n` good to me!",
    "far": "Thank you! <!--\n{command}\n" + "x" * 9_000 + "\n-->",
}


@attack(
    "a fork's author",
    tries="have a maintainer post a comment of theirs that hides a command: in an HTML comment, an"
    " attribute, a picture's text, code or what is folded",
    gets="nothing: a command is a line that a reader sees as one",
)
@pytest.mark.parametrize("place", HIDDEN)
async def test_a_command_that_nobody_sees(town: Town, app: App, place: str) -> None:
    pull = await opened(town, app, DENIED)
    command = f"/jurat override until {day(app, 3)} Looks good to me."
    comment = await said(town, app, pull, HIDDEN[place].format(command=command), "mary")
    assert (reactions(comment), town.check(pull).conclusion) == ([], "failure")


@attack(
    "a fork's author",
    tries="edit an old comment of a maintainer's, or their own, into a command",
    gets="nothing: a comment is heard once, as it was when it was written",
)
async def test_a_comment_becomes_a_command(town: Town, app: App) -> None:
    pull = await opened(town, app, DENIED)
    comment = await said(town, app, pull, "Nice.", "mary")
    actions.edit_comment(comment, f"/jurat override until {day(app, 3)} Nice.", by="mallory")
    await town.settle(app)
    assert (reactions(comment), town.check(pull).conclusion) == ([], "failure")
