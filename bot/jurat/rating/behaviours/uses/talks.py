"""With whom a system talks: what somebody says goes to a model, and its own words go back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.code.function_facts import CallFact, FileFacts, PairFact
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.model_shapes import has_instructions, list_fields
from jurat.rating.program.program_names import Function
from jurat.rating.program.stores import get_last, is_given
from jurat.rating.signals.recon_table import split_name
from jurat.rating.texts.terms import build_name_choices, build_phrase_choices

_TALK_ROUTE = re.compile(r"\b(?:chat\w*|messages?|conversations?|assistant|ask|questions?|talk)\b")
_TALK_PROMPT = re.compile(
    r"\byou (?:are|answer|help|assist|greet|reply|advise|guide|support|talk|speak|chat|call)\b"
    r"[^.]{0,80}\b(?:customers?|patients?|users?|visitors?|tenants?|people|clients?|guests?"
    r"|citizens"
    r"|callers?|members|pupils|students|children|shoppers?|passengers|players|readers|assistant"
    r"|chatbot|agent|receptionist|concierge)\b",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?:session|conversation|thread|chat|visitor|guest|turns?|history|messages?|question|frage"
    r"|say|said|reply|advise|advice|assistant|bot|talk|dialog(?:ue)?|concierge|companion|coach|tell"
    r"|speak|utterance|nachricht|vraag|melding)\b"
)
"""Something of a talk, in what a function is called by or takes."""
_SPOKEN = frozenset(
    ("messages", "prompt", "input", "contents", "system", "content", "instructions")
)
"""The fields in which a model is told something in words."""
_FORMS = frozenset(
    ("response_format", "responseFormat", "schema", "response_schema", "responseSchema",
     "output_type", "text_format", "response_model", "output_schema", "format")
)  # fmt: skip
"""The fields that make a model answer in a form, which programs read."""
_READS = frozenset(
    ("loads", "float", "int", "number", "parseint", "parsefloat", "model_validate", "parse_obj",
     "model_validate_json", "safeparse", "parse", "literal_eval", "fullmatch", "match", "search")
)  # fmt: skip
"""What reads a form, a number or a word out of an answer."""
_HANDS_BACK = frozenset(
    ("json", "send", "write", "end", "text", "body", "reply", "html", "jsonify", "send_text",
     "streamingresponse", "eventsourceresponse", "response", "jsonresponse", "send_json", "emit",
     "render", "render_template", "send_message", "answer", "say", "enqueue", "print", "echo")
)  # fmt: skip


def find_talks(conduct: Conduct) -> Iterator[Sign]:
    """What a person says goes to a model at a call from outside, and its answer back."""
    for one in sorted(conduct.handlers & conduct.leading):
        facts = conduct.facts(one)
        if not any(is_given(call.given | call.receiver) for call in facts.calls):
            continue
        inferring = conduct.program.walk([one], 2) & conduct.inferring
        # A command is often called as its function is.
        named = (*conduct.list_routes(one), facts.name)
        routes = " ".join(split_name(r).replace("_", " ") for r in named)
        says = {
            text for item in (one, (one[0], 0), *inferring) for text in conduct.facts(item).says
        }
        worded = _TALK_ROUTE.search(routes) or any(map(_TALK_PROMPT.search, says))
        if worded or (
            _is_of_turns(conduct, one, inferring) and _has_own_words(conduct, one, inferring)
        ):
            yield Sign("talked_with", one, facts.first or 1, frozenset({one}))


def _is_of_turns(conduct: Conduct, one: Function, askers: Iterable[Function]) -> bool:
    """Whether something of a talk shows in what is called, and in what is taken or kept."""
    facts = conduct.facts(one)
    named = [*conduct.list_routes(one), facts.name]
    for item in (one, *askers):
        there = conduct.facts(item)
        named += there.parameters
        named += [tag[2:] for call in there.calls for tag in call.given if tag[:2] in ("a:", "k:")]
    return any(_TURN.search(split_name(name).replace("_", " ")) for name in set(named))


def _has_own_words(conduct: Conduct, one: Function, askers: Iterable[Function]) -> bool:
    """Whether a model's own words, and not what is read out of them, go back to who asked."""
    facts = conduct.facts(one)
    handed = [c.given for c in facts.calls if get_last(c) in _HANDS_BACK]
    back = frozenset().union(
        *(conduct.expand(one, tags) for tags in (facts.returns, *handed) if tags)
    )
    return any(
        f"x:{call.callee}" in back and _is_in_words(conduct, one, item, call)
        for item in {one, *askers}
        for call in conduct.facts(item).calls
        if conduct.infers(item, call)
    )


def _is_in_words(conduct: Conduct, one: Function, asker: Function, asked: CallFact) -> bool:
    """Whether a model is told something in words, and nothing reads its answer as a form."""
    said = {*asked.keywords, *(tag[2:] for tag in asked.given if tag[:2] == "k:")}
    if not said & _SPOKEN or said & _FORMS:
        return False
    answer = f"x:{asked.callee}"
    return not any(
        answer in call.given and get_last(call) in _READS
        for item in (one, asker)
        for call in conduct.facts(item).calls
    )


_PHONE = re.compile(
    rf"(?:^|_)(?:phone|telephone|mobile|dial|msisdn|to_number|{build_name_choices('phone')})(?:_|$)"
)
_CALLED = re.compile(
    rf"\b(?:calls?|calling|dial\w*|voice|realtime|{build_phrase_choices('phone_call')})\b"
)


def find_phone_calls(conduct: Conduct) -> Iterator[Sign]:
    """A model is told what to say, and whom to call: it talks with whoever answers."""
    for one in sorted(conduct.inferring):
        for call in conduct.facts(one).calls:
            if not conduct.infers(one, call) or not has_instructions(list_fields(call)):
                continue
            texts = (tag[2:].lower() for tag in call.given if tag[:2] == "t:")
            spoken = any(_CALLED.search(re.sub(r"[/_-]", " ", text)) for text in texts)
            called = any(
                _PHONE.search(split_name(tag[2:])) for tag in call.given if tag[:2] in _NAMED
            )
            if spoken and called:
                yield Sign("talked_with", one, call.line, frozenset({one}))


_NAMED = frozenset(("k:", "p:", "a:"))


_PERSON_SPEAKS = frozenset(("user", "human", "User", "USER"))
_MACHINE_SPEAKS = frozenset(
    ("assistant", "bot", "ai", "model", "agent", "Assistant", "AI", "ASSISTANT")
)
"""By what a program tells the turns of a talk apart."""
_TALKS = re.compile(r"^(?:ai/|@ai-sdk/|@assistant-ui/|@copilotkit/)")
"""Libraries of pages that talk with a model."""
_PAGE = re.compile(r"\.(?:[jt]sx|vue|svelte)$")


def is_of_talk(facts: FileFacts) -> bool:
    """Whether a file tells apart who speaks in a talk, or takes a library for talks."""
    said = frozenset[str]().union(*(one.says for one in facts.functions))
    speaks = not (said.isdisjoint(_PERSON_SPEAKS) or said.isdisjoint(_MACHINE_SPEAKS))
    return speaks or any(_TALKS.match(name) for _, name in facts.imported)


def find_talking_pages(conduct: Conduct) -> Iterator[Sign]:
    """A page shows the turns of a talk: whoever sees it talks, wherever the model is asked."""
    program = conduct.program
    talking = {path for path, facts in program.files.items() if is_of_talk(facts)}
    for path in sorted(filter(_PAGE.search, program.live_files)):
        if path in talking or not talking.isdisjoint(program.list_imported(path)):
            yield Sign("talked_with", (path, 0), 1, frozenset({(path, 0)}))


_REQUEST = frozenset(("model", "messages"))
_ASKED_HOW = frozenset(("temperature", "stream", "max_tokens", "top_p", "frequency_penalty"))


def find_written_requests(conduct: Conduct) -> Iterator[Sign]:
    """What a model is asked is put together, and sent by somebody else, or under another name."""
    for one in sorted(set(conduct.product) - conduct.inferring):
        lines = {pair.key: pair.line for pair in conduct.facts(one).pairs}
        if lines.keys() >= _REQUEST and not _ASKED_HOW.isdisjoint(lines):
            yield Sign("model_asked", one, lines["messages"], frozenset({one}))


_SPEAKER = frozenset(("role", "from", "sender", "author", "speaker"))
_PERSON = frozenset(("t:user", "t:human", "t:customer", "t:person"))
_WORDS = frozenset(("content", "value", "text", "message", "parts"))


def list_made_turns(facts: FileFacts) -> Iterator[tuple[int, int]]:
    """The lines of each turn of the talks that a file holds ready, with what a person says in them.

    A greeting alone is shown to whoever comes. A talk in which the person's words are fixed as well
    is an example for a model, or a demonstration.
    """
    for function in facts.functions:
        turns = tuple(_iter_turns(function.pairs))
        if any(by & _PERSON for _, _, by in turns):
            yield from ((first, last) for first, last, _ in turns)


def _iter_turns(pairs: tuple[PairFact, ...]) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Each turn of fixed words: its first and last line, and who speaks."""
    for number, (role, words) in enumerate(pairwise(pairs)):
        if role.key not in _SPEAKER or words.key not in _WORDS or not words.constant:
            continue
        after = pairs[number + 2].line if number + 2 < len(pairs) else 0
        yield role.line, max(after - 1, words.line), role.value
