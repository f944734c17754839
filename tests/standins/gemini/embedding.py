"""What batchEmbedContents answers: texts that share words get vectors that are near each other.

https://ai.google.dev/api/embeddings
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from tests.standins.gemini.reactions import Reaction, failure

EMBEDDING_MODEL = "gemini-embedding-001"
MOST_TEXTS = 100
_FULL_SIZE = 3072
_KNOWN = {"model", "content", "taskType", "title", "outputDimensionality"}
_TASKS = {"RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT", "SEMANTIC_SIMILARITY"}


def embedded(model: str, body: object) -> Reaction:
    """The answer to a batch, or the refusal of one that the API would refuse."""
    requests = body.get("requests") if isinstance(body, Mapping) else None
    if not isinstance(requests, list) or not requests:
        return failure(400, "INVALID_ARGUMENT", "requests is not specified")
    if len(requests) > MOST_TEXTS:
        problem = f"at most {MOST_TEXTS} requests can be in one batch"
        return failure(400, "INVALID_ARGUMENT", problem)
    for request in requests:
        if problem := _problem(model, request):
            return failure(400, "INVALID_ARGUMENT", problem)
    return Reaction(
        {
            "embeddings": [
                {"values": vector(text_of(item), item.get("outputDimensionality", _FULL_SIZE))}
                for item in requests
            ]
        }
    )


def text_of(request: Mapping[str, Any]) -> str:
    """The text that one request of a batch wants embedded."""
    return "".join(part.get("text", "") for part in request["content"]["parts"])


def vector(text: str, size: int) -> list[float]:
    """Counts of words and marks, each at the place of its hash. Of any length, as the API's are."""
    values = [0.0] * size
    for word in re.findall(r"\w+|\S", text.lower()):
        digest = blake2b(word.encode(), digest_size=8).digest()
        values[int.from_bytes(digest, "big") % size] += 1.0
    return values


def _problem(model: str, request: object) -> str:
    if not isinstance(request, Mapping) or not request.get("content", {}).get("parts"):
        return "content is not specified"
    if unknown := sorted(set(request) - _KNOWN):
        return f'Invalid JSON payload received. Unknown name "{unknown[0]}"'
    if request.get("model") != f"models/{model}":
        return "the model of each request must be that of the batch"
    if request.get("taskType", "RETRIEVAL_QUERY") not in _TASKS:
        return f"invalid taskType {request['taskType']}"
    if not text_of(request).strip():
        return "content contains an empty Part"
    return ""
