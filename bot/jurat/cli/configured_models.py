"""The models that this user's environment names, and what they answered before."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from jurat.cli.options import print_note
from jurat.judge.flights import NoAnswers
from jurat.judge.opening import open_models
from jurat.judge.protocol import AnswerCache
from jurat.settings import Settings

if TYPE_CHECKING:
    from jurat.judge.embeddings import JudgeModels


async def open_configured_models(stack: AsyncExitStack) -> JudgeModels | None:
    """The models, if a key is configured; `stack` closes them."""
    settings = Settings.from_environment(os.environ).for_model()
    if settings is None:
        return None
    return await stack.enter_async_context(open_models(settings))


def open_answers(stack: AsyncExitStack) -> AnswerCache:
    """What models answered this user before, unless JURAT_NO_CACHE is set; `stack` closes it."""
    import sqlite3  # noqa: PLC0415 - for a model that is configured

    from jurat.cli.file_answers import FileAnswers  # noqa: PLC0415 - as above

    try:
        path = Settings.from_environment(os.environ).find_answers()
        return stack.enter_context(FileAnswers.at(path)) if path else NoAnswers()
    # RuntimeError: no home folder.
    except (OSError, RuntimeError, sqlite3.Error) as error:
        print_note(f"answers of models are not kept: {error}. JURAT_NO_CACHE=1 says so for good.")
        return NoAnswers()
