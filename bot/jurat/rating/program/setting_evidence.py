"""Settings as evidence: what a platform enforces, or something that runs reads."""

from __future__ import annotations

import re

from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.signals.evidence import SignalEvidence
from jurat.rating.signals.recon_table import SignalSource

UNENFORCED = "no duration that something enforces"
UNRUN = "it is a setting of something else, such as a training, and run on no change"
UNUSED = "nothing that runs uses it"

_DURATION = re.compile(
    r"(?:days?|months?|years?|weeks?|hours?|seconds?|period|max_?age|expire|delete_?after|ttl|_in_days)"
    r"|^\s*rotate\s|backup_?count"
    r"|[:=]\s*[\"']?\d+\s*(?:d|h|w|m|y|days?|months?|hours?|weeks?)\b",
    re.IGNORECASE,
)
_NO_DURATION = re.compile(
    r"rows?|lines?|(?<!backup)(?<!backup_)count|limit|size|bytes|_?mb\b|_?gb\b|files?|entries|max_records",
    re.IGNORECASE,
)
_PLATFORM = re.compile(
    r"\.(?:tf|hcl|ya?ml|conf)$|logrotate|compose|k8s|helm|loki|fluent", re.IGNORECASE
)
_OF_BUILDS = re.compile(
    r"(?:^|/)(?:\.github/|\.gitlab|\.circleci/|\.buildkite/|\.drone|\.woodpecker|\.ci/|ci/|Jenkinsfile"
    r"|azure-pipelines|bitbucket-pipelines|cloudbuild|\.travis|Makefile|tox\.ini|noxfile|package\.json)"
)
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][A-Z]{2})?\.\w+$")
"""A file of all that is said in a language."""


def explain_setting(
    conduct: Conduct, source: SignalSource, evidence: SignalEvidence, mentioned: frozenset[str]
) -> str:
    """Why a setting supports no verdict, "" if it does. `mentioned` are names that are read."""
    if evidence.kind == "texts":
        return "" if _is_read(conduct, evidence, mentioned) else UNUSED
    if source.name == "evaluation_in_ci":
        return "" if _OF_BUILDS.search(evidence.path) else UNRUN
    if source.name not in ("log_retention", "data_retention"):
        return ""
    if _OF_BUILDS.search(evidence.path):
        return UNENFORCED  # how long a build's files are kept
    line = evidence.snippet
    key = re.split(r"[:=]", line, maxsplit=1)[0]
    if not _DURATION.search(line) or _NO_DURATION.search(key):
        return UNENFORCED
    if _PLATFORM.search(evidence.path):
        return ""
    name = re.split(r"\W+", key.strip().strip("\"'"))[-1]
    return "" if name and name in _list_said(conduct) else UNENFORCED


def _is_read(conduct: Conduct, evidence: SignalEvidence, mentioned: frozenset[str]) -> bool:
    """Whether something that runs names a setting, or the file of a language that has it."""
    key = re.split(r"[:=]", evidence.snippet, maxsplit=1)[0].strip("\"' -")
    said = _list_said(conduct)
    # A text within others is asked for by all of their keys: `t("intro.start")`.
    if key in mentioned or key in said or (key and any(t.endswith(f".{key}") for t in said)):
        return True
    *_, folder, name = ("", *evidence.path.split("/"))
    return _LANGUAGE.match(name) is not None and any(
        name in text or (folder and folder in text) for text in said
    )


@ask_once
def _list_said(conduct: Conduct) -> frozenset[str]:
    """The texts that something that runs says."""
    return frozenset().union(*(conduct.facts(one).says for one in conduct.product))
