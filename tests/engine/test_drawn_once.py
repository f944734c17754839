"""What is the same each time, and what is off unless somebody says otherwise; beside its twin."""

from __future__ import annotations

import pytest

from jurat.engine.flow.analysis import find_flows
from jurat.rules.flows import FlowQuestion
from jurat.source.syntax import parse

QUESTION = FlowQuestion(
    settings=(
        "*AESGCM().encrypt(0=fixed)",
        "crypto.createCipheriv(2=fixed)",
        "requests.get(verify=false)",
    )
)
_SEAL = (
    "import os\nfrom cryptography.hazmat.primitives.ciphers.aead import AESGCM\n"
    "KEY = os.urandom(32)\nNONCE = os.urandom(12)\ndef seal(text):\n    %s\n"
    "    return AESGCM(KEY).encrypt(nonce, text, b'')\n"
)
_SCRIPT = (
    "const crypto = require('crypto');\nlet iv = crypto.randomBytes(12);\n"
    "function seal(key, text) {\n  %s\n"
    "  return crypto.createCipheriv('aes-256-gcm', key, iv).update(text);\n}\n"
)
_ASK = (
    "import os, requests\ndef ask(url, options):\n    ca = %s\n"
    "    return requests.get(url, verify=ca)\n"
)

PAIRS = {
    ("python", "a nonce of the file"): (
        _SEAL % "nonce = NONCE",
        _SEAL % "nonce = os.urandom(len(NONCE))",
    ),
    ("python", "a nonce that a function draws anew"): (
        _SEAL % "nonce = NONCE[:12]",
        _SEAL % "global NONCE\n    NONCE = os.urandom(12)\n    nonce = NONCE",
    ),
    ("javascript", "a nonce of the file"): (
        _SCRIPT % "",
        _SCRIPT % "iv = crypto.randomBytes(12);",
    ),
    ("python", "what the environment does not say"): (
        _ASK % "os.environ.get('CA') or False",
        _ASK % "os.environ.get('CA') or True",
    ),
    ("python", "what an option may say"): (
        _ASK % "os.getenv('CA') or False",
        _ASK % "options.ca or False",
    ),
}


def count(code: str, language: str) -> int:
    return len(find_flows(parse(code, language).root(), language, [QUESTION]).found)


@pytest.mark.parametrize(("language", "idea"), list(PAIRS))
def test_what_is_the_same_each_time(language: str, idea: str) -> None:
    fault, safe = PAIRS[language, idea]
    assert count(safe, language) == 0
    assert count(fault, language) == 1
