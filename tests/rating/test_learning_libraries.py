"""What a library of learning made answers by a model, whatever is asked of it."""

from __future__ import annotations

import pytest

from jurat.rating.program.learning_libraries import is_asked_of_learner
from tests.support.rating import rate_document


@pytest.mark.parametrize(
    "name",
    [
        "sentence_transformers.SentenceTransformer().encode",
        "speechbrain.inference.interfaces.foreign_class().classify_file",
        "face-api.js.detectSingleFace",
        "@vladmandic/face-api.detectAllFaces",
        "implicit.cpu.als.AlternatingLeastSquares.load().recommend",
        "langchain_community.vectorstores.PGVector().similarity_search_with_score",
        "sklearn.metrics.pairwise.cosine_similarity",
        "sklearn.neighbors.NearestNeighbors().kneighbors",
        "torch.hub.load().transcribe",
    ],
)
def test_a_question_to_what_a_library_of_models_made_asks_one(name: str) -> None:
    assert is_asked_of_learner(name)


@pytest.mark.parametrize(
    "name",
    [
        "sentence_transformers.SentenceTransformer",
        "sentence_transformers.SentenceTransformer().save",
        "sentence_transformers.SentenceTransformer().encode().astype",
        "face-api.js.nets.faceExpressionNet.loadFromUri",
        "@vladmandic/face-api.env.monkeyPatch",
        "implicit.cpu.als.AlternatingLeastSquares().fit",
        "sklearn.metrics.accuracy_score",
        "sklearn.preprocessing.StandardScaler().transform",
        "torch.nn.Linear",
        "surprises.Letter().send",
        "featherstone.Press().print",
    ],
)
def test_what_makes_a_model_ready_or_is_none_asks_nothing(name: str) -> None:
    assert not is_asked_of_learner(name)


SEARCH = """
from flask import Flask, request
from sentence_transformers import SentenceTransformer

app = Flask(__name__)
kept = None


def reader():
    global kept
    if kept is None:
        kept = SentenceTransformer("e5")
    return kept


@app.get("/search")
def search():
    try:
        return reader().{call}(request.args["q"]).tolist()
    except Exception:
        return {fallback}
"""


@pytest.mark.parametrize(("call", "tells"), [("encode", True), ("save", False)])
def test_what_is_done_when_an_encoder_fails_is_done_about_a_model(
    call: str, *, tells: bool
) -> None:
    files = {"app.py": SEARCH.format(call=call, fallback="find_by_words(request.args)")}
    (act,) = (one for one in rate_document(files)["regulations"] if one["id"] == "eu-ai-act")
    (robust,) = (one for one in act["clauses"] if one["id"] == "15(4)")
    assert (robust["supported_verdict"] in ("partial", "pass")) is tells
