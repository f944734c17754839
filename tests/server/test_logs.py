from __future__ import annotations

import io
import json
import logging
from typing import Any

import pytest
import structlog

from jurat.logs import REDACTED, configure_logs
from jurat.settings import LogSettings


def _fail(reason: object) -> None:
    raise ValueError(reason)


def _lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def test_both_kinds_of_logger_write_one_json_line_with_the_delivery(log: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(delivery="guid-1"):
        structlog.stdlib.get_logger("jurat.server").info("from a door", answer=202)
        logging.getLogger("jurat.jobs").warning("from %s", "an adapter", extra={"job": 7})

    door, adapter = _lines(log)
    assert (door["event"], door["level"], door["logger"]) == ("from a door", "info", "jurat.server")
    assert door["answer"] == 202
    assert (adapter["event"], adapter["level"], adapter["job"]) == (
        "from an adapter",
        "warning",
        7,
    )
    assert {door["delivery"], adapter["delivery"]} == {"guid-1"}
    assert door["timestamp"].endswith("Z")


@pytest.mark.parametrize(
    "key",
    [
        "token",
        "installation_token",
        "Authorization",
        "webhook_secret",
        "private_key",
        "PRIVATE_KEY",
        "GEMINI_API_KEY",
        "apiKey",
        "password",
        "X-Hub-Signature-256",
        "cookie",
        "DATABASE_URL",
        "payload",
        "diff",
        "body",
    ],
)
def test_what_a_key_calls_secret_or_content_is_not_written(log: io.StringIO, key: str) -> None:
    logger = structlog.stdlib.get_logger()
    logger.info("it happened", **{key: "hush"}, headers={key: ["hush"]})

    (line,) = _lines(log)
    assert "hush" not in log.getvalue()
    assert line[key] == REDACTED


SECRETS = [
    "ghs_" + "A1b2" * 9,
    "github_pat_" + "A1b2" * 9,
    "eyJhbGciOiJub25lIn0." + "e" * 20 + "." + "s" * 20,
    "AIza" + "A1b2" * 9,
    "-----BEGIN RSA PRIVATE KEY-----\nnot-a-real-one\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nnot-a-real-one, cut off",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_what_looks_like_a_secret_is_not_written_wherever_it_stands(
    log: io.StringIO, secret: str
) -> None:
    logging.getLogger("x").error(
        "it said %s!", secret, extra={"detail": [secret], "at": {1: secret}}
    )
    try:
        _fail(secret)
    except ValueError:
        structlog.stdlib.get_logger().exception("it failed")

    assert secret not in log.getvalue()
    assert "not-a-real-one" not in log.getvalue()
    assert log.getvalue().count(REDACTED) == 4
    assert "Traceback" in _lines(log)[1]["exception"]


def test_a_password_in_an_address_is_not_written(log: io.StringIO) -> None:
    logging.getLogger("x").error("no answer from postgresql://jurat:hush@db/jurat")

    (line,) = _lines(log)
    assert line["event"] == f"no answer from postgresql://{REDACTED}@db/jurat"


def test_what_a_model_read_is_counted_in_tokens(log: io.StringIO) -> None:
    structlog.stdlib.get_logger().info("asked", input_tokens=812, tokens=900)

    (line,) = _lines(log)
    assert (line["input_tokens"], line["tokens"]) == (812, 900)


@pytest.mark.parametrize("form", ["json", "console"])
def test_text_from_outside_cannot_write_a_line_of_its_own(form: Any, log: io.StringIO) -> None:
    stream = io.StringIO()
    configure_logs(LogSettings("INFO", form), stream)
    hostile = "main\nlevel=info event='all is well' \x1b[2J\x9b2J"

    structlog.stdlib.get_logger().info(hostile, branch=hostile)
    logging.getLogger("x").info("on %s", hostile)

    assert len(stream.getvalue().splitlines()) == 2
    assert "\x1b[2J" not in stream.getvalue()
    assert "\x9b" not in stream.getvalue()


def test_a_console_shows_tracebacks_without_the_values_in_them(log: io.StringIO) -> None:
    stream = io.StringIO()
    configure_logs(LogSettings("INFO", "console"), stream)

    held = "hush"
    try:
        _fail(len(held))
    except ValueError:
        structlog.stdlib.get_logger().exception("it failed")

    assert "in _fail" in stream.getvalue()
    assert "hush" not in stream.getvalue()


def test_the_level_holds_for_every_logger(log: io.StringIO) -> None:
    stream = io.StringIO()
    configure_logs(LogSettings("ERROR", "json"), stream)

    structlog.stdlib.get_logger("jurat.server").warning("too quiet")
    logging.getLogger("jurat.jobs").warning("too quiet")
    logging.getLogger("jurat.jobs").error("loud enough")

    assert [json.loads(line)["event"] for line in stream.getvalue().splitlines()] == ["loud enough"]
