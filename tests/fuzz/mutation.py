"""Hostile variations of what is valid: they come further into a parser than noise does."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random

from hypothesis import strategies as st

DEADLINE = 30
"""Seconds for one input. Nothing here takes a hundredth of that: only a hang is meant."""

_JUNK = (
    *(b"", b"\x00", b"\xff\xfe", b"\r", b"\n", b"\t", b" " * 300, b"\xed\xa0\x80", b"\xe2\x80\xae"),
    *(b"[" * 500, b"{" * 500, b"- " * 400, b"(" * 500, b"&a *a ", b"!!python/object:os.system "),
    *(b"9" * 400, b"-1", b"1e999", b"NaN", b"null", b"true", b'"', b"'", b"\\u0000", b"\\ud800"),
    *(b"@@ -1,9999999999 +1 @@\n", b"diff --git a/x b/x\n", b"../" * 50, b"${jndi:x}", b"%s%n"),
)


def mutated(seed: bytes, random: Random) -> bytes:
    """A few changes at random places: cut, repeated, moved, replaced, filled with junk."""
    data = bytearray(seed)
    for _ in range(random.randint(1, 6)):
        start = random.randrange(len(data) + 1)
        end = min(len(data), start + random.choice((0, 1, 1, 4, 20, 200)))
        piece = bytes(data[start:end])
        junk = random.choice(_JUNK)
        data[start:end] = random.choice((b"", piece * random.randint(2, 30), junk, junk + piece))
    return bytes(data)


def mutations(seeds: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """Variations of any of the seeds."""
    return st.builds(mutated, st.sampled_from(seeds), st.randoms(use_true_random=False))


@contextmanager
def deadline() -> Iterator[None]:
    """Fail where the block does not end: a hang is a defect like a crash."""

    def over(_number: int, _frame: object) -> None:
        raise TimeoutError(f"not done after {DEADLINE} s")

    before: Callable[..., object] | int | None = signal.signal(signal.SIGALRM, over)
    signal.alarm(DEADLINE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
