"""The settings, read once from the environment and handed down as values.

Nothing is demanded until a command asks for it: `for_server()` wants an App, `for_model()` wants
nothing. A value that is missing or malformed is a UsageError that names the variable and says what
to set.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from pydantic import SecretStr

from jurat.errors import UsageError
from jurat.setting_values import (
    DEFAULT_API_URL,
    check_length,
    parse_private_key,
    parse_url,
    to_api_url,
)

if TYPE_CHECKING:
    from jurat.judge.models_file import ModelSettings, ModelsFile

DEFAULT_DATABASE_URL = "sqlite:///jurat.sqlite3"
DEFAULT_WEBHOOK_PATH = "/api/github/webhooks"

VARIABLES = (
    "APP_ID",
    "PRIVATE_KEY",
    "PRIVATE_KEY_PATH",
    "WEBHOOK_SECRET",
    "WEBHOOK_PATH",
    "GHE_HOST",
    "GITHUB_API_URL",
    "HOST",
    "PORT",
    "LOG_LEVEL",
    "LOG_FORMAT",
    "DATABASE_URL",
    "GEMINI_API_KEY",
    "GOOGLE_GEMINI_BASE_URL",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "JURAT_MODELS",
    "JURAT_SECOND_API_KEY",
    "JURAT_API_TOKEN",
    "JURAT_TRUSTED_PROXIES",
    "JURAT_FLOORS",
    "JURAT_NO_CACHE",
    "XDG_CACHE_HOME",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
)
"""Every environment variable that Jurat reads. The first eleven are Probot's.

The OpenTelemetry SDK reads others of its own, once OTEL_EXPORTER_OTLP_ENDPOINT is set.
"""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

APP_VARIABLES = ("APP_ID", "PRIVATE_KEY", "PRIVATE_KEY_PATH", "WEBHOOK_SECRET")
"""What says which App this is. With none of them, the one that was set up here counts, if any."""

_SECOND_KEY = "JURAT_SECOND_API_KEY"
"""The second judge's key, if its provider's own variable is not to be it."""

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]
LogFormat = Literal["json", "console"]

_LEVELS: Mapping[str, LogLevel] = {
    "trace": "DEBUG",
    "debug": "DEBUG",
    "info": "INFO",
    "warn": "WARNING",
    "warning": "WARNING",
    "error": "ERROR",
    "fatal": "CRITICAL",
    "critical": "CRITICAL",
}
_FORMATS: Mapping[str, LogFormat] = {"json": "json", "console": "console", "pretty": "console"}

_SCHEMES = ("sqlite", "sqlite+aiosqlite", "postgresql", "postgres", "postgresql+psycopg")

_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?")
"""An account's name; those of Enterprise Managed Users have an underscore."""


@dataclass(frozen=True, slots=True)
class LogSettings:
    """How much is logged, and in which form."""

    level: LogLevel = "INFO"
    format: LogFormat = "console"


@dataclass(frozen=True, slots=True)
class AppSettings:
    """The GitHub App. `private_key` is PEM text, `api_url` has no trailing slash."""

    app_id: int
    private_key: SecretStr
    api_url: str = DEFAULT_API_URL


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What it takes to run jobs. `model` is None if no model is configured.

    Without `api_token` the server makes a token (see jurat.server.access). `traced` says that spans
    are exported. `proxies` are those whose word on who asks is taken. `floors` are the accounts, in
    lower case, nothing of which is judged unless their file for all repositories can be read.
    """

    app: AppSettings
    database_url: str = field(repr=False)
    model: ModelSettings | None = None
    logs: LogSettings = LogSettings()
    api_token: SecretStr | None = None
    traced: bool = False
    proxies: tuple[Network, ...] = ()
    floors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ServerSettings(WorkerSettings):
    """What it takes to serve HTTP."""

    webhook_secret: SecretStr = field(kw_only=True)
    webhook_path: str = DEFAULT_WEBHOOK_PATH
    host: str = "127.0.0.1"
    port: int = 3000


@dataclass(frozen=True, slots=True)
class SetupSettings:
    """What it takes to register the App. `api_url` is None if GitHub may be chosen there."""

    database_url: str = field(repr=False)
    api_url: str | None
    logs: LogSettings
    api_token: SecretStr | None
    proxies: tuple[Network, ...]
    webhook_path: str
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Settings:
    """The environment as it was when the process began: only Jurat's variables, only those set."""

    _given: Mapping[str, str] = field(repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Keep what concerns Jurat. An empty value, or one of blanks alone, counts as not set."""
        given = {name: environment.get(name, "").strip() for name in VARIABLES}
        return cls({name: value for name, value in given.items() if value})

    @property
    def is_app_named(self) -> bool:
        """Whether anything says which App this is."""
        return any(name in self._given for name in APP_VARIABLES)

    def with_app(self, kept: Mapping[str, str]) -> Self:
        """The same with the App that was set up here. An address that is set stays."""
        if {"GHE_HOST", "GITHUB_API_URL"} & self._given.keys():
            kept = {name: value for name, value in kept.items() if name != "GITHUB_API_URL"}
        return type(self)({**self._given, **kept})

    def for_setup(self) -> SetupSettings:
        """Everything that registering an App needs, or UsageError."""
        is_fixed = {"GHE_HOST", "GITHUB_API_URL"} & self._given.keys()
        return SetupSettings(
            database_url=self.for_database(),
            api_url=self._read_api_url() if is_fixed else None,
            logs=self.for_logs(),
            api_token=self._read_api_token(),
            proxies=self._read_proxies(),
            webhook_path=self._read_webhook_path(),
            host=self._given.get("HOST", "127.0.0.1"),
            port=self._read_port(),
        )

    def find_answers(self) -> Path | None:
        """The file that keeps what models answered this user; None with JURAT_NO_CACHE.

        Raises RuntimeError if there is no home folder to keep it in.
        """
        return self._find_kept("answers.sqlite3")

    def find_signs(self) -> Path | None:
        """The file that keeps what files showed to ratings of this user; None with JURAT_NO_CACHE.

        Raises RuntimeError if there is no home folder to keep it in.
        """
        return self._find_kept("ratings.sqlite3")

    def _find_kept(self, name: str) -> Path | None:
        if "JURAT_NO_CACHE" in self._given:
            return None
        folder = Path(self._given.get("XDG_CACHE_HOME", ""))
        # A relative one does not count: https://specifications.freedesktop.org/basedir-spec/latest/
        return (folder if folder.is_absolute() else Path.home() / ".cache") / "jurat" / name

    def for_server(self) -> ServerSettings:
        """Everything `jurat serve` needs, or UsageError."""
        worker = self.for_worker()
        return ServerSettings(
            app=worker.app,
            database_url=worker.database_url,
            model=worker.model,
            logs=worker.logs,
            api_token=worker.api_token,
            traced=worker.traced,
            proxies=worker.proxies,
            floors=worker.floors,
            webhook_secret=self._read_webhook_secret(),
            webhook_path=self._read_webhook_path(),
            host=self._given.get("HOST", "127.0.0.1"),
            port=self._read_port(),
        )

    def for_worker(self) -> WorkerSettings:
        """Everything `jurat worker` needs, or UsageError."""
        return WorkerSettings(
            app=self.for_app(),
            database_url=self.for_database(),
            model=self.for_model(),
            logs=self.for_logs(),
            api_token=self._read_api_token(),
            traced="OTEL_EXPORTER_OTLP_ENDPOINT" in self._given,
            proxies=self._read_proxies(),
            floors=self._read_floors(),
        )

    def for_app(self) -> AppSettings:
        """The GitHub App's identity, or UsageError."""
        return AppSettings(
            app_id=self._read_app_id(),
            private_key=self._read_private_key(),
            api_url=self._read_api_url(),
        )

    def for_model(self) -> ModelSettings | None:
        """Access to the model, None if Gemini is to judge and GEMINI_API_KEY is not set.

        Raises ConfigurationError, also for another provider without its key.
        """
        # What says how to ask a model is loaded if one can be asked.
        if "JURAT_MODELS" not in self._given and "GEMINI_API_KEY" not in self._given:
            return None
        file = self._load_models_file()
        name, base = f"{file.provider.upper()}_API_KEY", self._find_base_url(file)
        key = self._given.get(name)
        if key is None and file.provider == "gemini":
            return None
        second = file.build_second()
        return replace(
            _build_model_settings(file, base, name, key),
            second=self._for_second(second, (file.provider, base)) if second else None,
        )

    def _for_second(self, file: ModelsFile, first: tuple[str, str | None]) -> ModelSettings:
        """Access to the second judge's models; `first` is the first one's provider and address."""
        name, base = f"{file.provider.upper()}_API_KEY", self._find_base_url(file)
        key = self._given.get(_SECOND_KEY)
        # What opens one address is not sent to another that happens to speak the same.
        if key is None and (file.provider != first[0] or base == first[1]):
            key = self._given.get(name)
        else:
            name = _SECOND_KEY
        return _build_model_settings(file, base, name, key)

    def _find_base_url(self, file: ModelsFile) -> str | None:
        if file.provider == "gemini" and (own := self._given.get("GOOGLE_GEMINI_BASE_URL")):
            return parse_url("GOOGLE_GEMINI_BASE_URL", own)
        return str(file.base_url).rstrip("/") if file.base_url else None

    def _load_models_file(self) -> ModelsFile:
        from jurat.judge.models_file import ModelsFile, load_models_file  # noqa: PLC0415 - see above

        path = self._given.get("JURAT_MODELS")
        if path is None:
            return ModelsFile()
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"JURAT_MODELS is {path!r}, which cannot be read.",
                hint="Set it to a YAML file as docs/models.md describes, or leave it unset.",
            ) from error
        return load_models_file(path, text)

    def for_database(self) -> str:
        """The database's URL, of a kind that Jurat speaks. The value is never shown: passwords."""
        url = self._given.get("DATABASE_URL", DEFAULT_DATABASE_URL)
        scheme, separator, rest = url.partition("://")
        if not separator or scheme not in _SCHEMES:
            raise UsageError(
                "DATABASE_URL is of no kind that Jurat knows.",
                hint=f"Set it to {DEFAULT_DATABASE_URL} or postgresql://user:password@host/name.",
            )
        if scheme.startswith("sqlite") and rest.strip("/") in ("", ":memory:"):
            raise UsageError(
                "DATABASE_URL names an SQLite database in memory, which forgets its jobs.",
                hint=f"Name a file, such as {DEFAULT_DATABASE_URL}.",
            )
        return url

    def for_logs(self) -> LogSettings:
        """How to log, by Probot's words for it."""
        level = self._given.get("LOG_LEVEL", "info").lower()
        form = self._given.get("LOG_FORMAT", "console").lower()
        if level not in _LEVELS:
            raise UsageError(
                f"LOG_LEVEL is {level!r}.", hint="Set it to debug, info, warn, error or fatal."
            )
        if form not in _FORMATS:
            raise UsageError(f"LOG_FORMAT is {form!r}.", hint="Set it to json or console.")
        return LogSettings(_LEVELS[level], _FORMATS[form])

    def _read_app_id(self) -> int:
        value = self._given.get("APP_ID")
        hint = (
            "Set it to the App ID that the App's settings page shows, a number; `jurat serve`"
            " without an App opens a page that registers one."
        )
        if value is None:
            raise UsageError("APP_ID is not set.", hint=hint)
        if not re.fullmatch(r"[1-9][0-9]{0,17}", value):
            raise UsageError(f"APP_ID is {value!r}.", hint=hint)
        return int(value)

    def _read_private_key(self) -> SecretStr:
        if "PRIVATE_KEY" in self._given:
            return parse_private_key("PRIVATE_KEY", self._given["PRIVATE_KEY"])
        path = self._given.get("PRIVATE_KEY_PATH")
        if path is None:
            raise UsageError(
                "Neither PRIVATE_KEY nor PRIVATE_KEY_PATH is set.",
                hint="Generate a private key on the App's settings page and set PRIVATE_KEY_PATH "
                "to the downloaded file, or PRIVATE_KEY to what it holds.",
            )
        try:
            text = Path(path).read_text(encoding="ascii")
        except OSError as error:
            raise UsageError(
                f"PRIVATE_KEY_PATH is {path!r}, which cannot be read: {error.strerror}.",
                hint="Set it to the .pem file downloaded from the App's settings page.",
            ) from None
        except UnicodeDecodeError:
            text = ""
        return parse_private_key("PRIVATE_KEY_PATH", text)

    def _read_api_url(self) -> str:
        url = self._given.get("GITHUB_API_URL")
        if url is not None:
            return parse_url("GITHUB_API_URL", url)
        host = self._given.get("GHE_HOST")
        if host is None:
            return DEFAULT_API_URL
        url = to_api_url(host)
        if url is None:
            raise UsageError(
                f"GHE_HOST is {host!r}.",
                hint="Set it to the server's name alone, such as github.example.com.",
            )
        return url

    def _read_webhook_secret(self) -> SecretStr:
        value = self._given.get("WEBHOOK_SECRET")
        if value is None:
            raise UsageError(
                "WEBHOOK_SECRET is not set, so no event could be told from a forged one.",
                hint="Set it to the webhook secret of the App's settings page.",
            )
        return check_length("WEBHOOK_SECRET", value, where=", here and on the App's settings page")

    def _read_webhook_path(self) -> str:
        path = self._given.get("WEBHOOK_PATH", DEFAULT_WEBHOOK_PATH)
        if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", path):
            raise UsageError(
                f"WEBHOOK_PATH is {path!r}.", hint=f"Set it to a path like {DEFAULT_WEBHOOK_PATH}."
            )
        return path

    def _read_port(self) -> int:
        value = self._given.get("PORT", "3000")
        if not re.fullmatch(r"[0-9]{1,5}", value) or int(value) > 65535:
            raise UsageError(f"PORT is {value!r}.", hint="Set it to a number from 0 to 65535.")
        return int(value)

    def _read_proxies(self) -> tuple[Network, ...]:
        value = self._given.get("JURAT_TRUSTED_PROXIES", "")
        try:
            return tuple([ipaddress.ip_network(each.strip()) for each in value.split(",") if each])
        except ValueError:
            raise UsageError(
                f"JURAT_TRUSTED_PROXIES is {value!r}.",
                hint="Set it to the addresses or networks of your proxies, such as"
                " 127.0.0.1,10.1.0.0/16.",
            ) from None

    def _read_floors(self) -> frozenset[str]:
        names = [each.strip() for each in self._given.get("JURAT_FLOORS", "").split(",")]
        named = [name for name in names if name]
        if not all(_LOGIN.fullmatch(name) for name in named):
            raise UsageError(
                f"JURAT_FLOORS is {self._given['JURAT_FLOORS']!r}.",
                hint="Set it to names of accounts on GitHub, such as acme,acme-labs.",
            )
        return frozenset(name.lower() for name in named)

    def _read_api_token(self) -> SecretStr | None:
        value = self._given.get("JURAT_API_TOKEN")
        if value is None:
            return None
        return check_length("JURAT_API_TOKEN", value)


def _build_model_settings(
    file: ModelsFile, base: str | None, name: str, key: str | None
) -> ModelSettings:
    """Access by the key that the variable `name` holds. Raises UsageError if it is needed."""
    if file.provider == "vertex":
        if file.project is None:
            raise UsageError(
                "JURAT_MODELS names the provider vertex and no project.",
                hint="Add `project:` with the name of your project of Google Cloud.",
            )
    elif key is None and base is None:
        raise UsageError(
            f"{name} is not set, and JURAT_MODELS names the provider {file.provider}.",
            hint="Set it, or name the `base_url` of a server that asks for no key.",
        )
    from jurat.judge.models_file import ModelSettings  # noqa: PLC0415 - as above

    # The clients make none without a key; a server of one's own may ask for none.
    return ModelSettings(SecretStr(key or "none"), base, file, file.provider)
