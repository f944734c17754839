from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurat.github.comment_commands import ParsedCommand, parse_commands


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/recheck", ParsedCommand("recheck")),
        ("/recheck please", ParsedCommand("recheck", "please")),
        ("Thanks!\r\n\r\n/recheck\r\n", ParsedCommand("recheck")),
        ("Thanks!\n/recheck\nBye", ParsedCommand("recheck")),
        ("/jurat recheck", ParsedCommand("recheck")),
        ("/jurat", ParsedCommand("help")),
        ("/jurat Explain py.no-md5", ParsedCommand("explain", "py.no-md5")),
        (
            "/jurat dismiss a1b2c3  it is a fixture ",
            ParsedCommand("dismiss", "a1b2c3  it is a fixture"),
        ),
        ("/jurat dance", ParsedCommand("dance")),
        ("> earlier\n\n/recheck", ParsedCommand("recheck")),
        ("```\ncode\n```\n/recheck", ParsedCommand("recheck")),
        ("<details>\n\nlong\n\n</details>\n\n/recheck", ParsedCommand("recheck")),
        ("/recheck\n\n" + "x" * 9_000, ParsedCommand("recheck")),
        ("Look  \n/jurat explain `py.a_b_c`", ParsedCommand("explain", "`py.a_b_c`")),
        (
            "/jurat dismiss a1 it is *so*<!-- x -->, see https://example.com/a_b",
            ParsedCommand("dismiss", "a1 it is *so*, see https://example.com/a_b"),
        ),
        ("/jurat dismiss a1 `a` \\* &amp; b!", ParsedCommand("dismiss", "a1 `a` * & b!")),
    ],
)
def test_a_line_that_begins_with_a_command_is_one(body: str, command: ParsedCommand) -> None:
    assert parse_commands(body) == (command,)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "please /recheck",
        "/rechecking",
        "/recheck/this",
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
        # What no reader sees, or only who unfolds it.
        "Looks good <!--\n/recheck\n-->",
        'Looks <a title="\n/recheck\n">good</a>',
        "Looks ![good\n/recheck\n](https://example.com/a.png)",
        'Looks [good](https://example.com "\n/recheck\n")',
        "Looks `good\n/recheck\n`",
        "Looks good <!--\n/recheck\n" + "x" * 9_000 + "-->",
        "<details><summary>The log</summary>\n\n/recheck\n\n</details>",
        # What begins otherwise.
        "\\/recheck",
        "&#47;recheck",
        "**/recheck**",
        "[/recheck](https://example.com)",
    ],
)
def test_what_reads_as_a_quote_code_or_prose_is_no_command(body: str) -> None:
    assert parse_commands(body) == ()


def test_commands_come_in_order_and_not_without_bound() -> None:
    body = "\n".join(f"/jurat explain rule-{number}" for number in range(9))

    assert [command.arguments for command in parse_commands(body)] == [
        f"rule-{number}" for number in range(5)
    ]


@settings(deadline=None)
@given(st.text(st.characters(codec=None)) | st.text(" \n>`~-*#/recheckjurat[]:\t", max_size=400))
def test_no_comment_is_an_error(body: str) -> None:
    parse_commands("/recheck\n" + body)
    parse_commands(body + "\n/recheck")
