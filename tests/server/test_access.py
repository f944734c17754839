"""The token that nobody set, and how often one may guess at it."""

from __future__ import annotations

import re
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from jurat.errors import UsageError
from jurat.server.access import (
    MAX_BY_ADDRESS,
    MAX_IN_ALL,
    WINDOW,
    Throttle,
    find_token_file,
    get_token,
    is_same_token,
)
from jurat.settings import ServerSettings
from tests.support.server import FakeTime


def test_a_token_is_made_once_for_its_owner_alone(settings: ServerSettings) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = set(pool.map(lambda _: get_token(settings), range(32)))
    assert len(made) == 1
    assert re.fullmatch(r"[\w-]{43}", made.pop())
    path = find_token_file(settings)
    assert path.name == "jurat.sqlite3.token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not [item for item in path.parent.iterdir() if item.name.startswith(".")]


def test_a_token_that_is_set_is_the_token_and_no_file_is_made(settings: ServerSettings) -> None:
    given = replace(settings, api_token=SecretStr("a token that was set"))
    assert get_token(given) == "a token that was set"
    assert not find_token_file(settings).exists()


@pytest.mark.parametrize(("mode", "text"), [(0o644, "x" * 43), (0o640, "x" * 43), (0o600, "")])
def test_a_token_that_others_may_have_read_is_not_used(
    settings: ServerSettings, mode: int, text: str
) -> None:
    path = find_token_file(settings)
    path.write_text(text)
    path.chmod(mode)
    with pytest.raises(UsageError, match="Delete it"):
        get_token(settings)


def test_a_token_that_cannot_be_kept_is_said_with_what_to_set(
    settings: ServerSettings, tmp_path: Path
) -> None:
    find_token_file(settings).mkdir()
    with pytest.raises(UsageError, match="JURAT_API_TOKEN is not set, and no token can be kept"):
        get_token(settings)


def test_a_token_beside_no_file_is_in_the_working_directory(settings: ServerSettings) -> None:
    remote = replace(settings, database_url="postgresql://jurat@db/jurat")
    assert find_token_file(remote) == Path("jurat.token")


@pytest.mark.parametrize("given", ["", "toke", "token ", "tokené", "\udcff", "TOKEN"])
def test_another_text_is_not_the_token(given: str) -> None:
    assert not is_same_token(given, "token")
    assert is_same_token("token", "token")


def test_an_address_has_so_many_guesses_and_all_together_so_many(time: FakeTime) -> None:
    throttle = Throttle(lambda: time.now().timestamp())
    for _ in range(MAX_BY_ADDRESS):
        assert throttle.wait_for("192.0.2.1") == 0
        throttle.count("192.0.2.1")
    assert throttle.wait_for("192.0.2.1") == WINDOW
    assert throttle.wait_for("::ffff:192.0.2.1") == WINDOW
    assert throttle.wait_for("192.0.2.2") == 0
    for number in range(MAX_IN_ALL - MAX_BY_ADDRESS):
        throttle.count(f"198.51.100.{number}")
    assert throttle.wait_for("192.0.2.2") == WINDOW
    time.advance(WINDOW - 1)
    assert throttle.wait_for("192.0.2.1") == 1
    time.advance(1)
    assert throttle.wait_for("192.0.2.1") == 0


def test_a_visitors_ipv6_network_is_one_address(time: FakeTime) -> None:
    throttle = Throttle(lambda: time.now().timestamp())
    for number in range(MAX_BY_ADDRESS):
        throttle.count(f"2001:db8::{number:x}")
    assert throttle.wait_for("2001:db8::ffff") == WINDOW
    assert throttle.wait_for("2001:db8:0:1::") == 0
