"""One client of the google-genai SDK, made so that it neither repeats nor warns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from google.genai import Client


@dataclass(frozen=True, slots=True)
class Connection:
    """A client and the session below it. Made by `connect`; close it with `aclose`."""

    client: Client
    session: ClientSession

    async def aclose(self) -> None:
        """Close the connections."""
        await self.client.aio.aclose()
        self.client.close()
        await self.session.close()


def connect(api_key: str, base_url: str, timeout: float) -> Connection:
    """A connection whose requests are tried once. `timeout` is in seconds, for one request."""
    from aiohttp import ClientSession  # noqa: PLC0415 - with the SDK it takes half a second
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
    return Connection(client, session)
