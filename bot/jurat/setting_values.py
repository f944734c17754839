"""How the text of a variable becomes a value: a secret, a key or an address.

What is none is a UsageError that names the variable and says what to set.
"""

from __future__ import annotations

import base64
import binascii
import re
from urllib.parse import urlsplit

from pydantic import SecretStr

from jurat.errors import UsageError

DEFAULT_API_URL = "https://api.github.com"

MIN_SECRET = 16
"""Characters of a secret that others may guess at."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?")

_PEM = re.compile(
    r"-----BEGIN (?P<kind>(?:RSA )?PRIVATE KEY)-----(?P<body>[A-Za-z0-9+/=\s]+)"
    r"-----END (?P=kind)-----"
)


def to_api_url(host: str) -> str | None:
    """Where the API of the GitHub with this name is; None if that is no name of a server."""
    if not _HOST.fullmatch(host):
        return None
    # A company's own place on GitHub.com has its API beside it:
    # https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency
    if host.lower().endswith(".ghe.com"):
        return f"https://api.{host}"
    return DEFAULT_API_URL if host.lower() == "github.com" else f"https://{host}/api/v3"


def is_loopback(host: str) -> bool:
    """Whether a name is this machine's for itself."""
    return host in _LOOPBACK


def check_length(variable: str, value: str, where: str = "") -> SecretStr:
    """A secret that is too long to be guessed by whoever may try as often as they like."""
    if len(value) < MIN_SECRET:
        raise UsageError(
            f"{variable} is shorter than {MIN_SECRET} characters, so that it could be guessed.",
            hint=f"Set it to a long random text, such as `openssl rand -hex 32` prints{where}.",
        )
    return SecretStr(value)


def parse_private_key(variable: str, text: str) -> SecretStr:
    r"""The key as PEM.

    Taken as Probot takes it: PEM, PEM with a literal \n or a blank where a line ends, or the whole
    in base64.
    """
    match = _PEM.search(text.replace("\\n", "\n")) or _PEM.search(_from_base64(text))
    if match is None:
        raise UsageError(
            f"{variable} does not hold a private key in PEM form.",
            hint="It begins with -----BEGIN RSA PRIVATE KEY----- and ends with "
            "-----END RSA PRIVATE KEY-----; base64 of that works too.",
        )
    kind = match["kind"]
    body = "\n".join(match["body"].split())
    pem = f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n"
    if not _is_rsa(pem):
        raise UsageError(
            f"{variable} holds a private key that is damaged, or no RSA key.",
            hint="Generate a new private key on the App's settings page.",
        )
    return SecretStr(pem)


def _is_rsa(pem: str) -> bool:
    # Imported here: the command line reads its settings too, and signs nothing.
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    try:
        key = load_pem_private_key(pem.encode("ascii"), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return False
    return isinstance(key, RSAPrivateKey)


def _from_base64(text: str) -> str:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return ""


def parse_url(variable: str, text: str) -> str:
    """An http(s) URL without a trailing slash. Plain http is for this machine alone: tokens."""
    hint = "Set it to an address like https://github.example.com/api/v3."
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise UsageError(f"{variable} is not a URL.", hint=hint) from None
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"{variable} is not an http(s) URL.", hint=hint)
    # A URL with a password in it would be shown with errors and in logs.
    if parts.username is not None or parts.query or parts.fragment:
        raise UsageError(f"{variable} holds more than an address.", hint=hint)
    if parts.scheme == "http" and host not in _LOOPBACK:
        raise UsageError(
            f"{variable} uses plain http, which would show tokens to the network.",
            hint="Use https; http is accepted for localhost only.",
        )
    return text.rstrip("/")
