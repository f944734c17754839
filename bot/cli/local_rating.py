"""What `bylaw rate` does: looks into a folder, rates it, prints the rating."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from bot.cli.in_force import CONFIGURATION_PATH
from bot.cli.local_review import NothingKept, configured_models
from bot.cli.options import RatingFormat
from bot.cli.terminal import end_at_interrupt, parse_map, remark, watched
from bot.corpus.configuration import Configuration, RatingOptions
from bot.corpus.loading import load_configuration
from bot.errors import ConfigurationError, ExitCode
from bot.publishing.summary import counted
from bot.rating.document import canonical, document_of
from bot.rating.gate import below
from bot.rating.judging import Bench, with_second_verdicts
from bot.rating.markdown_report import markdown_of
from bot.rating.ordinals import ClauseVerdict
from bot.rating.packs import RiskClass, chosen, shipped_regulations
from bot.rating.rating import Seen, rate
from bot.rating.ratings import Rating
from bot.rating.recon.recon import recon
from bot.rating.recon.worktree import folder as worktree_in
from bot.rating.rules import named_rules
from bot.rating.text_report import text_of


def run(folder: Path, regulations: tuple[str, ...], form: RatingFormat) -> ExitCode:
    """Rate, print, and say how it ended. Raises BylawError where there is nothing to print."""
    end_at_interrupt()
    worktree = worktree_in(folder)
    options = _configuration(folder).rating
    packs = chosen(regulations or options.regulations)
    signals, inventory = recon(worktree, parse_map())
    seen = Seen(worktree, signals, inventory)
    found = rate(
        seen,
        packs,
        named_rules(),
        classifying=shipped_regulations(),
        risk=None if options.risk is None else RiskClass(options.risk),
    )
    rating = asyncio.run(_judged(found, seen))
    sys.stdout.write(_printed(rating, form, folder.resolve().name))
    return _exit_code(rating, options)


async def _judged(rating: Rating, seen: Seen) -> Rating:
    async with AsyncExitStack() as stack:
        models = await configured_models(stack)
        bench = (
            Bench(watched(models.judge), NothingKept(), models.options)
            if models
            else Bench(None, NothingKept())
        )
        return await with_second_verdicts(rating, seen, bench)


def _printed(rating: Rating, form: RatingFormat, name: str) -> str:
    document = document_of(rating)
    digest = document["sha256"]
    match form:
        case RatingFormat.TEXT:
            return text_of(rating, digest)
        case RatingFormat.JSON:
            return canonical(document) + "\n"
        case RatingFormat.MD:
            return markdown_of(rating, digest)
        case RatingFormat.HTML:
            from bot.cli.rating_page import render_rating  # noqa: PLC0415 - loads jinja2

            return render_rating(rating, name, digest)


def _exit_code(rating: Rating, options: RatingOptions) -> ExitCode:
    if errors := rating.having(ClauseVerdict.ERROR):
        remark(f"{counted(len(errors), 'clause')} could not be rated: {errors[0].note}")
        return ExitCode.INCOMPLETE
    unanswered = [item.unanswered for item in rating.clauses if item.unanswered]
    if unanswered:
        count = counted(len(unanswered), "clause")
        remark(f"{count} could not be judged by the model: {unanswered[0]}")
    low = below(rating, options.fail_below)
    for item in low:
        remark(f"{item.regulation.name} scores {item.score:.2f}, below {options.fail_below:g}.")
    if unanswered:
        return ExitCode.INCOMPLETE
    return ExitCode.FINDINGS if low else ExitCode.PASSED


def _configuration(folder: Path) -> Configuration:
    """What the folder's own configuration says, or the defaults where it has none."""
    path = folder / CONFIGURATION_PATH
    if not path.is_file():
        return Configuration()
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise ConfigurationError(str(path), 0, "", "cannot be read as UTF-8 text") from None
    return load_configuration(str(path), text)
