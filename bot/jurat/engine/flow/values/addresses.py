"""What chooses where an address leads: its host, and nothing that stands behind it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from jurat.engine.flow.values.arrivals import list_all, list_own
from jurat.engine.flow.values.pieces import read_step
from jurat.engine.flow.values.taints import DECODED, HOLE, NO_SLASH, PARTS, Taint
from jurat.engine.flow.values.value import Value, iter_taints
from jurat.engine.flow.words import split_words

_HOST = re.compile(r"(?i)(?:[a-z][a-z0-9+.-]*:)?//[^/?#\\\0]+[/?#]")

_ADDRESS = re.compile(
    r"(?i:(?:^|[.<])\w*req(?:uest)?>?(?:\(\))?)\."
    r"(?P<part>url|nextUrl|base_url|host_url|url_root|build_absolute_uri\(\)|getRequestURL\(\)"
    r"|Host|hostname|get_host\(\))$"
)
"""A source that is the address of a request, or its host."""

_ASKED_FOR = re.compile(
    r"(?:^|\.)(?:url|URL|uri|originalUrl|nextUrl(?:\.pathname)?|path|path_info|full_path|pathname"
    r"|RequestURI|(?:build_absolute_uri|get_full_path|getRequestUR[IL]|getPathInfo|OriginalURL|URI"
    r"|Path)\(\))$"
)
"""Ends a source that is the address, or the path, that a request has asked for."""

_PATH_STEPS = split_words(
    """
    URL String Path RawPath EscapedPath RequestURI TrimLeft TrimPrefix TrimRight TrimSuffix
    TrimSpace toString pathname getPath toASCIIString
    """
)
"""What an address goes through and is the path that was asked for; a request's value may have such
a name as `path`.
"""

_FIRST_PARTS = frozenset({PARTS[0], "0"})

PARTS_OF_TEXT = frozenset((*PARTS, *map(str, range(4)), "-1"))
"""Steps to a part of what was split."""

ALIKE = split_words(
    """
    URL clone href String toString Host host Hostname hostname Port port JoinHostPort
    SplitHostPort [:]
    """
)
"""What an address goes through without another part of it becoming the host."""

_HOSTS = frozenset({"Host", "hostname", "get_host()"})

_HOST_HEADER = re.compile(
    r"(?i)\.(?:headers\.host|META\.HTTP_HOST|(?:get_?)?header(?:s\.get)?\(\)\.host)$"
)

_OPENED = re.compile(r"(?:^|\.)(?:location\.href|document\.(?:URL|documentURI))$")
"""A source that is the address that a page was opened with."""

_SAID = frozenset({"searchParams", "search", "hash"})
"""Parts of it that whoever made the link has said."""

_WHENCE = re.compile(r"(?i)(?:http_)?refere?r(?:er)?(?:\(\))?")
"""The page that a visitor comes from: nobody else's link says it, and there they have been."""

_SHORTENERS = PARTS_OF_TEXT | split_words(
    """
    Cut ToLower Replace ReplaceAll Trim TrimLeft TrimRight TrimPrefix TrimSuffix TrimSpace Split
    SplitN split rsplit partition rpartition replace lower toLowerCase strip slice host HTTP_HOST
    substring
    """
)
"""What a host goes through and is the same host, or a part of it."""

_OWN_PATH = re.compile(r"/(?![/\\])\0?[^\0]|[\w.-]+[/?#]|[?#]")
"""Begins an address with a path of our own; whoever says its first step, which is none but empty,
chooses the host by that and not by what follows.
"""

_BELOW = re.compile(r"/[^/\\\0]")
"""Begins an address that names no host, but a path: `/users/`."""

CONTENT = re.compile(r"(?:.*(?:Stream|Reader|\.getBytes|\.Body))(?:\(\))?")
"""The name of what a file is filled with."""

_FORWARD = "redirect:"
"""Begins the name of a view that is none, but an address."""

_QUERY = re.compile(r"[?#]")
"""Where an address comes to its query or its fragment: what follows chooses no host."""

_LEADING = frozenset({"url", "uri", "href", "host", "hostname", "pathname", "origin", "to"})


_OF_PATH = frozenset({"Path", "RawPath"})
"""Parts of Go's addresses that are written behind the host, if there is one."""

_BEHIND_PATH = frozenset({"RawQuery", "Fragment", "RawFragment"})
"""Those that are written behind a mark of their own, whether there is a host or none."""


_QUERY_WRITERS = split_words(
    """
    queryParam queryParams replaceQueryParam addQueryParameter setQueryParameter
    appendQueryParameter addEncodedQueryParameter
    """
)
"""Methods of what builds an address, whose arguments are parts of its query."""


def write_address(name: str, values: list[Value]) -> list[Value]:
    """The parts that an address is made of, as they stand in it: `url.URL{Host: a, Path: b}`.

    What stands behind a host chooses no other, whoever has said that one; and what a builder is
    told of the query stands behind a question mark.
    """
    if name.rpartition(".")[2] in _QUERY_WRITERS:
        return [
            Value(tuple(one._replace(before="?" + one.before) for one in iter_taints(value)))
            for value in values
        ]
    parts = values[0].items if name == "net/url.URL" and values else None
    if not parts:
        return values
    host = parts.get("Host")
    has_host = host is not None and host.constant != ""
    if not has_host and _BEHIND_PATH.isdisjoint(parts):
        return values
    before = dict.fromkeys(parts, "")
    before.update(dict.fromkeys(_OF_PATH, f"//{HOLE}/" if has_host else ""))
    before.update(dict.fromkeys(_BEHIND_PATH, "?"))
    return [
        Value(tuple(one._replace(before=before[key] + one.before) for one in iter_taints(part)))
        for key, part in parts.items()
    ]


def list_hosts(values: Iterable[Value]) -> Iterator[Taint]:
    """What can choose the host of a URL."""
    for taint in list_own(_pick_addresses(values)):
        if _QUERY.search(taint.before) or _BELOW.match(taint.before):
            continue
        if not taint.before or not (_HOST.match(taint.before) or HOLE in taint.before):
            yield taint


def _pick_addresses(values: Iterable[Value]) -> Iterator[Value]:
    """What is an address: of an object in the place of one the parts that say where it leads."""
    for value in values:
        if CONTENT.fullmatch(value.name):
            # What is read already, and not what leads to it.
            continue
        if value.items is None or value.is_list:
            yield value
        else:
            yield from (part for key, part in value.items.items() if key in _LEADING)


@lru_cache(maxsize=4096)
def find_address_part(source: str) -> str:
    """Which part of a request's address a source is, "" if it is none."""
    found = _ADDRESS.search(source)
    return found["part"] if found is not None else ""


def _is_own_address(taint: Taint) -> bool:
    """Whether an origin is an address with our own host in it, as it came or as a base."""
    part = find_address_part(taint.source)
    if taint.path[:1] and _WHENCE.fullmatch(taint.path[0]):
        return True
    if _WHENCE.fullmatch(taint.source.rpartition(".")[2]):
        return True
    steps = {read_step(step)[0] for step in taint.path}
    if _OPENED.search(taint.source):
        return _SAID.isdisjoint(steps)
    if part in _HOSTS or _HOST_HEADER.search(".".join((taint.source, *taint.path[:1]))):
        # Whatever is cut off it, nobody else chooses which host a visitor's browser asks.
        return (ALIKE | _SHORTENERS).issuperset(steps)
    if not part or not ALIKE.issuperset(taint.path):
        return False
    # Some servers give no more than the path, and `//host` is one. What can be a base is a whole.
    return part != "url" or "URL" in taint.path


def is_asked_for(taint: Taint) -> bool:
    """Whether an origin is the address that a request has asked for, or its path, as a whole.

    It leads elsewhere only if a server takes `//host` for a path of its own.
    """
    if _ASKED_FOR.search(taint.source.rstrip(DECODED)) is None or taint.before.endswith("/"):
        return False
    return all(
        step in _PATH_STEPS or step in _FIRST_PARTS or read_step(step)[1] == "?"
        for step in taint.path
    )


def is_step_of_path(taint: Taint) -> bool:
    """Whether a redirect goes on with one step of the path that was asked for, behind a slash.

    A router cuts a path at its slashes, so that only an encoded one leads elsewhere. What a pattern
    takes by its number may hold any.
    """
    is_step = taint.source.endswith(".params") and len(taint.path) == 1
    return is_step and taint.before == "/" and not taint.path[0].isdigit()


def list_redirects(values: Iterable[Value]) -> Iterator[Taint]:
    """What can choose the host of a redirect: not behind a path of our own.

    Nor behind what nobody knows, such as `location.pathname`, unless a host begins right there. An
    address that was asked for as a whole, or as the base of another, leads back here.
    """
    for taint in list_hosts(values):
        if _is_own_address(taint):
            continue
        behind_unknown = taint.before.startswith(HOLE) and "//" not in taint.before
        # What begins with no slash is a step of a path behind one.
        begun = taint.before + ("a" if NO_SLASH in taint.without else "")
        if not behind_unknown and not _OWN_PATH.match(begun):
            yield taint


def list_forwards(values: Iterable[Value]) -> Iterator[Taint]:
    """What a name of a view such as `redirect:…` leads to: what follows is an address as any other.

    Right behind it stands a whole one, and what another callee has answered is its own.
    """
    for one in list_all(values):
        address = one.before.removeprefix(_FORWARD)
        if address == one.before or (one.answered_by and not address):
            continue
        if any(list_redirects([Value((one._replace(before=address),))])):
            yield one
