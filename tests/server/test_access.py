"""The token that nobody set, and how often one may guess at it."""

from __future__ import annotations

import asyncio
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import pytest
from pydantic import SecretStr

from jurat.errors import UsageError
from jurat.server.access import (
    FIRST_PAUSE,
    FREE_BY_ADDRESS,
    FREE_IN_ALL,
    LONGEST_PAUSE,
    MAX_KNOWN,
    WINDOW,
    Throttle,
    find_token_file,
    find_visitor,
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


TOKEN = "the right token"


class Waiting:
    """A throttle, and the pauses that it makes."""

    def __init__(self, time: FakeTime) -> None:
        self.pauses: list[float] = []
        self.throttle = Throttle(lambda: time.now().timestamp(), self._note)

    async def _note(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def guess(self, address: str, given: str = "guess") -> float:
        """The pause that one token costs."""
        self.pauses.clear()
        assert await self.throttle.try_token(address, given, TOKEN) == (given == TOKEN)
        return sum(self.pauses)


async def test_guesses_cost_more_and_more_time_and_the_right_token_the_same(time: FakeTime) -> None:
    waiting = Waiting(time)
    assert {await waiting.guess("192.0.2.1") for _ in range(FREE_BY_ADDRESS)} == {0}
    assert [await waiting.guess("192.0.2.1") for _ in range(3)] == [0.25, 0.5, 1.0]
    assert await waiting.guess("::ffff:192.0.2.1", TOKEN) == 2.0
    # The guesses of others from there go on where they were.
    assert await waiting.guess("192.0.2.1") == 2.0
    assert {await waiting.guess("192.0.2.1") for _ in range(2_000)} == {4.0, LONGEST_PAUSE}
    assert await waiting.guess("192.0.2.2") == 0
    time.advance(WINDOW)
    assert await waiting.guess("192.0.2.1") == 0


async def test_guesses_that_come_at_once_wait_as_those_that_come_one_after_the_other(
    time: FakeTime,
) -> None:
    held: list[float] = []
    go = asyncio.Event()

    async def hold(seconds: float) -> None:
        held.append(seconds)
        await go.wait()

    throttle = Throttle(lambda: time.now().timestamp(), hold)
    guesses = [
        asyncio.create_task(throttle.try_token("192.0.2.1", "guess", TOKEN)) for _ in range(64)
    ]
    right = asyncio.create_task(throttle.try_token("192.0.2.1", TOKEN, TOKEN))
    await asyncio.sleep(0)
    assert len(held) == 65 - FREE_BY_ADDRESS
    assert held[-1] == LONGEST_PAUSE
    go.set()
    assert not any(await asyncio.gather(*guesses))
    assert await right


async def test_many_addresses_that_guess_slow_down_strangers_alone_and_only_a_little(
    time: FakeTime,
) -> None:
    waiting = Waiting(time)
    await waiting.guess("192.0.2.1", TOKEN)
    for number in range(FREE_IN_ALL):
        await waiting.guess(f"198.51.100.{number}")
    assert await waiting.guess("192.0.2.1", TOKEN) == 0
    assert await waiting.guess("192.0.2.2", TOKEN) == FIRST_PAUSE
    # One address alone does not bring that about, however often it guesses.
    time.advance(WINDOW)
    for _ in range(FREE_IN_ALL * 2):
        await waiting.guess("198.51.100.1")
    assert await waiting.guess("192.0.2.3", TOKEN) == 0


async def test_right_tokens_cost_nothing_however_many(time: FakeTime) -> None:
    waiting = Waiting(time)
    assert {await waiting.guess("192.0.2.1", TOKEN) for _ in range(500)} == {0}


async def test_a_visitors_ipv6_network_is_one_address(time: FakeTime) -> None:
    waiting = Waiting(time)
    for number in range(FREE_BY_ADDRESS):
        await waiting.guess(f"2001:db8::{number:x}")
    assert await waiting.guess("2001:db8::ffff") == FIRST_PAUSE
    assert await waiting.guess("2001:db8:0:1::") == 0


async def test_what_is_remembered_of_addresses_is_bounded(time: FakeTime) -> None:
    waiting = Waiting(time)
    for number in range(MAX_KNOWN + 10):
        await waiting.guess(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", TOKEN)
    assert len(waiting.throttle._known) == len(waiting.throttle._guesses) == MAX_KNOWN


PROXIES = (ip_network("127.0.0.1"), ip_network("10.0.0.0/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "visitor"),
    [
        ("127.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("::ffff:127.0.0.1", "192.0.2.1", "192.0.2.1"),
        ("127.0.0.1", "192.0.2.1, 10.1.2.3", "192.0.2.1"),
        ("127.0.0.1", "2001:db8::1", "2001:db8::1"),
        # What the visitor made up stands before what the proxy added.
        ("127.0.0.1", "203.0.113.9, 192.0.2.1", "192.0.2.1"),
        ("127.0.0.1", "203.0.113.9, 192.0.2.1, 10.1.2.3", "192.0.2.1"),
        ("127.0.0.1", "10.9.9.9, 192.0.2.1", "192.0.2.1"),
        # No proxy's word.
        ("192.0.2.1", "203.0.113.9", "192.0.2.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "192.0.2.1, unknown", "127.0.0.1"),
        ("127.0.0.1", "192.0.2.1, ", "127.0.0.1"),
        ("", "192.0.2.1", ""),
    ],
)
def test_a_proxys_word_on_who_asks_counts_and_nobody_elses(
    peer: str, forwarded: str, visitor: str
) -> None:
    assert find_visitor(peer, forwarded, PROXIES) == visitor
    assert find_visitor(peer, forwarded, ()) == peer
