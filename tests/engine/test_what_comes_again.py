"""A nonce that comes again with the next message, and its twin that does not."""

from __future__ import annotations

import pytest

from jurat.engine.flow.analysis import find_flows
from jurat.rules.flows import FlowQuestion
from jurat.source.syntax import parse

QUESTION = FlowQuestion(
    settings=(
        "crypto.createCipheriv(2=fixed)",
        "*AESGCM().encrypt(0=fixed)",
        "Cipher{,.getInstance()}.init(2=fixed, 0=*encrypt_mode)",
    ),
    fixed=(
        "crypto.createHash().update().digest()",
        "*.{subarray,rjust,clone}()",
        "*createHash{,().update}()",
        "struct.pack()",
        "{*GCMParameterSpec,byte[]}()",
    ),
)
_SCRIPT = (
    "const crypto = require('crypto');\nfunction seal(key, patient, page, text) {\n"
    "  const iv = crypto.createHash('sha256').update(%s).digest();\n"
    "  return crypto.createCipheriv('aes-256-gcm', key, iv).update(text);\n}\n"
)
_PYTHON = (
    "import struct\nfrom cryptography.hazmat.primitives.ciphers.aead import AESGCM\n"
    "class Box:\n    def __init__(self):\n        self.%s = 0\n    def seal(self, key, text):\n"
    "        return AESGCM(key).encrypt(struct.pack('>12sI', b'box', self.%s), text, b'')\n"
)
_MODE = (
    "class Box {\n  byte[] seal(byte[] text) { return begin(%s).doFinal(text); }\n"
    "  private static Cipher begin(int mode) {\n"
    '    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");\n'
    "    cipher.init(mode, key(), new GCMParameterSpec(128, new byte[12]));\n"
    "    return cipher;\n  }\n}\n"
)
_STATIC = (
    "class Sizes {\n  %s static Cipher begin() {\n"
    '    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");\n'
    "    cipher.init(Cipher.ENCRYPT_MODE, key(), new GCMParameterSpec(BITS, new byte[12]));\n"
    "    return cipher;\n  }\n}\n"
    "class Box {\n  byte[] seal(byte[] text) { return Sizes.begin().doFinal(text); }\n}\n"
)
_FILLED = (
    "class Box {\n  private final byte[] iv = new byte[12];\n"
    "  Box() { new SecureRandom().nextBytes(iv); }\n"
    "  private byte[] next() { %s return iv.clone(); }\n"
    "  byte[] seal(byte[] text) {\n"
    '    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");\n'
    "    cipher.init(Cipher.ENCRYPT_MODE, key(), new GCMParameterSpec(128, next()));\n"
    "    return cipher.doFinal(text);\n  }\n}\n"
)

PAIRS = {
    ("javascript", "a text of whose the message is"): (
        _SCRIPT % "`diary:${patient}`",
        _SCRIPT % "`diary:${patient}:${page}`",
    ),
    ("python", "a number, and one that goes on"): (
        _PYTHON % ("kind", "kind"),
        _PYTHON % ("seq", "seq"),
    ),
    ("java", "a mode that is handed over by its name"): (
        _MODE % "Cipher.ENCRYPT_MODE",
        _MODE % "Cipher.DECRYPT_MODE",
    ),
    ("java", "a constant that a static method reads for another class"): (
        _STATIC % "static final int BITS = 128;",
        _STATIC % "static final int BITS = read();",
    ),
    ("java", "a buffer that is filled with its object"): (
        _FILLED % "",
        _FILLED % "random.nextBytes(iv);",
    ),
    ("java", "a buffer that somebody else may write into"): (
        _FILLED % "iv.clone();",
        _FILLED % "increment(iv);",
    ),
    ("java", "a buffer whose bytes are counted on"): (
        _FILLED % "iv.clone();",
        _FILLED % "iv[0] += 1;",
    ),
}


def count(code: str, language: str) -> int:
    return len(find_flows(parse(code, language).root(), language, [QUESTION]).found)


@pytest.mark.parametrize(("language", "idea"), list(PAIRS))
def test_a_nonce_comes_again(language: str, idea: str) -> None:
    fault, safe = PAIRS[language, idea]
    assert count(safe, language) == 0
    assert count(fault, language) == 1
