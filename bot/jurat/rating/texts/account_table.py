"""What a text gives an account of, known by what it must say, whatever it is called.

An assessment of risks names what may happen, how badly, and what is done; a notice to people says
who uses what of them, why, for how long and what they can do. Titles and headings say none of that,
and who writes it all under another name has written it. Forms and promises use the same words and
state nothing: each account therefore wants figures, dates, spans or names as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from jurat.rating.texts.ideas import find_ideas
from jurat.rating.texts.stated_values import count_values
from jurat.rating.texts.terms import build_phrase_choices


@dataclass(frozen=True)
class StatedText:
    """What a passage says, its ideas first: most passages have not those of any account."""

    text: str
    ideas: Mapping[str, frozenset[str]]
    is_short: bool

    @cached_property
    def values(self) -> int:
        """How much it states, as far as any account asks."""
        return count_values(self.text, _MOST_ASKED)

    @cached_property
    def headings(self) -> str:
        """Its headings in lower case."""
        # A part of a page has none of these, and as many empty lines as it has lines of code.
        if not any(mark in self.text for mark in ("#", "**", "===", "---")):
            return ""
        return "\n".join("".join(found) for found in _HEADING.findall(self.text)).lower()


@dataclass(frozen=True, slots=True)
class Account:
    """What must be said: each idea of `needed`, in so many ways, and at least `least` of `others`.

    `values` is how much should be stated with it, and `title` what it is often called.
    """

    needed: Mapping[str, int]
    others: tuple[str, ...] = ()
    least: int = 0
    values: int = 0
    title: str = ""

    def is_given(self, text: StatedText) -> bool:
        """Whether a passage gives the account.

        No two people say all of it in words that somebody thought of. One of `others` may be
        wanting in a passage about a machine and about people, as no manual of a library is, and
        another in a short one, as many words say anything by chance. A page that says what it is
        need not say all of that again.
        """
        said = text.ideas
        if "business" in said and "people" not in said:
            return False  # a plan for sales says much of this as well
        if any(len(said.get(name, ())) < ways for name, ways in self.needed.items()):
            return False
        others = _count_ideas(said, self.others)
        if others * 2 < self.least:
            return False  # what a page is called stands for no more than half of what it must say
        wanting = max(0, self.least - others)
        allowed = ("people" in said and "machine" in said) + text.is_short
        if wanting > allowed + _TITLED:
            return False  # whatever its headings say, which take long to find
        titled = bool(self.title) and re.search(rf"\b(?:{self.title})", text.headings) is not None
        allowed += _TITLED * titled
        if wanting > allowed:
            return False
        # Asked last: to count what a text states takes longer than all else.
        wanting += text.values < self.values
        return text.values * (3 if titled else 2) >= self.values and wanting <= allowed


def _count_ideas(said: Mapping[str, frozenset[str]], names: tuple[str, ...]) -> int:
    """How many of some ideas are told, each by a word of its own: one word tells one of them."""
    words = [said[name] for name in names if name in said]
    return min(len(words), len(frozenset().union(*words)))


_TITLED = 3
"""What a heading stands for."""


REGISTER = "risk_register"
RECORD = "processing_record"
"""Accounts that are known by their rows and fields."""
_ACCOUNTS = {
    REGISTER: Account({"risk": 1}),
    # Article 13 GDPR: to the people themselves, and therefore to them what they can do about it.
    "privacy_notice": Account(
        {"rights_of_data": 2},
        ("controller", "purpose", "ground", "receivers", "kept", "complaint"),
        5,
        values=2,
        title=(
            r"privacy|data protection|personal data|gdpr|your data|"
            r"what (?:is|we) (?:stored?|collect|hold)|datenschutz|personvern|"
            r"what happens (?:to|with)"
        ),
    ),
    # Article 30 GDPR.
    RECORD: Account(
        {"record_word": 1},
        ("controller", "purpose", "subjects", "data", "receivers", "abroad", "kept", "security"),
        7,
        values=2,
        title=(
            r"records? of processing|processing (?:record|activit)|art\.? 30|verarbeitung|"
            r"behandlingsproto"
        ),
    ),
    # Article 35 GDPR.
    "data_protection_assessment": Account(
        {"privacy": 1, "risk": 1},
        ("grade", "measure", "necessity", "left", "asked", "rhythm", "ground", "purpose"),
        6,
        values=5,
        title=(
            r"dpia|data protection impact|impact on (?:privacy|the protection)|necessity|"
            r"risks to|pvk"
        ),
    ),
    # Article 27.
    "rights_assessment": Account(
        {"people": 2, "right": 1},
        ("hit", "oversight", "asked", "rhythm", "redress", "authority", "measure", "wrong"),
        6,
        values=5,
        title=(
            r"fundamental rights|rights? (?:impact|assessment)|fria|effect on|affected|"
            r"risks of harm|impact assessment|oversight measures"
        ),
    ),
    # Article 11 and Annex IV.
    "technical_account": Account(
        {"system": 1, "training": 1},
        (
            "figures",
            "limits",
            "architecture",
            "versions",
            "audience",
            "tested",
            "oversight",
            "risk",
            "people",
        ),
        7,
        values=10,
        title=(
            r"technical (?:file|doc|desc)|model|system (?:card|design)|"
            r"how it (?:is built|works)|architecture|design|annex iv|dossier|evaluation|"
            r"performance|accuracy|training data|pipeline"
        ),
    ),
    # Article 13: to those who run it.
    "operating_account": Account(
        {"limits": 1, "instruct": 1},
        ("system", "oversight", "audience", "purpose", "figures", "wrong", "upkeep"),
        6,
        values=4,
        title=(
            r"instructions|manual|leaflet|handbook|(?:\w+ )?guide|for (?:the )?(?:\w+ who|teachers?"
            r"|nurses?|wards?|clerks?|officers?|users?|team|staff|recruiters?|operators?|reviewers?"
            r"|members?|physicians?)|(?:known )?limit|oversight|operat|what it (?:cannot|does)"
            r"|how to|before you"
        ),
    ),
    # Article 10.
    "data_account": Account(
        {"origin": 1, "training": 1},
        ("labelled", "gap", "leftout", "permit", "people", "tested"),
        4,
        values=5,
        title=(
            r"data ?(?:sheet|card|sources?|governance|collection|provenance|quality)|"
            r"training (?:data|set)|datasets?|collection process|"
            r"where .{0,20}(?:data|comes from)"
        ),
    ),
    # Article 73, MANAGE 2.3: what is done when something goes wrong.
    "incident_procedure": Account(
        {"event": 1, "halt": 1},
        ("tell", "owner", "cause", "back", "drill", "follow"),
        4,
        values=4,
        title=(
            r"incidents?|when (?:it|the|something)|surprises?|runbook|unknown risks?|"
            r"unforeseen|not (?:think|thought) of|"
            r"emergenc|goes wrong|report(?:ing)? (?:an? )?(?:harm|accident|serious)|"
            r"on-?call|disaster"
        ),
    ),
    # Article 73: what is serious goes to an authority, by when.
    "incident_report": Account(
        {"serious": 1, "authority": 1, "tell": 1},
        ("owner", "kept", "threshold"),
        2,
        values=2,
        title=r"(?:serious )?incidents?|reporting|harm",
    ),
    # Article 72: what is collected in use, who looks at it, and what follows.
    "monitoring_plan": Account(
        {"rhythm": 1, "watch": 1},
        ("in_use", "threshold", "remarks", "owner", "figures", "follow"),
        5,
        values=4,
        title=(
            r"monitor|watch|after (?:it is|release|deployment|launch)|post-market|in use|"
            r"field|looking after"
        ),
    ),
    # MEASURE 2.7: attacks and faults that were tried, and how it stood up to them.
    "attack_report": Account(
        {"attack": 1, "withstood": 1},
        ("follow", "again", "owner", "tested"),
        2,
        values=6,
        title=r"attack|abuse|red[- ]team|penetration|security test|pen-?test",
    ),
    # MEASURE 2.11: outcomes of groups of people, set against one another.
    "fairness_report": Account(
        {"groups": 2, "apart": 2},
        ("tested", "people", "figures", "follow"),
        2,
        values=8,
        title=r"fairness|groups?|bias",
    ),
    # GOVERN 1.4: what counts, who may accept what, and what came of it.
    "risk_policy": Account(
        {"policy": 1, "appetite": 1},
        ("system", "owner", "risk", "order", "breach", "rhythm", "law"),
        6,
        values=4,
        title=(r"polic|governance|rules|who answers|principles|roles and|accountab|responsib"),
    ),
    # MAP 1.1: for what and whom, under which law, whom it helps and harms, and where it ends.
    "purpose_account": Account(
        {"audience": 1, "excluded": 1},
        ("purpose", "limits", "law", "benefit", "wrong", "hit", "assumed", "people", "risk"),
        7,
        values=4,
        title=(
            r"intended|purpose|what (?:it|this) is for|where and for whom|"
            r"who (?:it|this) is for|context|use\b|use cases?|for whom|limit|out of scope|"
            r"not to be used"
        ),
    ),
    # GOVERN 1.5: who looks at what again, and when.
    "review_plan": Account(
        {"rhythm": 1, "again": 1},
        ("owner", "threshold", "follow", "remarks", "risk", "law"),
        4,
        values=4,
        title=r"review|who looks|again|last review|next review|audits?",
    ),
    # Article 4, MAP 3.4: what those who run it learn, and that they did.
    "training_account": Account(
        {"teach": 1},
        ("operators", "system", "exam", "renewed", "taught_what", "follow_why", "limits"),
        5,
        values=3,
        title=(
            r"training|competenc|who may|literacy|courses?|operators?|taught|"
            r"required skills|skills"
        ),
    ),
    # MEASURE 2.8: whether people can see why, and who answers for it.
    "transparency_review": Account(
        {"follow_why": 1, "examined": 1},
        ("answerable", "system", "people", "follow", "risk", "wrong"),
        4,
        values=5,
        title=(r"explain|see why|see through|understand|follow|clarity|transparen|accountab|why"),
    ),
}


def _add_titles(name: str, account: Account) -> Account:
    """The account with what its pages are called in other languages."""
    foreign = build_phrase_choices(f"title.{name}")
    return replace(account, title=f"{account.title}|{foreign}") if foreign else account


ACCOUNTS = {name: _add_titles(name, account) for name, account in _ACCOUNTS.items()}
"""Each account by its name."""
_MOST_ASKED = max(account.values for account in ACCOUNTS.values())


_HEADING = re.compile(
    r"(?m)^[^\S\n]*+(?:#+\s+(.+)|\*\*([^*\n]{3,60})\*\*.*|(.+)\n(?:={3,}|-{3,})\s*)$"
)


_SHORT = 250
"""Words of a short passage at most."""


def read_passage(text: str) -> StatedText:
    """What a text says."""
    words = text.lower().split()
    return StatedText(text, find_ideas(" ".join(words)), len(words) <= _SHORT)


def find_given(names: frozenset[str], passage: StatedText) -> frozenset[str]:
    """Which of some accounts a passage gives."""
    return frozenset(name for name in names if ACCOUNTS[name].is_given(passage))
