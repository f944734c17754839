"""A request as an endpoint sees it, its answer, and the table of endpoints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from yarl import URL

from tests.standins.github.accounts import Account
from tests.standins.github.auth import AppCaller, Caller, InstallationCaller
from tests.standins.github.pulls import PullRequest
from tests.standins.github.refusals import RefusalError, forbidden, invalid, locked, not_found
from tests.standins.github.repositories import Repository
from tests.standins.github.site import Site
from tests.standins.github.world import Json, World

_MEDIA = re.compile(r"application/vnd\.github(?:\.v3)?(?:\.(\w+))?(?:\+json)?$")


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back. A body of bytes goes as it is, None is empty, all else is JSON."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Call:
    """One request that has passed authentication."""

    github: Site
    caller: Caller | None
    method: str
    url: URL
    params: Mapping[str, str]
    media: str
    data: bytes

    @property
    def world(self) -> World:
        """The state behind the API."""
        return self.github.world

    @property
    def query(self) -> Mapping[str, str]:
        """The query's parameters, the first of each name."""
        return dict(self.url.query)

    @property
    def installation(self) -> InstallationCaller:
        """The installation that asks."""
        if not isinstance(self.caller, InstallationCaller):
            raise forbidden()
        return self.caller

    @property
    def bot(self) -> str:
        """The login in whose name an installation acts."""
        return self.installation.installation.app.bot.login

    def own(self, author: Account) -> None:
        """Refuse to change what somebody else has written."""
        if author.login != self.bot:
            raise forbidden()

    @property
    def repository(self) -> Repository:
        """The repository of the path, which the caller may see."""
        found = self.world.repository(f"{self.params['owner']}/{self.params['repo']}")
        if found is None:
            raise not_found()
        if isinstance(self.caller, InstallationCaller) and not self.caller.sees(found):
            if found.private:
                raise not_found()
            if self.method != "GET":
                raise forbidden()
        return found

    @property
    def pull(self) -> PullRequest:
        """The pull request of the path."""
        found = self.repository.pulls.get(self.number("number"))
        if found is None:
            raise not_found()
        return found

    @property
    def unlocked_pull(self) -> PullRequest:
        """The same, to write into its conversation."""
        found = self.pull
        if found.locked:
            raise locked()
        return found

    def number(self, name: str) -> int:
        """A number in the path."""
        given = self.params[name]
        if not given.isascii() or not given.isdigit():
            raise not_found()
        return int(given)

    def body(self) -> Json:
        """The JSON object that was sent; an empty body is an empty object."""
        if not self.data:
            return {}
        try:
            parsed = json.loads(self.data)
        except (ValueError, UnicodeDecodeError) as error:
            raise RefusalError(400, "Problems parsing JSON") from error
        if not isinstance(parsed, dict):
            raise RefusalError(400, "Body should be a JSON object")
        return parsed

    def required(self, body: Json, name: str) -> Any:
        """A field that the endpoint cannot do without."""
        if body.get(name) is None:
            raise invalid(f'"{name}" wasn\'t supplied.')
        return body[name]

    def page(self, items: Sequence[Any]) -> tuple[list[Any], dict[str, str]]:
        """The asked page of `items`, and the Link header that leads to the others."""
        size = min(max(_whole(self.query.get("per_page"), 30), 1), 100)
        number = max(_whole(self.query.get("page"), 1), 1)
        last = max(-(-len(items) // size), 1)
        relations: dict[str, int] = {}
        if number > 1:
            relations |= {"prev": min(number - 1, last), "first": 1}
        if number < last:
            relations |= {"next": number + 1, "last": last}
        links = (
            f'<{self.url.update_query(page=target)}>; rel="{name}"'
            for name, target in relations.items()
        )
        headers = {"Link": ", ".join(links)} if relations else {}
        return list(items[(number - 1) * size : number * size]), headers

    def listed(self, items: Sequence[Any], show: Callable[[Any], Json]) -> Answer:
        """A page of a list."""
        shown, headers = self.page(items)
        return Answer(200, [show(item) for item in shown], headers)


def media_type(accept: str) -> str:
    """The media type that an Accept header asks for: json, raw, diff, patch, object and others."""
    for accepted in accept.split(","):
        kind = accepted.partition(";")[0].strip()
        if kind in ("*/*", "application/*", "application/json"):
            return "json"
        if found := _MEDIA.match(kind):
            return found[1] or "json"
    raise RefusalError(415, "Unsupported 'Accept' header. Must accept 'application/json'.")


Endpoint = Callable[[Call], Answer]


@dataclass(frozen=True, slots=True)
class Route:
    """One endpoint. `needs` are permissions of which one suffices; `app` means a JWT.

    A `{name}` in the pattern stands for one segment of the path, `{name*}` for the rest.
    """

    method: str
    pattern: str
    needs: tuple[str, ...]
    endpoint: Endpoint
    expression: re.Pattern[str]

    def match(self, method: str, raw_path: str) -> dict[str, str] | None:
        """The parameters of a path, decoded, or None."""
        found = self.expression.fullmatch(raw_path) if method == self.method else None
        if found is None:
            return None
        # Names that are not UTF-8 survive the way git.py takes them.
        return {
            key: unquote(value, errors="surrogateescape")
            for key, value in found.groupdict().items()
        }


class RouteTable:
    """Endpoints in the order in which they are tried."""

    def __init__(self) -> None:
        self.routes: list[Route] = []

    def add(self, method: str, pattern: str, *needs: str) -> Callable[[Endpoint], Endpoint]:
        """Decorates the function that answers."""
        whole = re.escape(pattern)
        whole = re.sub(r"\\{(\w+)\\\*\\}", r"(?P<\1>.*)", whole)
        whole = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", whole)

        def decorate(endpoint: Endpoint) -> Endpoint:
            self.routes.append(Route(method, pattern, needs, endpoint, re.compile(whole)))
            return endpoint

        return decorate

    def find(self, method: str, raw_path: str) -> tuple[Route, dict[str, str]]:
        """The first endpoint that fits."""
        for route in self.routes:
            if (params := route.match(method, raw_path)) is not None:
                return route, params
        raise not_found()


def authorise(call: Call, route: Route) -> None:
    """Refuse a caller that may not use the endpoint."""
    if not route.needs:
        return
    if call.caller is None:
        # An unknown caller learns nothing of what is private.
        raise (
            not_found() if "owner" in call.params else RefusalError(401, "Requires authentication")
        )
    if route.needs == ("app",):
        if not isinstance(call.caller, AppCaller):
            raise RefusalError(401, "A JSON web token could not be decoded")
        return
    if not isinstance(call.caller, InstallationCaller):
        raise RefusalError(401, "Bad credentials")
    if "owner" in call.params:
        _ = call.repository  # refuses what the caller may not see
    if not any(call.caller.may(need) for need in route.needs):
        raise forbidden()


def _whole(given: str | None, default: int) -> int:
    return int(given) if given and given.isascii() and given.isdigit() else default
