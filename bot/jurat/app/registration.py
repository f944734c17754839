"""The App as GitHub has it, beside the App as it should be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel

from jurat.errors import ExitCode, JuratError
from jurat.resources import shipped

# What an examination finds.


class Health(StrEnum):
    """How well one thing is. A NOTE works, and may not be what was meant."""

    WELL = "well"
    NOTE = "note"
    ILL = "ill"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `todo` says what to do, and stands with all that is not WELL.

    Both are text for a terminal; what comes from GitHub in them is made harmless where it is shown.
    """

    health: Health
    about: str
    says: str
    todo: str = ""


def well(about: str, says: str) -> Finding:
    """Something that is as it should be."""
    return Finding(Health.WELL, about, says)


def note(about: str, says: str, todo: str) -> Finding:
    """Something worth a look."""
    return Finding(Health.NOTE, about, says, todo)


def ill(about: str, says: str, todo: str) -> Finding:
    """Something that keeps Jurat from its work."""
    return Finding(Health.ILL, about, says, todo)


def failed(about: str, error: JuratError, todo: str) -> Finding:
    """Something that could not be looked at. `todo` counts where the error has no hint."""
    return ill(about, error.message, error.hint or todo)


def exit_code(findings: Iterable[Finding]) -> ExitCode:
    """FINDINGS where anything is ill."""
    ailing = any(finding.health is Health.ILL for finding in findings)
    return ExitCode.FINDINGS if ailing else ExitCode.PASSED


CHECK = "jurat"
"""The name of the check run that a ruleset can require."""

_LEVELS = {"read": 1, "write": 2, "admin": 3}


class Manifest(BaseModel):
    """What app.yml asks for."""

    default_events: frozenset[str]
    default_permissions: Mapping[str, str]


class Registered(BaseModel):
    """The App on GitHub."""

    id: int
    slug: str
    name: str
    html_url: str
    events: frozenset[str]
    permissions: Mapping[str, str]


class Owner(BaseModel):
    """Whom an installation belongs to: a login, or the slug of an enterprise."""

    login: str | None = None
    slug: str | None = None


class Installed(BaseModel):
    """One installation of it, with what its owner has granted."""

    id: int
    html_url: str
    account: Owner | None
    permissions: Mapping[str, str]
    events: frozenset[str]
    suspended_at: str | None = None

    @property
    def name(self) -> str:
        """Where it is installed."""
        owner = self.account or Owner()
        return owner.login or owner.slug or f"installation {self.id}"


class Hook(BaseModel):
    """Where the App's events go."""

    url: str = ""
    content_type: str = "form"
    insecure_ssl: str | float = "0"
    secret: str | None = None


class Delivery(BaseModel):
    """One attempt at a delivery."""

    id: int
    guid: str
    event: str
    status: str
    status_code: int
    redelivery: bool

    @property
    def arrived(self) -> bool:
        """Whether it was answered 2XX."""
        return 200 <= self.status_code < 300


class Rule(BaseModel):
    """A rule of a ruleset."""

    type: str
    parameters: Mapping[str, Any] | None = None


class RequiredCheck(BaseModel):
    """A check that a branch requires, of one App or of any."""

    context: str
    app_id: int | None = None


def manifest() -> Manifest:
    """The shipped app.yml."""
    return Manifest.model_validate(yaml.safe_load(shipped("app.yml").read_text(encoding="utf-8")))


def of_app(app: Registered, wanted: Manifest) -> Iterator[Finding]:
    """Whether the App is sent what it needs, and may do what it needs."""
    about = f"App {app.name}"
    settings = f"the App's settings page ({app.html_url})"
    if missing := sorted(wanted.default_events - app.events):
        yield ill(
            f"{about}: events",
            f"It is not sent {', '.join(missing)}.",
            f'Tick {_each(missing)} under "Permissions & events" on {settings}.',
        )
    else:
        yield well(f"{about}: events", f"It is sent all {len(wanted.default_events)} it needs.")
    if missing := _lacking(wanted.default_permissions, app.permissions):
        yield ill(
            f"{about}: permissions",
            f"It does not ask for {', '.join(missing)}.",
            f"Set {_each(missing)} on {settings}; each owner then has to accept it.",
        )
    else:
        yield well(f"{about}: permissions", "It asks for all it needs.")


def of_installation(one: Installed, app: Registered) -> Iterator[Finding]:
    """Whether an owner has granted what the App asks for."""
    about = f"installation on {one.name}"
    if one.suspended_at is not None:
        yield ill(about, "It is suspended, so nothing is reviewed.", f"Resume it: {one.html_url}")
    elif missing := _lacking(app.permissions, one.permissions):
        yield ill(
            about,
            f"Its owner has not accepted {', '.join(missing)}.",
            f"An owner accepts the new permissions here: {one.html_url}",
        )
    elif missing := sorted(app.events - one.events):
        yield ill(
            about,
            f"It is not sent {', '.join(missing)}.",
            f"An owner accepts the App's new events here: {one.html_url}",
        )
    else:
        yield well(about, "Its owner has granted what the App asks for.")


def of_hook(hook: Hook, path: str) -> Iterator[Finding]:
    """Whether events are sent to a server that takes them. `path` is WEBHOOK_PATH."""
    settings = "on the App's settings page"
    if not hook.url:
        yield ill("webhook", "The App has no webhook URL.", f"Set it and tick Active {settings}.")
        return
    parts = urlsplit(hook.url)
    if parts.path != path:
        yield ill(
            "webhook: address",
            f"Events go to the path {parts.path or '/'}; this server takes them at {path}.",
            f"Change the webhook URL {settings}, or WEBHOOK_PATH.",
        )
    if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        yield ill(
            "webhook: address", "Events travel without encryption.", f"Use an https URL {settings}."
        )
    if str(hook.insecure_ssl) not in ("0", "0.0"):
        yield ill(
            "webhook: encryption",
            "GitHub does not verify the server's certificate.",
            f"Enable SSL verification {settings}.",
        )
    if not hook.secret:
        yield ill(
            "webhook: secret",
            "GitHub signs nothing, so every event is refused.",
            f"Set the webhook secret to what WEBHOOK_SECRET is, {settings}.",
        )


def of_deliveries(latest: Sequence[Delivery]) -> Finding:
    """How GitHub's latest deliveries have gone, newest first."""
    failed = [delivery for delivery in latest if not delivery.arrived]
    if not latest:
        return note(
            "webhook: deliveries",
            "GitHub has sent nothing in the last days.",
            "Open or push to a pull request where the App is installed.",
        )
    if not failed:
        return well("webhook: deliveries", f"The latest {len(latest)} all arrived.")
    says = f"{len(failed)} of the latest {len(latest)} did not arrive"
    newest = f"the newest of them: {failed[0].event}, {failed[0].status_code} {failed[0].status}"
    complaint = note if latest[0].arrived else ill
    return complaint(
        "webhook: deliveries",
        f"{says} ({newest}).",
        'Look at "Advanced" on the App\'s settings page, where they can be sent again.',
    )


def of_branch(
    place: str, required: Sequence[RequiredCheck], rules: Sequence[Rule], app: Registered
) -> Iterator[Finding]:
    """Whether a branch requires the check under its right name. `place` is "owner/name@branch"."""
    ours = [check for check in required if check.context == CHECK]
    alike = [check.context for check in required if _alike(check.context)]
    rulesets = "in the branch's ruleset or protection rule"
    if any(check.app_id not in (None, app.id) for check in ours):
        yield ill(
            place,
            f"It requires the check {CHECK} of another App, which will never report it.",
            f"Choose {app.name} as the check's source {rulesets}.",
        )
    elif ours:
        yield well(place, f"It requires the check {CHECK}.")
    elif alike:
        yield ill(
            place,
            f"It requires the check {alike[0]!r}, which nobody reports: merging waits for ever.",
            f"Require {CHECK!r} instead, {rulesets}.",
        )
    else:
        yield note(
            place,
            f"It does not require the check {CHECK}: a broken rule does not stop a merge.",
            f"Require {CHECK!r} {rulesets}, if it should.",
        )
    queue = any(rule.type == "merge_queue" for rule in rules)
    if queue and not ("merge_group" in app.events and "merge_queues" in app.permissions):
        yield ill(
            f"{place}: merge queue",
            "The App does not hear of merge groups, so the queue waits for the check for ever.",
            "Grant it Merge queues: read, and the event merge_group, on the App's settings page.",
        )
    elif queue:
        yield well(f"{place}: merge queue", "The App hears of its groups.")


def _alike(context: str) -> bool:
    words = context.lower().replace("/", " ").split()
    return context != CHECK and bool(words) and words[0] == CHECK and context != "jurat / rules"


def _lacking(wanted: Mapping[str, str], given: Mapping[str, str]) -> list[str]:
    return [
        f"{name}: {level}"
        for name, level in sorted(wanted.items())
        if _LEVELS.get(given.get(name, ""), 0) < _LEVELS.get(level, 1)
    ]


def _each(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
