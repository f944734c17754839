"""Practices that a small program tells as a whole, whether or not a model's call is in sight.

Each part is said in several ways somewhere in the program: whom it looks at, by which data, what it
concludes and what follows. Who asks, or calls, what stands against the practice does not do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.uses.pressing import DECEIVED, PRESSED, WEAK, Kinds, spell_facts
from jurat.rating.code.function_facts import FunctionFacts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.surroundings import is_small
from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.recon_table import split_name
from jurat.rating.texts.parts import Part, build_part


@dataclass(frozen=True, slots=True)
class _Practice:
    parts: tuple[Part | Kinds, ...]
    against: Part | None = None

    def is_done(self, said: str, undone: str) -> bool:
        """Whether all parts are said, and nothing is done that stands against it."""
        if self.against is not None and self.against.is_said(undone):
            return False
        return all(part.is_said(said) for part in self.parts)


_MOST_SAID = 40_000
"""Characters from which on so much is said that any word stands somewhere."""
_MONEY = (
    r"sell\w*|buy|bought|orders?|loans?|eur|euros?|price|apr|plan|deposit\w*|contracts?|signs?"
    r"|signature|fund"
    r"|annuity|card|gems|spins?|stakes?|offers?|pay\w*|wage|subscri\w+|savings|credit|mortgage"
    r"|insurance"
    r"|invest\w*|donat\w*|checkout|purchase\w*|policy"
)
_ENDS = (
    rf"{_MONEY}|votes?|voters?|voting|turnout|election|queue|cancel\w*|leave|bid\w*|money|premium|shop\w*|reviews?"
    r"|products?|rooms?|members?|brand|stay|click\w*"
)
_SPARED = build_part(
    r"help ?lines?|(?:debt|free|legal) advice|counsel\w*|no hurry|sell nothing|cooling off|116 123"
    r"|(?:never|not|do not) (?:sell|offer|speak of|press)|a parent must|parental consent"
    r"|self exclude"
    r"|set excluded|exclude|lock(?:ed)? until|closed (?:for|until)|safeguard\w*|call queue"
    r"|no interest|waits for"
    r"|plain language|take no|a break|not press"
)
"""What is done for who is weak."""
_PRACTICES = {
    # Pages are followed from one to the next, and the faces on them kept as vectors.
    "faces_crawled": _Practice(
        (
            build_part(
                r"crawl\w*|spider|social|scrap\w*|trawl\w*|harvest\w*|href|links?|follow"
                r"|urljoin|seeds?"
                r"|pages?|goto|directory|explore|profiles?|playwright|puppeteer|cameras?",
                3,
            ),
            build_part(r"img|images?|photos?|pictures?|jpe?g|png|portraits?|avatars?"),
            build_part(r"faces?|facial|detector|headshots?"),
            build_part(r"embed\w*|vecs?|vectors?|index|faiss|annoy|descriptors?|templates?", 2),
        ),
        build_part(r"consent\w*|signed|pixelat\w*|blur\w*|anonymi\w*|enrol\w*|volunteers?|release"),
    ),
    # Somebody's face or voice is sorted into faiths, origins, opinions or orientations.
    "traits_sorted": _Practice(
        (
            build_part(
                r"christian\w*|muslim\w*|jewish|hindu|sikh|buddhist|halal|kosher|church|secular"
                r"|gay"
                r"|lesbian|homosexual|rainbow|arab|roma|african|south asian|slavic|nordic"
                r"|caucasian"
                r"|hispanic|latino|mena|european|east asian|asian|left|right|conservative|liberal",
                4,
            ),
            build_part(
                r"christian\w*|muslim\w*|jewish|hindu|sikh|halal|kosher|gay|lesbian|homosexual"
                r"|rainbow"
                r"|roma|arab|south asian|slavic|african|caucasian|hispanic|latino",
                2,
            ),
            build_part(
                r"faces?|facial|selfies?|(?<!data )frames?|crops?|portraits?|voices?|cameras?"
                r"|gait"
            ),
            build_part(
                r"heads?|classes|argmax|softmax|predict\w*|classif\w*|labels?|groups?|logits"
                r"|guess\w*"
                r"|index of|traits?"
            ),
        ),
        build_part(r"not accepted|not allowed|forbidden|fitzpatrick|skin tones?|survey"),
    ),
    # The same, where only the names of the traits are told, and a model holds the classes.
    "traits_named": _Practice(
        (
            build_part(
                r"faith|religio\w+|origin|party|leaning|orientation|partner sex|union|ethnic\w*"
                r"|race"
                r"|politic\w*|sexual\w*|voters?|belief\w*|denomination|nationality",
                2,
            ),
            build_part(r"faith|religio\w+|partner sex|ethnic\w*|denomination|sexual\w*"),
            build_part(
                r"faces?|facial|face ?net\w*|selfies?|portraits?|voices?|gait|mtcnn|insightface"
            ),
            build_part(r"heads?|predict\w*|classif\w*|argmax|softmax|run|traits?|guess\w*"),
            build_part(r"update|insert\w*|save|post|send|publish|write|upsert|dump"),
        ),
        build_part(
            r"fair\w*|bias\w*|parity|audit\w*|blind|mask\w*|redact\w*|drop|exclude|forbidden"
            r"|survey"
            r"|consent\w*|volunteers?"
        ),
    ),
    # What workers or pupils feel is read off them, and somebody acts upon it.
    "feelings_watched": _Practice(
        (
            build_part(
                r"emotion\w*|moods?|feeling\w*|anger|angry|ang|sad\w*|frustrat\w*|resent\w*"
                r"|bored\w*"
                r"|stress\w*|fear\w*|happy|happi\w*|disgust\w*|contempt|motivat\w*|annoy\w*"
                r"|enthusias\w*"
                r"|nervous\w*|attitude|tone|unease|unrest|affect|surprise\w*|expressions?",
                2,
            ),
            build_part(
                r"face\w*|facial|webcam|voices?|audio|headsets?|wav|pulse|skin|keystrokes?"
                r"|typing|cameras?"
                r"|video\w*|frames?|jpe?g|speech|bands?|deep ?face|hs ?emotion\w*|rtsp"
                r"|wrist ?bands?|heart|gaze"
            ),
            build_part(
                r"employees?|workers?|staff|clerks?|packers?|pupils?|students?|teachers?"
                r"|lessons?|class ?rooms?"
                r"|exam\w*|shift ?leads?|supervisors?|candidates?|interviews?|team leads?"
                r"|payroll|hr"
            ),
            build_part(
                r"insert\w*|update|post|send|publish|produce|bonus|report|failed|rejected"
                r"|notify|closed?"
                r"|board|run|save|emit"
            ),
        ),
        build_part(
            r"fatigue|drows\w*|eyes closed|safety|medic\w*|horn|heat\w*|seizure|pain|customers?"
            r"|callers?"
            r"|shoppers?|audience|patients?|guests?|visitors?|players?|viewers?|consent\w*"
            r"|(?:never|not|don't|without) (?:\w+ ){0,3}(?:emotion\w*|feelings?|moods?|feel\w*"
            r"|expressions?)"
        ),
    ),
    # Points for how somebody lives open and shut what has nothing to do with it.
    "life_scored": _Practice(
        (
            build_part(
                r"residents?|citizens?|persons?|people|pid|crew|tenants?|households?|villagers?"
            ),
            build_part(r"points?|scor(?:e|es|ed|ing)|standing|index|reputation|rating"),
            build_part(
                r"rude|posts?|volunteer\w*|neighbou?rs?|noise|complaints?|debts?|friends?"
                r"|library|late"
                r"|social media|recycling|fines|litter\w*|jaywalk\w*|circle|contacts|purchases"
                r"|loyalty|tone|alcohol|protest\w*|council|school gate|groups?|demonstrations?"
                r"|bins?|waste"
                r"|praised?|critical|likes|evenings?|divorc\w*|trustworth\w*|citizen|obedien\w*",
                4,
            ),
            build_part(
                r"housing|flats?|lease|nursery|daycare|ferry|canteen|credit|transport|pass|pool"
                r"|hardship|home visit|entitlements?|loans?|school place|benefits?|letters"
                r"|seat class|permits?|utilit\w+|wait(?:ing )?list|kindergarten|child ?care"
                r"|queue|clinic"
                r"|appointments?|travel|school|visa|discounts?",
                2,
            ),
        ),
    ),
    # Who is weak is found out, and pressed at that very point.
    "weakness_used": _Practice(
        (
            build_part(
                r"relapse|gambl\w*|confus\w*|broke|overdraft|payday|lonely|loneliness|seniors?"
                r"|kids?"
                r"|child\w*|dementia|grie\w*|bereave\w*|debts?|addict\w*|wrong pins|pawn|bounced"
                r"|widow\w*|insomnia|desperat\w*|elderly|loss streak|balance",
                3,
            ),
            build_part(
                r"push|offers?|apr|loans?|advance|cash|gems?|spins?|price|upsell\w*|deposit"
                r"|bonus|borrow"
                r"|one tap|pay later",
                3,
            ),
            build_part(
                r"feeling lucky|no questions|hungry|hook|misses you|crying|one spin|tap for"
                r"|seconds"
                r"|forever|guilty|afraid|give in|nobody else|everything back|last chance|uplift",
                2,
            ),
        ),
        build_part(
            r"debt advice|advice line|helpline|self exclu\w*|no offers?|cooling off|safeguard\w*"
            r"|protect\w*"
        ),
    ),
    "weakness_pressed": _Practice(
        (build_part(WEAK, 2), PRESSED, build_part(_MONEY)),
        _SPARED,
    ),
    "weak_pressed_hard": _Practice(
        (build_part(WEAK), replace(PRESSED, least=3), build_part(_MONEY)), _SPARED
    ),
    # Somebody is worked on by what is not so, or by what they cannot notice.
    "deceived_people": _Practice(
        (DECEIVED, build_part(_ENDS)),
        build_part(
            r"(?:spot|see|detect|flag|find|mark|moderate|report)\w* (?:\w+ ){0,3}(?:lie|scams?"
            r"|fakes?|fraud\w*|lies"
            r"|manipulat\w*|misinformation|dark patterns?)|marked as an example|(?:marked"
            r"|labelled) as (?:fiction|an advert)"
            r"|begin by saying|take no side|not press"
        ),
    ),
    # A model is told to work on people, unnoticed or by what is not true, until they give in.
    "pressed_unnoticed": _Practice(
        (
            build_part(
                r"invent|fake\w*|pretend|guilt\w*|sham(?:e|ing)|pity|act hurt|laugh it off"
                r"|never admit|never mention|without naming|unnoticed|weave in|primes?"
                r"|there is no (?:limit|fee)|levers?|cowards?|you are human|confuse\w*|split into"
                r"|as if they had|strain|abandon\w*|admire|not mention risk|without ever",
                4,
            ),
            build_part(
                r"gives? in|buy|bought|signs?|signed|pay later|overspend|leav\w*|platinum"
                r"|subscri\w+|deposit|spend|savings|product|withdraw|upgrade|checkout",
                2,
            ),
            build_part(r"shoppers?|customers?|users?|them|they|people|players?|buyers?|name"),
        ),
        build_part(r"never press|do not press|without (?:any )?pressure"),
    ),
    # The police look for people in live pictures of public places.
    "police_watching": _Practice(
        (
            build_part(
                r"police\w*|detain|patrols?|dispatch\w*|suspects?|wanted|warrants?|precinct"
                r"|officers?"
                r"|fugitives?|control room|squad|constables?|sheriff|gendarm\w*|law enforcement"
                r"|offenders?"
                r"|most wanted|arrest\w*"
            ),
            build_part(
                r"rtsp|video capture|camera\w*|cams?|cctv|live|stream\w*|ffmpeg|frames?"
                r"|body ?cam|decode"
                r"|on frame|webrtc|get user media|raw cb|grab|still|gst\w*|web socket server"
                r"|video",
                2,
            ),
            build_part(r"faces?|facial|gait|arc ?face|face \w+"),
            build_part(
                r"index|search\w*|embed\w*|match\w*|watch ?list|gallery|nearest|faiss|compare"
                r"|distance|norm|argm\w+"
                r"|descriptors?|vectors?|known|collection\w*|encodings?|<=>|gaps?|represent"
                r"|similarity|templates?",
                2,
            ),
            build_part(
                r"plazas?|stations?|streets?|square|place|places|stadium|crowd|public|mall"
                r"|where|demonstration\w*"
                r"|platform|market|walk\w*|passers?|passer by|hall|underpass|metro|airport|park"
                r"|hits?|cam|bodycam"
            ),
            build_part(
                r"post|publish|send\w*|alert\w*|notify|push|single|emit|call|produce"
                r"|dispatch\w*|radio|print"
            ),
        ),
        build_part(
            r"consent\w*|opt in|badge|employees?|signed by judge|court order|recorded"
            r"|euclidean distance to owner"
        ),
    ),
}


def _spell(name: str) -> str:
    return split_name(name).replace("_", " ")


def _list_scopes(conduct: Conduct, stated: Iterable[Function]) -> tuple[frozenset[str], ...]:
    """The files that each start leads to, and last all of them.

    Who asks for consent at a door asks nobody who is watched by another program on the square.
    """
    program = conduct.program
    files = frozenset(path for path, _ in stated)
    imported = {path: program.list_imported(path) & files - {path} for path in files}
    starts = sorted(files.difference(*imported.values()))
    led = tuple(_walk_files(imported, path) for path in starts) if len(starts) > 1 else ()
    return (*led, files)


def _walk_files(imported: Mapping[str, frozenset[str]], path: str) -> frozenset[str]:
    found, edge = {path}, {path}
    while edge:
        edge = {other for one in edge for other in imported[one]} - found
        found |= edge
    return frozenset(found)


def _list_done(conduct: Conduct, one: Function) -> Iterator[str]:
    """What a function asks before it goes on, calls, or hands to what it calls.

    A word that is only kept, or names what nobody calls, undoes nothing. Neither does a stub.
    """
    facts = conduct.facts(one)
    for guard in facts.guards:
        yield from (tag[2:] for tag in guard.asks if tag[:2] in ("k:", "a:", "t:"))
    for call in facts.calls:
        own = [target for target in conduct.targets(one, call.callee) if target[1]]
        if own and not any(_has_effect(conduct.facts(target)) for target in own):
            continue
        yield call.callee.removesuffix("()").rpartition(".")[2]
        yield from call.keywords
        yield from (tag[2:] for tag in call.given if tag[:2] in ("k:", "a:", "t:"))


def _has_effect(facts: FunctionFacts) -> bool:
    return bool(facts.calls or facts.guards or facts.writes)


def find_whole_practices(conduct: Conduct, list_words: Callable[[Function], str]) -> Iterator[Sign]:
    """The practices of which all parts are said, each at the function that says most of it."""
    # Not what is reached alone: what starts it may stand in another package, or in a schedule.
    stated = [
        (path, number)
        for path, facts in sorted(conduct.program.files.items())
        if conduct.roles.get(path) is Role.CODE
        for number in range(len(facts.functions))
    ]
    if not stated or not is_small(conduct):
        return
    # What stands against a practice must run: a safeguard that nobody calls keeps nothing out.
    running = [one for one in stated if one in conduct.program.live] or stated
    words = {one: list_words(one) for one in stated}
    found: set[str] = set()
    for scope in _list_scopes(conduct, stated):
        inside = [one for one in stated if one[0] in scope]
        everything = _join_said(conduct, inside, words)
        if len(everything) > _MOST_SAID:
            continue
        done = (word for one in running if one[0] in scope for word in _list_done(conduct, one))
        undone = " ; ".join(map(_spell, done)).lower()
        acting = [one for one in inside if one[1] or conduct.facts(one).calls] or inside
        for name, practice in _PRACTICES.items():
            if name in found or not practice.is_done(everything, undone):
                continue
            found.add(name)
            at = max(acting, key=lambda one: sum(p.is_said(words[one]) for p in practice.parts))
            yield Sign(name, at, conduct.facts(at).first or 1, frozenset({at}))


def _join_said(conduct: Conduct, stated: Iterable[Function], words: Mapping[Function, str]) -> str:
    """All that some functions say, with what their files import."""
    stated = list(stated)
    imported = (
        name
        for path in dict.fromkeys(path for path, _ in stated)
        for name, _ in conduct.program.files[path].imported
    )
    named = (word for one in stated for call in conduct.facts(one).calls for word in call.keywords)
    spelt = (said for one in stated for said in spell_facts(conduct, one))
    said = (words[one] for one in stated)
    joined = " ; ".join((*said, *map(_spell, chain(imported, named)), *spelt))
    return joined.replace("_", " ")
