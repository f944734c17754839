"""Whether a delivery comes from GitHub.

https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries. The older SHA-1
header is not read at all.
"""

from __future__ import annotations

import hmac
import re

HEADER = "X-Hub-Signature-256"

_FORM = re.compile("sha256=([0-9a-f]{64})")


def well_formed(header: str | None) -> bool:
    """Whether a header can be a signature, known before the body is read."""
    return _FORM.fullmatch(header or "") is not None


def verify(secret: str, body: bytes, header: str | None) -> bool:
    """Whether `header` is the HMAC-SHA256 of the raw body under the secret, in constant time.

    An empty secret verifies nothing.
    """
    match = _FORM.fullmatch(header or "")
    if match is None or not secret:
        return False
    expected = hmac.digest(secret.encode(), body, "sha256")
    return hmac.compare_digest(expected, bytes.fromhex(match[1]))
