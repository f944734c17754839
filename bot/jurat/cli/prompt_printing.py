"""What a model would be sent, printed and not sent: `--show-prompt` of several commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from jurat.judge.call_record import CallRecord
from jurat.judge.embeddings import EmbeddingOptions, Purpose, shorten_texts
from jurat.judge.protocol import (
    JudgeError,
    JudgeErrorKind,
    Prompt,
    Reply,
    Tier,
    count_utf8_bytes,
)
from jurat.reports.counts import pluralize
from jurat.rules.relevance import EmbeddingError, Vector
from jurat.source.visible_text import to_terminal_text


class ShowingJudge:
    """A Judge that prints what it is asked, and answers nothing. The model's name is its tier's."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.count = 0

    def model_id(self, tier: Tier) -> str:
        """The tier."""
        return tier

    async def ask(self, prompt: Prompt) -> Reply:
        """Print it. Raises JudgeError."""
        self.count += 1
        size = count_utf8_bytes(prompt.system) + count_utf8_bytes(prompt.user)
        text = f"{prompt.system}\n{prompt.user}"
        heading = f"=== prompt {self.count}, for the {prompt.tier} tier: {size:,} bytes"
        self._stream.write(f"{heading}\n\n{to_terminal_text(text)}\n")
        # Of the kind that nobody asks again in smaller parts.
        raise JudgeError(JudgeErrorKind.REJECTED, "it was shown, and not sent")


class ShowingEmbedder:
    """Prints the texts that rules would be ranked by, and gives no vector of them."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    async def embed(
        self, texts: Sequence[str], purpose: Purpose, _record: CallRecord
    ) -> Sequence[Vector]:
        """Print them. Raises EmbeddingError for a query, which comes last."""
        cut = shorten_texts(texts, EmbeddingOptions().characters)
        size = sum(map(count_utf8_bytes, cut))
        heading = f"=== {pluralize(len(cut), 'text')} to embed, each a {purpose}: {size:,} bytes"
        whole = "\n---\n".join(map(to_terminal_text, cut))
        self._stream.write(f"{heading}\n\n{whole}\n\n")
        if purpose == "query":
            raise EmbeddingError("they were shown, and not sent")
        return [()] * len(texts)
