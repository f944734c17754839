"""A private key is told from a text that only shows how one looks."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from jurat.source import private_keys
from jurat.source.private_keys import find_whole_key
from tests.support.growth import LINEAR, measure_growth

BEGIN = "-----BEGIN PRIVATE KEY-----\n"

KEYS: dict[str, serialization.SSHPrivateKeyTypes] = {
    "rsa": rsa.generate_private_key(65537, 1024),
    "ec": ec.generate_private_key(ec.SECP256R1()),
    "dsa": dsa.generate_private_key(1024),
    "ed25519": ed25519.Ed25519PrivateKey.generate(),
}
FORMATS = {
    "PKCS #8": PrivateFormat.PKCS8,
    "of its own": PrivateFormat.TraditionalOpenSSL,
    "OpenSSH": PrivateFormat.OpenSSH,
}


def write(kind: str, form: str, *, encrypted: bool = False) -> str:
    how = BestAvailableEncryption(b"word") if encrypted else NoEncryption()
    return KEYS[kind].private_bytes(Encoding.PEM, FORMATS[form], how).decode()


WRITTEN = {
    f"{kind}, {form}": write(kind, form)
    for kind in KEYS
    for form in FORMATS
    if (kind, form) not in (("ed25519", "of its own"), ("dsa", "OpenSSH"))
}
ENCRYPTED = {
    "PKCS #8": write("ec", "PKCS #8", encrypted=True),
    "of its own": write("rsa", "of its own", encrypted=True),
}


def write_pgp(packet: bytes, checksum: str) -> str:
    body = base64.b64encode(packet).decode()
    return (
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n"
        f"{body}\n={checksum}\n-----END PGP PRIVATE KEY BLOCK-----\n"
    )


@pytest.mark.parametrize("name", WRITTEN)
def test_a_key_of_any_kind_is_whole(name: str) -> None:
    assert find_whole_key(WRITTEN[name])


@pytest.mark.parametrize("name", ENCRYPTED)
def test_an_encrypted_key_is_one(name: str) -> None:
    assert find_whole_key(ENCRYPTED[name])


@pytest.mark.parametrize("name", WRITTEN)
def test_one_without_a_line_is_an_example(name: str) -> None:
    lines = WRITTEN[name].strip().split("\n")
    assert not find_whole_key("\n".join([*lines[:1], *lines[2:]]))
    assert not find_whole_key("\n".join([*lines[:-2], "...", lines[-1]]))
    assert not find_whole_key("\n".join(lines[:-1]))


@pytest.mark.parametrize("name", ["rsa, PKCS #8", "rsa, of its own", "dsa, of its own"])
def test_one_whose_parts_do_not_fit_each_other_is_an_example(name: str) -> None:
    lines = WRITTEN[name].split("\n")
    at = 2
    lines[at] = lines[at][:30] + ("A" if lines[at][30] != "A" else "B") + lines[at][31:]
    assert not find_whole_key("\n".join(lines))


@pytest.mark.parametrize(
    "quote",
    [
        lambda text: "\n".join("    " + line for line in text.split("\n")).strip(),
        lambda text: text.replace("\n", "\n> "),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\\n"),
        lambda text: text.replace("\n", '\\n" +\n  "'),
    ],
    ids=["indented", "quoted", "of Windows", "in a string", "in several strings"],
)
def test_one_is_told_however_a_page_shows_it(quote: object) -> None:
    assert callable(quote)
    assert find_whole_key(quote(WRITTEN["rsa, PKCS #8"].strip()))


def test_a_key_of_pgp_has_its_checksum() -> None:
    packet = bytes([0x95, 0x00, 0x40]) + bytes(range(64))
    assert find_whole_key(write_pgp(packet, "rfPU"))
    assert not find_whole_key(write_pgp(packet, "AAAA"))
    assert not find_whole_key(write_pgp(b"\x99" + packet[1:], "rfPU"))


@pytest.mark.parametrize(
    "body",
    [
        "dGhpcyBpcyBvYnZpb3VzbHkgbm90IGEga2V5IG9mIGFueWJvZHksIG5vdCBldmVu",
        "your key stands here, between the lines that begin and end it",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
        base64.b64encode(b"\x30\x80" + b"\0" * 60).decode(),
        base64.b64encode(b"\x30\x84\xff\xff\xff\xff" + b"\0" * 60).decode(),
    ],
)
def test_what_decodes_to_no_key_is_an_example(body: str) -> None:
    for kind in ("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "):
        text = f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"
        assert not find_whole_key(text)


def _write_part(tag: int, held: bytes) -> bytes:
    return bytes([tag, 0x82]) + len(held).to_bytes(2, "big") + held


def test_a_thousand_envelopes_in_each_other_end_no_review() -> None:
    begun = _write_part(0x02, b"\0") + _write_part(0x30, b"")
    nested = _write_part(0x30, _write_part(0x02, b"\0"))
    for _ in range(1_000):
        nested = (
            _write_part(0x30, begun + _write_part(0x04, nested)) if len(nested) < 14_000 else nested
        )
    body = base64.b64encode(nested).decode()
    assert not find_whole_key(f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----")


def test_numbers_that_are_longer_than_any_key_has_are_not_reckoned_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(private_keys, "pow", lambda *given: asked.append(given), raising=False)
    number = b"\x02\x82" + (2_300).to_bytes(2, "big") + b"\x7f" * 2_300
    whole = b"\x30\x82" + (6 * len(number)).to_bytes(2, "big") + number * 6
    body = base64.b64encode(whole).decode()
    assert not find_whole_key(f"{BEGIN}{body}\n-----END PRIVATE KEY-----")
    assert asked == []


@pytest.mark.parametrize("body", [BEGIN, "A", "MIIE", "AgOAAA\n"])
def test_a_hostile_text_costs_no_more_than_its_length(body: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        return partial(find_whole_key, BEGIN + body * size)

    assert not find_whole_key(BEGIN + body * 2_000)
    assert measure_growth(prepare, 2_000) < LINEAR
