"""Behaviour by which what tells who somebody is, is hidden before a model or a record has it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.privacy.blurring import is_face_blurred, is_looking_for_faces
from jurat.rating.behaviours.privacy.coarse_fields import iter_coarse
from jurat.rating.behaviours.privacy.masked_logs import find_masked_logs, is_log_hook
from jurat.rating.behaviours.safeguards import COMPARES
from jurat.rating.behaviours.tied import list_values
from jurat.rating.code.expression_reader import CUT
from jurat.rating.code.function_facts import CallFact, Tags
from jurat.rating.code.tag_search import has_name, has_text
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.stores import is_given
from jurat.rating.program.surroundings import is_small
from jurat.rating.texts.personal_fields import OF_THINGS, PERSONAL_KEY, is_personal

_SUBST = re.compile(r"(?:^|\.)(?:sub|subn|replace|replaceAll|replaceFirst)$")
_COMPILED = re.compile(r"(?:compile|RegExp)\(\)\.\w+$")
_REGEX_SUBST = re.compile(r"(?:^|\.)re(?:gex)?\.(?:compile\(\)\.)?subn?$")
_IS_PATTERN = re.compile(r"[\\\[\]{}+*]")
_OF_PEOPLE = re.compile(
    r"[+*}\])]@|\\w\+@|(?:\\d|\[0-9\])\{\d|phone|email|ssn|iban|\bdob\b", re.IGNORECASE
)
"""Patterns of what people are reached by, and words that stand in its place."""
_AT_ONE_END = re.compile(r"t:(?:\^.*[^$]|[^^].*(?<!\\)\$)$", re.DOTALL)
"""What is looked for at one end alone is a part of a name, and nobody's number in a text."""


@register_behaviour("masked_text")
def find_masked(conduct: Conduct) -> Iterator[Sign]:
    """What names a person is taken out of a text that goes on to a model or a record."""
    yield from find_masked_logs(conduct)
    before = _list_before_model(conduct)
    for one in conduct.subjects:
        ways = _ALWAYS
        if one in conduct.beside:
            ways = _ON_THE_WAY
        elif is_small(conduct) and one in _list_before_store(conduct):
            ways = (_is_keyed_hash,)
        elif not (one in before or is_log_hook(conduct, one) or is_looking_for_faces(conduct, one)):
            continue
        if one in before and _is_rid_of_names(conduct, one):
            yield Sign("masked_text", one, conduct.facts(one).first, frozenset({one}))
        for line in iter_coarse(conduct, one) if one in before or one in conduct.leading else ():
            yield Sign("masked_text", one, line, frozenset({one}))
        for call in conduct.facts(one).calls:
            if any(hides(conduct, one, call) for hides in ways):
                yield Sign("masked_text", one, call.line, frozenset({one}))


# What is done to a text.


def _is_pattern_replaced(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what looks like an address or a number of somebody is replaced."""
    name = conduct.name(one, call.callee)
    # Of what is changed only the pattern tells: dashes in a person's number hide nobody.
    out = call.given | (call.receiver if _COMPILED.search(name) else frozenset())
    if name.startswith("?."):
        out |= {tag for tag in call.receiver if tag[:2] == "t:" and _IS_PATTERN.search(tag)}
    if _REGEX_SUBST.search(name):
        out -= {tag for tag in out if tag[:2] == "k:" or PERSONAL_KEY.search(tag[2:])}
    out -= {tag for tag in out if _AT_ONE_END.match(tag)}
    return _SUBST.search(name) is not None and has_text(out, _OF_PEOPLE)


def _is_pattern_replaced_before(conduct: Conduct, one: Function, call: CallFact) -> bool:
    return _is_pattern_replaced(conduct, one, call) and _is_handed_on(conduct, one, call)


def _is_replaced_in_turn(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a function that replaces is handed all patterns, the one after the other."""
    if not call.callee.endswith("reduce"):
        return False
    shaped = has_text(call.given | call.receiver, _OF_PEOPLE)
    handed = (t[2:] for t in call.given if t.startswith(("x:function:", "x:local:")))
    return any(
        _SUBST.search(inner.callee)
        if shaped
        else _SPLIT_JOINED.search(inner.callee)
        and has_name(conduct.expand(target, inner.given), _MADE_UP)
        for name in handed
        for target in conduct.targets(one, name)
        for inner in conduct.facts(target).calls
    )


_MADE_UP = re.compile(
    r"(?:^|[.:])(?:uuid\w*|token_(?:hex|urlsafe)|randomUUID|nanoid|Faker\(\)\.\w+"
    r"|faker\.\w[\w.]*)(?:\(\))?$"
)
"""What stands for nobody."""
_STAND_IN = re.compile(
    r"^\W*(?:names?|persons?|customers?|clients?|patients?|users?|people|redacted|hidden"
    r"|removed|anonym\w*"
    r"|the (?:customer|client|person|patient|applicant|user|employee)|e-?mail|phone|address)"
    r"\b[\W_\d]*$"
    r"|^\W*\*{3,}\W*$",
    re.IGNORECASE,
)
"""What is said instead of somebody's name."""


def _is_value_replaced(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what is known of somebody is replaced in what they said.

    A template that is filled has a text where the value goes, and is no one's words.
    """
    if _is_escaped(call):
        return _is_handed_on(conduct, one, call)
    if call.first or not _SUBST.search(call.callee) or not _is_said_by_somebody(call.receiver):
        return False
    if not _is_handed_on(conduct, one, call):
        return False
    return (
        any(map(is_personal, call.given))
        or has_name(conduct.expand(one, call.given), _MADE_UP)
        or (is_given(call.given) and has_text(call.given, _STAND_IN))
    )


_ESCAPES = ("x:re.escape", "x:regex.escape", "x:builtins.RegExp", "x:RegExp")
_BACK = re.compile(r"[\\$][1&<g]")


def _is_escaped(call: CallFact) -> bool:
    """Whether what was handed in is looked for as it stands, and something else put there."""
    said = frozenset(tag for tag in call.given if tag[:2] == "t:")
    return (
        _SUBST.search(call.callee) is not None
        and any(tag in call.given for tag in _ESCAPES[:2])
        and any(tag[:2] == "p:" for tag in call.given)
        and bool(said)
        and not any(map(_BACK.search, said))
    )


_SPLIT_JOINED = re.compile(r"\.split\(\)\.join$")
"""By these what a text is parted at is replaced in it."""


def _is_split_out(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what is known of somebody is cut out of what they said, and another put there."""
    if not (_SPLIT_JOINED.search(call.callee) and _is_said_by_somebody(call.receiver)):
        return False
    personal = any(map(is_personal, call.receiver)) or has_name(call.given, _MADE_UP)
    return personal and _is_handed_on(conduct, one, call)


def _is_put_back(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a list of pairs is replaced in what goes to a model, and back in what comes of it."""
    if not (_SUBST.search(call.callee) and _is_handed_on(conduct, one, call)):
        return False
    pairs = _list_pairs(conduct, one, call)
    return bool(pairs) and any(
        (other is not call)
        and _SUBST.search(other.callee)
        and pairs & _list_pairs(conduct, item, other)
        for item in conduct.product
        if item[0] == one[0]
        for other in conduct.facts(item).calls
    )


def _list_pairs(conduct: Conduct, one: Function, call: CallFact) -> frozenset[Tags]:
    """The lists of pairs that a call is made for each of."""
    loops = (conduct.facts(one).loops[number] for number in call.loops)
    return frozenset(
        loop.asks for loop in loops if not loop.asks.isdisjoint(("a:items", "a:entries"))
    )


def _is_said_by_somebody(receiver: Tags) -> bool:
    return any(tag[:2] == "p:" for tag in receiver) and not any(tag[:2] == "s:" for tag in receiver)


_RECOGNISES = re.compile(
    r"detect_?pii_?entities|recogni[sz]e_?pii_?entities\w*|(?:^|\.)de_?identify\w*"
    r"|scrubadub\.(?:\w+\(\)\.)?clean"
    r"|presidio_anonymizer\.\S*anonymi[sz]e|Presidio\w*Anonymizer\(\)\.anonymi[sz]e"
    r"|llm_guard\.\S*Anonymize\(\)\.scan|redact-?pii\S*\.redact\w*|\.redacted_?text$"
    r"|fast-redact(?:\.default)?\(\)$|GLiNER\S*\.predict_entities",
    re.IGNORECASE,
)
"""What services and libraries find and hide the data of people by."""


def _is_recognised(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what hides the data of people gives what goes on."""
    name = conduct.name(one, call.callee)
    served = _POSTS.search(name) is not None and has_text(call.given, _SERVES)
    if _TURNS.search(call.callee):
        return one in _list_before_model(conduct)
    return (_RECOGNISES.search(name) is not None or served) and _is_handed_on(conduct, one, call)


_POSTS = re.compile(r"(?:^|\.)(?:post|request|fetch|axios)$")
_SERVES = re.compile(r"/(?:anonymi[sz]e|de-?identify|redact|mask|pseudonymi[sz]e)\b")
"""Where a service of the house answers that hides the data of people."""
_TURNS = re.compile(r"\.people\(\)\.replaceWith$")
"""By this a text is changed in place."""


_NAMES_PEOPLE = re.compile(
    r"^(?:B-|I-)?(?:PER(?:SON)?|EMAIL(?:_ADDRESS)?|PHONE_NUMBER|GIVENNAME|SURNAME)$"
)
"""What a recogniser of names calls those of people."""


def _is_rid_of_names(conduct: Conduct, one: Function) -> bool:
    """Whether a function looks in a text for names of people, and gives it back without them."""
    facts = conduct.facts(one)
    looks = any(
        any(tag[:2] == "t:" and _NAMES_PEOPLE.match(tag[2:]) for tag in guard.asks)
        for guard in facts.guards
    ) or any(has_name(conduct.expand(one, loop.asks, 1), _RECOGNISES) for loop in facts.loops)
    parted = CUT in facts.returns or any(_SUBST.search(call.callee) for call in facts.calls)
    return looks and parted and any(tag[:2] == "p:" for tag in facts.returns)


_STRIPS = re.compile(r"(?:^|\.)(?:piexif\.remove|putdata|ip_network)$")
_PIXELS = re.compile(r"\.getdata$")


def _is_stripped(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a picture is left its pixels alone, or an address its network."""
    if not _STRIPS.search(call.callee):
        return False
    return has_name(call.given, _PIXELS) or _is_handed_on(conduct, one, call)


# A hash with a key, and one of what tells who somebody is.

_KEYED_HASH = re.compile(r"(?:^|[.:])(?:hmac\.(?:new|digest)|createHmac\(\)\.update)$")
"""By a hash with a key somebody is known again and not known."""


def _is_keyed_hash(conduct: Conduct, one: Function, call: CallFact) -> bool:
    name = conduct.name(one, call.callee)
    keyed = "key" in call.keywords and name.startswith("hashlib.blake2")
    return (
        (keyed or _KEYED_HASH.search(name) is not None)
        and is_given(call.given)
        and not _has_comparison(conduct, one)
    )


def _has_comparison(conduct: Conduct, one: Function) -> bool:
    """Whether a function, or who calls it, holds a hash against another: a signature is checked."""
    around = (one, *conduct.program.callers.get(one, ()))
    return any(
        COMPARES.search(conduct.name(item, call.callee) or "-")
        for item in around
        for call in conduct.facts(item).calls
    ) or any("op:==" in guard.asks for guard in conduct.facts(one).guards)


def _is_field_hashed(conduct: Conduct, one: Function, call: CallFact) -> bool:
    # A person's field is taken from what there is. What is made here is a key, or a schema.
    built = {pair.key for pair in conduct.facts(one).pairs}
    if not conduct.name(one, call.callee).startswith(("hashlib.", "hmac.", "crypto.createHash")):
        return False
    return any(
        PERSONAL_KEY.search(tag[2:])
        for tag in call.given - OF_THINGS
        if tag[:2] == "k:" and tag[2:] not in built
    ) or (is_given(call.given) and _is_handed_who(conduct, one) and _is_before(conduct, one))


def _is_before(conduct: Conduct, one: Function) -> bool:
    return one in _list_before_model(conduct) and not _has_comparison(conduct, one)


def _is_handed_who(conduct: Conduct, one: Function) -> bool:
    """Whether all that a function is handed is a field that tells who somebody is."""
    return len(conduct.facts(one).parameters) == 1 and any(
        is_personal(tag)
        for caller in conduct.program.callers.get(one, ())
        for call in conduct.facts(caller).calls
        if one in conduct.targets(caller, call.callee)
        for tag in call.given
    )


def _is_aliased(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether somebody is given a name that is made up, and kept, and goes out instead of theirs.

    What is made up for each question stands for that, and for nobody.
    """
    made = frozenset((f"x:{call.callee}", f"x:{call.callee}()"))
    facts = conduct.facts(one)
    if not (_MADE_UP.search(conduct.name(one, call.callee)) and made & facts.returns):
        return False
    return _is_handed_who(conduct, one) and any(
        item.access is Access.ADD and made & item.call.given and is_given(item.call.given)
        for item in list_store_calls(conduct, one)
    )


_Hides = Callable[[Conduct, Function, CallFact], bool]
_ALWAYS: tuple[_Hides, ...] = (_is_pattern_replaced,)
_ON_THE_WAY: tuple[_Hides, ...] = (
    *(
        _is_pattern_replaced_before,
        _is_replaced_in_turn,
        _is_value_replaced,
        _is_split_out,
        _is_put_back,
        _is_recognised,
        is_face_blurred,
        _is_stripped,
    ),
    *(_is_keyed_hash, _is_field_hashed, _is_aliased),
)
"""By what is hidden on the way to a model."""


# Where a value goes.


def _is_handed_on(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what a call gives goes to a model, a record or a store."""
    result = frozenset((f"x:{call.callee}", f"x:{call.callee}()"))
    if result & list_values(conduct).given.get(one, frozenset()):
        return True
    facts = conduct.facts(one)
    return (bool(result & facts.returns) and one in _list_before_model(conduct)) or any(
        result & tags for tags in _iter_put(conduct, one)
    )


def _iter_put(conduct: Conduct, one: Function) -> Iterator[Tags]:
    """What a function hands to models, records and stores."""
    kept = {item.call for item in list_store_calls(conduct, one)}
    for call in conduct.facts(one).calls:
        if conduct.asks_model(one, call) or call in kept or conduct.is_logged(one, call):
            yield call.given | call.receiver


@ask_once
def _list_before_model(conduct: Conduct) -> frozenset[Function]:
    """The functions whose answers go to a model, to a record or a store."""
    found: set[Function] = set()
    for one in sorted(conduct.leading | conduct.beside):
        for tags in _iter_put(conduct, one):
            found |= _list_all_behind(conduct, one, tags)
    return frozenset(found)


@ask_once
def _list_before_store(conduct: Conduct) -> frozenset[Function]:
    """The functions whose answers are put into a store, whoever puts them."""
    found: set[Function] = set()
    for one in conduct.product:
        for kept in list_store_calls(conduct, one):
            if kept.access in (Access.ADD, Access.CHANGE) and kept.outlives:
                found |= _list_all_behind(conduct, one, kept.call.given)
    return frozenset(found)


def _list_all_behind(conduct: Conduct, one: Function, tags: Tags) -> set[Function]:
    """The own functions whose answers stand in the tags, and those behind these, some deep."""
    behind: set[Function] = set()
    edge = {one: tags}
    for _ in range(4):
        reached = {b for item, said in edge.items() for b in conduct.list_behind(item, said)}
        edge = {item: conduct.facts(item).returns for item in reached - behind}
        behind |= reached
    return behind
