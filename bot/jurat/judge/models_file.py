"""The models file: which models judge, how long they think, and how much may be asked of them.

JURAT_MODELS names it. It is the operator's: a pull request cannot reach it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Self

from pydantic import Field, HttpUrl, SecretStr, field_validator, model_validator

from jurat.errors import ConfigurationError
from jurat.judge.protocol import (
    SINGLE,
    CallOptions,
    JudgmentOptions,
    Price,
    Thinking,
    Tier,
)
from jurat.judge.providers import DEFAULT_MODELS, JUDGES
from jurat.rules.rule import Severity
from jurat.rules.validation import StrictModel, validate_document
from jurat.source.strict_yaml import parse_yaml


class ModelNames(StrictModel):
    """The model that serves each tier, and the one that embeds."""

    flash: str = Field(default="gemini-3-flash-preview", min_length=1)
    pro: str = Field(default="gemini-3.1-pro-preview", min_length=1)
    embedding: str = Field(default="gemini-embedding-001", min_length=1)


class SecondJudge(StrictModel):
    """Who else reads what may block: a provider, where it answers, and its models."""

    provider: str
    project: str | None = Field(default=None, min_length=1)
    location: str = Field(default="global", min_length=1)
    base_url: HttpUrl | None = None
    models: ModelNames = ModelNames()

    @field_validator("provider")
    @classmethod
    def _check_provider(cls, value: str) -> str:
        return _check_provider(value)


def _check_provider(value: str) -> str:
    if value not in JUDGES:
        problem = f"must be one of {', '.join(sorted(JUDGES))}"
        raise ValueError(problem)
    return value


class TokenPrice(StrictModel):
    """What a million tokens cost, in whatever currency."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class TierOptions(StrictModel):
    """A tier, and how long it may think."""

    tier: Tier
    thinking: Thinking


_DEFAULT = JudgmentOptions()


def _to_default(call_options: CallOptions) -> TierOptions:
    return TierOptions(tier=call_options.tier, thinking=call_options.thinking)


class ModelsFile(StrictModel):
    """What the file may set; what it leaves out has the default.

    `provider` is a name in JUDGES, `base_url` its address if not its own. `project`
    and `location` are Google Cloud's, for `vertex` alone. `second` judges beside it what blocks.
    `batch`, `confirmation` and `single` (by severity) say who is asked. `prompt_tokens`, `batches`
    and `concurrency` are the budgets of JudgmentOptions, `output_tokens` bounds one answer with
    what the model thinks, and `timeout` one attempt, in seconds: the API refuses less than 10.
    `review_tokens` and `day_tokens` bound what one review and all of a day may spend, `prices` says
    what a million tokens of a model cost.
    """

    version: Literal[1] = 1
    provider: str = "gemini"
    project: str | None = Field(default=None, min_length=1)
    location: str = Field(default="global", min_length=1)
    base_url: HttpUrl | None = None
    models: ModelNames = ModelNames()
    second: SecondJudge | None = None
    batch: TierOptions = _to_default(_DEFAULT.batch)
    confirmation: TierOptions = _to_default(_DEFAULT.confirmation)
    single: dict[Severity, TierOptions] = Field(default_factory=dict)
    prompt_tokens: int = Field(default=_DEFAULT.prompt_tokens, ge=4_000, le=1_000_000)
    batches: int = Field(default=_DEFAULT.batches, ge=1, le=100)
    concurrency: int = Field(default=_DEFAULT.concurrency, ge=1, le=64)
    output_tokens: int = Field(default=65_536, ge=1_024, le=65_536)
    review_tokens: int | None = Field(default=None, ge=0)
    day_tokens: int | None = Field(default=None, ge=0)
    prices: dict[str, TokenPrice] = Field(default_factory=dict)
    timeout: float = Field(default=120.0, ge=10, le=600)

    @field_validator("provider")
    @classmethod
    def _check_provider(cls, value: str) -> str:
        return _check_provider(value)

    @model_validator(mode="after")
    def _add_own_models(self) -> Self:
        """Tiers that the file leaves out are served by the provider's own models."""
        own = DEFAULT_MODELS.get(self.provider, {})
        missing = {tier: own[tier] for tier in own.keys() - self.models.model_fields_set}
        if missing:
            object.__setattr__(self, "models", self.models.model_copy(update=missing))
        return self

    def build_second(self) -> ModelsFile | None:
        """The file as the second judge takes it, None if there is none."""
        if self.second is None:
            return None
        own = {name: getattr(self.second, name) for name in self.second.model_fields_set}
        rest = {name: getattr(self, name) for name in self.model_fields_set - {*own, "models"}}
        return ModelsFile(**{**rest, "base_url": None, "second": None, **own})

    def options(self) -> JudgmentOptions:
        """The file as judgment takes it."""
        single = {severity: _to_call_options(asked) for severity, asked in self.single.items()}
        return JudgmentOptions(
            batch=_to_call_options(self.batch),
            confirmation=_to_call_options(self.confirmation),
            single={**SINGLE, **single},
            prompt_tokens=self.prompt_tokens,
            batches=self.batches,
            concurrency=self.concurrency,
            review_tokens=self.review_tokens,
            day_tokens=self.day_tokens,
            prices={name: Price(item.input, item.output) for name, item in self.prices.items()},
        )


def load_models_file(path: str, text: str) -> ModelsFile:
    """The file at `path`. Raises ConfigurationError, each error at its line."""
    document = parse_yaml(text, path, ConfigurationError)
    return validate_document(ModelsFile, document, path, ConfigurationError)


def _to_call_options(asked: TierOptions) -> CallOptions:
    return CallOptions(asked.tier, asked.thinking)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Access to a provider's models, and which of them judge.

    `base_url` is None for the provider's own address, `judge` its name in `JUDGES`, `second` the
    access to a second judge's.
    """

    api_key: SecretStr
    base_url: str | None = None
    file: ModelsFile = field(default_factory=ModelsFile)
    judge: str = "gemini"
    second: ModelSettings | None = None
