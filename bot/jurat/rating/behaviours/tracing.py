"""A behaviour by which a library follows an inference, and not only requests."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.tied import has_values
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.surroundings import is_small
from jurat.rating.signals.evidence import SignalEvidence

_FOLLOWS = re.compile(
    r"^(?:opentelemetry|@opentelemetry/|logfire|ddtrace|dd-trace|sentry_sdk|@sentry/|mlflow|wandb)"
)
_OPENS = re.compile(
    r"(?:^|\.)(?:start_as_current_span|start_span|startSpan|startActiveSpan|start_transaction|trace"
    r"|wrap|span|traced|start_observation)(?:\(\))?$"
)
_TAKES = re.compile(
    r"(?:openai|anthropic|langchain|llama_?index|bedrock|mistral\w*|cohere|litellm|gen_?ai|gemini"
    r"|vertex\w*|groq|ollama|crewai|dspy|pydantic_ai|transformers|haystack|agents)(?:_?v2)?"
    r"_?(?:instrument(?:or|ation)?\b|\.autolog$)|instrument_(?:openai|anthropic|litellm|pydantic_ai"
    r"|google_genai|openai_agents|mcp)\w*$",
    re.IGNORECASE,
)
"""What takes a model's client, or a framework of agents, and traces all that it does."""


@register_behaviour("traced_inference")
def find_traced_inferences(conduct: Conduct) -> Iterator[Sign]:
    """A span stands on the path that leads to a model, or the client of models is traced.

    What exports spans, or traces requests, says nothing of an inference by itself.
    """
    for one, call, name in conduct.iter_calls(conduct.subjects):
        if _TAKES.search(name.removesuffix("()").removesuffix(".instrument")):
            yield Sign("traced_inference", one, call.line, frozenset({one}))
    for one in sorted(conduct.leading & set(conduct.subjects)):
        facts = conduct.facts(one)
        for call in (*facts.marks, *facts.calls):
            name = conduct.name(one, call.callee)
            if _FOLLOWS.match(name) and _OPENS.search(name):
                yield Sign("traced_inference", one, call.line, frozenset({one}))


def is_followed_always(conduct: Conduct, evidence: SignalEvidence) -> bool:
    """Whether a library for tracing follows what has something of an inference, and always does."""
    path, module = evidence.path, evidence.said.replace("/", ".").removeprefix("@")
    head = module.partition(".")[0]
    return is_small(conduct) or any(
        not call.guards
        and has_values(conduct, (path, number))
        and re.split(r"[./(]", conduct.name((path, number), call.callee).removeprefix("@"))[0]
        == head
        for number, function in enumerate(conduct.program.files[path].functions)
        for call in (*function.calls, *function.marks)
    )
