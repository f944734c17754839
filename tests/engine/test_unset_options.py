"""What an option is where nobody has set the variable that it is read from."""

from __future__ import annotations

import pytest

from jurat.engine.flow.analysis import find_flows
from jurat.rules.flows import FlowQuestion
from jurat.source.syntax import parse

QUESTION = FlowQuestion(
    settings=("*mail.read(signed=false)", "*mail.Options(Signed=false)", "*.setSigned(0=false)")
)

GO = (
    'package main\nimport (\n"acme.example/mail"\n"os"\n"strings"\n)\n'
    "func options() mail.Options {\n%s\n}\n"
)
RETURN = 'mode := os.Getenv("%s")\nreturn mail.Options{Signed: %s}'
PYTHON = "import os, mail\ndef view(text):\n    return mail.read(text, signed=%s)\n"
SCRIPT = "const mail = require('mail');\nconst view = (text) => mail.read(text, { signed: %s });\n"
JAVA = "class View {\nvoid view(Options options) {\noptions.setSigned(%s);\n}\n}\n"

PAIRS = {
    "unless it is asked for": (
        "go",
        GO % RETURN % ("MAIL_SIGNED", 'mode == "on"'),
        GO % RETURN % ("MAIL_SIGNED", 'mode != "off"'),
    ),
    "in whatever letters": (
        "go",
        GO % RETURN % ("MAIL_SIGNED", 'strings.EqualFold(mode, "on")'),
        GO % RETURN % ("MAIL_SIGNED", '!strings.EqualFold(mode, "off")'),
    ),
    "only if it is set": (
        "go",
        GO % RETURN % ("MAIL_SIGNED", 'mode != ""'),
        GO % RETURN % ("APP_ENV", 'mode == "production"'),
    ),
    "with what it is else": (
        "python",
        PYTHON % "os.environ.get('SIGNED', 'no').lower() == 'yes'",
        PYTHON % "os.environ.get('SIGNED', 'yes').lower() == 'yes'",
    ),
    "with nothing": (
        "python",
        PYTHON % "os.getenv('SIGNED') is not None",
        PYTHON % "os.getenv('UNSIGNED') is None",
    ),
    "a part of the environment": (
        "javascript",
        SCRIPT % "process.env.SIGNED === '1'",
        SCRIPT % "process.env.SIGNED !== '0'",
    ),
    "a denial of it": (
        "javascript",
        SCRIPT % "!(process.env.SIGNED !== '1')",
        SCRIPT % "process.env.NODE_ENV === 'production'",
    ),
    "what a setting of Java is": (
        "java",
        JAVA % 'Boolean.parseBoolean(System.getenv("SIGNED"))',
        JAVA % '!"off".equals(System.getenv("SIGNED"))',
    ),
    "a property with what it is else": (
        "java",
        JAVA % '"on".equals(System.getProperty("signed", "off"))',
        JAVA % '"on".equals(System.getProperty("signed", "on"))',
    ),
}


def count(code: str, language: str) -> int:
    return len(find_flows(parse(code, language).root(), language, [QUESTION]).found)


@pytest.mark.parametrize("name", PAIRS)
def test_an_option_is_what_it_is_where_nobody_sets_it(name: str) -> None:
    language, fault, fit = PAIRS[name]
    assert (count(fault, language), count(fit, language)) == (1, 0)
