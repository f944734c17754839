"""The embedding adapter against the stand-in: what it sends, and what it makes of each answer."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any

import pytest
from aiohttp.test_utils import unused_port

from jurat.findings.model_usage import CallPurpose
from jurat.judge.call_record import CallRecord
from jurat.judge.embeddings import EmbeddedRelevance, EmbeddingOptions, GeminiEmbedder
from jurat.judge.protocol import TokenBudget
from jurat.rules.relevance import EmbeddingError
from jurat.rules.rule import RuleKind, RuleSet
from jurat.rules.selection import DEPTH
from tests.standins.gemini.reactions import Reaction, failure
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Deadlines
from tests.support.secret_formats import draw_secret
from tests.support.values import a_context, a_rule

SECRET = "stand-in-key"


@pytest.fixture
async def embedder(gemini: StandInGemini) -> AsyncIterator[GeminiEmbedder]:
    deadlines = Deadlines()
    gemini.on_stall = deadlines.stall
    async with GeminiEmbedder(
        gemini.api_key, base_url=gemini.base_url, deadline=deadlines
    ) as embedder:
        yield embedder


async def test_one_vector_of_unit_length_comes_back_for_each_text(
    embedder: GeminiEmbedder,
) -> None:
    vectors = await embedder.embed(
        ["tls certificates", "rest periods", "tls"], "document", CallRecord()
    )
    assert [len(vector) for vector in vectors] == [768] * 3
    assert all(math.isclose(math.hypot(*vector), 1, rel_tol=1e-6) for vector in vectors)


async def test_it_says_what_the_texts_are_for(
    gemini: StandInGemini, embedder: GeminiEmbedder
) -> None:
    await embedder.embed(["how?"], "query", CallRecord())
    await embedder.embed(["so."], "document", CallRecord())
    tasks = [body["requests"][0]["taskType"] for body in gemini.embedded]
    assert tasks == ["RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"]
    assert gemini.embedded[0]["requests"][0]["outputDimensionality"] == 768


async def test_more_texts_than_one_request_takes_are_split_in_order(
    gemini: StandInGemini, embedder: GeminiEmbedder
) -> None:
    texts = [f"word{number}" for number in range(201)]
    vectors = await embedder.embed(texts, "document", CallRecord())
    assert [len(body["requests"]) for body in gemini.embedded] == [100, 100, 1]
    (again,) = await embedder.embed([texts[150]], "document", CallRecord())
    assert vectors[150] == again


async def test_each_request_is_on_record_as_it_was_sent_answered_or_not(
    gemini: StandInGemini, embedder: GeminiEmbedder
) -> None:
    secret, _ = draw_secret("github-pat")
    record = CallRecord(purpose=CallPurpose.RELEVANCE)
    await embedder.embed([f"log({secret})", "so."], "document", record)
    gemini.embedding_fault = failure(500, "INTERNAL", "oh")
    with pytest.raises(EmbeddingError):
        await embedder.embed(["how?"], "query", record)
    (use,) = record.models
    bodies = [[_read_text(item) for item in body["requests"]] for body in gemini.embedded]
    assert secret not in str(bodies)
    assert [item.digest for item in use.sent] == [
        sha256("\0".join(texts).encode()).hexdigest() for texts in bodies
    ]
    assert [item.size for item in use.sent] == [len("".join(texts).encode()) for texts in bodies]
    assert (use.calls, use.purpose) == (2, CallPurpose.RELEVANCE)
    assert use.input_tokens > 0


def _read_text(request: Any) -> str:
    return str(request["content"]["parts"][0]["text"])


async def test_nothing_is_embedded_beyond_a_budget(
    gemini: StandInGemini, embedder: GeminiEmbedder
) -> None:
    record = CallRecord((TokenBudget(10, "10 tokens a day"),))
    with pytest.raises(EmbeddingError, match="the budget of 10 tokens a day is used up"):
        await embedder.embed(["word " * 20], "query", record)
    assert (gemini.embedded, record.models) == ([], ())


async def test_no_text_is_no_request(gemini: StandInGemini, embedder: GeminiEmbedder) -> None:
    assert await embedder.embed([], "document", CallRecord()) == []
    assert gemini.embedded == []


async def test_a_long_text_is_cut_and_an_empty_one_is_still_a_text(
    gemini: StandInGemini, embedder: GeminiEmbedder
) -> None:
    assert len(await embedder.embed(["x" * 9_000, "  "], "query", CallRecord())) == 2
    sent = [item["content"]["parts"][0]["text"] for item in gemini.embedded[0]["requests"]]
    assert [len(text) for text in sent] == [EmbeddingOptions().characters, 1]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (failure(429, "RESOURCE_EXHAUSTED", f"slow down, {SECRET}"), "429 RESOURCE_EXHAUSTED"),
        (failure(500, "INTERNAL", "oh"), "500 INTERNAL"),
        (Reaction({"embeddings": []}), "0 vectors for 1 texts"),
        (Reaction({"embeddings": [{"values": []}]}), "without a direction"),
        (Reaction({"embeddings": [{"values": [0.0, 0.0]}]}), "without a direction"),
        (Reaction({"embeddings": "many"}), "could not be read"),
        (Reaction("<html>proxy</html>"), "could not be read"),
        (Reaction(stalls=True), "no answer within 20 s"),
    ],
)
async def test_a_fault_is_an_embedding_error_that_repeats_nothing_of_the_api(
    gemini: StandInGemini, embedder: GeminiEmbedder, fault: Reaction, said: str
) -> None:
    gemini.embedding_fault = fault
    with pytest.raises(EmbeddingError, match=said) as caught:
        await embedder.embed(["text"], "query", CallRecord())
    assert SECRET not in str(caught.value)
    assert len(gemini.embedded) == 1


async def test_a_wrong_key_and_a_server_that_is_not_there_are_embedding_errors(
    gemini: StandInGemini,
) -> None:
    async with GeminiEmbedder("wrong", base_url=gemini.base_url) as embedder:
        with pytest.raises(EmbeddingError, match="400 INVALID_ARGUMENT"):
            await embedder.embed(["text"], "query", CallRecord())
    async with GeminiEmbedder("key", base_url=f"http://127.0.0.1:{unused_port()}") as embedder:
        with pytest.raises(EmbeddingError, match="the connection failed"):
            await embedder.embed(["text"], "query", CallRecord())


async def test_relevance_by_meaning_asks_once_for_each_rule(
    gemini: StandInGemini, embedder: GeminiEmbedder
) -> None:
    rules = [
        a_rule("house.tls", statement="Certificates are verified.", kind=RuleKind.NORMATIVE),
        a_rule("house.rest", statement="Shifts leave time to rest.", kind=RuleKind.NORMATIVE),
    ]
    rule_set = RuleSet({rule.id: rule for rule in rules})
    context = a_context(intent="certificates verified no more")
    semantic = EmbeddedRelevance(embedder)
    relevance = await semantic.prepare(context, rule_set, rules, CallRecord())
    tls, rest = relevance(context, rule_set, rules)
    assert 0 < tls <= 1
    assert tls > rest

    asked = len(gemini.embedded)
    await semantic.prepare(context, rule_set, rules, CallRecord())
    assert len(gemini.embedded) == asked + 1


async def test_of_many_rules_only_the_nearest_by_words_are_embedded(
    gemini: StandInGemini, embedder: GeminiEmbedder
) -> None:
    rules = [
        a_rule(f"house.r{number}", statement="Shifts leave time.", kind=RuleKind.NORMATIVE)
        for number in range(DEPTH + 30)
    ]
    wanted = a_rule("house.tls", statement="Certificates are verified.", kind=RuleKind.NORMATIVE)
    rules.append(wanted)
    rule_set = RuleSet({rule.id: rule for rule in rules})
    context = a_context(intent="certificates verified no more")
    relevance = await EmbeddedRelevance(embedder).prepare(context, rule_set, rules, CallRecord())
    scores = relevance(context, rule_set, rules)
    assert sum(len(body["requests"]) for body in gemini.embedded) == DEPTH + 1
    assert scores[-1] == max(scores) > 0
