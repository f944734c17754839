"""Branches and the rules that hold for them.

https://docs.github.com/rest/branches/branches and https://docs.github.com/rest/repos/rules
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from tests.standins.github.payloads import commits
from tests.standins.github.payloads.repositories import api_url, html_url
from tests.standins.github.protection import Protection
from tests.standins.github.refusals import RefusalError
from tests.standins.github.repositories import Repository
from tests.standins.github.routes.calls import Answer, Call, RouteTable
from tests.standins.github.world import Json

routes = RouteTable()

_QUEUE = {
    "check_response_timeout_minutes": 60,
    "grouping_strategy": "ALLGREEN",
    "max_entries_to_build": 5,
    "max_entries_to_merge": 5,
    "merge_method": "MERGE",
    "min_entries_to_merge": 1,
    "min_entries_to_merge_wait_minutes": 5,
}


@routes.add("GET", "/repos/{owner}/{repo}/branches/{branch*}", "contents:read")
def get_branch(call: Call) -> Answer:
    """A branch, its last commit, and what the older branch protection demands."""
    repository, name = call.repository, call.params["branch"]
    head = repository.head(name)
    if head is None:
        raise RefusalError(404, "Branch not found")
    protection = repository.protections.get(name, Protection())
    url = f"{api_url(call.world, repository)}/branches/{quote(name)}"
    checks = protection.classic_checks
    return Answer(
        200,
        {
            "name": name,
            "commit": commits.full_commit(call.world, repository, head),
            "_links": {
                "self": url,
                "html": f"{html_url(call.world, repository)}/tree/{quote(name)}",
            },
            "protected": bool(checks),
            "protection": {
                "enabled": bool(checks),
                "required_status_checks": {
                    "enforcement_level": "non_admins" if checks else "off",
                    "contexts": [check.context for check in checks],
                    "checks": [
                        {"context": check.context, "app_id": check.app_id} for check in checks
                    ],
                },
            },
            "protection_url": f"{url}/protection",
        },
    )


@routes.add("GET", "/repos/{owner}/{repo}/rules/branches/{branch*}", "metadata:read")
def list_rules(call: Call) -> Answer:
    """The rules of all active rulesets that hold for a branch, which need not exist."""
    repository = call.repository
    protection = repository.protections.get(call.params["branch"], Protection())
    return call.listed(list(_rules(repository, protection)), lambda rule: rule)


def _rules(repository: Repository, protection: Protection) -> Iterator[Json]:
    source = {
        "ruleset_source_type": "Repository",
        "ruleset_source": repository.full_name,
        "ruleset_id": 42,
    }
    if protection.checks:
        checks = [
            {"context": check.context}
            | ({} if check.app_id is None else {"integration_id": check.app_id})
            for check in protection.checks
        ]
        demands = {
            "required_status_checks": checks,
            "strict_required_status_checks_policy": False,
        }
        yield {"type": "required_status_checks", "parameters": demands, **source}
    if protection.merge_queue:
        yield {"type": "merge_queue", "parameters": dict(_QUEUE), **source}
