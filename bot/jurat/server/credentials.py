"""The file that keeps an App that was registered from here, for this start and later ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from jurat.errors import UsageError
from jurat.server.access import find_secret_file, write_secret_file
from jurat.settings import Settings

KEPT = ("APP_ID", "PRIVATE_KEY", "WEBHOOK_SECRET", "GITHUB_API_URL")
"""What it keeps, one NAME=value a line, as systemd, Docker and Kubernetes read it too."""

_LINE = re.compile(r"(?P<name>[A-Z_]+)=(?P<value>[!-~]+)")


def find_credentials_file(database_url: str) -> Path:
    """Where it is: beside the database, or in the working directory."""
    return find_secret_file(database_url, "env")


def add_credentials(settings: Settings) -> Settings:
    """The settings with the App that was registered from here, unless they name one. UsageError."""
    if settings.is_app_named:
        return settings
    path = find_credentials_file(settings.for_database())
    kept = _read_credentials(path)
    return settings.with_app(kept) if kept else settings


def write_credentials(path: Path, kept: Mapping[str, str]) -> None:
    """Keep them, for the owner alone, whole or not at all. Raises UsageError."""
    lines = [f"{name}={kept[name]}" for name in KEPT]
    if not all(map(_LINE.fullmatch, lines)):
        raise ValueError("a value that no line can hold")
    _write(path, "".join(f"{line}\n" for line in lines))


def check_writable(path: Path) -> None:
    """Raise UsageError if nothing can be kept there: better known before the App is registered."""
    probe = path.with_name(f"{path.name}.trial")
    _write(probe, "")
    probe.unlink()


def _write(path: Path, text: str) -> None:
    try:
        write_secret_file(path, text)
    except OSError as error:
        raise UsageError(
            f"The App's credentials cannot be kept in {path}: {error.strerror or error}.",
            hint="Let this server write there, and make sure that no such file is there yet.",
        ) from None


def _read_credentials(path: Path) -> dict[str, str]:
    try:
        readable = path.stat().st_mode & 0o077
        lines = path.read_text(encoding="ascii").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path}, which keeps the App's credentials, cannot be read: {error}.",
            hint="Let this server read it, or set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET.",
        ) from None
    if readable:
        raise UsageError(
            f"{path} holds the App's private key and can be read by others.",
            hint=f"Run `chmod 600 {path}`; if somebody may have read it, make a new key on the"
            " App's settings page.",
        )
    found = [_LINE.fullmatch(line) for line in lines if line and not line.startswith("#")]
    kept = {match["name"]: match["value"] for match in found if match}
    if None in found or set(kept) != set(KEPT):
        raise UsageError(
            f"{path} does not hold the App's credentials.",
            hint="Put back what was there, or delete it to register the App again.",
        )
    return kept
