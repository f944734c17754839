"""A repository whose rules deny, ask and guard; and what people and the App say to each other."""

from __future__ import annotations

from collections.abc import Sequence

from jurat.app.wiring import App
from jurat.reports.comment import parse_marker
from tests.standins.github import PullRequest, actions
from tests.standins.github.conversation import IssueComment, ReviewComment
from tests.support.gemini import denying
from tests.support.town import Town

RULES = """
version: 1
rules:
  - id: py.no-md5
    statement: Digests are made with a strong hash.
    kind: computational
    modality: MUST_NOT
    severity: HIGH
    languages: [python]
    rationale: MD5 collisions are cheap.
    constraints:
      - {type: pattern, language: python, pattern: hashlib.md5($$$A), fix: hashlib.sha256($$$A)}
  - id: py.no-sha1
    statement: New digests do not use SHA-1.
    kind: normative
    modality: MUST_NOT
    severity: HIGH
    languages: [python]
  - id: py.no-eval
    statement: Text is never run as code.
    kind: computational
    modality: MUST_NOT
    severity: CRITICAL
    languages: [python]
    constraints:
      - {type: pattern, language: python, pattern: eval($$$A)}
"""
DENIED = "import hashlib\n\n\ndef name(data):\n    return hashlib.md5(data).hexdigest()\n"
UNSURE = DENIED.replace("md5", "sha1")
CRITICAL = "def run(text):\n    return eval(text)\n"


def governed(town: Town, rules: str = RULES) -> None:
    """Put the rules above in force, have a model that is unsure, and give roles to people."""
    actions.push(town.repository, "main", {"policy/house.yml": rules})
    town.gemini.judges("py.no-sha1", denying("sha1", verdict="NEEDS_CONFIRMATION"))
    for login, role in (("mary", "maintain"), ("tom", "triage")):
        town.github.set_permission(town.repository, login, role)


async def opened(town: Town, app: App, text: str, path: str = "digest.py") -> PullRequest:
    """A pull request that was reviewed, under the rules above."""
    governed(town)
    pull = town.open({path: text})
    await town.settle(app)
    return pull


async def said(
    town: Town, app: App, pull: PullRequest, body: str, by: str = "wendy"
) -> IssueComment:
    """Somebody writes into the conversation, and the App has done what it wants to."""
    comment = actions.comment(pull, body, by=by)
    await town.settle(app)
    return comment


def reactions(comment: IssueComment | ReviewComment) -> list[str]:
    return [reaction.content for reaction in comment.reactions]


def replies(pull: PullRequest) -> list[str]:
    """What the App wrote into the conversation, without the hidden last line."""
    return [_visible(item.body) for item in pull.comments if item.user.login == "jurat[bot]"]


def threads(pull: PullRequest) -> list[str]:
    """What the App answered in threads on the code."""
    return [_visible(item.body) for item in pull.review_comments if _answers(item)]


def finding_of(comments: Sequence[ReviewComment]) -> str:
    """What a reader calls the finding of the only comment on the code."""
    (marker,) = [found for item in comments if (found := parse_marker(item.body))]
    return marker.fingerprint[:8]


def _answers(item: ReviewComment) -> bool:
    return item.user.login == "jurat[bot]" and item.in_reply_to is not None


def _visible(body: str) -> str:
    return body.rpartition("\n\n<!-- jurat:")[0]
