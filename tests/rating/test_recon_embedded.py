"""Code in the cells of a notebook and in the scripts of a component is read where it stands."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest

from jurat.rating.signals.file_roles import COMPONENT, NOTEBOOK, Role, detect_role, extract_code
from tests.support.growth import LINEAR, measure_growth
from tests.support.recon import look, signal

CELLS = [
    {"cell_type": "markdown", "metadata": {}, "source": ["import openai\n", "in prose"]},
    {
        "cell_type": "code",
        "metadata": {},
        "source": ["%pip install openai\n", "import openai\n", "# import torch\n", "x = 1"],
        "outputs": [{"text": ["import sklearn\n"]}],
    },
    {"cell_type": "code", "metadata": {}, "source": "import xgboost\nfit()\n", "outputs": []},
]


def notebook(language: str = "python", indent: int | None = 1) -> str:
    metadata = {"language_info": {"name": language}}
    document = {"cells": CELLS, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=indent)


def test_a_notebook_is_code_and_its_evidence_stands_on_its_own_line() -> None:
    text = notebook()
    seen = look({"analysis.ipynb": text})
    [evidence] = seen.signals["model_usage"].evidence
    line = text.split("\n")[evidence.line - 1]
    assert (evidence.snippet, line.strip()) == ('"import openai\\n",', '"import openai\\n",')
    assert [e.snippet for e in seen.signals["machine_learning"].evidence] == [
        '"source": "import xgboost\\nfit()\\n",'
    ]


def test_a_notebook_on_one_line_is_read_too() -> None:
    found = signal("model_usage", {"analysis.ipynb": notebook(indent=None)})
    assert [evidence.line for evidence in found.evidence] == [1]


def test_an_older_notebook_says_its_language_in_its_kernel() -> None:
    document = {"cells": CELLS, "metadata": {"kernelspec": {"language": "javascript"}}}
    assert extract_code(json.dumps(document), NOTEBOOK).language == "javascript"
    assert extract_code(json.dumps({"cells": CELLS}), NOTEBOOK).language == "python"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "import openai", notebook("r"), '{"cells": [', '{"cells": [{"source": 1}]}'],
)
def test_what_is_no_notebook_that_can_be_read_is_unread(text: str) -> None:
    seen = look({"analysis.ipynb": text})
    assert [file.path for file in seen.inventory.unread] == ["analysis.ipynb"]


def test_a_component_shows_what_its_scripts_say() -> None:
    text = """<template>
  <p>import { OpenAI } from "openai"</p>
</template>
<script setup lang="ts">
import { Agent } from "@openai/agents";
</script>
<style>p { color: red }</style>
<script>
import OpenAI from "openai";
</script>
"""
    for path in ("src/Chat.vue", "src/Chat.svelte"):
        seen = look({path: text})
        assert [e.line for e in seen.signals["agent_framework"].evidence] == [5]
        assert [e.line for e in seen.signals["model_usage"].evidence] == [9]


@pytest.mark.parametrize("path", ["score.R", "train.jl", "desk.ex", "Main.hs", "token.sol"])
def test_a_program_that_cannot_be_read_is_unread(path: str) -> None:
    assert detect_role(path) is Role.CODE
    [file] = look({path: "x"}).inventory.unread
    assert file.unread == "its language is not read"


@pytest.mark.parametrize("piece", ["<script>", "<script", "</script", "<script></script "])
def test_a_hostile_component_costs_no_more_than_its_length(piece: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        return partial(extract_code, piece * (size // len(piece)), COMPONENT)

    assert measure_growth(prepare, 20_000) < LINEAR
