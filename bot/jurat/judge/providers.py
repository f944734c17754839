"""Whose models can judge: a new provider is a module that opens them, and a line in `JUDGES`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

JUDGES: Mapping[str, str] = MappingProxyType(
    {
        "anthropic": "jurat.judge.anthropic_vendor:open_anthropic",
        "gemini": "jurat.judge.embeddings:open_gemini",
        "openai": "jurat.judge.openai_vendor:open_openai",
        "vertex": "jurat.judge.embeddings:open_vertex",
    }
)
"""What opens each provider's models, given ModelSettings and how to sleep; imported when used.

A provider's key is the variable of its name in capitals, with _API_KEY at its end; Vertex AI has
none.
"""

DEFAULT_MODELS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "anthropic": {"flash": "claude-sonnet-5-5", "pro": "claude-opus-5-5"},
        "openai": {"flash": "gpt-5.4-mini", "pro": "gpt-5.5"},
    }
)
"""What a provider's tiers are served by if the models file names nothing else."""
