"""Gemini by Vertex AI: the same judge, with credentials of Google Cloud in a key's place."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from jurat.errors import UsageError
from jurat.facts.context import Surface
from jurat.judge.models_file import ModelSettings
from jurat.judge.opening import open_models
from jurat.judge.protocol import JudgeError, JudgeErrorKind, Prompt
from jurat.judge.replies import build_schema
from jurat.settings import Settings
from tests.standins.gemini import reactions
from tests.standins.gemini.reactions import Behaviour
from tests.standins.gemini.script import Script
from tests.standins.gemini.standin import StandInGemini
from tests.support.gemini import Rests

PROMPT = Prompt("Be brief.", "How are you?", build_schema(Surface.CODE), "flash", "medium")


@dataclass
class Cloud:
    """Vertex AI, the settings that lead there, and where its credentials lie."""

    gemini: StandInGemini
    credentials: Path
    models_file: Path

    def read_settings(self, text: str = "") -> ModelSettings:
        """The settings, with more lines of the models file."""
        self.models_file.write_text(
            f"provider: vertex\nbase_url: {self.gemini.base_url}\n"
            f"project: {self.gemini.project}\n{text}"
        )
        given = {"JURAT_MODELS": str(self.models_file)}
        settings = Settings.from_environment(given).for_model()
        assert settings is not None
        return settings


@pytest.fixture
async def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Cloud]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    async with StandInGemini(Script()) as gemini:
        account = {
            "type": "service_account",
            "project_id": gemini.project,
            "private_key_id": "1",
            "private_key": key.decode(),
            "client_email": "jurat@stand-in-project.iam.gserviceaccount.com",
            "token_uri": f"{gemini.base_url}/token",
        }
        credentials = tmp_path / "account.json"
        credentials.write_text(json.dumps(account))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(credentials))
        yield Cloud(gemini, credentials, tmp_path / "models.yml")


async def test_it_answers_by_a_token_and_no_key(cloud: Cloud) -> None:
    cloud.gemini.always(reactions.saying('{"verdicts": []}'))
    async with open_models(cloud.read_settings()) as models:
        replies = [await models.judge.ask(PROMPT) for _ in range(2)]
        # Only Gemini's own API is asked for embeddings.
        assert models.semantic is None
    assert [reply.text for reply in replies] == ['{"verdicts": []}'] * 2
    assert replies[0].model_id == "gemini-3-flash-preview"
    assert replies[0].input_tokens > 0
    assert [asked.model for asked in cloud.gemini.asked] == ["gemini-3-flash-preview"] * 2
    assert cloud.gemini.granted == 1


@pytest.mark.parametrize(
    ("behaviour", "fault"),
    [
        (reactions.refused("SAFETY"), JudgeErrorKind.REFUSED),
        (reactions.blocked, JudgeErrorKind.REFUSED),
        (reactions.cut_off, JudgeErrorKind.TRUNCATED),
        (reactions.rate_limited(), JudgeErrorKind.RATE_LIMITED),
        (reactions.server_error(503), JudgeErrorKind.UNAVAILABLE),
        (reactions.server_error(504), JudgeErrorKind.TIMEOUT),
        (reactions.saying(""), JudgeErrorKind.UNAVAILABLE),
    ],
)
async def test_each_answer_is_the_fault_that_it_is(
    cloud: Cloud, behaviour: Behaviour, fault: JudgeErrorKind
) -> None:
    cloud.gemini.always(behaviour)
    assert await find_fault(cloud.read_settings()) is fault


async def find_fault(settings: ModelSettings) -> JudgeErrorKind:
    async with open_models(settings, sleep=Rests()) as models:
        with pytest.raises(JudgeError) as caught:
            await models.judge.ask(PROMPT)
    return caught.value.fault


def remove_credentials(cloud: Cloud) -> None:
    cloud.credentials.unlink()


def garble_credentials(cloud: Cloud) -> None:
    cloud.credentials.write_text("{}")


@pytest.mark.parametrize("break_it", [remove_credentials, garble_credentials])
async def test_without_credentials_nothing_is_answered_and_nothing_of_them_is_said(
    cloud: Cloud, break_it: Callable[[Cloud], None]
) -> None:
    break_it(cloud)
    async with open_models(cloud.read_settings(), sleep=Rests()) as models:
        with pytest.raises(JudgeError) as caught:
            await models.judge.ask(PROMPT)
        found = await models.list_unreachable()
    assert str(cloud.credentials) not in str(caught.value) + str(found)
    assert all(found.values())
    assert cloud.gemini.asked == []


async def test_the_doctor_is_told_of_a_model_that_is_retired(cloud: Cloud) -> None:
    settings = cloud.read_settings("models: {flash: retired}\n")
    async with open_models(settings) as models:
        found = await models.list_unreachable()
    assert found == {
        "retired": "The API answered 404 NOT_FOUND; it is retired, or unknown there.",
        "gemini-3.1-pro-preview": "",
    }


async def test_another_project_is_refused(cloud: Cloud) -> None:
    settings = cloud.read_settings()
    cloud.gemini.project = "of somebody else"
    assert await find_fault(settings) is JudgeErrorKind.REJECTED


async def test_the_location_is_part_of_the_question(cloud: Cloud) -> None:
    for text in ("", "location: europe-west4\n"):
        async with open_models(cloud.read_settings(text)) as models:
            await models.judge.ask(PROMPT)
    assert cloud.gemini.locations == ["global", "europe-west4"]


def test_a_project_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "models.yml"
    path.write_text("provider: vertex\n")
    with pytest.raises(UsageError, match="provider vertex and no project"):
        Settings.from_environment({"JURAT_MODELS": str(path)}).for_model()
