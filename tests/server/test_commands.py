from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurat.github.comment_commands import Command, commands_in


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/recheck", Command("recheck")),
        ("/recheck please", Command("recheck", "please")),
        ("Thanks!\r\n\r\n/recheck\r\n", Command("recheck")),
        ("Thanks!\n/recheck\nBye", Command("recheck")),
        ("/jurat recheck", Command("recheck")),
        ("/jurat", Command("help")),
        ("/jurat Explain py.no-md5", Command("explain", "py.no-md5")),
        ("/jurat dismiss a1b2c3  it is a fixture ", Command("dismiss", "a1b2c3  it is a fixture")),
        ("/jurat dance", Command("dance")),
        ("> earlier\n\n/recheck", Command("recheck")),
        ("```\ncode\n```\n/recheck", Command("recheck")),
    ],
)
def test_a_line_that_begins_with_a_command_is_one(body: str, command: Command) -> None:
    assert commands_in(body) == (command,)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "please /recheck",
        "/rechecking",
        "/recheck/this",
        "/Recheck",
        "/policy apply",
        "> /recheck",
        "> quoted\n/recheck",  # Markdown goes on with the quote
        "> > /recheck",
        "```\n/recheck\n```",
        "```\n/recheck",
        "~~~~ text\n```\n/recheck\n~~~~",
        "    /recheck",
        "- /recheck",
        "`/recheck`",
        "<!--\n/recheck\n-->",
        "<details>\n/recheck\n</details>",
        "# /recheck",
    ],
)
def test_what_reads_as_a_quote_code_or_prose_is_no_command(body: str) -> None:
    assert commands_in(body) == ()


def test_commands_come_in_order_and_not_without_bound() -> None:
    body = "\n".join(f"/jurat explain rule-{number}" for number in range(9))

    assert [command.arguments for command in commands_in(body)] == [
        f"rule-{number}" for number in range(5)
    ]


@settings(deadline=None)
@given(st.text(st.characters(codec=None)) | st.text(" \n>`~-*#/recheckjurat[]:\t", max_size=400))
def test_no_comment_is_an_error(body: str) -> None:
    commands_in("/recheck\n" + body)
    commands_in(body + "\n/recheck")
