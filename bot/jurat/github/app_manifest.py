"""The App as app.yml describes it, and its registration by GitHub's manifest flow.

A person's browser takes the manifest to GitHub, and comes back with a code; for that, once and
within an hour, GitHub hands out the App's key.

https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import aiohttp
import yaml
from pydantic import BaseModel, Field, SecretStr, ValidationError

from jurat.errors import JuratError
from jurat.resources import get_bundled_path

ORGANIZATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?")
"""The name of an organisation."""

_CODE = re.compile(r"[A-Za-z0-9_-]{1,100}")
_MAX_ANSWER = 1 << 20
_TIMEOUT = aiohttp.ClientTimeout(total=20)


class RegistrationError(JuratError):
    """The App could not be registered. `is_final` says that the same code will do no better."""

    def __init__(self, message: str, *, hint: str, is_final: bool) -> None:
        super().__init__(message, hint=hint)
        self.is_final = is_final


class NewApp(BaseModel):
    """What GitHub hands out once: the App with its secrets."""

    id: int = Field(gt=0)
    html_url: str
    pem: SecretStr
    webhook_secret: SecretStr


@dataclass(frozen=True, slots=True)
class ManifestAddresses:
    """Where the App's server is: its page, its webhook, and where people come back to.

    `return_url` is where GitHub sends the browser with the code, `after_install` where it sends
    whoever has installed the App, if anywhere.
    """

    home: str
    webhook: str
    return_url: str
    after_install: str = ""


def load_manifest() -> dict[str, Any]:
    """The shipped app.yml."""
    text = get_bundled_path("app.yml").read_text(encoding="utf-8")
    loaded: dict[str, Any] = yaml.safe_load(text)
    return loaded


def build_manifest(addresses: ManifestAddresses) -> dict[str, Any]:
    """The manifest of the App whose server is there."""
    manifest = load_manifest() | {
        "url": addresses.home,
        "hook_attributes": {"url": addresses.webhook, "active": True},
        "redirect_url": addresses.return_url,
    }
    return manifest | ({"setup_url": addresses.after_install} if addresses.after_install else {})


def build_form_url(web_url: str, organization: str, state: str) -> str:
    """Where a browser posts the manifest: for an organisation, or for whoever is signed in."""
    owner = f"/organizations/{organization}" if organization else ""
    return f"{web_url}{owner}/settings/apps/new?{urlencode({'state': state})}"


def is_code(text: str) -> bool:
    """Whether it looks like a code of GitHub's, so that it may stand in a path."""
    return _CODE.fullmatch(text) is not None


async def exchange_code(session: aiohttp.ClientSession, api_url: str, code: str) -> NewApp:
    """The App that a code stands for. Raises RegistrationError.

    https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
    """
    url = f"{api_url}/app-manifests/{code}/conversions"
    headers = {"Accept": "application/vnd.github+json", "User-Agent": "jurat"}
    try:
        # A redirect is not followed: whoever it leads to would be given the code.
        async with session.post(
            url, headers=headers, allow_redirects=False, timeout=_TIMEOUT
        ) as answer:
            status, body = answer.status, await answer.content.read(_MAX_ANSWER)
            # `read` gives what is there: the rest comes in parts.
            while len(body) < _MAX_ANSWER and (part := await answer.content.read(_MAX_ANSWER)):
                body += part
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise RegistrationError(
            f"GitHub could not be asked for the App's key ({type(error).__name__}).",
            hint="Reload this page to ask again; the code is good for an hour.",
            is_final=False,
        ) from None
    if status != 201:
        is_final = status < 500 and status not in (403, 429)
        raise RegistrationError(
            f"GitHub answered {status} when asked for the App's key.",
            hint="A code works once, and for an hour: start again."
            if is_final
            else "Reload this page in a minute to ask again; the code is good for an hour.",
            is_final=is_final,
        )
    try:
        return NewApp.model_validate_json(body)
    except ValidationError:
        raise RegistrationError(
            "GitHub's answer does not hold an App's id, key and webhook secret.",
            hint="Delete the App on GitHub, and start again.",
            is_final=True,
        ) from None
