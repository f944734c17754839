"""The App as GitHub has it, beside the App as app.yml wants it: what is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel

from jurat.errors import ExitCode, JuratError
from jurat.github.app_manifest import load_manifest
from jurat.github.event_models import InstallationAccountPayload
from jurat.github.models import HookDeliveryPayload


class DiagnosticLevel(StrEnum):
    """How well one thing is. A NOTE works, and may not be what was meant."""

    WELL = "well"
    NOTE = "note"
    ILL = "ill"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that was looked at. `todo` says what to do, and stands with all that is not WELL.

    Both are text for a terminal; what comes from GitHub in them is made harmless where it is shown.
    `link` is the page of GitHub's on which it is done, if there is one.
    """

    health: DiagnosticLevel
    about: str
    message: str
    todo: str = ""
    link: str = ""


def report_ok(about: str, says: str) -> Diagnostic:
    """Something that is as it should be."""
    return Diagnostic(DiagnosticLevel.WELL, about, says)


def report_note(about: str, says: str, todo: str, link: str = "") -> Diagnostic:
    """Something worth a look."""
    return Diagnostic(DiagnosticLevel.NOTE, about, says, todo, link)


def report_problem(about: str, says: str, todo: str, link: str = "") -> Diagnostic:
    """Something that keeps Jurat from its work."""
    return Diagnostic(DiagnosticLevel.ILL, about, says, todo, link)


def report_failure(about: str, error: JuratError, todo: str) -> Diagnostic:
    """Something that could not be looked at. `todo` counts if the error has no hint."""
    return report_problem(about, error.message, error.hint or todo)


def exit_code(findings: Iterable[Diagnostic]) -> ExitCode:
    """FINDINGS if anything is ill."""
    ailing = any(finding.health is DiagnosticLevel.ILL for finding in findings)
    return ExitCode.FINDINGS if ailing else ExitCode.PASSED


CHECK = "jurat"
"""The name of the check run that a ruleset can require."""

_LEVELS = {"read": 1, "write": 2, "admin": 3}


class Manifest(BaseModel):
    """What app.yml asks for."""

    default_events: frozenset[str]
    default_permissions: Mapping[str, str]


class AppOwner(BaseModel):
    """The account that registered it; an enterprise has no login."""

    login: str = ""
    type: str = ""


class RegisteredApp(BaseModel):
    """The App on GitHub."""

    id: int
    slug: str
    name: str
    html_url: str
    events: frozenset[str]
    permissions: Mapping[str, str]
    owner: AppOwner | None = None

    @property
    def web_url(self) -> str:
        """Where GitHub shows its pages."""
        parts = urlsplit(self.html_url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def settings_url(self) -> str:
        """The page on which its owner changes it."""
        is_organizations = self.owner is not None and self.owner.type == "Organization"
        place = f"organizations/{self.owner.login}/" if self.owner and is_organizations else ""
        return f"{self.web_url}/{place}settings/apps/{self.slug}"

    @property
    def install_url(self) -> str:
        """The page on which it is installed."""
        return f"{self.html_url}/installations/new"


class InstallationSummary(BaseModel):
    """One installation of it, with what its owner has granted."""

    id: int
    html_url: str
    account: InstallationAccountPayload | None
    permissions: Mapping[str, str]
    events: frozenset[str]
    suspended_at: str | None = None
    repository_selection: str = "selected"

    @property
    def name(self) -> str:
        """Where it is installed."""
        owner = self.account or InstallationAccountPayload()
        return owner.login or owner.slug or f"installation {self.id}"


class Hook(BaseModel):
    """Where the App's events go."""

    url: str = ""
    content_type: str = "form"
    insecure_ssl: str | float = "0"
    secret: str | None = None


class BranchRule(BaseModel):
    """A rule of a ruleset."""

    type: str
    parameters: Mapping[str, Any] | None = None


class RequiredCheck(BaseModel):
    """A check that a branch requires, of one App or of any."""

    context: str
    app_id: int | None = None


def read_manifest() -> Manifest:
    """The shipped app.yml."""
    return Manifest.model_validate(load_manifest())


def check_app(app: RegisteredApp, wanted: Manifest) -> Iterator[Diagnostic]:
    """Whether the App is sent what it needs, and may do what it needs."""
    about = f"App {app.name}"
    page = f"{app.settings_url}/permissions"
    settings = f"the App's settings page ({page})"
    if missing := sorted(wanted.default_events - app.events):
        yield report_problem(
            f"{about}: events",
            f"It is not sent {', '.join(missing)}.",
            f'Tick {_join_names(missing)} under "Permissions & events" on {settings}.',
            page,
        )
    else:
        yield report_ok(
            f"{about}: events", f"It is sent all {len(wanted.default_events)} it needs."
        )
    if missing := _list_missing(wanted.default_permissions, app.permissions):
        yield report_problem(
            f"{about}: permissions",
            f"It does not ask for {', '.join(missing)}.",
            f"Set {_join_names(missing)} on {settings}; each owner then has to accept it.",
            page,
        )
    else:
        yield report_ok(f"{about}: permissions", "It asks for all it needs.")


def check_installation(one: InstallationSummary, app: RegisteredApp) -> Iterator[Diagnostic]:
    """Whether an owner has granted what the App asks for."""
    about = f"installation on {one.name}"
    if one.suspended_at is not None:
        yield report_problem(
            about,
            "It is suspended, so nothing is reviewed.",
            f"Resume it: {one.html_url}",
            one.html_url,
        )
    elif missing := _list_missing(app.permissions, one.permissions):
        yield report_problem(
            about,
            f"Its owner has not accepted {', '.join(missing)}.",
            f"An owner accepts the new permissions here: {one.html_url}",
            one.html_url,
        )
    elif missing := sorted(app.events - one.events):
        yield report_problem(
            about,
            f"It is not sent {', '.join(missing)}.",
            f"An owner accepts the App's new events here: {one.html_url}",
            one.html_url,
        )
    else:
        yield report_ok(about, "Its owner has granted what the App asks for.")


def check_owners_file(one: InstallationSummary, repositories: Collection[str]) -> Diagnostic | None:
    """Whether it is known what an owner requires; `repositories` are those that are covered.

    An owner who chose some may have a private `.github`, of which GitHub says that it is not there.
    """
    owners = f"{one.name}/.github"
    if one.repository_selection == "all" or owners.lower() in map(str.lower, repositories):
        return None
    return report_note(
        f"installation on {one.name}",
        f"If {owners} is private, what it requires is not known, and not enforced.",
        f"If there is one, choose it here as well: {one.html_url}",
        one.html_url,
    )


def check_hook(hook: Hook, path: str) -> Iterator[Diagnostic]:
    """Whether events are sent to a server that takes them. `path` is WEBHOOK_PATH."""
    settings = "on the App's settings page"
    if not hook.url:
        yield report_problem(
            "webhook", "The App has no webhook URL.", f"Set it and tick Active {settings}."
        )
        return
    parts = urlsplit(hook.url)
    if parts.path != path:
        yield report_problem(
            "webhook: address",
            f"Events go to the path {parts.path or '/'}; this server takes them at {path}.",
            f"Change the webhook URL {settings}, or WEBHOOK_PATH.",
        )
    if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        yield report_problem(
            "webhook: address", "Events travel without encryption.", f"Use an https URL {settings}."
        )
    if str(hook.insecure_ssl) not in ("0", "0.0"):
        yield report_problem(
            "webhook: encryption",
            "GitHub does not verify the server's certificate.",
            f"Enable SSL verification {settings}.",
        )
    if not hook.secret:
        yield report_problem(
            "webhook: secret",
            "GitHub signs nothing, so every event is refused.",
            f"Set the webhook secret to what WEBHOOK_SECRET is, {settings}.",
        )


def check_deliveries(latest: Sequence[HookDeliveryPayload]) -> Diagnostic:
    """How GitHub's latest deliveries have gone, newest first."""
    failed = [delivery for delivery in latest if not delivery.arrived]
    if not latest:
        return report_note(
            "webhook: deliveries",
            "GitHub has sent nothing in the last days.",
            "Open or push to a pull request where the App is installed.",
        )
    if not failed:
        return report_ok("webhook: deliveries", f"The latest {len(latest)} all arrived.")
    says = f"{len(failed)} of the latest {len(latest)} did not arrive"
    newest = f"the newest of them: {failed[0].event}, {failed[0].status_code} {failed[0].status}"
    complaint = report_note if latest[0].arrived else report_problem
    return complaint(
        "webhook: deliveries",
        f"{says} ({newest}).",
        'Look at "Advanced" on the App\'s settings page, where they can be sent again.',
    )


def check_branch(
    place: str, required: Sequence[RequiredCheck], rules: Sequence[BranchRule], app: RegisteredApp
) -> Iterator[Diagnostic]:
    """Whether a branch requires the check under its right name. `place` is "owner/name@branch"."""
    ours = [check for check in required if check.context == CHECK]
    alike = [check.context for check in required if _is_similar_check_name(check.context)]
    rulesets = "in the branch's ruleset or protection rule"
    rules_page = f"{app.web_url}/{place.partition('@')[0]}/settings/rules"
    # A check may be required of one App: the same name from another never satisfies it.
    if any(check.app_id not in (None, app.id) for check in ours):
        yield report_problem(
            place,
            f"It requires the check {CHECK} of another App, which will never report it.",
            f"Choose {app.name} as the check's source {rulesets}.",
            rules_page,
        )
    elif ours:
        yield report_ok(place, f"It requires the check {CHECK}.")
    elif alike:
        yield report_problem(
            place,
            f"It requires the check {alike[0]!r}, which nobody reports: merging waits for ever.",
            f"Require {CHECK!r} instead, {rulesets}.",
            rules_page,
        )
    else:
        yield report_note(
            place,
            f"It does not require the check {CHECK}: a broken rule does not stop a merge.",
            f"Require {CHECK!r} {rulesets}, if it should.",
            rules_page,
        )
    queue = any(rule.type == "merge_queue" for rule in rules)
    if queue and not ("merge_group" in app.events and "merge_queues" in app.permissions):
        yield report_problem(
            f"{place}: merge queue",
            "The App does not hear of merge groups, so the queue waits for the check for ever.",
            "Grant it Merge queues: read, and the event merge_group, on the App's settings page.",
            f"{app.settings_url}/permissions",
        )
    elif queue:
        yield report_ok(f"{place}: merge queue", "The App hears of its groups.")


def _is_similar_check_name(context: str) -> bool:
    words = context.lower().replace("/", " ").split()
    return context != CHECK and bool(words) and words[0] == CHECK and context != "jurat / rules"


def _list_missing(wanted: Mapping[str, str], given: Mapping[str, str]) -> list[str]:
    return [
        f"{name}: {level}"
        for name, level in sorted(wanted.items())
        if _LEVELS.get(given.get(name, ""), 0) < _LEVELS.get(level, 1)
    ]


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
