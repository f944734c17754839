"""What a callee must not be given is found wherever it comes from: one table, a snippet a row."""

from __future__ import annotations

import pytest

from jurat.engine.flow.analysis import find_flows
from jurat.rules.callee_settings import Condition, normalize_option, parse_setting
from jurat.rules.flows import FlowQuestion
from jurat.source.syntax import parse

SETTINGS = (
    "mail.read(options.signed=false)",
    "mail.read(signed=false|off)",
    "mail.send(0=*session*, !secure, 0!=*csrf*)",
    "mail.seal(0=fixed)",
    "mail.derive(1<1000)",
    "mail.Client.get(this.signed=false)",
    "mail.Client.signed = false",
)
FIXED = ("{bytes,byte[],*.encode,*.getBytes,Buffer.from}()",)


def count(code: str, language: str = "python") -> int:
    question = FlowQuestion(settings=SETTINGS, fixed=FIXED, exceptions="migrate")
    return len(find_flows(parse(code, language).root(), language, [question]).found)


FOUND = {
    "as written": "import mail\nmail.read(t, signed=False)",
    "a constant": "import mail\nSTRICT = False\ndef a(t):\n    mail.read(t, signed=STRICT)",
    "under another name": "from mail import read as look\nlook(t, signed='OFF')",
    "a dictionary": "import mail\nO = {'signed': False}\ndef a(t):\n    mail.read(t, options=O)",
    "a dictionary of keywords": "import mail\nO = dict(signed=False)\nmail.read(t, **O)",
    "one that was added to": "import mail\no = {}\no['signed'] = False\nmail.read(t, options=o)",
    "a class attribute": "import mail\nclass A:\n    o = {'signed': False}\n"
    "    def a(self, t):\n        mail.read(t, options=self.o)",
    "a default": "import mail\ndef a(t, signed: bool = False):\n    mail.read(t, signed=signed)",
    "a part of a class that is a default": "import mail\nclass S:\n    signed = False\n"
    "class A:\n    def __init__(self, settings=S):\n        self.s = settings\n"
    "    def a(self, t):\n        mail.read(t, signed=self.s.signed)",
    "a helper": "import mail\ndef o():\n    return {'signed': False}\nmail.read(t, options=o())",
    "what a caller says": "import mail\ndef a(t, s):\n    mail.read(t, signed=s)\n\na(t, False)",
    "one of several": "import mail\nmail.read(t, signed=['on', 'off'])",
    "an option left away": "import mail\nN = 'shop_session'\nmail.send(N, k, path='/')",
    "one left out of a known dictionary": "import mail\no = {'a': 1}\nmail.send('session', **o)",
    "a constant of bytes": "import mail\nIV = b'0' * 16\ndef a():\n    mail.seal(IV)",
    "bytes of a text": "import mail\nmail.seal('abc'.encode())",
    "a part of a constant": "import mail\nKEY = 'abcdefgh'\nmail.seal(KEY[:4])",
    "a small number": "import mail\nROUNDS = 10\nmail.derive(t, ROUNDS * 2)",
    "what an object was made with": "import mail\nmail.Client('a', signed=False).get(t)",
    "what an object was told": "import mail\nc = mail.Client('a')\nc.signed = False",
}
LEFT = {
    "as it should be": "import mail\nmail.read(t, signed=True)",
    "what nobody knows": "import mail, conf\nmail.read(t, signed=conf.SIGNED)",
    "what a caller decides": "import mail\ndef a(t, signed):\n    mail.read(t, signed=signed)",
    "a default that is right": "import mail\ndef a(t, s=True):\n    mail.read(t, signed=s)",
    "either": "import mail\nmail.read(t, signed=False if conf.a else True)",
    "overwritten": "import mail\no = {'signed': False}\no['signed'] = True\nmail.read(t, **o)",
    "what an option allows": "import mail\ndef a(t, c):\n    if c.self_signed:\n"
    "        mail.read(t, signed=False)",
    "what an option asks for": "import mail\ndef a(t, c):\n    if not c.verify:\n"
    "        mail.read(t, signed=False)",
    "a function that is not meant": "import mail\ndef migrate(t):\n    mail.read(t, signed=False)",
    "another's": "from other import mail\nmail.read(t, signed=False)",
    "an option that may be there": "import mail\ndef a(**o):\n    mail.send('session', **o)",
    "another name": "import mail\nmail.send('theme', k)",
    "an exception": "import mail\nmail.send('csrf_session', k)",
    "drawn": "import mail, os\nmail.seal(os.urandom(16))",
    "a parameter": "import mail\ndef a(nonce):\n    mail.seal(nonce)",
    "a number nobody knows": "import mail\nmail.derive(t, conf.ROUNDS)",
    "told otherwise": "import mail\nc = mail.Client('a', signed=False)\nc.signed = True\nc.get(t)",
    "perhaps told otherwise": "import mail, other\nc = mail.Client('a', signed=False)\n"
    "other.harden(c)\nc.get(t)",
}


@pytest.mark.parametrize("name", FOUND)
def test_a_setting_is_found_wherever_it_comes_from(name: str) -> None:
    assert count(FOUND[name]) == 1


@pytest.mark.parametrize("name", LEFT)
def test_what_is_no_such_setting_is_left_alone(name: str) -> None:
    assert count(LEFT[name]) == 0


JAVA = "class A {{ void f() {{ byte[] iv = new byte[16]; {} mail.seal(iv); }} }}"
GO = "package a\nfunc f() {{ iv := make([]byte, 16); {} mail.seal(iv[:]) }}"


@pytest.mark.parametrize(
    ("language", "code", "filled"),
    [
        ("java", JAVA, "random.nextBytes(iv);"),
        ("java", JAVA, "System.arraycopy(drawn, 0, iv, 0, 16);"),
        ("go", GO, "rand.Read(iv);"),
        ("go", GO, "copy(iv[4:], drawn);"),
        ("go", GO, "iv[0] = drawn;"),
    ],
)
def test_a_buffer_is_the_same_until_somebody_fills_it(
    language: str, code: str, filled: str
) -> None:
    assert count(code.format(""), language) == 1
    assert count(code.format(filled), language) == 0


def test_the_spelling_of_an_option_does_not_matter() -> None:
    spellings = ("setHttpOnly", "http_only", "HttpOnly", "http-only", "httponly")
    assert {normalize_option(one) for one in spellings} == {"httponly"}
    assert normalize_option("settle") == "settle"


def test_a_setting_is_read() -> None:
    found = parse_setting("a.B().c(0.x=on|Off, 2<10, !d)")
    assert found.callee == "a.B().c"
    assert found.conditions == (
        Condition(("0", "x"), "=", ("on", "off")),
        Condition(("2",), "<", ("10",)),
        Condition(("d",), "!", ("",)),
    )
    assert found.options == {"x"}


@pytest.mark.parametrize("said", ["a.b", "a.b(c)", "a.b(c<d)", "a.b(=1)", "a.b ="])
def test_what_is_no_setting_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match=r"setting|condition|number"):
        parse_setting(said)
