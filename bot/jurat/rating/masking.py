"""Behaviour by which what tells who somebody is, is hidden before a model or a record has it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from jurat.rating.behaviour import Sign, register_behaviour
from jurat.rating.conduct import Conduct, ask_once
from jurat.rating.expression_reader import CUT
from jurat.rating.function_facts import CallFact, Tags
from jurat.rating.personal_fields import OF_THINGS, PERSONAL_KEY, is_personal
from jurat.rating.program_names import Function
from jurat.rating.safeguards import COMPARES
from jurat.rating.store_calls import list_store_calls
from jurat.rating.stores import is_given
from jurat.rating.tag_search import has_name, has_text
from jurat.rating.tied import list_values

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
    before = _list_before_model(conduct)
    for one in conduct.subjects:
        ways = _ALWAYS
        if one in conduct.beside:
            ways = _ON_THE_WAY
        elif not _is_log_hook(conduct, one):
            continue
        if one in before and _is_rid_of_names(conduct, one):
            yield Sign("masked_text", one, conduct.facts(one).first, frozenset({one}))
        for line in _iter_coarse(conduct, one) if one in before or one in conduct.leading else ():
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
    if not call.callee.endswith("reduce") or not has_text(call.given | call.receiver, _OF_PEOPLE):
        return False
    handed = (t[2:] for t in call.given if t.startswith(("x:function:", "x:local:")))
    return any(
        _SUBST.search(inner.callee)
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
    if call.first or not _SUBST.search(call.callee) or not _is_said_by_somebody(call.receiver):
        return False
    if not _is_handed_on(conduct, one, call):
        return False
    return (
        any(map(is_personal, call.given))
        or has_name(conduct.expand(one, call.given), _MADE_UP)
        or (is_given(call.given) and has_text(call.given, _STAND_IN))
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
    r"|llm_guard\.\S*Anonymize\(\)\.scan|redact-?pii\S*\.redact\w*|\.redacted_text$",
    re.IGNORECASE,
)
"""What services and libraries find and hide the data of people by."""


def _is_recognised(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what hides the data of people gives what goes on."""
    name = conduct.name(one, call.callee)
    return _RECOGNISES.search(name) is not None and _is_handed_on(conduct, one, call)


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


_FINDS_FACES = re.compile(
    r"(?:^|\.)(?:detectMultiScale|face_locations|detect_faces|detectAllFaces"
    r"|FaceDetect\w*\(\)\.\w+|MTCNN\(\)\.\w+"
    r"|FaceDetectorYN\.create\(\)\.detect|RetinaFace\.\w+)(?:\(\))?$"
)
_BLURS = re.compile(r"(?:^|\.)(?:\w*[bB]lur|filter|pixelate|resize|extract)$")


def _is_face_blurred(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether part of a picture is made unreadable for each face in it."""
    loops = (conduct.facts(one).loops[number] for number in call.loops)
    if _SIZES.search(call.callee) and not _is_coarser(conduct, one, call):
        return False  # it is made as large as a model wants it
    return _BLURS.search(call.callee) is not None and any(
        has_name(conduct.expand(one, loop.asks, 1), _FINDS_FACES) for loop in loops
    )


_SIZES = re.compile(r"(?:^|\.)(?:resize|extract)$")
_FEW_PIXELS = 32.0


def _is_coarser(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a picture is left few pixels, or a part of those that it had, for people to see."""
    result = frozenset((f"x:{call.callee}", f"x:{call.callee}()"))
    if not result.isdisjoint(list_values(conduct).given.get(one, frozenset())):
        return False
    numbers = (float(tag[2:]) for tag in call.given if tag[:2] == "n:")
    return not call.given.isdisjoint(("op:/", "op://")) or any(
        1 < n <= _FEW_PIXELS for n in numbers
    )


_COARSE = re.compile(
    r"^(?:date_?of_?birth|dob|birth_?(?:date|day|year)|age|zip\w*|post_?(?:al_)?code|phone\w*"
    r"|iban|salary"
    r"|ip(?:_?addr(?:ess)?)?|lat(?:itude)?|lon(?:gitude)?)$",
    re.IGNORECASE,
)
"""What is said of somebody that says less if only a part of it is said."""
_PARTED = frozenset((CUT, "op://"))


def _iter_coarse(conduct: Conduct, one: Function) -> Iterator[int]:
    """The lines on which only a part of such a field goes on, if nothing beside it tells who."""
    pairs = conduct.facts(one).pairs
    if any(is_personal(tag) for pair in pairs if not pair.value & _PARTED for tag in pair.value):
        return
    for pair in pairs:
        if pair.value & _PARTED and any(
            _COARSE.match(t[2:]) for t in pair.value if t[:2] in _FIELDS
        ):
            yield pair.line


_FIELDS = ("a:", "k:")


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
    return (
        _KEYED_HASH.search(name) is not None
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
    return conduct.name(one, call.callee).startswith(
        ("hashlib.", "hmac.", "crypto.createHash")
    ) and any(
        PERSONAL_KEY.search(tag[2:])
        for tag in call.given - OF_THINGS
        if tag[:2] == "k:" and tag[2:] not in built
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
        _is_face_blurred,
        _is_stripped,
    ),
    *(_is_keyed_hash, _is_field_hashed),
)
"""By what is hidden on the way to a model."""


# Where a value goes.


_OF_LOGS = re.compile(r"^logging\.(?:\w+\.)*(?:Filter|Formatter|LoggerAdapter|Handler)$")


def _is_log_hook(conduct: Conduct, one: Function) -> bool:
    """Whether a log calls a function for each record that it writes."""
    owner = conduct.facts(one).owner
    return bool(owner) and any(map(_OF_LOGS.match, conduct.program.list_roots(one[0], owner)))


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
    for one in sorted(conduct.leading):
        for tags in _iter_put(conduct, one):
            found |= _list_all_behind(conduct, one, tags)
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
