from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterable

import pytest

from jurat.github.contents import read_members

LIMITS = {"file_limit": 1_000, "total_limit": 10_000, "unpacked_limit": 1_000_000}


def archive(entries: Iterable[tuple[str, bytes | tarfile.TarInfo]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                tar.addfile(entry)
                continue
            info = tarfile.TarInfo(name)
            info.size = len(entry)
            tar.addfile(info, io.BytesIO(entry))
    return buffer.getvalue()


def link(name: str, kind: bytes, target: str) -> tuple[str, tarfile.TarInfo]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return name, info


def test_only_the_files_asked_for_come_out() -> None:
    packed = archive([("top/a.py", b"a"), ("top/b/c.py", b"c"), ("top/d.py", b"d")])
    found = read_members(packed, {"a.py", "b/c.py", "missing.py"}, **LIMITS)
    assert found == {"a.py": b"a", "b/c.py": b"c"}


def test_names_that_are_not_utf8_are_kept_as_surrogates() -> None:
    name = b"caf\xe9.py".decode("utf-8", "surrogateescape")
    assert read_members(archive([("top/" + name, b"x")]), {name}, **LIMITS) == {name: b"x"}


def test_long_names_are_whole() -> None:
    name = "/".join(["d" * 60] * 5) + "/f.py"
    assert read_members(archive([("top/" + name, b"x")]), {name}, **LIMITS) == {name: b"x"}


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE]
)
def test_links_and_special_files_are_passed_over(kind: bytes) -> None:
    packed = archive([link("top/a.py", kind, "/etc/passwd"), ("top/b.py", b"b")])
    assert read_members(packed, {"a.py", "b.py"}, **LIMITS) == {"b.py": b"b"}


def test_a_file_over_its_limit_is_left_out_alone() -> None:
    packed = archive([("top/big", b"x" * 1_001), ("top/fits", b"x" * 1_000)])
    assert set(read_members(packed, {"big", "fits"}, **LIMITS)) == {"fits"}


def test_reading_ends_at_the_limit_of_all_files() -> None:
    packed = archive([(f"top/{number}", b"x" * 900) for number in range(20)])
    found = read_members(packed, {str(number) for number in range(20)}, **LIMITS)
    assert len(found) == 11


def test_a_bomb_is_not_unpacked() -> None:
    packed = archive([("top/a", b"a"), ("top/bomb", b"\0" * 5_000_000), ("top/z", b"z")])
    assert len(packed) < 10_000
    assert read_members(packed, {"a", "z"}, **LIMITS) == {"a": b"a"}


@pytest.mark.parametrize(
    "claims",
    [
        {"size": "9" * 30},
        {"size": "-5"},
        {"GNU.sparse.map": "x"},
        {"GNU.sparse.realsize": "x"},
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"},
    ],
)
def test_a_header_that_lies_costs_its_file_alone(claims: dict[str, str]) -> None:
    liar = tarfile.TarInfo("top/liar.py")
    liar.pax_headers = claims
    packed = archive([("top/a.py", b"a = 1"), ("top/liar.py", liar)])

    assert read_members(packed, {"a.py", "liar.py"}, **LIMITS) == {"a.py": b"a = 1"}


@pytest.mark.parametrize("damage", ["cut", "garbage", "no gzip", "empty", "bad checksum"])
def test_what_was_read_before_the_damage_counts(damage: str) -> None:
    packed = archive([("top/a", b"a" * 900), ("top/b", bytes(range(256)) * 3)])
    unpacked = gzip.decompress(packed)
    expected = {"a": b"a" * 900}
    match damage:
        case "cut":
            packed = gzip.compress(unpacked[:2_000])
        case "garbage":
            packed = gzip.compress(unpacked[:1_536] + b"\xff" * 5_000)
        case "no gzip":
            packed, expected = b"<html>", {}
        case "empty":
            packed, expected = b"", {}
        case "bad checksum":
            packed = packed[:-8] + b"\0" * 8
            expected = {"a": b"a" * 900, "b": bytes(range(256)) * 3}
    assert read_members(packed, {"a", "b"}, **LIMITS) == expected
