"""The connection to Gemini, by its own API or by Vertex AI: one client of the google-genai SDK.

It is made so that it neither repeats nor warns. The SDK is imported at the first call: it costs
half a second.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING

from jurat.judge.models_file import ModelSettings

if TYPE_CHECKING:
    from aiohttp import ClientSession
    from google.genai import Client
    from google.genai.errors import APIError
    from google.genai.models import AsyncModels

BASE_URL = "https://generativelanguage.googleapis.com"


@dataclass(frozen=True, slots=True)
class CloudProject:
    """Where Vertex AI serves: a project of Google Cloud, and a location such as `global`."""

    name: str
    location: str


class CallError(Exception):
    """A call that brought nothing. Its text says why in a clause, and never what was sent.

    `answer` is what the API answered instead, None if it answered nothing that can be read.
    """

    def __init__(
        self, problem: str, *, answer: APIError | None = None, timed_out: bool = False
    ) -> None:
        super().__init__(problem)
        self.answer = answer
        self.timed_out = timed_out


class NoClientError(CallError):
    """There is no client to call with: the SDK, or what it stands on, is broken or missing."""

    def __init__(self, error: Exception) -> None:
        # What an import says is about modules. Anything else may repeat the key.
        said = f": {error}" if isinstance(error, ImportError) else ""
        super().__init__(f"the model's client could not be made ({type(error).__name__}{said})")


class Connection:
    """The API under one key. Close it with `aclose`; it may be used again afterwards.

    `timeout` is in seconds, for one call. No call is tried twice. With `cloud` it is Vertex AI's,
    which knows no key: it takes what google-auth finds of credentials here, at the first call.
    """

    def __init__(
        self,
        api_key: str,
        base_url: str | None,
        timeout: float,
        deadline: Callable[[float], AbstractAsyncContextManager[object]] = asyncio.timeout,
        *,
        cloud: CloudProject | None = None,
    ) -> None:
        self._cloud = cloud
        self._api_key = api_key
        self._base_url = base_url
        self._timeout = timeout
        self._deadline = deadline
        self._opened: tuple[Client, ClientSession] | None = None

    async def aclose(self) -> None:
        """Close what is open. Never fails: what was called for has been had by then."""
        # Forgotten first: a call that comes while this waits opens a client of its own.
        opened, self._opened = self._opened, None
        if opened is not None:
            client, session = opened
            with suppress(Exception):
                await client.aio.aclose()
                client.close()
            with suppress(Exception):
                await session.close()

    async def open(self) -> None:
        """Make the client, unless there is one. Nothing is sent. Raises NoClientError."""
        await self._get_client()

    @asynccontextmanager
    async def call(self) -> AsyncIterator[AsyncModels]:
        """The SDK's models, for the one call in the block. Raises CallError if that fails.

        Whatever is the SDK's own belongs into the block, its types and the reading of its answers
        as well, so that no failure of the SDK looks like anything else.
        """
        client = await self._get_client()
        try:
            async with self._deadline(self._timeout):
                yield client.aio.models
        except Exception as error:  # noqa: BLE001 - see _problem
            raise _to_call_error(error, self._timeout) from None

    async def _get_client(self) -> Client:
        if self._opened is None:
            try:
                self._opened = await _open_client(
                    self._api_key, self._base_url, self._timeout, self._cloud
                )
            except Exception as error:  # noqa: BLE001 - as in `call`: importing runs any code
                raise NoClientError(error) from None
        return self._opened[0]


def _to_call_error(error: Exception, timeout: float) -> CallError:
    """What came of a call that failed, whatever it failed with.

    The SDK chooses its transport by what is installed, and lets that one's errors out as they are.
    To name their classes would be to import what this package does not depend on; and an error
    that is left out would cost a review all that was found without a model. So none is let through.
    """
    from aiohttp import ClientError  # noqa: PLC0415 - there was a client, so it is loaded
    from google.genai.errors import APIError  # noqa: PLC0415 - as above

    if isinstance(error, APIError):
        # Google's message may repeat what was sent: it is left out.
        problem = f"the API answered {error.code} {error.status or ''}".rstrip()
        return CallError(problem, answer=error)
    if isinstance(error, ImportError):
        return NoClientError(error)
    if _is_timeout(error):
        return CallError(f"no answer within {timeout:g} s", timed_out=True)
    if isinstance(error, (ClientError, OSError)):
        return CallError(f"the connection failed ({type(error).__name__})")
    if isinstance(error, (ValueError, TypeError, AttributeError, LookupError)):
        # The SDK takes apart whatever JSON comes back as if it were a response.
        return CallError("the API's answer could not be read")
    return CallError(f"the call failed ({type(error).__name__})")


def _is_timeout(error: Exception) -> bool:
    """Whether a transport gave up waiting: each one's errors have a base that is called so."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return not names.isdisjoint(("TimeoutError", "TimeoutException", "Timeout"))


@cache
def get_trust() -> ssl.SSLContext:
    """The certificates of this system, by which GitHub is known too."""
    # The SDK would read all those of certifi for each client, three times 25 ms.
    return ssl.create_default_context()


async def _open_client(
    api_key: str, base_url: str | None, seconds: float, cloud: CloudProject | None
) -> tuple[Client, ClientSession]:
    """A client and the session below it."""
    from aiohttp import ClientSession  # noqa: PLC0415 - see the module
    from google.genai import Client, types  # noqa: PLC0415 - as above

    trust = get_trust()
    # A session of our own: the one that the SDK makes is of a deprecated kind.
    session = ClientSession(trust_env=True)
    try:
        client = Client(
            vertexai=cloud is not None,
            api_key=None if cloud else api_key,
            project=cloud.name if cloud else None,
            location=cloud.location if cloud else None,
            http_options=types.HttpOptions(
                base_url=base_url,
                aiohttp_client=session,
                # Preview models stand on v1beta alone, and the SDK's own default is v1.
                api_version="v1beta1" if cloud else "v1beta",
                # Told to the API too, which gives up then by itself.
                timeout=round(seconds * 1000),
                # Without this the SDK repeats a failed connection by itself, up to 10 s later.
                retry_options=types.HttpRetryOptions(attempts=1),
                client_args={"verify": trust},
                async_client_args={"verify": trust, "ssl": trust},
            ),
        )
    # BaseException, as a task that is cancelled here would leave the session open.
    except BaseException:
        await session.close()
        raise
    return client, session


# Whether a key may use the models: asked by their metadata, which costs no token.

_TIMEOUT = 20.0


async def list_unreachable_models(settings: ModelSettings) -> Mapping[str, str]:
    """Each model in use, and what is wrong with it in a sentence; "" if nothing."""
    key, names = settings.api_key.get_secret_value(), settings.file.models
    cloud = find_cloud_project(settings)
    base_url = settings.base_url or (None if cloud else BASE_URL)
    # Vertex AI is asked for no embeddings.
    used = (names.flash, names.pro) if cloud else (names.flash, names.pro, names.embedding)
    problems: dict[str, str] = {}
    async with aclosing(Connection(key, base_url, _TIMEOUT, cloud=cloud)) as connection:
        for model in dict.fromkeys(used):
            try:
                async with connection.call() as models:
                    await models.get(model=model)
                problems[model] = ""
            except CallError as error:
                problem = str(error)
                if error.answer is not None and error.answer.code == HTTPStatus.NOT_FOUND:
                    problem += "; it is retired, or unknown there"
                problems[model] = f"{problem[0].upper()}{problem[1:]}."
    return problems


def find_cloud_project(settings: ModelSettings) -> CloudProject | None:
    """The project whose Vertex AI is to be asked, None if it is Gemini's own API."""
    file = settings.file
    if settings.judge != "vertex" or file.project is None:
        return None
    return CloudProject(file.project, file.location)
