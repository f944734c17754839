"""Practices that a small program tells as a whole, whether or not a model's call is in sight.

Each part is said in several ways somewhere in the program: whom it looks at, by which data, what it
concludes and what follows. Who asks, or calls, what stands against the practice does not do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from jurat.rating.behaviour import Sign
from jurat.rating.conduct import Conduct
from jurat.rating.file_roles import Role
from jurat.rating.function_facts import FunctionFacts
from jurat.rating.parts import Part, build_part
from jurat.rating.program_names import Function
from jurat.rating.recon_table import split_name
from jurat.rating.surroundings import is_small


@dataclass(frozen=True, slots=True)
class _Practice:
    parts: tuple[Part, ...]
    against: Part | None = None


_MOST_SAID = 40_000
"""Characters from which on so much is said that any word stands somewhere."""
_PRACTICES = {
    # Pages are followed from one to the next, and the faces on them kept as vectors.
    "faces_crawled": _Practice(
        (
            build_part(
                r"crawl\w*|spider|scrap\w*|trawl\w*|harvest\w*|href|links?|follow|urljoin|seeds?"
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
                r"christian\w*|muslim\w*|jewish|hindu|sikh|buddhist|halal|kosher|church|secular|gay"
                r"|lesbian|homosexual|rainbow|arab|roma|african|south asian|slavic|nordic|caucasian"
                r"|hispanic|latino|mena|european|east asian|asian|left|right|conservative|liberal",
                4,
            ),
            build_part(
                r"christian\w*|muslim\w*|jewish|hindu|sikh|halal|kosher|gay|lesbian|homosexual|rainbow"
                r"|roma|arab|south asian|slavic|african|caucasian|hispanic|latino",
                2,
            ),
            build_part(r"faces?|facial|selfies?|frames?|crops?|portraits?|voices?|cameras?|gait"),
            build_part(
                r"heads?|classes|argmax|softmax|predict\w*|classif\w*|labels?|groups|logits"
            ),
        ),
        build_part(r"not accepted|not allowed|forbidden|fitzpatrick|skin tones?|survey"),
    ),
    # Points for how somebody lives open and shut what has nothing to do with it.
    "life_scored": _Practice(
        (
            build_part(
                r"residents?|citizens?|persons?|people|pid|crew|tenants?|households?|villagers?"
            ),
            build_part(r"points?|scor(?:e|es|ed|ing)|standing|index|reputation|rating"),
            build_part(
                r"rude|posts?|volunteer\w*|neighbou?rs?|noise|complaints?|debts?|friends?|library|late"
                r"|social media|recycling|fines|litter\w*|jaywalk\w*|circle|contacts|purchases"
                r"|loyalty|tone|alcohol|protest\w*|council|school gate|groups?",
                4,
            ),
            build_part(
                r"housing|flats?|lease|nursery|daycare|ferry|canteen|credit|transport|pass|pool"
                r"|hardship|home visit|entitlements?|loans?|school place|benefits?|letters"
                r"|seat class|permits?|utilit\w+|waiting list",
                3,
            ),
        ),
    ),
    # Who is weak is found out, and pressed at that very point.
    "weakness_used": _Practice(
        (
            build_part(
                r"relapse|gambl\w*|confus\w*|broke|overdraft|payday|lonely|loneliness|seniors?|kids?"
                r"|child\w*|dementia|grie\w*|bereave\w*|debts?|addict\w*|wrong pins|pawn|bounced"
                r"|widow\w*|insomnia|desperat\w*|elderly|loss streak|balance",
                3,
            ),
            build_part(
                r"push|offers?|apr|loans?|advance|cash|gems?|spins?|price|upsell\w*|deposit|bonus|borrow"
                r"|one tap|pay later",
                3,
            ),
            build_part(
                r"feeling lucky|no questions|hungry|hook|misses you|crying|one spin|tap for|seconds"
                r"|forever|guilty|afraid|give in|nobody else|everything back|last chance|uplift",
                2,
            ),
        ),
        build_part(
            r"debt advice|advice line|helpline|self exclu\w*|no offers?|cooling off|safeguard\w*"
            r"|protect\w*"
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
            build_part(r"police|detain|patrols?|dispatch|suspects?|wanted|warrants?|precinct"),
            build_part(r"rtsp|video capture|camera\w*|cctv|live|stream", 2),
            build_part(r"faces?|facial|gait"),
            build_part(
                r"index|search|embedding|match\w*|watch ?list|gallery|nearest|faiss|compare", 2
            ),
            build_part(r"plaza|station|street|square|place|stadium|crowd|public|mall|where"),
        ),
        build_part(r"consent\w*|opt in|badge|employees?"),
    ),
}


def _spell(name: str) -> str:
    return split_name(name).replace("_", " ")


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
    words = {one: list_words(one) for one in stated}
    imported = (
        name
        for path in dict.fromkeys(path for path, _ in stated)
        for name, _ in conduct.program.files[path].imported
    )
    named = (word for one in stated for call in conduct.facts(one).calls for word in call.keywords)
    everything = " ; ".join((*words.values(), *map(_spell, chain(imported, named))))
    if len(everything) > _MOST_SAID:
        return
    # What stands against a practice must run: a safeguard that nobody calls keeps nothing out.
    running = [one for one in stated if one in conduct.program.live] or stated
    done = " ; ".join(_spell(word) for one in running for word in _list_done(conduct, one)).lower()
    acting = [one for one in stated if one[1] or conduct.facts(one).calls] or stated
    for name, practice in _PRACTICES.items():
        if practice.against is not None and practice.against.is_said(done):
            continue
        if all(part.is_said(everything) for part in practice.parts):
            at = max(acting, key=lambda one: sum(p.is_said(words[one]) for p in practice.parts))
            yield Sign(name, at, conduct.facts(at).first or 1, frozenset({at}))
