"""What the `bylaw rules` commands do, on given files or on what is in force here."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from bot.cli.in_force import CONFIGURATION_PATH, corpus_of, say_what_is_not_followed
from bot.cli.report import console_for
from bot.corpus.configuration import Configuration
from bot.corpus.loading import load_configuration, load_corpus
from bot.corpus.reading import read_rule_files
from bot.corpus.rule import Corpus, Rule
from bot.dispatch.examples import check_examples, runnable
from bot.errors import ConfigurationError, ExitCode, IncompleteError
from bot.publishing.plaintext import one_line
from bot.publishing.summary import counted
from bot.selection.vocabulary import with_known_authorities


def corpus_at(paths: Sequence[Path] | None) -> Corpus:
    """The rules of `in_force_at`."""
    return in_force_at(paths)[0]


def in_force_at(paths: Sequence[Path] | None) -> tuple[Corpus, Configuration]:
    """The rules in `paths`; without any, those that the nearest configuration around here names.

    As they lie there, not as in the base: whoever edits rules wants to know of these. With `paths`
    the configuration is the default.
    """
    if paths:
        return with_known_authorities(load_corpus(read_rule_files(paths))), Configuration()
    here = Path.cwd()
    root = next((up for up in (here, *here.parents) if (up / CONFIGURATION_PATH).is_file()), None)
    if root is None:
        return corpus_of(Configuration()), Configuration()
    file = os.path.relpath(root / CONFIGURATION_PATH)
    if not Path(file).resolve().is_relative_to(root.resolve()):
        raise ConfigurationError(file, 0, "", "is a link that leads out of the repository")
    try:
        text = Path(file).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(file, 0, "", f"cannot be read: {error}") from error
    configuration = load_configuration(file, text)
    say_what_is_not_followed(configuration)
    own = [os.path.relpath(root / entry) for entry in configuration.rules]
    return corpus_of(configuration, read_rule_files(own, within=root)), configuration


def checked(paths: Sequence[Path] | None) -> str:
    """One line on what was loaded. Raises FileError where anything cannot be."""
    corpus = corpus_at(paths)
    return f"{counted(len(corpus), 'rule')} in {counted(_files(corpus), 'file')} can be loaded."


def tested(paths: Sequence[Path] | None) -> ExitCode:
    """Print each example that its rule does not treat as it says, and how many there were."""
    corpus = corpus_at(paths)
    failures = check_examples(corpus)
    for failure in failures:
        line = f"{failure.rule.origin}: {failure.rule.id}: {failure.example} {failure.problem}"
        print(one_line(line), file=sys.stderr)  # noqa: T201 - a command speaks by printing
    examples = sum(
        len(rule.examples.valid) + len(rule.examples.invalid)
        for rule in corpus.rules.values()
        if runnable(rule)
    )
    if not examples:
        raise IncompleteError(
            f"Nothing was tested: {counted(len(corpus), 'rule')}, and no example to run.",
            hint="Give a rule that a computer decides `examples:`; see docs/rules.md.",
        )
    outcome = f"{counted(len(failures), 'example')} failed" if failures else "all as they say"
    ran = f"{counted(examples, 'example')} of {counted(len(corpus), 'rule')}: {outcome}."
    print(ran)  # noqa: T201 - as above
    return ExitCode.FINDINGS if failures else ExitCode.PASSED


def listed(paths: Sequence[Path] | None, *, as_json: bool) -> None:
    """Print the rules, each with its statement below it, or as JSON."""
    rules = list(corpus_at(paths).rules.values())
    if as_json:
        print(json.dumps([_row(rule) for rule in rules], indent=2))  # noqa: T201 - as above
        return
    console = console_for(sys.stdout)
    for rule in rules:
        shadow = ", shadow" if rule.shadow else ""
        heading = Text.assemble((rule.id, "bold cyan"), f"  {rule.severity} {rule.kind}{shadow}")
        console.print(heading, soft_wrap=True)
        for line in textwrap.wrap(one_line(rule.statement), console.width - 4):
            console.print(Text(f"    {line}"), soft_wrap=True)


def _row(rule: Rule) -> dict[str, object]:
    return {**rule.model_dump(mode="json", exclude_defaults=True), "origin": rule.origin}


def _files(corpus: Corpus) -> int:
    """How many files the rules stand in; an origin is `path:line`."""
    return len({rule.origin.rpartition(":")[0] for rule in corpus.rules.values()})
