"""The configuration and the rules that a local review is made by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from bot.cli.git import Repository
from bot.cli.terminal import remark
from bot.corpus.configuration import Configuration
from bot.corpus.loading import load_configuration, load_corpus, missing_tables
from bot.corpus.packs import read_pack
from bot.corpus.reading import read_rule_files, rule_files_among
from bot.corpus.rule import Corpus
from bot.errors import ConfigurationError, FileError, RuleError, UsageError
from bot.selection.vocabulary import with_known_authorities

CONFIGURATION_PATH = ".github/bylaw.yml"

_NONE: Mapping[str, str] = MappingProxyType({})


def base_configuration(
    repository: Repository, commit: str
) -> tuple[Configuration, Mapping[str, str]]:
    """The configuration of a commit, and the texts of the rule files that it names.

    From the base of a change and not from its head: a change must not weaken its own judge.
    """
    content = repository.content(commit, CONFIGURATION_PATH)
    if content is None:
        return Configuration(), _NONE
    text = _text(CONFIGURATION_PATH, content, ConfigurationError)
    configuration = load_configuration(CONFIGURATION_PATH, text)
    say_what_is_not_followed(configuration)
    if not configuration.rules:
        return configuration, _NONE
    listed = repository.names("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    files = _texts(repository, commit, rule_files_among(configuration.rules, listed))
    return configuration, files | _texts(repository, commit, sorted(missing_tables(files)))


def say_what_is_not_followed(configuration: Configuration) -> None:
    """Remark on an `_extends`: a checkout holds one repository, and the App reads the others."""
    if configuration.extends is not None:
        remark(
            f"_extends: {configuration.extends} was not followed, so its rules and settings are"
            " missing here; the App follows it."
        )


def corpus_of(
    configuration: Configuration,
    own: Mapping[str, str] = _NONE,
    *,
    packs: Sequence[str] | None = None,
    added: Sequence[Path] = (),
) -> Corpus:
    """The rules of the packs, the repository's own (text by path), and those in `added`.

    `packs` replaces the configuration's; "none" alone stands for no pack.
    """
    if packs is None:
        packs = configuration.packs
    elif "none" in packs:
        if len(packs) > 1:
            raise UsageError("--pack none goes with no other --pack.")
        packs = ()
    shipped = {path: text for name in packs for path, text in read_pack(name).items()}
    return with_known_authorities(load_corpus({**shipped, **own, **read_rule_files(added)}))


def _texts(repository: Repository, commit: str, paths: Sequence[str]) -> dict[str, str]:
    contents = {path: repository.content(commit, path) for path in paths}
    return {
        path: _text(path, content, RuleError)
        for path, content in contents.items()
        if content is not None
    }


def _text(path: str, content: bytes, error_type: type[FileError]) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise error_type(path, line, "", "is not UTF-8 text") from None
