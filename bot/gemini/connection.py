"""One client of the google-genai SDK, made so that it neither repeats nor warns.

The SDK is imported at the first call: it costs half a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from google.genai import Client
    from google.genai.errors import APIError
    from google.genai.models import AsyncModels

BASE_URL = "https://generativelanguage.googleapis.com"


class CallError(Exception):
    """A call that brought nothing. Its text says why in a clause, and never what was sent.

    `answer` is what the API answered instead, None where it answered nothing that can be read.
    """

    def __init__(
        self, problem: str, *, answer: APIError | None = None, timed_out: bool = False
    ) -> None:
        super().__init__(problem)
        self.answer = answer
        self.timed_out = timed_out


class Connection:
    """The API under one key. Close it with `aclose`; it may be used again afterwards.

    `timeout` is in seconds, for one call. No call is tried twice.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str,
        timeout: float,
        deadline: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout,
    ) -> None:
        self._api_key = api_key
        self._base_url = base_url
        self._timeout = timeout
        self._deadline = deadline
        self._opened: tuple[Client, ClientSession] | None = None

    async def aclose(self) -> None:
        """Close what is open."""
        opened, self._opened = self._opened, None
        if opened is not None:
            client, session = opened
            await client.aio.aclose()
            client.close()
            await session.close()

    @asynccontextmanager
    async def calling(self) -> AsyncIterator[AsyncModels]:
        """The SDK's models, for the one call in the block. Raises CallError where that fails."""
        import aiohttp  # noqa: PLC0415 - see the module
        import httpx  # noqa: PLC0415 - as above
        from google.genai import errors  # noqa: PLC0415 - as above

        client = self._client()
        try:
            async with self._deadline(self._timeout):
                yield client.aio.models
        except errors.APIError as error:
            # Google's message may repeat what was sent: it is left out.
            problem = f"the API answered {error.code} {error.status or ''}".rstrip()
            raise CallError(problem, answer=error) from None
        except (TimeoutError, httpx.TimeoutException):
            raise CallError(f"no answer within {self._timeout:g} s", timed_out=True) from None
        except (aiohttp.ClientError, httpx.HTTPError, OSError) as error:
            raise CallError(f"the connection failed ({type(error).__name__})") from None
        except (ValueError, TypeError, AttributeError, LookupError):
            # The SDK takes apart whatever JSON comes back as if it were a response.
            raise CallError("the API's answer could not be read") from None

    def _client(self) -> Client:
        if self._opened is None:
            self._opened = _connected(self._api_key, self._base_url, self._timeout)
        return self._opened[0]


def _connected(api_key: str, base_url: str, timeout: float) -> tuple[Client, ClientSession]:
    """A client and the session below it."""
    from aiohttp import ClientSession  # noqa: PLC0415 - see the module
    from google import genai  # noqa: PLC0415 - as above

    # A session of our own: the one that the SDK makes is of a deprecated kind.
    session = ClientSession(trust_env=True)
    client = genai.Client(
        vertexai=False,
        api_key=api_key,
        http_options=genai.types.HttpOptions(
            base_url=base_url,
            aiohttp_client=session,
            # Preview models stand on v1beta alone, and the SDK's own default is v1.
            api_version="v1beta",
            # Told to the API too, which gives up then by itself.
            timeout=round(timeout * 1000),
            # Without this the SDK repeats a failed connection by itself, up to 10 s later.
            retry_options=genai.types.HttpRetryOptions(attempts=1),
        ),
    )
    return client, session
