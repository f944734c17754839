"""Behaviours that tell what a system is for: whom it decides on, and with whom it talks.

A class of risk follows from a purpose, and a purpose is found by all that stands around the call of
a model at once: what is asked, under which route, into which fields, by which names. No one word
tells it. A field is found if something of it, a second thing of it, and a decision meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.behaviours.personal_data import find_personal_data
from jurat.rating.behaviours.uses.compounds import (
    find_compounds,
    find_foretold,
    find_profiled,
)
from jurat.rating.behaviours.uses.talks import (
    find_phone_calls,
    find_talking_pages,
    find_talks,
    find_written_requests,
)
from jurat.rating.behaviours.uses.whole_practices import find_whole_practices
from jurat.rating.code.function_facts import CallFact, FunctionFacts
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function
from jurat.rating.program.stores import is_change
from jurat.rating.program.surroundings import Surroundings, is_small
from jurat.rating.signals.file_roles import Role
from jurat.rating.signals.recon_table import split_name
from jurat.rating.texts.fields import (
    BETWEEN,
    FIELDS,
    FieldWords,
    find_field_words,
    find_joint_words,
    has_field,
    is_steeped,
    join_field_words,
    list_agreed,
    list_steeped,
)
from jurat.rating.texts.parts import build_part
from jurat.rating.texts.terms import build_phrase_choices

_NAME = re.compile(r"[\w./:-]+")


def list_words(conduct: Conduct, one: Function) -> str:
    """All that a function says, one text in lower case."""
    return _list_words(conduct.facts(one), one[0], conduct.list_routes(one))


def _list_words(facts: FunctionFacts, path: str, routes: Iterable[str]) -> str:
    """All that a function says, one text: its texts, its names, its fields, its routes."""
    names = [facts.name, facts.owner, *facts.parameters, *(pair.key for pair in facts.pairs)]
    names += [write.place[2:] for write in facts.writes]
    names += [word for call in facts.calls for word in _list_named(call)]
    spelt = (split_name(name) for name in dict.fromkeys(names) if name)
    spoken = (name.replace("_", " ") for name in spelt if not _OF_RUNS.search(name))
    texts = (split_name(t).replace("_", " ") if _NAME.fullmatch(t) else t for t in facts.says)
    place = split_name(path).replace("_", " ")
    return BETWEEN.join((place, *spoken, *texts, *routes)).lower()


_OF_RUNS = re.compile(r"(?:^|_)(?:n|num|max|cron|background|parallel)_?jobs?$")
"""What a machine is given to do: nobody's employment."""


def _list_named(call: CallFact) -> Iterator[str]:
    yield call.callee.removesuffix("()").rpartition(".")[2]
    yield from (tag[2:] for tag in call.given if tag[:2] in ("a:", "p:", "k:"))


def find_purposes(conduct: Conduct, pages: str = "") -> Iterator[Sign]:
    """What a system is for, at the calls of models around which it shows; `pages` is what its
    pages say, in lower case.

    These classify and praise nothing, so that names may tell them and no attack is made on them.
    """
    words = cache(partial(list_words, conduct))

    @cache
    def tell(one: Function) -> FieldWords:
        return find_field_words(words(one))

    asked = sorted(conduct.inferring)
    surroundings = Surroundings(conduct)

    @cache
    def read_around(functions: frozenset[Function]) -> FieldWords:
        return find_joint_words([*map(words, functions)])

    for one in asked:
        near = {
            one,
            (one[0], 0),
            *conduct.program.edges.get(one, ()),
            *conduct.program.callers.get(one, ()),
        }
        found = join_field_words(map(tell, near))
        around = read_around(surroundings.find(one))
        line = next((c.line for c in conduct.facts(one).calls if conduct.infers(one, c)), 1)
        for name in FIELDS:
            # In a large program a client of all sorts of models is near everything.
            here = is_small(conduct) or found.list_said(name, "own")
            if has_field(found, name) or (here and is_steeped(around, name)):
                yield Sign(f"decided_{name}", one, line, frozenset({one}))
        known = any(conduct.is_known_to_infer(one, call) for call in conduct.facts(one).calls)
        yield Sign("model_asked" if known else "model_resembled", one, line, frozenset({one}))
    yield from find_compounds(conduct, words, surroundings)
    yield from find_foretold(conduct, words)
    yield from find_whole_practices(conduct, words)
    steeped = tuple(_find_steeped(conduct, pages))
    yield from steeped
    fields = frozenset(sign.behaviour.removeprefix("decided_") for sign in steeped)
    of_police = "law_enforcement" in fields
    yield from find_profiled(conduct, words, of_police=of_police)
    yield from find_talks(conduct)
    yield from find_phone_calls(conduct)
    yield from _find_published(conduct)
    requests = tuple(find_written_requests(conduct))
    yield from requests
    if asked or requests:
        yield from find_talking_pages(conduct)
    yield from _find_media(conduct)
    yield from _find_feelings(conduct, surroundings, fields)
    yield from find_personal_data(conduct)


def _find_steeped(conduct: Conduct, pages: str) -> Iterator[Sign]:
    """The fields that all of a small program is about, each at the function that says most of it.

    It need not be seen to ask a model: that may stand elsewhere, or the pages tell of it.
    """
    if not is_small(conduct):
        return
    stated = [
        (path, number)
        for path, facts in sorted(conduct.program.files.items())
        if conduct.roles.get(path) is Role.CODE
        for number in range(len(facts.functions))
    ]
    texts = {one: list_words(conduct, one) for one in stated}
    said = {one: find_field_words(text) for one, text in texts.items()}
    code, front = join_field_words(said.values()), find_field_words(pages)
    found = list_steeped(code, front) | list_agreed(" ; ".join(texts.values()), front)
    for name in filter(found.__contains__, FIELDS):
        ways = {one: len(said[one].list_said(name, "own")) for one in stated}
        # Best where a model is asked, if that says a word of it.
        at = max(stated, key=lambda one: (bool(ways[one]) and one in conduct.inferring, ways[one]))
        yield Sign(f"decided_{name}", at, conduct.facts(at).first or 1, frozenset({at}))


_PUBLISHED = build_part(
    r"publish\w*|articles?|news\w*|headlines?|blog\w*|bylines?|feeds?|rss|editors?|editorial|newsroom"
    r"|journalis\w*|press release\w*|readers?"
    rf"|{build_phrase_choices('publication')}",
    3,
)
"""What is said where texts go out to the public."""
_IN_WORDS = frozenset(("messages", "prompt", "contents", "input", "instructions", "system"))


def _find_published(conduct: Conduct) -> Iterator[Sign]:
    """A model is told in words to write, in a small program that is all about what it publishes."""
    if not is_small(conduct):
        return
    said = " ; ".join(list_words(conduct, one) for one in conduct.product)
    if not _PUBLISHED.is_said(said):
        return
    for one in sorted(conduct.inferring):
        for call in conduct.facts(one).calls:
            given = {*call.keywords, *(tag[2:] for tag in call.given if tag[:2] == "k:")}
            if conduct.infers(one, call) and given & _IN_WORDS:
                yield Sign("text_published", one, call.line, frozenset({one}))


_MEDIA = re.compile(
    r"^(?:image|audio|video)/(?:[\w.+*-]+)$|^(?:\w+[_-])?output_format$|^(?:png|jpe?g|webp|mp3|wav|mp4|ogg"
    r"|flac|webm)$|^data:(?:image|audio|video)/[\w+]+;base64,$|^b64_json$",
    re.IGNORECASE,
)
"""What is said of a picture, a sound or a film that is given out."""
_SHOWN_TO = frozenset(("image_url", "inline_data", "inlineData", "input_image", "input_audio"))
"""The fields in which a model is shown one."""
_TOLD_BY = frozenset(("prompt", "text", "script", "voice", "voice_id", "negative_prompt", "ssml"))


def _find_media(conduct: Conduct) -> Iterator[Sign]:
    """A model is told something in words, and gives a picture, a sound or a film."""
    for one in sorted(conduct.inferring):
        facts = conduct.facts(one)
        says = {*facts.says, *(pair.key for pair in facts.pairs)}
        if not any(map(_MEDIA.search, says)) or says & _SHOWN_TO:
            continue
        for call in facts.calls:
            given = {*call.keywords, *(t[2:] for t in call.given if t[:2] in ("k:", "t:"))}
            if conduct.infers(one, call) and given & _TOLD_BY:
                yield Sign("media_made", one, call.line, frozenset({one}))


_FEELINGS = build_part(
    r"angry|anger|happy|happiness|sad|sadness|fear|fearful|disgust\w*|surprised?|frustrat\w*|bored"
    r"|boredom|stress|stressed|nervous\w*|guilt|guilty|anxious|anxiety|calm|excite\w*|joy|confus\w*"
    r"|engaged|engagement|attentive|irritat\w*|enthusias\w*|contempt|valence|arousal|moods?"
    r"|emotions?|feelings?|smiles?|smiling",
    2,
)
_BODY = build_part(
    r"faces?|facial|videos?|webcams?|cameras?|frames?|canvas|audio|voices?|speech|wav|mic|microphone"
    r"|recordings?|pulse|posture|gaze|keystrokes?"
)
"""By what of a body a feeling is read off somebody: out of a text is no such thing."""


_SPEAKS = re.compile(r"\b(?:tts|text to speech|synthesi[sz]ers?|vocoders?|speakers?)\b")
_HEARS = re.compile(r"\b(?:stt|asr|transcri\w+|recogni\w+|classif\w+|detect\w*)\b")
"""What speaks with a feeling reads none, unless it hears somebody too."""


def _find_feelings(
    conduct: Conduct, surroundings: Surroundings, where: frozenset[str]
) -> Iterator[Sign]:
    """A model sees or hears somebody, and what is told of them around it are feelings.

    `where` are the fields that the program is in: whom it looks at works or learns there.
    """
    for one in sorted(conduct.inferring):
        said = list_words(conduct, one)
        if not _BODY.is_said(said) or (_SPEAKS.search(said) and not _HEARS.search(said)):
            continue
        near = " ; ".join(list_words(conduct, item) for item in surroundings.find(one, 1))
        if not (_FEELINGS.is_said(near) or _FELT.search(list_words(conduct, one))):
            continue
        line = next(c.line for c in conduct.facts(one).calls if conduct.infers(one, c))
        yield Sign("feelings_read", one, line, frozenset({one}))
        around = surroundings.find(one, 1)
        if where & _OF_WORK_OR_SCHOOL or any(_is_of_workers(conduct, item) for item in around):
            yield Sign("at_work_or_school", one, line, frozenset({one}))


_WORKER = re.compile(
    r"\b(?:employees?|workers?|agents?|drivers?|couriers?|packers?|pickers?|pupils?|students?|learners?|staff"
    r"|trainees?|candidates?|applicants?|badge)\b"
)
_OF_FEELINGS = re.compile(
    r"\b(?:emotions?|moods?|feelings?|feels?|felt|stress|engagement|smiles?)\b"
)
_OF_GUESTS = re.compile(
    r"\b(?:customers?|callers?|clients?|shoppers?|guests?|visitors?|patients?)\b"
)


def _is_of_workers(conduct: Conduct, one: Function) -> bool:
    """Whether what somebody feels is put or sent beside the word for one who works or learns."""
    for call in conduct.facts(one).calls:
        if conduct.infers(one, call) or not (is_change(call) or _SENDS.search(call.callee)):
            continue
        words = {*call.keywords, *(t[2:] for t in call.given if t[:2] in ("k:", "t:"))}
        said = " ; ".join(split_name(word).replace("_", " ") for word in words).lower()
        if _WORKER.search(said) and _OF_FEELINGS.search(said) and not _OF_GUESTS.search(said):
            return True
    return False


_SENDS = re.compile(r"(?:^|\.)(?:post|put|fetch|send|publish)$")
_FELT = re.compile(r"\b(?:emotions?|emotional|moods?|distress|feelings?)\b")
"""Of these one is enough, if it is said where a face or a voice goes to a model."""
_OF_WORK_OR_SCHOOL = frozenset(("employment", "education"))
