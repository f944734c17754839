"""Which calls ask a model: by the library, by where a request goes, by what it says, by its answer.

Much of what a product asks stands elsewhere: behind an address of the house, or in a module that is
not in the repository. Then the form of the question tells, or what is done with the answer.
"""

from __future__ import annotations

import re
from functools import lru_cache

from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.program.learning_libraries import is_asked_of_learner
from jurat.rating.program.model_shapes import is_instructed, is_written_request
from jurat.rating.signals.recon_table import split_name

_MODEL = re.compile(
    r"(?:chat\.completions\.(?:create|parse|stream)|responses\.(?:create|parse)|messages\.(?:create"
    r"|stream)|(?:^|\.)generate_content(?:_async|_stream)?|generateContent|generateText|streamText"
    r"|generateObject|streamObject|predict(?:_proba|_log_proba)?|decision_function"
    r"|a?completion|images\.(?:generate|edit)|(?:^|\.)Runner\.run\w*|embeddings\.create"
    r"|pipeline\(\)|from_pretrained\(\)(?:\.generate)?|(?:ollama|Client\(\))\.(?:chat|generate)"
    r"|invoke_?[mM]odel\w*|converse|InferenceClient\(\)\.\w+|\.kickoff|chat\.complete(?:_async|_stream)?|text_to_speech"
    r"|text_generation|classify_image|compare_faces|face_encodings|DeepFace\.\w+|detect_emotions"
    r"|detect_faces|\(\)\.transcribe|whisper\.transcribe|FaceAnalysis\(\)\.get|\.infer|InferenceSession\(\)\.run|^ai\.embed(?:Many)?|(?:^|\.)AI\.run|[cC]lassifier(?:\(\))?\.(?:classify"
    r"|getClassifications))$"
)
CHAIN = re.compile(r"\.(?:a?invoke|a?stream|run|arun|kickoff|a?predict|generate|a?call)$")
_AGENTS = re.compile(
    r"^(?:langchain|langgraph|crewai|autogen|agents|pydantic_ai|llama_index|smolagents|haystack"
    r"|dspy|semantic_kernel|google\.adk|transformers|diffusers|vllm|torch|keras|tensorflow|sklearn"
    r"|xgboost|lightgbm|joblib|pickle|onnxruntime|@langchain|@openai/agents|ai\b|spacy|stanza|flair"
    r"|@tensorflow|@xenova|@huggingface|brain\.js|natural\b|paddleocr|easyocr)"
)
_VENDORS = re.compile(
    r"^(?:openai|anthropic|@anthropic-ai/\w+|cohere|cohere-ai|mistralai|@mistralai/\w+|groq|groq-sdk"
    r"|together|together-ai|replicate|fal_client|@fal-ai/[\w-]+|elevenlabs|@elevenlabs/[\w-]+|assemblyai"
    r"|deepgram|@deepgram/sdk|hume|cartesia|runwayml|lumaai|ai21|voyageai|ollama|litellm"
    r"|google\.(?:genai|generativeai)|@google/(?:genai|generative-ai)|vertexai|@google-cloud/vertexai"
    r"|huggingface_hub\.\w*InferenceClient|@huggingface/inference|azure\.(?:ai|cognitiveservices)\.[\w.]+"
    r"|@azure(?:-rest)?/(?:ai|openai|cognitiveservices)-?[\w-]*|aleph_alpha_client|xai_sdk|zhipuai|dashscope"
    r"|google\.cloud\.(?:vision|speech|texttospeech|language|aiplatform|documentai|automl|translate)\w*"
    r"|@google-cloud/(?:vision|speech|text-to-speech|language|aiplatform|documentai|translate))\b"
)
"""Whose clients answer by a model, whatever is called on them."""
_ADMINISTERS = re.compile(
    r"\.(?:files|models|batches|fine_?tun\w+|vector_?[sS]tores|moderations|uploads|voices|usage|\w*[jJ]obs)\."
    r"|\.(?:list\w*|retrieve|delete\w*|upload\w*|close|get_?\w*|with_\w+|withOptions|pull|show|on|connect"
    r"|init\w*|config\w*|set_\w+|catch|then|finally|\w*cost\w*|token_counter|count_?tokens|supports_\w+)$"
)
"""What is called on them to keep house."""
_PLATFORM = re.compile(
    r"(?:^|\.)(?:invoke_?endpoint\w*|invoke_?agent|detect_?(?:sentiment|entities|labels|text|pii_entities"
    r"|custom_labels)|analyze_?document|start_?transcription_?job|get_?(?:recommendations|event_prediction"
    r"|personalized_ranking)|classify_?document|synthesize_?speech|recogni[sz]e_?celebrities"
    r"|search_?faces\w*|index_?faces)$",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:ML\.(?:PREDICT|GENERATE_\w+|FORECAST)|AI\.(?:GENERATE\w*|CLASSIFY|SCORE)|SNOWFLAKE\.CORTEX\.\w+"
    r"|pgml\.(?:predict|transform|embed)\w*|ai_query|ai\.openai_\w+)\s*\(",
    re.IGNORECASE,
)
"""How a database is told to ask a model."""
_MODEL_ADDRESS = re.compile(
    r"api\.openai\.com|api\.anthropic\.com|/v1/(?:chat|messages|completions|responses)"
    r"|generativelanguage|/api/(?:generate|chat)\b|:11434|inference|/predict\b"
    r"|huggingface\.co/models|/ai/run/"
)
_MODEL_HOST = re.compile(
    r"(?:^|[/.])(?:api\.(?:openai|anthropic|mistral|cohere|groq|together|elevenlabs|stability"
    r"|replicate"
    r"|deepseek|fireworks|perplexity|deepgram|assemblyai|hume|heygen|d-id|sync)\.(?:com|ai|io|xyz"
    r"|so)"
    r"|generativelanguage\.googleapis|[\w-]*\.openai\.azure|api-inference\.huggingface"
    r"|bedrock-runtime"
    r"|openrouter\.ai|fal\.run|[\w-]*aiplatform\.googleapis)"
)
_MODEL_PATH = re.compile(
    r"/(?:v\d/)?(?:chat/completions|text-to-(?:speech|image|video)|images/generations|embeddings"
    r"|infer"
    r"|invocations|score|predictions?|classify)\b|lip-?sync|(?:face|speech|voice)-?emotion"
    r"|live-portrait"
)
_MODEL_SETTING = re.compile(
    r"(?:^|_)(?:MODEL|LLM|HF|HUGGING_?FACE|INFERENCE|OLLAMA|VLLM|TGI|TRITON|SAGEMAKER|BEDROCK"
    r"|OPENAI"
    r"|SCORING|SCORER|CLASSIFIER|PREDICTOR)_(?:\w+_)?(?:URL|URI|ENDPOINT|HOST|BASE|ADDRESS|SERVER)$"
)
"""Under such a name settings keep where a model answers."""
_MODEL_SERVER = re.compile(
    r"//(?:[\w-]+\.)*(?:models?|llms?|inference|predict(?:or|ion)?s?|scorer|classifier)"
    r"(?!-?(?:registry|store|hub|catalog))(?:-[\w-]+)?(?:\.[\w.-]+)?(?::\d+)?(?:/|$)"
)
"""A host of the house that is called what stands there."""
_GETS = re.compile(r"^(?:requests|httpx|axios|aiohttp|got|ky|superagent|urllib3)\b.*\.(?:get|put)$")
"""Asks over HTTP with nothing but an address, or puts something there."""
SENDS = frozenset(("post", "request", "fetch", "axios", "urlopen", "send", "urlfetch", "got"))

_SPOKEN = (frozenset(("k:role", "k:content")), frozenset(("t:system", "t:user", "t:assistant")))
"""Turns of a talk, by whom each: no library but those of models takes such."""
_TALKS = re.compile(
    r"(?:^|\.)(?:a?chat\w*|a?complet\w*|generate\w*|a?invoke|stream\w*|ask\w*|respond|answer\w*|infer\w*"
    r"|llm\w*|call_?model|prompt\w*|send_?messages?|reply\w*)$",
    re.IGNORECASE,
)
_ABSENT = re.compile(
    r"(?:^|[./_])(?:onnx|models?|llms?|gpt|mistral|claude|gemini|openai|anthropic|ollama|embed\w*"
    r"|vision|faces?|scorer|classifier|predictor|estimator|inference|heygen|whisper|speech|ocr"
    r"|ranker|detector|recogni[sz]er|matcher|diffusion|transformer)(?:[./_()]|$)",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"(?:^|\.)(?:predict\w*|classify\w*|score\w*|infer\w*|embed\w*|detect\w*|recogni[sz]e\w*"
    r"|compare\w*|match\w*|complete\w*|chat\w*|generate\w*|rank\w*|estimate\w*|suggest\w*"
    r"|transcribe\w*|synthesi[sz]e\w*|ask\w*|call|run|forward|encode\w*|analy[sz]e\w*|age\w*"
    r"|heygen|summari[sz]e\w*|translate\w*|segment\w*|label\w*)$",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    r"^(?:\w*_)?(?:scores?|fit|prob\w*|risk|factor|confidence|likelihood|labels?|predictions?|logits"
    r"|contributions|embeddings?|probabilit\w+|completion|rating|class(?:es)?|forecasts?|estimates?|estimated"
    r"|propensity|uplift|similarit(?:y|ies)|urgency|severity|sentiment|emotions?|suitability|acuity|ranking"
    r"|recommendations?|anomal(?:y|ies)|transcript)$",
    re.IGNORECASE,
)
"""Fields of an answer that only what estimates gives."""


_MODERATES = re.compile(r"\.moderations\.create$")


def is_moderation(name: str) -> bool:
    """Whether a vendor's model is asked whether something may be shown.

    It guards another model's answers, unless it is all that a program asks: then it decides.
    """
    return _MODERATES.search(name) is not None and _VENDORS.search(name) is not None


def is_spoken_to(name: str, call: CallFact) -> bool:
    """Whether a call hands on turns of a talk to be answered, and does not only put them by."""
    fields, speakers = _SPOKEN
    return fields <= call.given and bool(speakers & call.given) and bool(_TALKS.search(name))


_LEAST_WEIGHED = 2
"""Things that are weighed against one another: of one alone nothing is decided."""


def is_reckoning(facts: FunctionFacts) -> bool:
    """Whether a function weighs things with numbers, or tells a number that it was sent."""
    stated = (
        facts.returns,
        *(write.value for write in facts.writes),
        *(pair.value for pair in facts.pairs),
    )
    # What is multiplied by a number that somebody else was asked for is put into other units.
    fetched = {
        f"x:{call.callee}"
        for call in facts.calls
        if _is_fetched(call) and any("://" in tag for tag in call.given)
    }
    return any(
        "op:*" in tags
        and sum(tag[:2] in ("a:", "k:") for tag in tags) >= _LEAST_WEIGHED
        and (
            (bool(tags & {"op:+", "op:-"}) and tags.isdisjoint(fetched))
            or sum(tag[:2] == "n:" and tag[2:] not in ("0", "1") for tag in tags) >= _LEAST_WEIGHED
        )
        for tags in stated
    ) or any(
        _is_fetched(call)
        and any(f"x:{call.callee}" in guard.asks and guard.asks & _BOUNDS for guard in facts.guards)
        for call in facts.calls
    )


_FETCHED = re.compile(r"(?:^|\.)(?:get|post|fetch|request)$")
_KEY = re.compile(r"t:[\w-]+")


def _is_fetched(call: CallFact) -> bool:
    """Whether somebody is asked over HTTP, by an address, and not a mapping for a key."""
    texts = [tag for tag in call.given if tag[:2] == "t:"]
    named = any(map(_KEY.fullmatch, texts)) and not any("/" in tag for tag in texts)
    return _FETCHED.search(call.callee) is not None and not named


_BOUNDS = frozenset(("op:<", "op:>", "op:<=", "op:>="))


_HANDED_IN = re.compile(
    r"^\?\.(?:detector|classifier|predictor|scorer|embedder|recogni[sz]er|estimator|ranker|transcriber)$"
)
"""What an object was made with, and is called by itself."""


def is_handed_model(name: str, call: CallFact) -> bool:
    """Whether a model is called that an object was made with, as a function."""
    return bool(call.arguments) and _HANDED_IN.match(name) is not None


_PIPED = re.compile(
    r"^(?:@?langchain[\w/-]*)\S*\.(?:Chat\w+|\w*LLM|OpenAI|Ollama|Bedrock\w*|Hugging[Ff]ace\w+"
    r"|init_chat_model|initChatModel)\b"
)
"""A model that stands in a chain."""


def is_piped(name: str, call: CallFact) -> bool:
    """Whether a chain is run in which a model stands, one behind the other: `prompt | model`."""
    return (
        "op:|" in call.receiver
        and CHAIN.search(name) is not None
        and any(tag[:2] == "x:" and _PIPED.match(tag[2:]) for tag in call.receiver)
    )


def is_absent_model(name: str) -> bool:
    """Whether what is called stands in a module that is not here, and is one of a model."""
    where, _, last = name.removesuffix("()").rpartition(".")
    if not where or last[:1].isupper():
        return False
    if _LOADED.search(where) and not _ESTIMATES.isdisjoint(split_name(last).split("_")):
        return True
    if not _ABSENT.search(where):
        return False
    of_one = _MODULE.search(_ENDING.sub("", _MADE_OF.sub("", where))) is not None
    return (of_one and not _SETS_UP.match(last)) or _ANSWERS.search(last) is not None


_MADE_MODEL = re.compile(
    r"(?:^|\.)(?:load|build|make|create|get)_?\w*(?:model|net|network|classifier)\w*\(\)$",
    re.IGNORECASE,
)
"""A model that something made, called as a function."""
_LOADED = re.compile(r"\.(?:load\w*|from_\w+|restore|open)\(\)$")
"""An object that was read from where it is kept."""
_ESTIMATES = frozenset(
    ("predict", "infer", "classify", "score", "scores", "probability", "likelihood", "estimate",
     "forecast", "rank", "embed", "proba")
)  # fmt: skip
_MADE_OF = re.compile(r"\.[A-Z]\w*\(\)$")
"""An object of a class, behind the module that has it."""
_ENDING = re.compile(r"\.[cm]?[jt]sx?$")
_MODULE = re.compile(
    r"(?:^|[./])(?:model|scorer|classifier|predictor|estimator|ranker|detector|llm|embed\w*|inference)$"
)
_SETS_UP = re.compile(
    r"(?:load|version|candidate|promote|init|create|config|path|name|close|connect|get|set|warm|is|has"
    r"|previous|current|save|train|fit|register|[A-Z])",
)
"""What makes a model ready, or tells of it, and asks it nothing."""


def is_answered_with_estimate(facts: FunctionFacts, call: CallFact) -> bool:
    """Whether an estimate is read out of what a request is answered with."""
    asked = f"x:{call.callee}"
    stated = (
        *(facts.returns, *(guard.asks for guard in facts.guards)),
        *(write.value for write in facts.writes),
        *(other.given for other in facts.calls),
    )
    own = {tag[2:] for tag in call.given if tag[:2] in ("k:", "a:")}
    return any(
        tag[2:] not in own and _JUDGED.match(tag[2:])
        for tags in stated
        if asked in tags
        for tag in tags
        if tag[:2] in ("k:", "a:")
    )


def is_stated_to_model(call: CallFact) -> bool:
    """Whether a database is told to ask a model."""
    return "(" in call.first and _STATED.search(call.first) is not None


def is_got(name: str) -> bool:
    """Whether what has a foreign name asks over HTTP by an address alone."""
    return name.endswith(("get", "put")) and _GETS.match(name) is not None


def is_model_server(tags: Tags) -> bool:
    """Whether the tags tell a host that is called a model's."""
    return any(tag[:2] == "t:" and _MODEL_SERVER.search(tag) is not None for tag in tags)


def is_model_address(tags: Tags) -> bool:
    """Whether the tags tell where a model answers, by its address or its setting's name."""
    return any(
        (tag[:2] == "t:" and any(one.search(tag[2:]) for one in _ADDRESSES))
        or (tag[:2] in ("t:", "a:", "s:") and _MODEL_SETTING.search(tag[2:]) is not None)
        for tag in tags
    )


def is_model_request(tags: Tags) -> bool:
    """Whether what is sent has the fields by which models are asked, wherever it goes."""
    if any(fields <= tags for fields in _REQUESTS):
        return True
    fields = frozenset(tag[2:] for tag in tags if tag[:2] == "k:")
    if {"model", "input"} <= fields <= _EMBEDS:
        return True
    return (is_written_request(fields) or is_instructed(fields)) or (
        bool(fields & _WORDS) and any(tag[:2] == "t:" and _ANSWERED.search(tag) for tag in tags)
    )


_EMBEDS = frozenset(
    ("model", "input", "encoding_format", "dimensions", "user", "voice", "response_format",
     "format", "Authorization", "Content-Type", "method", "headers", "body", "Accept")
)  # fmt: skip
"""What goes along where a model is to read a text aloud, or to place it."""
_WORDS = frozenset(("prompt", "messages", "inputs", "question"))
_ANSWERED = re.compile(r"/(?:generate|complete|completions?|chat|ask|infer|answer)(?:[/?]|$)")
"""Where words are sent to be answered."""


_REQUESTS = tuple(
    frozenset(f"k:{field}" for field in fields)
    for fields in (
        *(("model", "messages"), ("model", "prompt"), ("modelId", "messages")),
        *(("instances",), ("inputs", "parameters"), ("contents", "generationConfig")),
        *(("prompt", "stream"), ("model", "input", "instructions")),
    )
)
_ADDRESSES = (_MODEL_ADDRESS, _MODEL_HOST, _MODEL_PATH, _MODEL_SERVER)


_STARTS = re.compile(
    r"^(?:subprocess\.\w+|os\.(?:system|popen)|asyncio\.create_subprocess_\w+|(?:node:)?child_process\.\w+"
    r"|execa|zx\.\$)$"
)
"""What starts another program."""
_MODEL_PROGRAM = re.compile(
    r"^(?:t:)(?:ollama|llama-cli|llamafile|whisper(?:-cli|-cpp)?|mlx_lm\.generate)(?: |$)"
)


@lru_cache(maxsize=65_536)
def is_process_start(name: str) -> bool:
    """Whether what has a foreign name starts another program."""
    return _STARTS.match(name) is not None


def is_model_start(call: CallFact) -> bool:
    """Whether the program that a call starts is one by which a model is asked."""
    return any(map(_MODEL_PROGRAM.match, call.given))


_LAYER = re.compile(r"(?:^|\.)keras\.(?:\w+\.)*layers\.\w+\(\)$")


def _is_of_vendor(name: str) -> bool:
    """Whether something is asked of an object that stands for a vendor's models."""
    vendor = _VENDORS.match(name)
    asked = name[vendor.end() :] if vendor else ""
    last = asked.rpartition(".")[2]
    return "." in asked and last[:1].islower() and not _ADMINISTERS.search(f".{asked}")


def is_of_models(name: str) -> bool:
    """Whether what has a foreign name is of a client of a vendor of models."""
    return _VENDORS.match(name) is not None


@lru_cache(maxsize=65_536)
def can_ask(name: str) -> bool:
    """Whether what has a foreign name may ask a model, by what it is handed or called on.

    It is True of whatever `is_spoken_to`, `is_piped`, `is_handed_model` or `is_moderation` is.
    """
    asks = (_TALKS.search, CHAIN.search, _HANDED_IN.match, _MODERATES.search)
    return any(ask(name) is not None for ask in asks)


@lru_cache(maxsize=65_536)
def tell_inference(name: str) -> bool | None:
    """Whether what has a foreign name asks a model; None if that depends on what is handed in."""
    if not name:
        return False
    if _MADE_MODEL.search(name) or _PLATFORM.search(name) or _is_of_vendor(name):
        return True
    if _MODEL.search(name) or (CHAIN.search(name) and _AGENTS.search(name)):
        return True
    if is_asked_of_learner(name):
        return True
    if name.rpartition(".")[2] in SENDS or is_got(name):
        return None
    # A model is called like a function: `model(inputs)`. So is a layer, where a model is built.
    return name.endswith("()") and _AGENTS.search(name) is not None and not _LAYER.search(name)
