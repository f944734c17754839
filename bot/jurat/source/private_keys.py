"""Whether a text has all of a private key, or only shows how one looks.

A page about keys shows some that are cut short, or are made of the letters of a sentence. One that
somebody pasted there by mistake can be used, and so its parts fit each other: that is what is
looked at. No key is tried.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import NamedTuple

_BLOCK = re.compile(
    r"-----BEGIN (?P<kind>(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?)-----(?P<body>.{40,20000}?)"
    r"-----END (?P=kind)-----",
    re.DOTALL,
)
_LINE_END = re.compile(r"\\r|\\n|\n")
_MARGIN = " \t\r>|*#\"',;`\\"
"""What stands around a line of a key that is quoted, indented or a part of a string."""
_JOINED = re.compile(r"""["'`]\s*\+\s*$""")
"""What ends a line of a text that is put together of several."""
_HEADER = re.compile(r"[A-Za-z-]+: .*")
_LETTERS = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_CHECKSUM = re.compile(r"=[A-Za-z0-9+/]{4}")

_INTEGER, _OCTETS, _SEQUENCE = 0x02, 0x04, 0x30
_OPENSSH = b"openssh-key-v1\0"
_OPENSSH_FIELDS = 3
_SHORTEST_ENCRYPTED = 64
_LEAST_BITS = 512
"""Of the number that an RSA key is made of: a shorter one is worked out in an hour."""
_MOST_BITS = 4096
"""Of the prime of a DSA key, with which it is worked out whether its numbers fit."""
_RSA_PARTS, _DSA_PARTS = 9, 6
_SHORTEST_SECRET, _LONGEST_SECRET = 20, 72
"""Bytes of the secret number of a key on a curve."""


class _Part(NamedTuple):
    """A part of what is written in DER: its tag, and what it holds."""

    tag: int
    held: bytes


class _KeyText(NamedTuple):
    """What stands between the marks of a key: its letters, and what is said before and of them."""

    letters: str
    is_encrypted: bool
    checksum: str


def find_whole_key(text: str) -> str:
    """The letters of the private key that a text begins with, "" if it has not all of one."""
    block = _BLOCK.match(text)
    if block is None:
        return ""
    read = _read_lines(block["body"])
    if read is None:
        return ""
    try:
        data = base64.b64decode(read.letters, validate=True)
    except (binascii.Error, ValueError):
        return ""
    return read.letters if _is_whole(block["kind"], data, read) else ""


def _read_lines(body: str) -> _KeyText | None:
    letters: list[str] = []
    headers: list[str] = []
    checksum = ""
    for written in _LINE_END.split(body):
        line = _JOINED.sub("", written).strip(_MARGIN)
        if not line:
            continue
        if _HEADER.fullmatch(line) and not letters:
            headers.append(line)
        elif _CHECKSUM.fullmatch(line):
            checksum = line[1:]
        elif _LETTERS.fullmatch("".join(line.split())) and not checksum:
            letters.append("".join(line.split()))
        else:
            return None
    is_encrypted = any("ENCRYPTED" in one for one in headers)
    return _KeyText("".join(letters), is_encrypted, checksum)


def _is_whole(kind: str, data: bytes, read: _KeyText) -> bool:
    if kind.endswith("BLOCK"):
        return _is_pgp(data, read.checksum)
    if kind.startswith("OPENSSH"):
        return _is_openssh(data)
    if read.is_encrypted:
        return len(data) >= _SHORTEST_ENCRYPTED and len(data) % 8 == 0
    whole = _read_whole(data)
    if whole is None:
        return False
    if kind.startswith("ENCRYPTED"):
        return [one.tag for one in whole] == [_SEQUENCE, _OCTETS] and len(whole[1].held) % 8 == 0
    return _is_key(whole)


def _read_whole(data: bytes) -> list[_Part] | None:
    """The parts of the one sequence that data is; None if it is none, or not all of it."""
    parts = _read_parts(data)
    if parts is None or len(parts) != 1 or parts[0].tag != _SEQUENCE:
        return None
    return _read_parts(parts[0].held)


def _read_parts(data: bytes) -> list[_Part] | None:
    """What stands one after the other in DER; None if it does not end where it says."""
    parts, at = [], 0
    while at < len(data):
        if at + 2 > len(data):
            return None
        tag, length = data[at], data[at + 1]
        at += 2
        if length == 0x80:  # one that does not say how long it is, which DER has not
            return None
        if length > 0x80:
            count = length - 0x80
            length = int.from_bytes(data[at : at + count], "big")
            at += count
        if at + length > len(data):
            return None
        parts.append(_Part(tag, data[at : at + length]))
        at += length
    return parts


def _is_key(parts: list[_Part]) -> bool:
    """Whether these are a key of its own kind, or one in the envelope of PKCS #8."""
    tags = [one.tag for one in parts]
    if tags[:3] == [_INTEGER, _SEQUENCE, _OCTETS]:
        return _is_in_envelope(parts[2].held)
    return _is_bare_key(parts)


def _is_bare_key(parts: list[_Part]) -> bool:
    tags = [one.tag for one in parts]
    if tags[:2] == [_INTEGER, _OCTETS]:
        return _SHORTEST_SECRET <= len(parts[1].held) <= _LONGEST_SECRET
    if any(tag != _INTEGER for tag in tags):
        return False
    numbers = [int.from_bytes(one.held, "big") for one in parts]
    if len(numbers) == _RSA_PARTS:
        whole, first, second = numbers[1], numbers[4], numbers[5]
        return whole.bit_length() >= _LEAST_BITS and whole == first * second
    if len(numbers) == _DSA_PARTS:
        _, prime, _, base, public, secret = numbers
        is_sized = _LEAST_BITS <= prime.bit_length() <= _MOST_BITS and secret < prime
        return is_sized and pow(base, secret, prime) == public
    return False


def _is_in_envelope(held: bytes) -> bool:
    # None is in a second envelope: whoever nests a thousand is not to end the review.
    if (inner := _read_whole(held)) is not None:
        return _is_bare_key(inner)
    # Of the newer curves the bytes alone, of DSA the secret number.
    parts = _read_parts(held)
    return (
        parts is not None
        and len(parts) == 1
        and parts[0].tag in (_OCTETS, _INTEGER)
        and _SHORTEST_SECRET <= len(parts[0].held) <= _LONGEST_SECRET
    )


def _is_openssh(data: bytes) -> bool:
    """https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key."""
    if not data.startswith(_OPENSSH):
        return False
    ends = list(_iter_fields(data, len(_OPENSSH)))
    return len(ends) > _OPENSSH_FIELDS + 1 and ends[-1] == len(data)


def _iter_fields(data: bytes, at: int) -> Iterator[int]:
    """Where the fields end: three of how it is encrypted, a number, and as many keys and one."""
    field = 0
    while at + 4 <= len(data):
        if field == _OPENSSH_FIELDS:
            at += 4
            field += 1
            continue
        at += 4 + int.from_bytes(data[at : at + 4], "big")
        field += 1
        yield at


def _is_pgp(data: bytes, checksum: str) -> bool:
    """Whether it is a secret key by its first packet, and all there by its checksum.

    See https://www.rfc-editor.org/rfc/rfc4880#section-6.1.
    """
    if not data or not data[0] & 0x80:
        return False
    tag = data[0] & 0x3F if data[0] & 0x40 else (data[0] & 0x3C) >> 2
    return tag == 5 and checksum == base64.b64encode(_sum_up(data).to_bytes(3, "big")).decode()


def _sum_up(data: bytes) -> int:
    total = 0xB704CE
    for byte in data:
        total ^= byte << 16
        for _ in range(8):
            total <<= 1
            if total & 0x1000000:
                total ^= 0x1864CFB
    return total
