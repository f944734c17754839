"""JURAT_MODELS: which models judge, how long they think, and what they may cost."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from jurat.errors import ConfigurationError, UsageError
from jurat.judge.models_file import ModelsFile, load_models_file
from jurat.judge.opening import open_models
from jurat.judge.protocol import CallOptions, JudgmentOptions, Prompt
from jurat.rules.rule import Severity
from jurat.settings import Settings
from tests.standins.gemini.script import Script
from tests.standins.gemini.standin import StandInGemini

ROOT = Path(__file__).parents[2]


def test_an_empty_file_is_the_default() -> None:
    file = load_models_file("models.yml", "")
    assert file == ModelsFile()
    assert file.options() == JudgmentOptions()


def test_the_documentation_shows_the_defaults() -> None:
    page = (ROOT / "docs/models.md").read_text("utf-8")
    (block,) = page.split("```yaml\n")[1:]
    shown = block.split("```")[0]
    file = load_models_file("models.yml", shown)
    assert file.options() == JudgmentOptions()
    assert file.models == ModelsFile().models
    assert set(yaml.safe_load(shown)) == set(ModelsFile.model_fields)


def test_what_is_set_counts_and_the_rest_stays() -> None:
    text = "single: {HIGH: {tier: pro, thinking: low}}\nprompt_tokens: 8000\n"
    options = load_models_file("models.yml", text).options()
    assert options.single[Severity.HIGH] == CallOptions("pro", "low")
    assert options.single[Severity.LOW] == CallOptions("flash", "low")
    assert options.prompt_tokens == 8000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models: {flesh: x}", "models.yml:1: models.flesh: unknown key; did you mean 'flash'?"),
        ("\ntimeout: 5", "models.yml:2: timeout: must be at least 10"),
        ("batch: {tier: flash, thinking: deep}", "models.yml:1: batch.thinking: must be one of"),
        ("batches: [", "models.yml:1"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_models_file("models.yml", text)
    assert said in str(caught.value)


def test_a_file_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    given = {"GEMINI_API_KEY": "key", "JURAT_MODELS": str(tmp_path / "none.yml")}
    with pytest.raises(UsageError, match=r"JURAT_MODELS is .* cannot be read"):
        Settings.from_environment(given).for_model()


async def test_the_models_that_it_names_are_asked(tmp_path: Path) -> None:
    path = tmp_path / "models.yml"
    path.write_text("models: {flash: house-flash, pro: house-pro}\n")
    async with StandInGemini(Script(), models=("house-flash", "house-pro")) as gemini:
        settings = Settings.from_environment(
            {
                "GEMINI_API_KEY": gemini.api_key,
                "GOOGLE_GEMINI_BASE_URL": gemini.base_url,
                "JURAT_MODELS": str(path),
            }
        ).for_model()
        assert settings is not None
        async with open_models(settings) as models:
            assert models.judge.model_id("pro") == "house-pro"
            schema = {"type": "object", "properties": {"verdicts": {"type": "array"}}}
            await models.judge.ask(Prompt("system", "user", schema, "flash", "medium"))
        assert [asked.model for asked in gemini.asked] == ["house-flash"]
