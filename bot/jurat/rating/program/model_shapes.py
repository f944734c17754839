"""Calls that look like questions to a model, of libraries that nobody knows.

Only the form tells these: words to be answered with settings that nothing but a model that writes
has, orders to an assistant, a file of weights that something reads and is then asked by, numbers of
a file that are summed up and made a share of one. Where a program asks a model by name, that is the
model, and forms are not asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.signals.recon_table import split_name
from jurat.rating.texts.terms import list_terms

_SAID = frozenset(
    ("prompt", "prompts", "messages", "input", "inputs", "contents", "instructions", "instruction",
     "system", "question", "text", "query", "content", "user_prompt")
)  # fmt: skip
"""The fields in which somebody is told something in words."""
_ASKED = frozenset(("prompt", "prompts", "messages", "contents", "instructions", "system"))
"""Those of them in which hardly anybody but a model is."""
_WRITES = frozenset(
    ("max_tokens", "max_new_tokens", "max_output_tokens", "max_tokens_to_sample", "num_predict",
     "n_predict", "max_completion_tokens", "top_p", "stop_sequences", "frequency_penalty",
     "presence_penalty", "repetition_penalty", "do_sample", "guidance_scale", "negative_prompt",
     "num_inference_steps", "system_prompt", "system_instruction")
)  # fmt: skip
"""How something is to be written or drawn: only a model takes such."""
_CHOICE = "temperature"
"""How freely a model chooses, if it is told something; else a room's."""


_IN_ENGLISH = {
    word: name
    for name in ("model", "instructions", "messages", "text", "target_lang")
    for word in list_terms(f"request.{name}")
}
_TO_LANGUAGE = frozenset(("target_lang", "target_language", "to_lang", "to_language", "dest_lang"))


def _list_english(fields: Iterable[str]) -> frozenset[str]:
    """The words of fields, those in other languages in English."""
    spelt = (split_name(field) for field in fields)
    return frozenset(_IN_ENGLISH.get(word, word) for word in spelt)


def is_translated(fields: frozenset[str]) -> bool:
    """Whether what is sent is a text, and the language into which it is to be put."""
    spelt = _list_english(fields)
    return not spelt.isdisjoint(_SAID | {"q"}) and not spelt.isdisjoint(_TO_LANGUAGE)


def has_instructions(fields: frozenset[str]) -> bool:
    """Whether somebody is told what to do or to say."""
    return not _list_english(fields).isdisjoint(_ASKED)


def is_instructed(fields: frozenset[str]) -> bool:
    """Whether what is sent names a model, and tells it what to do."""
    return {"model", "instructions"} <= _list_english(fields)


def is_written_request(fields: frozenset[str]) -> bool:
    """Whether what is handed on tells somebody something, and how to write the answer."""
    spelt = _list_english(fields)
    if spelt & _SAID and spelt & _WRITES:
        return True
    if "model" in spelt:
        return not spelt.isdisjoint(("messages", "prompt", "prompts"))
    return _CHOICE in spelt and not spelt.isdisjoint(_ASKED)


def list_fields(call: CallFact) -> frozenset[str]:
    """The names under which a call is given things."""
    return frozenset(call.keywords) | {tag[2:] for tag in call.given if tag[:2] == "k:"}


_ORDERED = re.compile(
    r"\byou (?:are|act as) (?:an?|the|our) [^.\n]{0,80}\b(?:assistant|experts?|agent|tutor|analyst"
    r"|chatbot|bot|helper|reviewer|translator|recruiter|doctor|coach|teacher|advisor|adviser"
    r"|specialist|classifier|moderator|editor|writer|engineer|AI)\b",
    re.IGNORECASE,
)
_TOLD_UNDER = frozenset(
    ("system", "prompt", "instructions", "messages", "system_prompt", "persona", "preamble",
     "system_message", "system_instruction", "context", "role", "content")
)  # fmt: skip
_SPOKEN_TO = re.compile(
    r"(?:^|\.)(?:ask|say|chat|talk|complete|generate|answer|respond|reply|think|infer|query|invoke"
    r"|stream|prompt|instruct|converse|summari[sz]e|classify|extract|translate)\w*$",
    re.IGNORECASE,
)


def is_ordered(name: str, call: CallFact) -> bool:
    """Whether an assistant is told what it is, and asked."""
    texts = (tag[2:] for tag in call.given | call.receiver if tag[:2] == "t:")
    if not any(map(_ORDERED.search, texts)):
        return False
    spelt = {split_name(field) for field in list_fields(call)}
    return bool(spelt & _TOLD_UNDER) or _SPOKEN_TO.search(name) is not None


_WEIGHTS = re.compile(
    r"[\w)}\]-]\.(?:gguf|ggml|onnx|safetensors|tflite|caffemodel|mlmodel|keras|joblib|pth?)$"
)
"""A file that holds what a model has learnt, and nothing else."""
_KEPT_MODEL = re.compile(
    r"(?:^|[/_.-])(?:models?|weights?|classifiers?|clf|estimators?|regressors?|scorers?|predictors?"
    r"|checkpoints?)(?:[/_.-][^\n]*)?\.(?:pkl|pickle|joblib|h5|hdf5|npz|bin|sav)$",
    re.IGNORECASE,
)
"""One that holds anything, and is called so."""
_OF_TEXTS = re.compile(r"(?:^|/)(?:locales?|lang\w*|i18n|translations?)/", re.IGNORECASE)
"""Where a file that ends in `.pt` is in Portuguese."""
_MOVES = re.compile(
    r"^(?:builtins|os|shutil|pathlib|glob|hashlib|zipfile|tarfile|tempfile|json|re|urllib|requests|httpx"
    r"|aiohttp|axios|fs|node:fs|path|node:path|logging|boto3|argparse|click|pytest|console)\b"
)
"""What handles a file without a look at what it holds, or a setting."""


def is_read_from_weights(name: str, call: CallFact) -> bool:
    """Whether a library that is not known is handed a file of weights, to make something of it."""
    if not name or name[0] == "?" or _MOVES.match(name):
        return False
    return is_of_weights(call.given)


_FITTED = re.compile(r"^(?![?])([\w.@/-]+)\(\)\.fit$")
_FITTED_TO = 2
"""What is given, and what is to come of it."""


def find_fitted(name: str, call: CallFact) -> str:
    """What made the object of a library that is fitted here to examples with their outcome."""
    found = _FITTED.match(name)
    return found[1] if found and call.arguments >= _FITTED_TO else ""


def is_of_weights(tags: Tags) -> bool:
    """Whether something is a file of weights, by what it is called."""
    return any(map(_is_weights, (tag[2:] for tag in tags if tag[:2] == "t:")))


@lru_cache(maxsize=8_192)
def _is_weights(text: str) -> bool:
    found = _WEIGHTS.search(text) or _KEPT_MODEL.search(text)
    return found is not None and not _OF_TEXTS.search(text)


_NUMBERS = re.compile(
    r"(?:^|[/_.-])(?:weights?|coef\w*|models?|net|parameters|params)(?:[/_.-][\w./-]*)?\.(?:json|npz|npy|bin|csv)(?:$|\.\w)",
    re.IGNORECASE,
)
"""A file of numbers that were learnt."""
_SQUASHES = re.compile(r"^(?:[Mm]ath|numpy|np|cmath)\.(?:exp|expm1|tanh)$|\.expit$")


def is_of_numbers(call: CallFact) -> bool:
    """Whether something is done with a file of numbers that were learnt."""
    return any(tag[:2] in ("t:", "x:") and _NUMBERS.search(tag[2:]) for tag in call.given)


def is_squashing(name: str, facts: FunctionFacts) -> bool:
    """Whether a sum is made a share of one, as a model of one's own does at its end."""
    return facts.divides and _SQUASHES.search(name) is not None


_FRACTION = re.compile(r"n:-?\d*\.\d*[1-9]")
_LEAST_WEIGHTS = 3


def is_weighed_to_share(name: str, call: CallFact, facts: FunctionFacts) -> bool:
    """Whether weights that stand in the code are summed up with what comes in, and the sum is made
    a share of one, which is given back: a logistic model.
    """
    return (
        is_squashing(name, facts)
        and "op:*" in call.given
        and any(tag[:2] in ("p:", "k:", "a:", "h:") for tag in call.given)
        and sum(map(bool, map(_FRACTION.match, call.given))) >= _LEAST_WEIGHTS
        and {f"x:{call.callee}", "n:1", "op:/"} <= facts.returns
    )


_KEEPS_HOUSE = re.compile(
    r"(?:^|\.)(?:fit|close|dispose|free|release|to|cuda|cpu|eval|half|get_?\w*|set_?\w*|items|keys|values"
    r"|load\w*|save\w*|warm\w*|init\w*|config\w*|state_dict|exists|copy|add_?\w*|then|catch)$"
)


def is_asked_of_weights(name: str, made: frozenset[str]) -> bool:
    """Whether what was made of weights, or fitted, is asked something: one of `made` made it."""
    start = name.find("()")
    if start < 0 or name[:start] not in made:
        return False
    asked = name[start + 2 :].removesuffix("()")
    return not asked or not _KEEPS_HOUSE.search(asked)


_PUTS_BY = re.compile(
    r"^(?:builtins|json|yaml|toml|logging|structlog|loguru|pino|winston|console|sqlite3|psycopg2?|sqlalchemy"
    r"|pydantic|dataclasses|argparse|click|typer|zod|react|vue|@?prisma\b|mongoose|pytest|unittest)\b"
    r"|(?:^|\.)(?:execute\w*|insert\w*|save|dumps?|stringify|commit|info|debug|warning|error|log|print"
    r"|parse\w*|add_argument|option|field|objects\.\w+|useState|setState|format|render\w*|append|push"
    r"|update\w*|set\w*|post_?message|send_?(?:mail|email|sms))$",
    re.IGNORECASE,
)
"""What keeps, shows or forms what it is given, and answers nothing."""


def is_shaped_as_question(name: str, call: CallFact) -> bool:
    """Whether what a library is called with is put as a question to a model is.

    A library that takes it nobody knows, or something that was handed in.
    """
    if not name or _PUTS_BY.search(name):
        return False
    fields = list_fields(call)
    if fields >= _TURN and "t:system" in call.given:
        return True
    return is_written_request(fields) or is_ordered(name, call)


_TURN = frozenset(("role", "content"))
