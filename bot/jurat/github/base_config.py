"""The configuration and the rules of a repository, as they stand at one commit.

A pull request must not weaken its own judge, so a review reads those of its base. It must not make
Jurat read for it either: what a head's configuration names in other repositories is read only as
far as its base builds on the same files already (see `list_shared_files`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pydantic import BaseModel

from jurat.errors import ConfigurationError, FileError, RuleError
from jurat.github.client import GitHub
from jurat.github.contents import FILE_LIMIT, CommitFiles
from jurat.github.errors import (
    AbsentError,
    AccessRefusedError,
    NotFoundError,
    NotYetError,
    RejectedError,
    TooLargeError,
    UncoveredError,
)
from jurat.github.models import GitObjectPayload
from jurat.github.retries import run_concurrently
from jurat.rules.config import (
    EXTENDS,
    MAX_FILES,
    Config,
    ConfigReference,
    ConfigurationFile,
    RequiredConfig,
    list_extended_files,
    merge_configs,
    parse_extends,
)
from jurat.rules.enforcement import check_level_names
from jurat.rules.files import filter_rule_files
from jurat.rules.floor import OwnerRules, apply_floor, check_required
from jurat.rules.loader import find_missing_tables, load_configuration_file, load_ruleset, read_pack
from jurat.rules.rule import RuleSet
from jurat.rules.vocabulary import with_known_authorities

CONFIGURATION_PATH = ".github/jurat.yml"
MAX_RULE_FILES = 500
"""Files in the folders that `rules:` names, whatever they are. Each folder costs a request."""


@dataclass(frozen=True, slots=True)
class FoundConfiguration:
    """The configuration in force, and where it comes from.

    `sources` has the paths of the files behind each top-level key, the one that wins first; a key
    that is not there is at its default. A path in another repository begins with "owner/name/".
    `rules_at` is where the files that `rules` names stand, `files` has all files that were read
    and `chain` where each of them stands.
    """

    configuration: Config
    rules_at: CommitFiles
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: tuple[ConfigurationFile, ...] = ()
    chain: tuple[ConfigReference, ...] = ()


class OutOfReachError(ConfigurationError):
    """A file builds on one of another repository that it may not have read."""


async def list_shared_files(base: CommitFiles) -> frozenset[ConfigReference]:
    """The files that a branch of `base` may build on: what `base` builds on, and its owner's."""
    try:
        own = (await read_configuration(base)).chain
    except ConfigurationError:
        own = ()
    owners = f"{_get_owner(base)}/.github"
    return frozenset(own) | {ConfigReference(owners, CONFIGURATION_PATH)}


async def read_ruleset(
    base: CommitFiles, shared: Collection[ConfigReference] | None = None
) -> tuple[Config, RuleSet]:
    """What is in force at `base`, or by default if it says nothing.

    Raises ConfigurationError or RuleError; OutOfReachError as `read_configuration` does. An error
    in a file of another repository names it and its line, and quotes nothing.
    """
    # Once: it has the defaults, and what is required whatever the repository says.
    owners = await _find_owners_file(base)
    found = await _read_chain(base, await _find_own_file(base) or owners.file, shared)
    try:
        own = await _read_rule_files(found.rules_at, found.configuration)
        rule_set = load_ruleset(_read_packs(found.configuration) | own)
    except FileError as error:
        raise _place_error(error, found.rules_at, base) from None
    try:
        check_level_names(found.files, rule_set)
    except FileError as error:
        raise _place_level_error(error, found, base) from None
    configuration, owner = found.configuration, await _read_owner_rules(base, owners.file)
    if owner is not None:
        configuration, rule_set = apply_floor(owner, configuration, rule_set)
    if owners.hidden:
        rule_set = replace(rule_set, unseen=f"{_get_owner(base)}/.github")
    return configuration, with_known_authorities(rule_set)


async def _read_owner_rules(base: CommitFiles, owners: _FoundFile | None) -> OwnerRules | None:
    """What the owner of a repository requires of it; None for nothing.

    What is required and cannot be loaded raises, as the repository's own would: nothing passes
    without it.
    """
    # Most owners require nothing, and then nothing more is read. What their file builds on may.
    if owners is None or not any(
        word in owners.content for word in (b"required", EXTENDS.encode())
    ):
        return None
    place = owners.place
    try:
        found = await _read_chain(place, owners, None)
        if found.configuration.required == RequiredConfig():
            return None
        own = await _read_rule_files(found.rules_at, found.configuration)
        rule_set = load_ruleset(_read_packs(found.configuration) | own)
        check_required(found.files, rule_set)
    except FileError as error:
        raise _place_error(error, place, base) from None
    return OwnerRules(place.repository, found.configuration, rule_set)


async def read_configuration(base: CommitFiles) -> FoundConfiguration:
    """The configuration at `base`: its own, else that of its owner's `.github` repository.

    Either may build on another file by `_extends`. What that names must be there and be readable: a
    rule that an organisation counts on is not dropped because a repository was renamed. Raises
    ConfigurationError.
    """
    return await _read_chain(
        base, await _find_own_file(base) or (await _find_owners_file(base)).file, None
    )


async def _read_chain(
    base: CommitFiles, first: _FoundFile | None, shared: Collection[ConfigReference] | None
) -> FoundConfiguration:
    """`read_configuration`, from the file at which it begins; None is no file.

    Raises OutOfReachError, before anything is read, for a file of another repository that is not
    among those `shared`, if these are given.
    """
    if first is None:
        return FoundConfiguration(Config(), base)
    links = [_build_link(base, first.place, CONFIGURATION_PATH, first.content)]
    while (target := _find_next(base, links)) is not None:
        if shared is not None and not _is_reachable(target, base, shared):
            raise _build_out_of_reach_error(
                links[-1].file, _describe_target(target, links[-1], base)
            )
        links.append(await _read_named(base, target, links[-1]))
    _refuse_required(links, _get_owner(base))
    files = [link.file for link in links]
    # `rules` is a list, and of lists the nearest file's holds: its paths are of that file's
    # repository.
    places = [link.place for link in links if "rules" in link.file.data]
    return FoundConfiguration(
        merge_configs(files),
        places[0] if places else base,
        list_extended_files(files),
        tuple(files),
        tuple(link.target for link in links),
    )


def _refuse_required(links: Sequence[_Link], owner: str) -> None:
    """Raise ConfigurationError for a `required` that no owner says."""
    for link in links:
        if link.target.repository.lower() == f"{owner}/.github".lower():
            return
        if "required" in link.file.data:
            raise ConfigurationError(
                link.file.path,
                link.file.lines.get(("required",), 0),
                "required",
                f"counts in {owner}/.github alone, which speaks for all repositories of {owner}",
            )


def _is_reachable(
    target: ConfigReference, base: CommitFiles, shared: Collection[ConfigReference]
) -> bool:
    own = target.repository.lower() == base.repository.lower()
    return own or any(_is_same_file(target, item) for item in shared)


def _build_out_of_reach_error(file: ConfigurationFile, named: str) -> OutOfReachError:
    return OutOfReachError(
        file.path,
        file.line,
        EXTENDS,
        f"the base branch does not build on {named}: it is read once this is merged",
    )


class _Repository(BaseModel):
    id: int


class _FoundFile(NamedTuple):
    """A configuration file as it was read, and where it stands."""

    place: CommitFiles
    content: bytes


class _Link(NamedTuple):
    """A file of the chain, and where it stands."""

    file: ConfigurationFile
    target: ConfigReference
    place: CommitFiles


async def _find_own_file(base: CommitFiles) -> _FoundFile | None:
    content = await base.find(CONFIGURATION_PATH)
    return None if content is None else _FoundFile(base, content)


class _OwnersFile(NamedTuple):
    """The file that an owner has for all repositories; `hidden` if nobody here can know of it."""

    file: _FoundFile | None = None
    hidden: bool = False


async def _find_owners_file(base: CommitFiles) -> _OwnersFile:
    """The file that an owner has for all repositories, as it is there now.

    Raises ConfigurationError if there is none to be seen of an account that must have one.
    """
    owners = f"{_get_owner(base)}/.github"
    # The `.github` repository itself has it at the commit that is asked about.
    if owners == base.repository:
        return _OwnersFile(await _find_own_file(base))
    place = await _open_at_head(base, owners)
    found = None if isinstance(place, _Absence) else await _find_own_file(place)
    if found is None and _get_owner(base).lower() in base.github.floors:
        # GitHub tells hidden and absent apart for nobody; whoever runs Jurat has said that it is
        # there.
        raise ConfigurationError(
            f"{owners}/{CONFIGURATION_PATH}",
            0,
            "",
            f"is not to be seen, and whoever runs Jurat lets nothing of {_get_owner(base)} pass"
            " without it",
            hint=f"Install the App on {owners}, or take the name out of JURAT_FLOORS.",
        )
    return _OwnersFile(found, hidden=isinstance(place, _Absence) and place.hidden)


def _find_next(base: CommitFiles, links: Sequence[_Link]) -> ConfigReference | None:
    """The file that the last link names, None at the chain's end."""
    file = links[-1].file
    if file.extends is None:
        return None
    target = parse_extends(file.extends, _get_owner(base), CONFIGURATION_PATH)
    if target is None:
        raise AssertionError("a file with a malformed _extends was loaded")
    if any(_is_same_file(target, link.target) for link in links):
        raise file.refuse(
            f"{_describe_target(target, links[-1], base)} builds on this file: it is a circle"
        )
    if len(links) == MAX_FILES:
        raise file.refuse(f"more than {MAX_FILES} files build on each other")
    return target


def _describe_target(target: ConfigReference, by: _Link, base: CommitFiles) -> str:
    """A file that an `_extends` names; not by its name if that stands in another repository."""
    return f"{target.repository}:{target.path}" if by.place is base else "the file that it names"


async def _read_named(base: CommitFiles, target: ConfigReference, by: _Link) -> _Link:
    """The file at the end of an `_extends`, or an error at that line of the file `by`."""
    own = target.repository.lower() == base.repository.lower()
    try:
        place = base if own else await _open_at_head(base, target.repository)
    except AccessRefusedError:
        place = _Absence()
    if isinstance(place, _Absence):
        named = target.repository if by.place is base else "the repository that it names"
        raise by.file.refuse(
            f"{named} cannot be read: there is no such repository, it is empty, or the App is not"
            " installed on it"
        )
    content = await place.find(target.path)
    if content is None:
        missing = f"{target.repository} has no file {target.path}"
        raise by.file.refuse(missing if by.place is base else "the file that it names is missing")
    return _build_link(base, place, target.path, content)


def _build_link(base: CommitFiles, place: CommitFiles, path: str, content: bytes) -> _Link:
    try:
        file = load_configuration_file(path, _decode_text(path, content, ConfigurationError))
    except FileError as error:
        raise _place_error(error, place, base) from None
    display_path = path if place is base else f"{place.repository}/{path}"
    return _Link(replace(file, path=display_path), ConfigReference(place.repository, path), place)


def _is_same_file(one: ConfigReference, other: ConfigReference) -> bool:
    return (one.repository.lower(), one.path) == (other.repository.lower(), other.path)


def _get_owner(base: CommitFiles) -> str:
    return base.repository.partition("/")[0]


class _Absence(NamedTuple):
    """No repository that can be read; `hidden` if there may be one that the App was not given."""

    hidden: bool = False


async def _open_at_head(base: CommitFiles, repository: str) -> CommitFiles | _Absence:
    """Another repository at the head of its default branch, if there is one to be seen."""
    hidden = False
    own = repository.partition("/")[0].lower() == _get_owner(base).lower()
    # With a token for that repository alone; if the App is not installed on it, it may still be
    # public, for anybody to read.
    for narrow in (True, False) if own else (False,):
        try:
            github = base.github.open_repository(repository) if narrow else base.github
            # A SHA, read once: a push in between must not mix the files of two commits.
            head = await github.read(
                GitObjectPayload, "/repos/{+repository}/commits/HEAD", {"repository": repository}
            )
        except UncoveredError as error:
            hidden = error.hidden
            continue
        except AbsentError:
            continue
        except NotFoundError as error:
            if narrow or await _has_repository(github, repository):
                raise NotYetError(
                    f"GitHub does not hand out {repository}, which is there.", status=error.status
                ) from None
            continue
        except RejectedError as error:
            # https://docs.github.com/en/rest/commits/commits: a repository without a commit. Any
            # other refusal leaves open what the owner requires.
            if error.status != 409:
                raise
            return _Absence()
        return CommitFiles(github, repository, head.sha)
    return _Absence(hidden)


async def _has_repository(github: GitHub, repository: str) -> bool:
    """Whether GitHub knows it by another way too: one 404 is no absence."""
    try:
        await github.read(_Repository, "/repos/{+repository}", {"repository": repository})
    except NotFoundError:
        return False
    return True


def _read_packs(configuration: Config) -> dict[str, str]:
    return {path: text for name in configuration.packs for path, text in read_pack(name).items()}


async def _read_rule_files(snapshot: CommitFiles, configuration: Config) -> dict[str, str]:
    """The text of every file that `rules:` names, and of the lookup tables that those name."""
    listed: list[str] = []
    for entry in configuration.rules:
        try:
            async for path in snapshot.iter_files(entry):
                listed.append(path)
                if len(listed) > MAX_RULE_FILES:
                    problem = f"names more than {MAX_RULE_FILES} files"
                    raise ConfigurationError(CONFIGURATION_PATH, 0, "rules", problem)
        except AbsentError:
            continue  # filter_rule_files says which entry names nothing
    paths = filter_rule_files(configuration.rules, listed)
    files = await _read_all(snapshot, paths)
    return files | await _read_all(snapshot, sorted(find_missing_tables(files)))


async def _read_all(snapshot: CommitFiles, paths: list[str]) -> dict[str, str]:
    """The texts by path; a file that is not there is left out, whoever needs it will say so."""

    async def read(path: str) -> str | None:
        try:
            content = await snapshot.find(path)
        except TooLargeError:
            raise RuleError(path, 0, "", f"is larger than {FILE_LIMIT:,} bytes") from None
        return None if content is None else _decode_text(path, content, RuleError)

    texts = await run_concurrently(read, paths)
    return {path: text for path, text in zip(paths, texts, strict=True) if text is not None}


def _decode_text(path: str, content: bytes, error_type: type[FileError]) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise error_type(path, line, "", "is not UTF-8 text") from None


def _place_error(error: FileError, place: CommitFiles, base: CommitFiles) -> FileError:
    """The same error; of a file in another repository its place alone.

    Whoever reads it may not be allowed to read that repository, and a problem or a key quotes it.
    """
    if place is base:
        return error
    moved = type(error)(f"{place.repository}/{error.path}", error.line, "", _ELSEWHERE)
    moved.others = tuple(_place_error(item, place, base) for item in error.others)
    return moved


_ELSEWHERE = "cannot be loaded; `jurat rules check` says why, in a checkout of that repository"


def _place_level_error(error: FileError, found: FoundConfiguration, base: CommitFiles) -> FileError:
    """The same error, whose path says the repository already; quoting nothing of another one."""
    paths = zip(found.files, found.chain, strict=True)
    own = {file.path for file, place in paths if place.repository == base.repository}
    moved = error if error.path in own else type(error)(error.path, error.line, "", _ELSEWHERE)
    moved.others = tuple(_place_level_error(item, found, base) for item in error.others)
    return moved
