"""The GitHub client: gidgethub over aiohttp, with retries, rate limits and typed answers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, Literal, NoReturn, Protocol, TypeVar
from urllib.parse import urlsplit

import aiohttp
import structlog
from gidgethub import sansio
from gidgethub.aiohttp import GitHubAPI
from pydantic import BaseModel, ValidationError
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random_exponential
from yarl import URL

from jurat.github.errors import (
    AbsentError,
    AccessRefusedError,
    GitHubError,
    GitHubUnavailableError,
    NotFoundError,
    RejectedError,
    TooLargeError,
    UnknownCredentialsError,
    compute_wait,
)
from jurat.github.pace import PATIENCE, Clock, Meter, Pace, Sleep, build_rate_limit_error

API_VERSION = "2022-11-28"
"""The newest version of the REST API that every supported GitHub Enterprise Server has."""
DIFF = "application/vnd.github.diff"
RAW = "application/vnd.github.raw+json"
JSON_LIMIT = 32 << 20
"""Bytes of an answer that is kept in memory unless the caller says otherwise."""

REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})
"""Methods that may be sent again when nobody knows whether they arrived (RFC 9110, 9.2.2)."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS = 5
_TRANSIENT = frozenset({500, 502, 503, 504})
_ATTEMPTS = 4
_MAX_PAUSES = 5
_A_MINUTE = 60.0
"""Seconds to wait if GitHub does not say how many."""
# `sock_read` finds a connection that died; `total` bounds one that trickles an archive.
_TIMEOUT = aiohttp.ClientTimeout(total=300, sock_connect=10, sock_read=60)

Values = Mapping[str, str | int | list[str]]
"""What fills a URL template (RFC 6570), by name: `{name}`, or `{+repository}` for "owner/name"."""

M = TypeVar("M", bound=BaseModel)
_Wire = tuple[int, Mapping[str, str], bytes]
_log = structlog.get_logger(__name__)


class Credentials(Protocol):
    """Whoever a client speaks as."""

    async def get_authorization(self, refused: str | None = None) -> str:
        """The Authorization header's value: another one than `refused`, if that is given."""
        ...


class GitHub(GitHubAPI):
    """GitHub, spoken to as one installation (or as the App itself).

    Reads are repeated on 5xx and on lost connections, writes only if they cannot have happened.
    Every request keeps `pace`, which clients of one installation share; a rate limit that asks for
    more than five minutes raises RateLimitedError. Every failure is a GitHubError, or what the
    pace's `turn` raises. `open_repository` gives the client of another repository (see there).
    `floors` are the accounts, in lower case, whose file for all repositories has to be readable.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        credentials: Credentials,
        *,
        base_url: str = sansio.DOMAIN,
        clock: Clock = time.time,
        sleep: Sleep = asyncio.sleep,
        pace: Pace | None = None,
        repeatable: frozenset[str] = REPEATABLE,
        meter: Meter | None = None,
        open_repository: Callable[[str], GitHub] | None = None,
        floors: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(session, "jurat", base_url=base_url)
        self._credentials = credentials
        self._clock = clock
        self._sleep = sleep
        self._pace = pace or Pace(clock, sleep, meter=meter)
        self._repeatable = repeatable
        self._meter = meter
        self._open_repository = open_repository
        self.floors = floors
        self._origin = URL(base_url).origin()
        # Beside the REST API, which has a version on a server of one's own.
        self._graphql = base_url.rstrip("/").removesuffix("/v3") + "/graphql"

    async def sleep(self, seconds: float) -> None:
        """Wait, as the composition root says."""
        await self._sleep(seconds)

    def open_repository(self, repository: str) -> GitHub:
        """A client that may read the files of another repository of this account, and no more.

        It raises AbsentError if the App is not installed there. Nobody but a base branch's own
        configuration says which repository that is.
        """
        if self._open_repository is None:
            raise AbsentError(f"Nothing outside its own repository is read, {repository} neither.")
        return self._open_repository(repository)

    async def read(self, model: type[M], url: str, values: Values | None = None) -> M:
        """GET one object."""
        return _parse_answer(
            model, url, await self._await_answer(self.getitem(url, values or {}), url)
        )

    async def iter_items(
        self, model: type[M], url: str, values: Values | None = None, *, key: str = "items"
    ) -> AsyncIterator[M]:
        """GET a list, page after page. `key` names the list if GitHub wraps it in an object."""
        async with aclosing(self.getiter(url, values or {}, iterable_key=key)) as items:
            while (item := await self._await_answer(anext(items, None), url)) is not None:
                yield _parse_answer(model, url, item)

    async def write(
        self,
        method: Literal["POST", "PATCH"],
        model: type[M],
        url: str,
        values: Values,
        data: Mapping[str, Any],
    ) -> M:
        """Create or change one object, and read the answer."""
        send = self.post if method == "POST" else self.patch
        return _parse_answer(
            model, url, await self._await_answer(send(url, values, data=data), url)
        )

    async def query(self, model: type[M], text: str, variables: Mapping[str, Any]) -> M:
        """What GraphQL answers. What it refuses is raised as REST's refusals are."""
        url = urlsplit(self._graphql).path
        sent = {"query": text, "variables": dict(variables)}
        answer = await self._await_answer(self.post(self._graphql, data=sent), url)
        if not isinstance(answer, dict):
            raise GitHubUnavailableError(f"GitHub's answer to {url} cannot be read.")
        # It says 200 to whatever it could read.
        if errors := answer.get("errors"):
            _raise_for_errors(errors)
        return _parse_answer(model, url, answer.get("data"))

    async def read_bytes(self, url: str, values: Values, *, accept: str, limit: int) -> bytes:
        """GET bytes as they are: a diff or a file in whatever encoding. Raises TooLargeError."""
        address = sansio.format_url(url, values, base_url=self.base_url)
        headers = sansio.create_headers(self.requester, accept=accept)
        _, _, body = await self._exchange("GET", address, headers, b"", limit)
        return body

    async def _await_answer(self, answer: Awaitable[Any], url: str) -> Any:
        # A success whose body is no JSON, or not in the charset it names, is a proxy's or cut off.
        try:
            return await answer
        except (ValueError, LookupError, TypeError):
            raise GitHubUnavailableError(f"GitHub's answer to {url} cannot be read.") from None

    async def _request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> _Wire:
        return await self._exchange(method, url, headers, body, JSON_LIMIT)

    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, limit: int
    ) -> _Wire:
        """One request and its successful answer, whatever it takes."""
        address = URL(url, encoded=True)
        # The next page's address comes in a header of the answer: the token goes nowhere else with
        # it.
        if address.origin() != self._origin:
            raise GitHubError(f"Refused to follow a link from GitHub to {address.host}.")
        sent = {**headers, "x-github-api-version": API_VERSION}

        def repeatable(error: BaseException) -> bool:
            return isinstance(error, GitHubUnavailableError) and (
                # A POST whose answer was lost may have been carried out: `write_once` looks before
                # it repeats.
                method in self._repeatable or not error.request_sent
            )

        retrying = AsyncRetrying(
            sleep=self.sleep,
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait_random_exponential(multiplier=1, max=20),
            retry=retry_if_exception(repeatable),
            reraise=True,
        )
        # Around the retries: a write that was let in between would come before one that is to
        # follow.
        async with self._pace.hold_write_turn(method):
            return await retrying(self._send_within_limits, method, address, sent, body, limit)

    async def _send_within_limits(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes, limit: int
    ) -> _Wire:
        """Waits until a request may be sent, and again if GitHub says that it was too many."""
        attempt, waited = 0, 0.0
        while True:
            attempt += 1
            await self._pace.wait_turn(method)
            answer = await self._send_authorized(method, url, headers, body, limit)
            status, received, content = answer
            message = _parse_error_message(content) if status >= 400 else ""
            seconds = compute_wait(status, received, message, now=self._clock(), attempt=attempt)
            if seconds is None:
                _raise_for_status(f"{method} {url.path}", status, message)
                return answer
            _log.warning("github_rate_limit", path=url.path, status=status, pause_seconds=seconds)
            # For every client of the installation: limits count it, not the request.
            self._pace.pause_all(seconds)
            waited += seconds
            # Beyond that the job gives its place to another, and comes back after `retry_after`.
            if waited > PATIENCE or attempt == _MAX_PAUSES:
                raise build_rate_limit_error(seconds)

    async def _send_authorized(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes, limit: int
    ) -> _Wire:
        """One exchange; if GitHub does not know the token, once more with a fresh one."""
        authorization = await self._credentials.get_authorization()
        answer = await self._send_with_redirects(
            method, url, {**headers, "authorization": authorization}, body, limit
        )
        if answer[0] != 401:
            return answer
        # Once: a token may be revoked within its hour, but a second refusal is not about its age.
        fresh = await self._credentials.get_authorization(refused=authorization)
        return await self._send_with_redirects(
            method, url, {**headers, "authorization": fresh}, body, limit
        )

    async def _send_with_redirects(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes, limit: int
    ) -> _Wire:
        """One exchange, and those that its redirects ask for: a renamed repository, an archive.

        GitHub wants the request repeated as it was. Its token goes to its own origin alone.
        """
        target = url
        for _ in range(_MAX_REDIRECTS):
            # An archive's redirect is signed in its own query: the token is for GitHub's API alone.
            sent = headers if target.origin() == self._origin else _strip_token(headers)
            answer = await self._send(method, target, sent, body, limit)
            location = answer[1].get("location") if answer[0] in _REDIRECTS else None
            if location is None:
                return answer
            target = self._resolve_redirect(method, target, location)
        raise GitHubUnavailableError(f"GitHub redirected {method} {url.path} again and again.")

    def _resolve_redirect(self, method: str, url: URL, location: str) -> URL:
        """Where a redirect leads, if that is GitHub's own. Raises GitHubError."""
        try:
            target = url.join(URL(location, encoded=True))
            origin = target.origin()
        except ValueError:
            raise GitHubError(f"GitHub redirected {url.path} to what is no address.") from None
        reading = method in ("GET", "HEAD")
        if origin != self._origin and not (reading and is_github_url(origin, self._origin)):
            raise GitHubError(f"Refused to follow a redirect from GitHub to {target.host}.")
        return target

    async def _send(
        self, method: str, url: URL, headers: Mapping[str, str], body: bytes, limit: int
    ) -> _Wire:
        what = f"{method} {url.path}"
        # Errors are raised `from None`: aiohttp's hold the URL redirected to, with its token.
        try:
            # aiohttp would turn a redirected POST into a GET.
            async with self._session.request(
                method, url, headers=headers, data=body, timeout=_TIMEOUT, allow_redirects=False
            ) as response:
                content = await _read_bounded(response, limit, what)
        except aiohttp.ClientConnectorError as error:
            raise GitHubUnavailableError(
                f"No connection to {url.host} for {what} ({type(error).__name__}).",
                request_sent=False,
            ) from None
        except TimeoutError:
            raise GitHubUnavailableError(f"GitHub did not answer {what} in time.") from None
        except (aiohttp.ClientError, OSError) as error:
            raise GitHubUnavailableError(
                f"The connection was lost during {what} ({type(error).__name__})."
            ) from None
        if self._meter is not None:
            self._meter.count_answer(method, response.status, response.headers)
        if response.status in _TRANSIENT:
            raise GitHubUnavailableError(
                f"GitHub answered {response.status} to {what}.", status=response.status
            )
        return response.status, response.headers, content


def _strip_token(headers: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in headers.items() if name.lower() != "authorization"}


def is_github_url(origin: URL, api: URL) -> bool:
    """Whether archives and the like may come from there: over https, from a host of GitHub's.

    A server of one's own has them on its own host or on one below it.
    """
    own = "github.com" if api.host == "api.github.com" else api.host or ""
    hosts = (own, "githubusercontent.com") if own == "github.com" else (own,)
    host = origin.host or ""
    return origin.scheme == "https" and any(
        host == name or host.endswith(f".{name}") for name in hosts
    )


async def _read_bounded(response: aiohttp.ClientResponse, limit: int, what: str) -> bytes:
    content = bytearray()
    # Counted as it comes, unpacked: a Content-Length is the sender's word, and of the packed size.
    async for chunk in response.content.iter_chunked(1 << 16):
        content += chunk
        if len(content) > limit:
            raise TooLargeError(f"The answer to {what} is larger than {limit:,} bytes.")
    return bytes(content)


def _parse_error_message(content: bytes) -> str:
    """What an error response says, on one line: `message`, and the details of a 422."""
    try:
        answer = json.loads(content)
    except ValueError:
        return ""
    if not isinstance(answer, dict):
        return ""
    parts = [answer.get("message")]
    errors = answer.get("errors")
    # A 422 names fields in `errors`, as objects or as plain text by endpoint; `message` says
    # little.
    for error in errors if isinstance(errors, list) else [errors]:
        if isinstance(error, dict):
            parts += [error.get("message") or f"{error.get('field')}: {error.get('code')}"]
        else:
            parts.append(error)
    text = "; ".join(part for part in parts if isinstance(part, str) and part)
    # It ends up in logs and in a check's summary: one line of bounded length.
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:300]


def _raise_for_status(what: str, status: int, message: str) -> None:
    """Raises the error that a status means."""
    text = f"GitHub answered {status} to {what}: {message}".removesuffix(": ") + "."
    match status:
        case 200 | 201 | 202 | 204:
            return
        case 401:
            raise UnknownCredentialsError(
                text, hint="Check APP_ID, PRIVATE_KEY and this machine's clock.", status=status
            )
        case 403:
            raise AccessRefusedError(
                text, hint="Check the App's permissions on this repository.", status=status
            )
        # 404 also for what the token may not see: GitHub does not say that a private thing exists.
        case 404:
            raise NotFoundError(text, status=status)
        case 410:
            raise AbsentError(text, status=status)
        # A commit that was pushed a moment ago, as far as checks and reviews know.
        case 422 if "no commit found for sha" in message.lower():
            raise GitHubUnavailableError(text, status=status)
        # 406 is how GitHub refuses a diff of more than 300 files or 20,000 lines:
        # https://github.com/reviewdog/reviewdog/issues/2150
        case 406 | 413:
            raise TooLargeError(text, status=status)
        case _ if status >= 500:
            raise GitHubUnavailableError(text, status=status)
        case _:
            raise RejectedError(text, status=status)


_STATUS_OF_TYPE = {"FORBIDDEN": 403, "NOT_FOUND": 404}


def _raise_for_errors(errors: Any) -> NoReturn:
    """Raise what the first of GraphQL's errors means."""
    first = errors[0] if isinstance(errors, list) and isinstance(errors[0], dict) else {}
    kind = str(first.get("type", ""))
    if kind == "RATE_LIMITED":
        raise build_rate_limit_error(_A_MINUTE)
    message = _parse_error_message(json.dumps(first).encode())
    _raise_for_status("POST /graphql", _STATUS_OF_TYPE.get(kind, 422), message)
    raise AssertionError("such a status is an error")


def _parse_answer(model: type[M], url: str, answer: Any) -> M:
    try:
        return model.model_validate(answer)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise GitHubUnavailableError(
            f"GitHub's answer to {urlsplit(url).path} is not what its API promises"
            + (f" (at {place})." if place else ".")
        ) from None
