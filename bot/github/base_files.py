"""The configuration and the rules of a repository, from the base commit alone.

A pull request must not weaken its own judge, so nothing here reads the head.
"""

from __future__ import annotations

from bot.corpus.configuration import Configuration
from bot.corpus.loading import load_configuration, load_corpus, missing_tables
from bot.corpus.packs import read_pack
from bot.corpus.reading import rule_files_among
from bot.corpus.rule import Corpus
from bot.errors import ConfigurationError, FileError, RuleError
from bot.github.concurrently import concurrently
from bot.github.contents import FILE_LIMIT, Snapshot
from bot.github.errors import NotFoundError, RejectedError, TooLargeError
from bot.github.payloads import Commit
from bot.selection.vocabulary import with_known_authorities

CONFIGURATION_PATH = ".github/bylaw.yml"
MAX_RULE_FILES = 500
"""Files in the folders that `rules:` names, whatever they are. Each folder costs a request."""


async def read_base(base: Snapshot) -> tuple[Configuration, Corpus]:
    """What is in force at `base`, or by default where it says nothing.

    Where the repository has no configuration, that of its owner's `.github` repository counts; the
    rule files that it names stand there too. Raises ConfigurationError or RuleError, whose paths
    then begin with that repository's name.
    """
    if (content := await base.find(CONFIGURATION_PATH)) is not None:
        return await _load(base, content)
    owners = await _owners(base)
    if owners is not None and (content := await owners.find(CONFIGURATION_PATH)) is not None:
        try:
            return await _load(owners, content)
        except FileError as error:
            raise _elsewhere(error, owners.repository) from None
    configuration = Configuration()
    return configuration, with_known_authorities(load_corpus(_packs(configuration)))


async def _load(snapshot: Snapshot, content: bytes) -> tuple[Configuration, Corpus]:
    text = _text(CONFIGURATION_PATH, content, ConfigurationError)
    configuration = load_configuration(CONFIGURATION_PATH, text)
    own = await _rule_files(snapshot, configuration)
    return configuration, with_known_authorities(load_corpus(_packs(configuration) | own))


def _packs(configuration: Configuration) -> dict[str, str]:
    return {path: text for name in configuration.packs for path, text in read_pack(name).items()}


async def _rule_files(snapshot: Snapshot, configuration: Configuration) -> dict[str, str]:
    """The text of every file that `rules:` names, and of the lookup tables that those name."""
    listed: list[str] = []
    for entry in configuration.rules:
        try:
            async for path in snapshot.files(entry):
                listed.append(path)
                if len(listed) > MAX_RULE_FILES:
                    problem = f"names more than {MAX_RULE_FILES} files"
                    raise ConfigurationError(CONFIGURATION_PATH, 0, "rules", problem)
        except NotFoundError:
            continue  # rule_files_among says which entry names nothing
    paths = rule_files_among(configuration.rules, listed)
    files = await _read_all(snapshot, paths)
    return files | await _read_all(snapshot, sorted(missing_tables(files)))


async def _read_all(snapshot: Snapshot, paths: list[str]) -> dict[str, str]:
    """The texts by path; a file that is not there is left out, whoever needs it will say so."""

    async def read(path: str) -> str | None:
        try:
            content = await snapshot.find(path)
        except TooLargeError:
            raise RuleError(path, 0, "", f"is larger than {FILE_LIMIT:,} bytes") from None
        return None if content is None else _text(path, content, RuleError)

    texts = await concurrently(read, paths)
    return {path: text for path, text in zip(paths, texts, strict=True) if text is not None}


async def _owners(base: Snapshot) -> Snapshot | None:
    """The `.github` repository of the same owner, at its head; None where there is none."""
    repository = f"{base.repository.partition('/')[0]}/.github"
    if repository == base.repository:
        return None
    try:
        head = await base.github.read(
            Commit, "/repos/{+repository}/commits/HEAD", {"repository": repository}
        )
    except (NotFoundError, RejectedError):  # a 409 is a repository without a commit
        return None
    return Snapshot(base.github, repository, head.sha)


def _text(path: str, content: bytes, error_type: type[FileError]) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise error_type(path, line, "", "is not UTF-8 text") from None


def _elsewhere(error: FileError, repository: str) -> FileError:
    """The same error at a path that says in which repository the file stands."""
    path = f"{repository}/{error.path}"
    moved = type(error)(path, error.line, error.key, error.problem, hint=error.hint)
    moved.further = tuple(_elsewhere(item, repository) for item in error.further)
    return moved
