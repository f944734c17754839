from __future__ import annotations

import hashlib
import hmac

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurat.server.webhook import begin_signature, is_signature_well_formed, verify_signature

# https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
SECRET = "It's a Secret to Everybody"
BODY = b"Hello, World!"
SIGNATURE = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


def verifies(secret: str, body: bytes, header: str | None) -> bool:
    """Whether a body verifies that comes in two parts."""
    signature = begin_signature(secret)
    signature.update(body[:7])
    signature.update(body[7:])
    return verify_signature(signature, header)


def test_githubs_own_example_verifies() -> None:
    assert verifies(SECRET, BODY, SIGNATURE)


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        SIGNATURE.removeprefix("sha256="),
        SIGNATURE[:-1],
        SIGNATURE + "0",
        SIGNATURE + "\n",
        " " + SIGNATURE,
        SIGNATURE.upper(),
        SIGNATURE.replace("757107", "757108"),
        "sha1=" + hmac.new(SECRET.encode(), BODY, hashlib.sha1).hexdigest(),
        "sha256=" + "é" * 64,
        "sha256=" + "٣" * 64,  # digits, but not ASCII ones
        "sha256=\udce9" + "0" * 63,
    ],
)
def test_another_signature_does_not(header: str | None) -> None:
    assert not verifies(SECRET, BODY, header)


def test_a_signature_that_cannot_be_one_is_known_without_the_body() -> None:
    assert is_signature_well_formed(SIGNATURE)
    assert not is_signature_well_formed(None)
    assert not is_signature_well_formed("sha256=" + "٣" * 64)


def test_an_empty_secret_verifies_nothing() -> None:
    with pytest.raises(ValueError, match="signs nothing"):
        begin_signature("")


@settings(deadline=None)
@given(st.text(min_size=1), st.binary(), st.binary())
def test_only_the_body_that_was_signed_verifies(secret: str, body: bytes, other: bytes) -> None:
    header = "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex()

    assert verifies(secret, other, header) == (other == body)


@settings(deadline=None)
@given(st.text())
def test_no_header_is_an_error(header: str) -> None:
    assert not verifies(SECRET, BODY, header)
