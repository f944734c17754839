from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from jurat.errors import ExitCode, UsageError
from jurat.settings import VARIABLES, Settings
from tests.support.server import APP_ID, WEBHOOK_SECRET

Environment = dict[str, str]


def test_a_server_needs_an_app_and_a_secret_and_has_defaults_for_the_rest(
    environment: Environment, private_key_pem: str
) -> None:
    minimal = {key: environment[key] for key in ("APP_ID", "PRIVATE_KEY", "WEBHOOK_SECRET")}
    settings = Settings.from_environment(minimal).for_server()

    assert settings.app.app_id == APP_ID
    assert settings.app.private_key.get_secret_value() == private_key_pem
    assert settings.app.api_url == "https://api.github.com"
    assert settings.webhook_secret.get_secret_value() == WEBHOOK_SECRET
    assert settings.webhook_path == "/api/github/webhooks"
    assert (settings.host, settings.port) == ("127.0.0.1", 3000)
    assert settings.database_url == "sqlite:///jurat.sqlite3"
    assert (settings.logs.level, settings.logs.format) == ("INFO", "console")
    assert settings.model is None
    assert settings.api_token is None


def test_every_variable_has_its_place(environment: Environment) -> None:
    settings = Settings.from_environment(
        {
            **environment,
            "WEBHOOK_PATH": "/hooks/github",
            "GITHUB_API_URL": "https://github.example.com/api/v3/",
            "GHE_HOST": "not-asked.example.com",
            "HOST": "0.0.0.0",
            "PORT": "8080",
            "LOG_LEVEL": "warn",
            "LOG_FORMAT": "json",
            "DATABASE_URL": "postgresql://jurat:pass@db/jurat",
            "GEMINI_API_KEY": "a key for tests",
            "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9000/",
            "JURAT_API_TOKEN": "a token for tests alone",
        }
    ).for_server()

    assert settings.webhook_path == "/hooks/github"
    assert settings.app.api_url == "https://github.example.com/api/v3"
    assert (settings.host, settings.port) == ("0.0.0.0", 8080)
    assert (settings.logs.level, settings.logs.format) == ("WARNING", "json")
    assert settings.database_url == "postgresql://jurat:pass@db/jurat"
    assert settings.model is not None
    assert settings.model.api_key.get_secret_value() == "a key for tests"
    assert settings.model.base_url == "http://127.0.0.1:9000"
    assert settings.api_token is not None


def test_an_enterprise_server_is_named_by_its_host(environment: Environment) -> None:
    settings = Settings.from_environment({**environment, "GHE_HOST": "github.example.com"})

    assert settings.for_app().api_url == "https://github.example.com/api/v3"


@pytest.mark.parametrize(
    "written",
    [
        lambda pem: pem,
        lambda pem: pem.replace("\n", "\\n"),
        lambda pem: pem.replace("\n", " "),
        lambda pem: pem.replace("\n", "\r\n"),
        lambda pem: base64.b64encode(pem.encode()).decode(),
        lambda pem: base64.encodebytes(pem.encode()).decode(),
    ],
    ids=["PEM", "literal \\n", "blanks", "CRLF", "base64", "base64 in lines"],
)
def test_a_private_key_is_taken_as_probot_takes_it(
    environment: Environment, private_key_pem: str, written: Any
) -> None:
    given = {**environment, "PRIVATE_KEY": written(private_key_pem)}
    key = Settings.from_environment(given).for_app().private_key

    assert key.get_secret_value() == private_key_pem


def test_a_private_key_can_stand_in_a_file(
    environment: Environment, private_key_pem: str, tmp_path: Path
) -> None:
    (tmp_path / "key.pem").write_text(private_key_pem)
    given = {**environment, "PRIVATE_KEY": "", "PRIVATE_KEY_PATH": str(tmp_path / "key.pem")}

    assert Settings.from_environment(given).for_app().private_key.get_secret_value() == (
        private_key_pem
    )


@pytest.mark.parametrize("name", ["APP_ID", "PRIVATE_KEY", "WEBHOOK_SECRET"])
@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_what_is_missing_is_named_with_what_to_set(
    environment: Environment, name: str, value: str | None
) -> None:
    given = {key: item for key, item in environment.items() if key != name}
    if value is not None:
        given[name] = value

    with pytest.raises(UsageError, match=f"{name}.*set.* Set it|{name}.*is set.* set") as caught:
        Settings.from_environment(given).for_server()

    assert caught.value.exit_code is ExitCode.USAGE
    assert "\n" not in str(caught.value)


def _elliptic() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return pem.decode("ascii")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("APP_ID", "my-app"),
        ("APP_ID", "0"),
        ("APP_ID", "٣"),
        ("PRIVATE_KEY", "certainly no key"),
        ("PRIVATE_KEY", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----"),
        ("PRIVATE_KEY", _elliptic()),
        ("WEBHOOK_PATH", "hooks"),
        ("WEBHOOK_PATH", "/"),
        ("WEBHOOK_PATH", "/hooks/{any}"),
        ("GHE_HOST", "https://github.example.com"),
        ("GITHUB_API_URL", "github.example.com"),
        ("GITHUB_API_URL", "http://github.example.com"),
        ("GITHUB_API_URL", "https://user:pass@github.example.com"),
        ("GITHUB_API_URL", "https://[::1"),
        ("PORT", "http"),
        ("PORT", "65536"),
        ("LOG_LEVEL", "loud"),
        ("LOG_FORMAT", "xml"),
        ("DATABASE_URL", "mysql://host/name"),
        ("DATABASE_URL", "jurat.sqlite3"),
        ("DATABASE_URL", "sqlite://"),
        ("DATABASE_URL", "sqlite:///:memory:"),
        ("JURAT_API_TOKEN", "short"),
        ("WEBHOOK_SECRET", "fifteen letters"),
    ],
)
def test_what_is_malformed_is_named_with_what_to_set(
    environment: Environment, name: str, value: str
) -> None:
    with pytest.raises(UsageError, match=name) as caught:
        Settings.from_environment({**environment, name: value}).for_server()

    assert caught.value.hint
    assert "\n" not in str(caught.value)


def test_a_key_file_that_cannot_be_read_is_named(environment: Environment, tmp_path: Path) -> None:
    given = {**environment, "PRIVATE_KEY": "", "PRIVATE_KEY_PATH": str(tmp_path / "none.pem")}

    with pytest.raises(UsageError, match=r"none\.pem.*No such file"):
        Settings.from_environment(given).for_app()

    (tmp_path / "none.pem").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="does not hold a private key"):
        Settings.from_environment(given).for_app()


def test_a_command_demands_only_what_it_uses() -> None:
    settings = Settings.from_environment({"PORT": "tcp://10.0.0.1:80", "APP_ID": "no number"})

    assert settings.for_model() is None
    assert settings.for_logs().format == "console"
    assert settings.for_database() == "sqlite:///jurat.sqlite3"


def test_no_secret_shows_when_settings_are_printed(environment: Environment) -> None:
    given = {
        **environment,
        "DATABASE_URL": "postgresql://jurat:the-password@db/jurat",
        "GEMINI_API_KEY": "the-gemini-key",
        "JURAT_API_TOKEN": "the-token-of-the-api",
    }
    settings = Settings.from_environment(given)
    shown = f"{settings!r} {settings} {settings.for_server()!r} {settings.for_worker()!r}"

    for secret in (
        "the-password",
        "the-gemini-key",
        "the-token-of-the-api",
        WEBHOOK_SECRET,
        "PRIVATE KEY",
    ):
        assert secret not in shown


def test_a_malformed_secret_is_not_quoted(environment: Environment) -> None:
    for name in ("PRIVATE_KEY", "JURAT_API_TOKEN", "DATABASE_URL", "GITHUB_API_URL"):
        with pytest.raises(UsageError) as caught:
            Settings.from_environment({**environment, name: "hush!"}).for_server()
        assert "hush!" not in str(caught.value)


def test_other_variables_are_not_kept() -> None:
    settings = Settings.from_environment({"AWS_SECRET_ACCESS_KEY": "x", "PORT": "1"})

    assert settings == Settings.from_environment({"PORT": "1"})
    assert "AWS_SECRET_ACCESS_KEY" not in VARIABLES
