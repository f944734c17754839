"""Who may ask: whoever knows the token; without one, whoever is on this machine."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping

from aiohttp import web

from bot.api.refusals import RefusedError

_PASSED_ON = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
"""Headers that a proxy adds: the peer is then not who asks."""


def admit(request: web.Request, token: str | None) -> None:
    """Return for a request that may be answered; raise RefusedError for any other."""
    if token is not None:
        _check_token(request.headers.get("Authorization", ""), token)
    elif not (is_here(_peer(request)) and not _is_passed_on(request.headers)):
        raise RefusedError(
            403,
            "Without a token this API answers its own machine alone.",
            hint="Set BYLAW_API_TOKEN for the server, and send it as a bearer token.",
        )


def _check_token(header: str, token: str) -> None:
    scheme, _, given = header.partition(" ")
    same = hmac.compare_digest(_bytes(given.strip()), _bytes(token))
    if scheme.lower() == "bearer" and same:
        return
    raise RefusedError(
        401,
        "The bearer token is wrong." if header else "This API wants a bearer token.",
        hint="Send the header Authorization: Bearer, with what BYLAW_API_TOKEN is on the server.",
        headers={"WWW-Authenticate": 'Bearer realm="bylaw"'},
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _peer(request: web.Request) -> str:
    """The address at the other end of the connection, whatever the headers say."""
    peer = request.transport.get_extra_info("peername") if request.transport else None
    return str(peer[0]) if isinstance(peer, tuple) and peer else ""


def is_here(peer: str) -> bool:
    """Whether an address is one that only this machine can have."""
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def _is_passed_on(headers: Mapping[str, str]) -> bool:
    """Whether headers say that someone else asks: these only ever take the answer away.

    A proxy on this machine is a peer on loopback, and so is a browser that a page of another name
    had look that name up as 127.0.0.1 (DNS rebinding): it still sends the page's name as Host.
    """
    if any(name in headers for name in _PASSED_ON):
        return True
    host = headers.get("Host", "").strip()
    name = host[: host.find("]") + 1] if host.startswith("[") else host.partition(":")[0]
    return name.lower() != "localhost" and not is_here(name.strip("[]"))
