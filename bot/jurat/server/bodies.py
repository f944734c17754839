"""Bodies of requests as they were sent: none larger, slower or packed tighter than its door takes.

Whoever finds the address may send a body, and it is in memory before anybody knows who sent it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web

from jurat.errors import JuratError

SECONDS = 10.0
"""Within which a body must be here. GitHub hangs up after as many:
https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks"""
MAX_HELD = 32 << 20
"""Bytes of all bodies that are on their way. The largest that GitHub sends has room in it."""


class BodyError(JuratError):
    """A body that is not taken, and the HTTP status that says so."""

    def __init__(self, status: int, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status


@dataclass(eq=False, slots=True)
class _Upload:
    """What has come of one body, `size` bytes. `gave_way` once another needed the room."""

    deadline: asyncio.Timeout
    body: bytearray = field(default_factory=bytearray)
    size: int = 0
    gave_way: bool = False


class BodyReader:
    """Reads the bodies of one door.

    A body must be here after `seconds`. All that are on their way hold `max_held` bytes; if that is
    not enough, the largest gives way: so many small ones never keep out another small one.
    """

    def __init__(self, *, seconds: float = SECONDS, max_held: int = MAX_HELD) -> None:
        self._seconds = seconds
        self._max_held = max_held
        self._uploads: set[_Upload] = set()

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
        if (request.content_length or 0) > most:
            raise _build_too_large(most)
        upload = _Upload(asyncio.timeout(self._seconds))
        self._uploads.add(upload)
        try:
            async with upload.deadline:
                async for part in request.content.iter_any():
                    upload.size += len(part)
                    if upload.size > most:
                        raise _build_too_large(most)
                    self._make_room()
                    if upload.gave_way:
                        break
                    upload.body += part
                    each(part)
        except TimeoutError:
            if not upload.gave_way:
                raise BodyError(
                    408, f"The body was not here after {self._seconds:g} seconds."
                ) from None
        except (web.RequestPayloadError, ConnectionError):
            raise BodyError(400, "The connection ended before the body did.") from None
        finally:
            self._uploads.discard(upload)
        if upload.gave_way:
            raise BodyError(503, "Too many large bodies come at once.", hint="Send it again later.")
        return upload.body

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
