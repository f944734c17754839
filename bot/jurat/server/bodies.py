"""Bodies of requests as they were sent: none larger, slower or packed tighter than its door takes.

Whoever finds the address may send a body, and it is in memory before anybody knows who sent it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from jurat.errors import JuratError

SECONDS = 10.0
"""Within which a body must be here. GitHub hangs up after as many:
https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks"""
MAX_HELD = 32 << 20
"""Bytes of all bodies that are on their way. The largest that GitHub sends has room in it."""
SMALL = 64 << 10
"""Bytes that are read at once of every body. GitHub's deliveries about a pull request have about
30 kB, and seldom more than this; a larger one waits for its turn."""


class BodyError(JuratError):
    """A body that is not taken, and the HTTP status that says so."""

    def __init__(self, status: int, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


@dataclass(eq=False, slots=True)
class _Upload:
    """What has come of one body, `size` bytes of `length` that were announced.

    `gave_way` once another needed the room; `turn` once its rest may be read.
    """

    deadline: asyncio.Timeout
    length: int
    body: bytearray = field(default_factory=bytearray)
    size: int = 0
    gave_way: bool = False
    turn: asyncio.Event = field(default_factory=asyncio.Event)


class BodyReader:
    """Reads the bodies of one door.

    A body must be here after `seconds`. Beyond `small` bytes one is read after the other, and what
    is not read waits with its sender: however many large ones come at once, a small one is delayed
    by one of them, a part at a time. All that are on their way hold `max_held` bytes; if that is
    not enough, the largest gives way: so many small ones never keep out another small one.
    """

    def __init__(
        self, *, seconds: float = SECONDS, max_held: int = MAX_HELD, small: int = SMALL
    ) -> None:
        self._seconds = seconds
        self._max_held = max_held
        self._small = small
        self._uploads: set[_Upload] = set()
        self._large: _Upload | None = None
        self._waiting: list[_Upload] = []

    async def read(
        self,
        request: web.Request,
        most: int,
        *,
        each: Callable[[bytes], None] = lambda _: None,
    ) -> bytearray:
        """The body, of at most `most` bytes; raises BodyError. `each` is called with each part.

        The application must not unpack it: `jurat.server.connections.LIMITS` sees to that.
        """
        if "Content-Encoding" in request.headers:
            # A packed body is a thousand times larger once unpacked, and nobody has to send one.
            raise BodyError(
                415,
                "A body with a Content-Encoding is not taken.",
                hint="Send it as it is, without that header.",
            )
        # The header saves reading; it may be absent, so that the bytes are counted as well.
        length = most if request.content_length is None else request.content_length
        if length > most:
            raise _build_too_large(most)
        upload = _Upload(asyncio.timeout(self._seconds), length)
        self._uploads.add(upload)
        try:
            async with upload.deadline:
                async for part in request.content.iter_any():
                    upload.size += len(part)
                    if upload.size > most:
                        raise _build_too_large(most)
                    self._make_room()
                    if not upload.gave_way:
                        upload.body[upload.size - len(part) : upload.size] = part
                        each(part)
                        del part  # while it waits, it need not be in memory twice
                    if upload.size > self._small:
                        await self._wait_for_turn(upload, request.protocol)
                    if upload.gave_way:
                        break
            del upload.body[upload.size :]
        except TimeoutError:
            if not upload.gave_way:
                raise BodyError(
                    408, f"The body was not here after {self._seconds:g} seconds."
                ) from None
        except (web.RequestPayloadError, ConnectionError):
            raise BodyError(400, "The connection ended before the body did.") from None
        finally:
            self._uploads.discard(upload)
            self._end_turn(upload)
        if upload.gave_way:
            raise BodyError(503, "Too many large bodies come at once.", hint="Send it again later.")
        return upload.body

    async def _wait_for_turn(self, upload: _Upload, protocol: RequestHandler) -> None:
        """Until no other large body is being read."""
        if self._large is None:
            self._large = upload
            upload.turn.set()
        if not upload.turn.is_set():
            self._waiting.append(upload)
            # Or as much again would be read ahead. Who gives up here stays paused: what is left of
            # a refused body is read for a second, as fast as it comes.
            protocol.pause_reading()
            await upload.turn.wait()
            protocol.resume_reading()
        if len(upload.body) < upload.length and not upload.gave_way:
            # All of it at once: what grows by and by is moved, and is there twice meanwhile.
            whole = bytearray(upload.length)
            whole[: upload.size] = upload.body
            upload.body = whole

    def _end_turn(self, upload: _Upload) -> None:
        """Let the next one go on, if it was this one's turn: the smallest of them, then the first.

        A delivery that is a little too large thus does not wait for what is as large as can be.
        """
        if upload in self._waiting:
            self._waiting.remove(upload)
        if self._large is upload:
            self._large = min(self._waiting, key=lambda item: item.length, default=None)
            if self._large is not None:
                self._waiting.remove(self._large)
                self._large.turn.set()

    def _make_room(self) -> None:
        """Have the largest bodies give way until all are within the bound."""
        while sum(item.size for item in self._uploads) > self._max_held:
            largest = max(self._uploads, key=lambda item: item.size)
            largest.gave_way = True
            # At once, not when its task runs again: the bound holds now.
            largest.body.clear()
            largest.size = 0
            if not largest.deadline.expired():
                largest.deadline.reschedule(asyncio.get_running_loop().time())


def _build_too_large(most: int) -> BodyError:
    size = f"{most >> 20} MB" if most >> 20 else f"{most} bytes"
    return BodyError(413, f"The body is larger than {size}.")
