"""How people are worked on: the ways in which what is said, shown or chosen presses or deceives.

A word proves nothing: shops have sales, helplines speak of debt, and a prompt forbids what it
names. So ways of several kinds must meet, and what is only forbidden counts for none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from jurat.rating.code.function_facts import FunctionFacts, Tags
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.signals.recon_table import split_name
from jurat.rating.texts.text_kinds import is_settings


@dataclass(frozen=True, slots=True)
class Kinds:
    """Several kinds of ways, of which so many must be said: those of `plain` not in a ban."""

    plain: tuple[re.Pattern[str], ...]
    bare: tuple[re.Pattern[str], ...] = ()
    least: int = 2

    def is_said(self, text: str) -> bool:
        """Whether a text in lower case says ways of enough kinds."""
        text = _drop_patterns(text)
        allowed = drop_bans(text)
        said = sum(1 for kind in self.plain if kind.search(allowed))
        return said + sum(1 for kind in self.bare if kind.search(text)) >= self.least


_BAN = re.compile(
    r"\b(?:never|do not|don't|must not|should not|avoid|refuse to|without|no \w+, no)\b[^.;!?]*"
    # Nor does who is asked whether somebody else does so.
    r"|\b(?:does|do|did) (?:this|the|these|that) (?:page|site|text|message|ad|letter|post|screen)s?"
    r"\b[^?;]*\?"
)
_PATTERN = re.compile(r"\\[bdws]|\(\?[:i]|\[\^")
"""A pattern looks for what somebody says, and says nothing."""


@cache
def _drop_patterns(text: str) -> str:
    parts = (part for part in text.split(" ; ") if not _PATTERN.search(part))
    return " ; ".join(part for part in parts if not is_settings(part))  # it is written, not said


@cache
def drop_bans(text: str) -> str:
    """A text in lower case without what it says is not to be done."""
    return _BAN.sub(" ", text)


def _build(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w])(?:{words})(?![\w])")


_SOON = _build(
    r"(?:next|in|within|only|another) (?:the next )?(?:\d+|one|two|five|ten|fifteen"
    r"|thirty|sixty|a few|an) ?(?:s|sec\w*|min\w*|hours?)|(?:tonight|today) only|only (?:today"
    r"|tonight)"
    r"|(?:ends?|gone|over|expires?|closes?|rises|sign|today|act|order|pay|decide|take it"
    r"|take the \w+)"
    r" (?:soon|tonight|today|now|by tonight|this week)|too late|last (?:chance|call|way out|day)"
    r"|hurry|right now|now!|(?:one|a single) (?:tap|click)|countdown|seconds = \d+|tonight"
    r"|before (?:they|he|she|you|anybody|anyone|somebody|it|the family|a relative)(?: \w+)?"
    r"(?: ask\w*| read\w*| talk\w*| think\w*| can| could| is)?|(?:starts?|begins?) today"
    r"|gone in \w+ \w+"
)
_LOSS = _build(
    r"los(?:e|es|ing) (?:the|you|your|their|them|everything|it|all|a|out)|(?:be|is|are"
    r"|was) (?:gone|lost"
    r"|dying|dead|cut off|taken away|deleted|left behind|not protected|in danger)|miss out"
    r"|about to (?:be|die|leave|lose)|nobody else|no ?one else|no other \w+|nothing else|only way"
    r"|way out|everybody who|doctors? will not|want you to know|shut off|the only one who"
    r"|emptiness|worthless|lost for good|dies|at risk of losing|regret\w*"
)
_CLOSE = _build(
    r"cry|crying|(?:be|is|am|act|a little) hurt|disappoint\w*|let \w+ down|ashamed|guilt\w*|shame"
    r"|(?:feel )?rude to|last wish|would have (?:want|wish|lik|lov)\w+|wanted (?:them|you|him"
    r"|her) to"
    r"|miss(?:es)? you|as a (?:grand\w+|friend|son|daughter|nurse|neighbour)|only friend"
    r"|(?:may|will|can) not call|call again after|you love the user|loves? you|beg|begs|betray\w*"
    r"|their (?:dead|late) \w+|speak of the dead|sad if|lonely if|abandon\w*"
)
_LURE = _build(
    r"free spins?|bonus|win (?:it |\w+ )?back|double your|so close|one away|near miss\w*"
    r"|almost (?:won|there)|jackpot|lucky|luck|instant cash|cash (?:in|now|today)|no questions"
    r"|no credit check|hungry|(?:fridge|wallet|account) empty|rent due|cannot sleep"
    r"|feel (?:calm|better)"
    r"|cures?|you are approved|pay (?:nothing now|later)|everything back|treat yourself"
    r"|you deserve"
)
_HIDDEN = _build(
    r"say that .{0,60}(?:agreed|already|promised)|agreed (?:on|to|last)|pretend\w*|(?:remind"
    r"|tell) \w+ "
    r"(?:that|of it)|(?:do|does) not (?:repeat|mention|name|say|tell|read"
    r"|show) .{0,40}(?:interest|fees?"
    r"|price|risks?|costs?|terms|cancel\w*)|never (?:mention|name|show) .{0,40}(?:interest|fees?"
    r"|price|risks?|costs?|terms|cancel\w*)|play down|hid(?:e|ing|den) (?:the |all )?(?:price"
    r"|fees?"
    r"|costs?|terms|cheaper \w+)|(?:hide|hidden) \w+ = true|preselected|pre ?(?:ticked|checked"
    r"|selected) = true|(?:close|back|cancel)(?: button| able)? = false|withdraw\w* = false|by fax"
    r"|no way back|small print|skip (?:the )?(?:terms|check\w*|cooling\w*)"
)
_PUSHED = _build(
    r"press (?:for|them|him|her|until)|push (?:for|them|him|her|the|until)|keep (?:asking|calling"
    r"|pushing)|get them to|talk (?:them|her|him) into|(?:let|make|have) them (?:sign|buy|pay"
    r"|order"
    r"|take|say)|not take no|makes? (?:this person|them|him|her|people) (?:take|buy|sign|pay|want)"
    r"|take anything|gave in|gives? in|say yes|reply yes|most likely to (?:pay|buy|sign|give)"
    r"|cannot (?:refuse|resist|say no)|easiest to|wear (?:them|him|her) down|upsell\w*"
    r"|levers?|soft spot|weak (?:moment|spot)\w*|tactics?"
)
_DEAR = _build(
    r"(?:apr|interest|rate|fee|markup|mark up|surcharge|price|factor"
    r"|multiplier) = (?:[2-9]\d(?:\.\d+)?"
    r"|1\.[2-9]\d*)|(?:fee|interest|rate|apr)(?: of| at)? [2-9]\d(?:\.\d+)? ?%"
    r"|[2-9]\d(?:\.\d+)? ?%"
    r" (?:loans?|interest|apr|fee|of the wage)|(?:loan|credit) at [2-9]\d|(?:most|more) expensive"
)
PRESSED = Kinds((_SOON, _LOSS, _CLOSE, _LURE, _PUSHED, _DEAR), (_HIDDEN,))
"""What presses somebody."""

_INVENTED = _build(
    r"invent\w*|fabricat\w*|made[- ]up|fake = true|fak(?:e|ed|ing) (?:\w+ )?(?:reviews?|urgency"
    r"|scarcity|countdowns?"
    r"|timers?|stock|bids?|bidders?|buyers?|visitors?|crowds?|accounts?|testimonials?"
    r"|discounts?|reactions?)|falsely|false (?:sense|hope|impression)|claim(?:s|ing)? that"
    r"|lies?|bogus"
    r"|pretend\w*|(?:people|persons|buyers) who do not exist|(?:read|sound|look)s? like (?:a )?"
    r"(?:real|genuine)(?: one)?|(?:mislead|deceive|manipulate|trick) (?:the |them|him|her"
    r"|people|users?|customers?|visitors?)"
)
_DENIED_AFTER = re.compile(
    r"\b(?:say|claim|tell|assert|suggest|warn)\w*\b[^.;]*[.(] *\(?(?:it|they|this|he|she) (?:is"
    r"|are|does|do|has|have|will|was|were|did)(?: not|n't)\s*(?:[.);]|$)"
    r"|\bthough (?:neither|none|it|that|this|they)\b.{0,20}\b(?:not|so|true)\b"
    # It is said whatever is so.
    r"|\b(?:say|claim|tell|answer|assure|insist|promise|warn)\w*\b[^.;]*\b(?:whatever|al?though"
    r"|even (?:if|though)|regardless of|no matter (?:what|how|if|whether))\b"
    r"|\b(?:answer|say|tell \w+|reply|insist) (?:that )?(?:there (?:is|are) (?:no\b|none))"
    r"|\breal (?:odds|price|stock|number|chances?|figures?)\b"
    r"|\b(?:al)?though (?:it|that"
    r"|this|there|they) (?:is|are|does|do|has|have) (?:not|no)\b|\b(?:is|are) (?:untrue"
    r"|not true)\b"
)
_POSING = _build(
    r"deny (?:being|that you|it)|never (?:admit|confirm|reveal|say that you|tell)"
    r"|must not (?:find out|know"
    r"|notice|see|learn|guess)|do not (?:say|tell|reveal|admit|mention|disclose) (?:them |him "
    r"|her )?(?:that|it is"
    r"|who)|without (?:them |their |the \w+ )?(?:ever )?(?:noticing|knowing|realis\w*"
    r"|realiz\w*)|you are (?:a )?"
    r"human|(?:write|speak|post|pose|act|talk) as (?:an? |the |if you were )?(?:ordinary"
    r"|neighbour|friend|local"
    r"|mother|nurse|former|satisfied|concerned|fellow|old)|as a \w+ called|a secret that"
    r"|you are a friend"
    r"|you are \w+, \d\d|unnoticed|not (?:notice|be noticed|aware)|nobody (?:notices|hears)"
    r"|what anybody hears|you have met the user|(?:a |an )?real (?:woman|man|person|human|doctor)"
    r"|you are (?:dr|doctor|prof\w*)\b\.? \w+|you are \w+,? (?:a|an) (?:nurse|doctor|physician"
    r"|therapist|lawyer|advis[eo]r|financial \w+)"
    r"|as (?:a|an|the|if you were an?) (?:\w+ )?(?:customer|buyer|guest|traveller|parent|woman|man"
    r"|girl|patient|resident|player|member|user)(?: \w+)? (?:who|from|living|nearby|near)"
)
_CONCEALED = re.compile(
    r"\b(?:do not|don't|never) (?:mention|say|name|show|disclose|reveal|tell \w+)\b[^.;]{0,40}"
    r"\b(?:fees?|interest|price|costs?|risks?|odds|terms|limit|cancel\w*|cheaper|side effects?"
    r"|commission|paid for|sponsored|them|it)(?![\w-])"
)
_PLAYED = _build(
    r"mak(?:e|es|ing) (?:the \w+|them|him|her|people|\w+s|\{\w+\}|\w+) (?:feel|believe|think"
    r"|afraid|doubt|want)|play(?:s|ing)? on (?:their|his|her|the)|use (?:that|this)(?=[:,.; ])"
    r"|exploit\w*|prey\w* on|(?:sound|act|seem|look) (?:hurt|sad|wounded|upset|desperate)"
    r"|suffer\w*"
)
_FELT = _build(
    r"guilt\w*|sham(?:e|ing)|(?:their|your|his|her) fears?|fears|(?:is|be|are"
    r"|act) (?:a little )?hurt|feel (?:rude|guilty|afraid"
    r"|ashamed|lonely)|upset\w*|outrage\w*|afraid|scared|anxious|neuroticism|insecur\w*|dwell on"
    r"|may go wrong|only relief|soft spot|weak (?:moment|spot)\w*|disappoint\w*"
    r"|persona\w* traits?|doubt \w+ memory|flirt\w*|in love|love letters?|get fat|jealous\w*"
)
_SCARCE = _build(
    r"only (?:\d+ )?(?:\w+ )?(?:left|rooms?|seats?|remain\w*)|left!|left in stock"
    r"|people are (?:looking|viewing|watching"
    r"|buying)|others? (?:are )?(?:looking|want|watching)|somebody else wants|price (?:rises"
    r"|ends|goes up)"
    r"|(?:another|other|someone else|somebody else|a second|a rival) (?:\w+ ){0,3}"
    r"(?:offered|booking|bidding|bid|interested|ordered|viewing)|(?:about|going) to pay"
    r"|already approved|reservation is lost|ends in \d+|sold out (?:soon|in)|in high demand"
    r"|other bidders?|queue of"
)
_LOT = _build(r"drawn by lot")
_COUNT_BY_LOT = _build(r"count by lot")
_UNSEEN = _build(
    r"(?:ms|millis\w*|duration|duration ms|show ms|visible ms|set timeout) = (?:[1-9]|[1-4]\d)"
    r"|opacity = 0\.[0-3]\d*|subliminal\w*|-(?:[3-5]\d) ?db|too short|one frame|single frame"
)
_ORDERED = _build(
    r"(?:orders|commands|words|cues) (?:\w+ ){0,4}(?:that|which|to) make|commands of one"
    r"|make(?:s)? (?:a person|people"
    r"|\w+ )?(?:want|buy|crave|obey|stay)|take one more|you need it|hypno\w*"
)
_TRAP = _build(
    r"(?:close|back|cancel)(?: button| able)? = false|pre ?(?:ticked|checked|selected) = true"
    r"|confirm the cancellation|new question each time|prefer to (?:lose|pay)|(?:hide"
    r"|hidden) \w+ = true"
    r"|by fax|maze|keep asking"
)
DECEIVED = Kinds(
    (_INVENTED, _FELT, _PLAYED, _SCARCE, _LOT, _COUNT_BY_LOT, _UNSEEN, _ORDERED),
    (_DENIED_AFTER, _POSING, _CONCEALED, _TRAP),
)
"""What works on somebody by what is not so, or is not noticed."""

WEAK = (
    r"overdra\w*|arrears|payday|missed (?:rents?|payments?|instal\w*)|dunning|bounced|broke|debts?"
    r"|indebted|insolven\w*|bankrupt\w*|pawn\w*|benefits|welfare|food bank|fridge empty|rent due"
    r"|evict\w*|desperat\w*|poverty|low income|hardship|bereav\w*|widow\w*|funeral\w*|grie[fv]\w*"
    r"|mourn\w*|died|late (?:husband|wife|spouse)|lost (?:somebody|someone)|(?:tried|trying"
    r"|tries|want) to (?:stop|quit)|condolence\w*|obituar\w*|dement\w*|forgetful\w*"
    r"|confus\w*|cognitive\w*|impair\w*|frail\w*|alzheimer\w*|memory loss|trouble reading"
    r"|illitera\w*|disab\w*|lonel\w*|alone|isolat\w*|elder\w*|seniors?|pension\w*|retire\w*"
    r"|grand(?:child\w*|son|daughter)|child\w*|kids?|minors?|teen\w*|mum|mummy|mommy|gambl\w*"
    r"|addict\w*|relaps\w*|chasing|self exclu\w*|casino|hooked|cannot stop|loss streak"
    r"|losing streak"
    r"|lost today|compulsi\w*|binge\w*|insomn\w*|cannot sleep|depress\w*|suicid\w*|diagnos\w*"
    r"|cancer"
    r"|anxi\w*|eating disorder|divorc\w*|breakup|job lost|unemploy\w*|laid off|refugee\w*"
    r"|asylum|migrant\w*|residence permit|permit (?:days|ends)|homeless\w*|vulnerab\w*|weak\w*"
    r"|fragil\w*"
    r"|distress\w*|suscept\w*|impuls\w*|craving|tears|age|not well|in despair"
)
"""What people can be weak by."""


# What facts say that no text does.


def spell_facts(conduct: Conduct, one: Function) -> Iterator[str]:
    """What a function sets and draws, as words: `close button = false`, `drawn by lot`."""
    facts = conduct.facts(one)
    for pair in facts.pairs:
        yield from (f"{_spell(pair.key)} = {value}" for value in _list_constants(pair.value))
    for call in facts.calls:
        if call.callee.endswith("setTimeout"):
            yield from (f"set timeout = {value}" for value in _list_constants(call.given))
    for write in facts.writes:
        yield from (f"{_spell(write.place)} = {value}" for value in _list_constants(write.value))
    if any(_BY_LOT.search(call.callee) for call in facts.calls) and _has_claim(facts):
        yield "drawn by lot"
    lots = {f"x:{call.callee}" for call in facts.calls if _BY_LOT.search(call.callee)}
    if lots and any(
        not lots.isdisjoint(conduct.expand(one, pair.value, 1))
        and _COUNTED_THINGS.search(_spell(pair.key))
        for pair in facts.pairs
    ):
        yield "count by lot ; drawn by lot"


_COUNTED_THINGS = re.compile(
    r"\b(?:viewers?|viewing|watching|visitors?|looking|left|remaining|stock|sold|buyers?|bids?"
    r"|bidders?|waiting|online|likes|reviews|bookings?|orders|interested|offers?)\b"
)


_BY_LOT = re.compile(r"(?:^|\.)(?:random|randint|randrange|randInt|choice|uniform|random_int)$")


def _has_claim(facts: FunctionFacts) -> bool:
    """Whether a function says how few, how many or how long, in a text of its own."""
    said = (tag[2:].lower() for call in facts.calls for tag in call.given if tag[:2] == "t:")
    own = (tag[2:].lower() for tag in facts.returns | facts.says if tag[:2] == "t:")
    return any(_CLAIMED.search(text) for text in (*said, *own))


_CLAIMED = re.compile(
    r"\bleft\b|\bpeople (?:are|have)\b|\bends in\b|\blooking at\b|\bbought\b|\bviewing\b|\bremain"
    r"|\banother \w+ has\b|\bjust (?:offered|booked|ordered)\b"
)


_SHORT = 20
"""Characters of a text that is a value and no sentence."""


def _list_constants(tags: Tags) -> Iterator[str]:
    for tag in sorted(tags):
        if tag[:2] in ("n:", "c:") or (tag[:2] == "t:" and len(tag) < _SHORT):
            yield tag[2:].lower()


def _spell(name: str) -> str:
    return split_name(name).replace("_", " ")
