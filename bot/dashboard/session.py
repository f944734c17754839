"""Who may look: whoever has shown the token, for as long as the cookie says.

The cookie is no secret of its own: an expiry in Unix time, signed by a key made from the token. It
holds nothing of the token, and a new token ends every session.
"""

from __future__ import annotations

import hmac
import re

SESSION_COOKIE = "bylaw_session"
SESSION_LIFETIME = 12 * 3600
"""Seconds that a session lasts."""

_FORM = re.compile(r"([0-9]{1,12})\.([0-9a-f]{64})")


def open_session(token: str, now: float) -> str:
    """The cookie of a session that begins now (Unix time)."""
    expiry = int(now) + SESSION_LIFETIME
    return f"{expiry}.{_signature(token, expiry)}"


def is_session_valid(cookie: str, token: str, now: float) -> bool:
    """Whether a cookie is one of ours and not over."""
    match = _FORM.fullmatch(cookie)
    if match is None:
        return False
    expiry = int(match[1])
    return hmac.compare_digest(match[2], _signature(token, expiry)) and now < expiry


def is_same_token(given: str, token: str) -> bool:
    """Whether what somebody typed is the token, in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode("utf-8", "replace"))


def _signature(token: str, expiry: int) -> str:
    key = hmac.digest(token.encode("utf-8", "replace"), b"bylaw dashboard session 1", "sha256")
    return hmac.digest(key, str(expiry).encode(), "sha256").hex()
