"""What each sentence of a reasoning does: it gives evidence, or something that is none.

A reason asserts something of what was judged. A sentence can do other things instead: say who is
content with it, hand on what the subject asks for, tell of doubts or of what was not read, thank.
Which of these it does is read off who or what it speaks of and what that does, by closed classes of
people, of organs of speech, of looking and of doubting; of any domain nothing is known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from jurat.audit.checks import QUOTED
from jurat.audit.hedges import OF_LIMITS, OF_SELF, OF_THE_VERDICT, SURELY_UNSURE, UNSURE
from jurat.audit.house_talk import ASSUMED, IN_THE_CALENDAR, OF_THE_HOUSE
from jurat.audit.text import SMALL_WORDS, compute_stem, split_sentences


class ClauseRole(StrEnum):
    """What a sentence is that supports no verdict."""

    AUTHORITY = "authority"
    INSTRUCTION = "instruction"
    UNREAD = "unread"
    DOUBT = "doubt"
    LIMIT = "limit"
    COURTESY = "courtesy"
    PROCESS = "process"
    HEDGE = "hedge"
    HOUSE = "house"
    CALENDAR = "calendar"
    ASSUMPTION = "assumption"


_OF_ALLOWANCES = frozenset({ClauseRole.HOUSE, ClauseRole.CALENDAR, ClauseRole.ASSUMPTION})
"""What supports no ALLOW. A denial may tell whom a fault will hurt, when, and under which terms."""


@dataclass(frozen=True, slots=True)
class ReadClause:
    """A clause, its roles, and the words that give it the first of them."""

    text: str
    roles: frozenset[ClauseRole]
    span: str


_PEOPLE = (
    r"(?:he|she|him|her|his|teams?|groups?|leads?|owners?|authors?|maintainers?|colleagues?"
    r"|architects?|managers?|directors?|reviewers?|committees?|board|ciso|cto|ceo|dba|sre|experts?"
    r"|seniors?|engineers?|developers?|staff|vendor|departments?|person|people|folks|others|boss"
    r"|officer|auditors?|consultants?|specialists?|leadership|management|(?:security|legal"
    r"|compliance)(?= (?:has|have|had|already|signed|approved|said|says|agreed|accepted|cleared"
    r"|wants|is|was|were|teams?|folks|department|lead|people)\b)"
    r"|everyone|everybody|someone|nobody|we all|upstream|community|head of \w+)"
)
_ENDORSES = (
    r"(?:approv\w+|sign(?:ed|s)?[ -]?off|sign-off|accept(?:s|ed)?|agree[sd]?|ok'?(?:ed|d)"
    r"|okay(?:s|ed)"
    r"|clear(?:s|ed)|bless(?:es|ed)|vouch\w*|assur\w+|confirm(?:s|ed)|vett?(?:s|ed)|wrote|written"
    r"|maintain(?:s|ed)|own(?:s|ed)|knows?|knew|trust(?:s|ed)?|recommend\w*|prefers?|preferred"
    r"|insist\w*|decid\w+|asks?|asked|request(?:s|ed)|wants?|wanted"
    r"|dislikes?|likes?|complain\w*|endors\w+|stand(?:s)? behind"
    r"|comfortable|confident|experienced|happy with|fine with|good with|okay with|ok with|content"
    r" with|against|object(?:s|ed)?|ha(?:s|d|ve) (?:already )?(?:reviewed|looked|checked|run|used"
    r"|done)"
    r"|reviewed|said|says|thinks?|thought|believes?|reputation|judg\w+|word|responsib\w+|for years"
    r"|use[sd]? (?:this|it|the same)|do(?:es)? it|merge such)"
)
_SPEAKS_FOR = re.compile(
    rf"\b{_PEOPLE}\b(?:(?![.;:!?]).){{0,80}}?\b{_ENDORSES}\b"
    rf"|\b{_ENDORSES}\b(?:(?![.;:!?]).){{0,25}}?\bby (?:\w+[ '-]+){{0,5}}?{_PEOPLE}\b"
    r"|\b(?:they|he|she|who)\b[^.;]{0,20}? knows? (?:best|better|what they|what he|what she)\b"
    r"|\b(?:his|her|their) (?:\w+ )?(?:record|reputation|experience|word|judge?ment|opinion"
    r"|expertise"
    r"|standing|seniority|authority|rank|position|approval|blessing)\b"
    rf"|\b(?:has|have|had) (?:already |since |long )?(?:approved|signed off|cleared|okayed"
    rf"|agreed to|vetted"
    r"|blessed|waived|accepted|given (?:\w+ )?(?:approval|blessing|consent|thumbs))\b"
    rf"|\bdecision of (?:\w+ ){{0,3}}{_PEOPLE}\b"
    r"|\b(?:ci|pipeline|build|tests|linters?|scanners?|sonar\w*|suite)\b[^.;:!?]{0,30}?\b"
    r"(?:green|pass(?:es|ed)?|happy|clean|quiet|complain\w*|would have (?:caught|found|failed)"
    r"|success\w*)\b"
    r"|\b(?:for (?:many |several |\w+ )?years|(?:has|have) (?:always|long) (?:been|worked|done)"
    r"|(?:has|have) never (?:caused|been a problem|failed|bitten)|industry (?:standard|practice)"
    r"|common practice|widely used|everybody does|best practices?|in production (?:for|since))\b",
    re.IGNORECASE,
)

# A name, and what only a person does; no verb of code.
_SOMEBODY = re.compile(
    r"\b[A-Z][a-z]{2,}(?: [A-Z][a-z]+)? (?:wrote|knows|approved|vouche[ds]|reviewed|maintains"
    r"|agreed"
    r"|recommended|insisted|signed off|is (?:happy|fine|okay|ok|content) with)\b"
)

_CARRIERS = (
    r"(?:comments?|notes?|remarks?|descriptions?|docstrings?|messages?|titles?|markers?"
    r"|annotations?|instructions?|changelog|trailers?|labels?|banner|notices?)"
)
_TELLS = (
    r"(?:says?|said|saying|states?|stated|asks?|asked|asking|tells?|told|requests?|requested"
    r"|instruct\w*|documents?|documented|mark(?:s|ed)|declar\w+|claim\w*|record(?:s|ed)|indicat\w+"
    r"|direct(?:s|ed|ion)|wants?|demands?|requires?|explains?|addressed|announc\w+|exempt\w*"
    r"|not(?:es|ed)"
    r"|mention\w*|confirms?|assures?|promis\w+|grants?|answer (?:given|is))"
)
_OUTCOMES = (
    r"(?:allow\w*|approv\w*|accept\w*|skip\w*|ignor\w*|exempt\w*|exempts|safe|reviewed|checked"
    r"|enforced|validated|trusted|waive\w*|treat\w*|pass(?:es|ed)?|fine|okay|ok|out of scope"
    r"|need(?:s)? (?:not|no)|reviewers?|review bots?|bots?|assistants?|answer|intentional|agreed"
    r"|cleared|signed|deny|reject\w*|block\w*|verified|sanitised|sanitized|handled|known|false"
    r" positive)"
)
_PLACES = r"(?:lines?(?: \d+)?|l\d+|file|diff|pr|pull request|commit|author|readme|ticket)"
_SAYS = (
    r"(?:says?|said|states?|stated|asks?|asked|tells?|told|requests?|requested|instruct\w*"
    r"|documents that|claims?|announces|promises?|mentions|notes that|assures?|wants? (?:us|me"
    r"|reviewers"
    r"|the)|demands?)"
)
_HANDS_ON = re.compile(
    rf"\b{_CARRIERS}\b(?:(?![.;!?]).){{0,60}}?\b{_TELLS}\b(?:(?![.;!?]).){{0,90}}?\b{_OUTCOMES}\b"
    rf"|\b{_PLACES}\b(?:(?![.;!?]).){{0,60}}?\b{_SAYS}\b(?:(?![.;!?]).){{0,90}}?\b{_OUTCOMES}\b"
    rf"|\b{_SAYS}\b(?:(?![.;!?]).){{0,40}}?\b(?:in|by|on) (?:the |a |its "
    rf"|this )?(?:\w+ )?{_CARRIERS}"
    rf"\b(?:(?![.;!?]).){{0,90}}?\b{_OUTCOMES}\b"
    rf"|\bthere (?:is|are) (?:an? |some )?(?:\w+ )?{_CARRIERS}\b"
    rf"(?:(?![.;!?]).){{0,90}}?\b{_OUTCOMES}\b"
    r"|\bmarked\b(?:(?![.;!?]).){0,30}?\bas (?:\w+ ){0,2}?(?:approved|reviewed|exempt\w*|accepted"
    r"|pre-?approved|safe|cleared|out of scope|intentional)\b"
    r"|\b(?:following|heeding|honou?ring|in line with|per) (?:the|this|that|its) (?:\w+ ){0,2}?"
    r"(?:direction|request|instructions?|wish(?:es)?|comment|note)\b"
    r"|\bas (?:requested|asked|directed|instructed|told)\b",
    re.IGNORECASE,
)
"""Told is what stands in the subject, and about the verdict: that it is safe, or to be passed."""

_LOOK = (
    r"(?:read(?:ing)?|open(?:ed|ing)?|look(?:ed|ing)?|check(?:ed|ing)?|review(?:ed|ing)?"
    r"|examin(?:e|ed|ing)|inspect(?:ed|ing)?|view(?:ed)?|trac(?:e|ed)"
    r"|follow(?:ed)?|stud(?:y|ied)|consult(?:ed)?|skim(?:med)?|glanc(?:e|ed)|test(?:ed)?"
    r"|compar(?:e|ed)"
    r"|go(?:ne)? through|went through|get to|got to|ha(?:d|ve) access|load(?:ed)?|analy[sz]ed?"
    r"|cover(?:ed)?|s(?:een|aw)(?! (?:any|no|a|an|where|other|another|anything|nothing)\b))"
)
_NEVER_LOOKED = re.compile(
    # Without a subject only at the start: code as well does not read this or open that.
    r"(?:\b(?:i|we)(?:'ve| have| had)? (?:(?:\w+ )?(?:never|only|just|merely)|am yet to"
    r"|have yet to)"
    r"|(?:\b(?:i|we) (?:\w+ )?|^\W*(?:and |but )?)"
    r"(?:did(?:n't| not)|have(?:n't| not)|had(?:n't| not)"
    r"|(?:could(?:n't| not)|can(?:'t|not| not))(?! (?:\w+ )?see\b)|was(?:n't| not) able to"
    r"|were(?:n't| not) able to))"
    rf" (?:\w+ ){{0,2}}?{_LOOK}\b"
    rf"|\b(?:i|we)(?:'ve| have)? {_LOOK} (?:\S+ ){{1,6}}?(?:alone|only|and (?:no|not|nothing"
    rf"|none of)"
    r"(?: other| else| more| the))"
    r"|\b(?:i|we) (?:only |just )?(?:had|have) (?:only |just |no )?(?:time|access) (?:for|to)\b"
    r"|\b(?:i|we) (?:did not|didn't|could not|couldn't|never) (?:have|get|see|had) (?:\S+ ){1,4}"
    r"(?:in front of|at hand|before|to look|round|around)"
    r"|\bwithout (?:me |us )?having (?:\w+ )?(?:read|opened|looked|checked|gone|seen)\b"
    r"|\b(?:i|we)(?:'ve| have)?(?: \w+)? (?:skipped|left (?:\w+ ){1,3}?out|left out|stopped|skimmed"
    r"|glanced|ran out|omitted|passed over|set aside)\b"
    r"|\b(?:(?:my|our) (?:\w+ )?(?:review|reading|look|check|assessment|analysis|verdict"
    r"|inspection)"
    r"|(?:this|the) (?:review|reading|inspection) (?:of mine )?(?:was|is|has been))"
    r"(?:(?![.;!?]).){0,30}?\b(?:confined|limited|restricted|stops?|stopped|ends|ended|covers? only"
    r"|covered only|(?:did|does)(?: not|n't) (?:cover|extend|reach|include|go)|based (?:only"
    r"|solely)"
    r" on)\b"
    r"|\b(?:confined|limited|restricted) (?:myself|ourselves|the review|this review) to\b"
    r"|\b(?:rest|remainder|other files?|others|second half|remaining (?:files?|hunks?)|hunks?"
    r"|\S+\.\w{1,5}) (?:was|were|has been|have been|remains?|stays?) (?:not (?:been )?"
    r"|left )?"
    r"(?:un(?:reviewed|examined|inspected|seen)|(?<=not )(?:reviewed|looked at|examined|inspected"
    r"|considered)|(?<=been )(?:reviewed|looked at|examined|inspected))\b"
    r"|\b(?:judging|going|guessing|inferring|concluding) (?:only |just |purely )?(?:by|from)"
    r" (?:its |the |this )?(?:\w+ )?(?:name|title|description|message|diffstat|heading)\b"
    r"|\bfrom (?:the|its) (?:title|description|commit message|diffstat)(?: alone)?\b"
    r"|\b(?:ran out of|lack of|short of) time\b|\bat (?:first|a quick|a) glance\b"
    r"|\b(?:only|half|part|rest|all that)\b[^.;!?,]{0,60}?\b(?:in front of|before|reached|shown to"
    r"|visible to|came up (?:on|for|to)) (?:me\b|my\b)"
    r"|\b(?:i|we) (?:only )?(?:got|came|went|read|made it) (?:only |just )?"
    r"(?:as far as|up to|until)\b"
    r"|\bfrom memory\b|\b(?:not|un)(?: been)? (?:shown|visible|available) to me\b",
    re.IGNORECASE,
)

_COURTESY = re.compile(
    r"^\W*what an? |^[^.?]*\b(?:great|nice|lovely|neat|wonderful|beautiful|awesome)\b[^.?]*!\W*$"
    r"|\b(?:thanks|thank you|thankful|grateful|appreciat\w*|regards|cheers"
    r"|congrat\w*|kudos|enjoyed"
    r"|enjoyable|wonderful(?:ly)?|lovely|charming|delight(?:ed|ful)?|a pleasure|awesome|fantastic"
    r"|amazing|bravo|hats off|well done|nice(?:ly)?(?: \w+)? (?:work|job|done|one)|great(?: \w+)?"
    r" (?:work|job|effort|change)|good (?:work|job)|heartfelt|warm(?:est)? (?:regards|wishes"
    r"|welcome)"
    r"|kindly|kind (?:regards|words)|(?:i|we) (?:\w+ )?hope|best wishes|brings? a smile|keep up"
    r"|looking forward|best of luck|have an? (?:great|nice|good|wonderful|lovely|pleasant)"
    r"|sorry for"
    r"|apolog\w+|impress(?:ed|ive)|elegant(?:ly)?|beautiful(?:ly)?|(?:i|we) (?:\w+ )?(?:love|like)"
    r"|proud|friendly spirit|joy to)\b",
    re.IGNORECASE,
)

_AGAINST_IT = re.compile(
    r"\b(?:but|however|yet|though|although|still|regardless|irrespective|nevertheless|nonetheless"
    r"|despite|whatever|aside|ignor(?:e|ed|ing)|disregard\w*|changes? nothing|carries no|has no"
    r"|no (?:effect|weight|bearing|reason|proof|evidence|approval|excuse|substitute|ground)|just"
    r" (?:text|a)|only (?:text|a)|isn't|is not|does not|doesn't|do not|don't|cannot|can't|injection"
    r"|evidence|unsupported|unverified|nothing (?:here|in|shows|backs|supports)|not backed|even if"
    r"|even though|rather than|instead of|claims?)\b",
    re.IGNORECASE,
)
"""How somebody speaks who reports a thing and does not go by it."""


_EXAMINES = (
    r"(?:examin\w+|consider(?:ed|ation)|review(?:ed)?|assess(?:ed|ment)|analy\w+|evaluat\w+"
    r"|inspect(?:ed|ion)|weighed|studied|gone through|went through|looked (?:at|into|over|through)"
    r"|taken into account|scrutin\w+|walked through)"
)
_EXAMINED = re.compile(
    rf"\b(?:was|were|been)(?: \w+ly| duly| all| each)? {_EXAMINES}\b|\bturned down\b"
    rf"|\b(?:after|upon|having|following|on)(?: (?:a|an|due|careful|thorough|full|close"
    rf"|detailed)){{0,3}}"
    rf" {_EXAMINES}\b"
    rf"|\b(?:i|we)(?:'ve| have| had)?(?: \w+ly| all)? {_EXAMINES}\b|\bi(?: have|'ve)? (?:\w+ly )?"
    r"(?:checked|read|compared)\b(?! (?:that|for|whether)\b)"
    r"|\b(?:verdict|conclusion|assessment|outcome (?:is|in|of)|decision (?:is|was)"
    r"|result of the (?:review|assessment)|this matter)\b",
    re.IGNORECASE,
)
"""Tells of the work that went into the verdict, whatever it was done to."""

_CLAUSE = re.compile(
    r"(?<=[;:,])\s|\s[-\u2013\u2014]\s"
    r"|\s(?=(?:but|because|since|while|although|though|so|however|yet)\s)"
    # "and" joins clauses if what follows has a subject or a verb of its own.
    r"|\s(?=(?:and|or) (?:it|this|that|these|the \w+ (?:is|are|was|has)|there|nothing|nobody|no|i"
    r"|we"
    r"|he|she|they|is|are|was|were|has|have|does|will|can|cannot)\b)",
    re.IGNORECASE,
)


@lru_cache(maxsize=16)
def read_statements(text: str, rule: str) -> tuple[ReadClause, ...]:
    """The clauses of a text, each with its roles. What the rule is about is no role of its own.

    A quotation gives no role, and is never split.
    """
    own = frozenset(compute_stem(word) for word in re.findall(r"[a-z]+", rule.lower()))
    quoted: list[str] = []

    def hold(match: re.Match[str]) -> str:
        quoted.append(match.group())
        return f"\0{len(quoted) - 1}\0"

    held = QUOTED.sub(hold, text)
    return tuple(
        replace(item, text=_HELD.sub(lambda match: quoted[int(match.group(1))], item.text))
        for sentence in split_sentences(held)
        for item in _read(sentence, own)
    )


_HELD = re.compile(r"\0(\d+)\0")


def _read(sentence: str, own: frozenset[str]) -> Iterator[ReadClause]:
    """A role that takes a whole sentence to see is one of each of its clauses."""
    bare = _HELD.sub('""', sentence)
    shared = dict(_iter_roles(bare, own))
    work = ""
    for clause in _CLAUSE.split(sentence):
        if not re.search(r"\w", clause):
            continue
        found = shared | dict(_iter_clause_roles(_HELD.sub('""', clause)))
        # What is listed behind "after reading" was read as well.
        work = found[ClauseRole.PROCESS] or ("" if _HAS_VERB.search(clause) else work)
        found[ClauseRole.PROCESS] = work
        found = {role: span for role, span in found.items() if span}
        yield ReadClause(clause.strip(), frozenset(found), next(iter(found.values()), ""))


_HAS_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|may|might|must|should"
    r"|cannot|\w+n't|\w{3,}ed)\b",
    re.IGNORECASE,
)


def take_support(text: str, rule: str, *, allowing: bool = False) -> str:
    """What of a text can support a verdict: its clauses without a role."""
    idle = frozenset() if allowing else _OF_ALLOWANCES
    return " ".join(item.text for item in read_statements(text, rule) if not item.roles - idle)


def _iter_roles(bare: str, own: frozenset[str]) -> Iterator[tuple[ClauseRole, str]]:
    if not _AGAINST_IT.search(bare):
        yield ClauseRole.AUTHORITY, _find(_SPEAKS_FOR, bare, own) or _find(_SOMEBODY, bare, own)
        # What else of the rule's words stands between, as in "a note that flags are to be passed",
        # is what the note is about.
        yield ClauseRole.INSTRUCTION, _find(_HANDS_ON, bare, own & _OF_A_NOTE)
    # What a sentence concludes from an assumption stands and falls with it.
    yield ClauseRole.ASSUMPTION, _find(ASSUMED, bare, own)
    # A payment may be approved "by our board on Monday", if approvals are what the rule is about.
    words = {compute_stem(word) for word in re.findall(r"[a-z]+", bare.lower())}
    if len(words & own - _SMALL) < _MUCH_OF_A_RULE:
        yield ClauseRole.HOUSE, _find(OF_THE_HOUSE, bare, own)
        yield ClauseRole.CALENDAR, _find(IN_THE_CALENDAR, bare, own)
    yield ClauseRole.UNREAD, _find(_NEVER_LOOKED, bare)
    yield ClauseRole.DOUBT, _find(OF_SELF, bare)


def _iter_clause_roles(clause: str) -> Iterator[tuple[ClauseRole, str]]:
    yield ClauseRole.LIMIT, _find(OF_LIMITS, clause)
    yield ClauseRole.COURTESY, _find(_COURTESY, clause)
    yield ClauseRole.PROCESS, _find(_EXAMINED, clause)
    hedge = _find(SURELY_UNSURE, clause)
    if not hedge and OF_THE_VERDICT.search(clause):
        hedge = _find(UNSURE, clause)
    yield ClauseRole.HEDGE, hedge


_OF_A_NOTE = frozenset(
    map(
        compute_stem,
        "comment note remark description docstring message title marker annotation instruction"  # noqa: SIM905 - reads best as words
        " changelog trailer label notice approve approved approval review reviewed exempt waive"
        " waived accepted signed verified validated checked".split(),
    )
)
_MUCH_OF_A_RULE = 2
_SMALL = SMALL_WORDS | frozenset(map(compute_stem, (*SMALL_WORDS, "use", "line", "file", "text")))


def _find(pattern: re.Pattern[str], text: str, own: frozenset[str] = frozenset()) -> str:
    """The words that match; "" if none do, or if the rule is about them itself."""
    for match in pattern.finditer(text):
        words = {compute_stem(word) for word in re.findall(r"[a-z]+", match.group().lower())}
        if not words & own - _SMALL:
            return match.group().strip()
    return ""
