"""Which rules are asked together, over which excerpts: as few batches as the budget allows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import islice

from jurat.facts.context import EvaluationContext, Subject, SubjectKind, Surface
from jurat.findings.verdict import UnreadFile
from jurat.judge.arrivals import open_arrivals
from jurat.judge.excerpts import Excerpt, ExcerptBlock, build_excerpts, slice_block
from jurat.judge.protocol import BYTES_A_TOKEN, JudgmentOptions, count_utf8_bytes
from jurat.rules.matching import fits_file, fits_path
from jurat.rules.rule import Rule, RuleInput
from jurat.source.unwritten import is_lock_file

# What is asked: one question for each rule and surface, with what the rule is shown there.


@dataclass(frozen=True, slots=True, eq=False)
class JudgeQuestion:
    """Whether one rule is kept by what it is shown on one surface.

    `unread` are files that the rule is about and that could not be read, `private` the paths of
    those that no model may see. `excerpts` is empty only if nothing can be shown. Questions are
    equal only to themselves.
    """

    rule: Rule
    surface: Surface
    excerpts: tuple[Excerpt, ...]
    unread: tuple[UnreadFile, ...] = ()
    private: tuple[str, ...] = ()

    @property
    def slice_digest(self) -> str:
        """SHA-256 of all that the rule is shown, wherever its lines stand today."""
        return sha256("".join(excerpt.digest for excerpt in self.excerpts).encode()).hexdigest()


def build_questions(context: EvaluationContext, rules: Sequence[Rule]) -> tuple[JudgeQuestion, ...]:
    """A question for each rule and surface with something to show or to miss, by `rules`' order.

    A rule is shown the files that its paths, languages and subject kinds fit, those that are new to
    it in the whole, and the facts of those subjects. If nothing fits it is shown all that somebody
    wrote: it was selected for some reason.
    If there is nothing at all, nothing is asked.
    """
    subjects = [open_arrivals(subject, rules) for subject in context.subjects]
    excerpted = [(subject, build_excerpts(subject)) for subject in subjects]
    return tuple(question for rule in rules for question in _build_rule_questions(rule, excerpted))


def _build_rule_questions(
    rule: Rule, excerpted: Sequence[tuple[Subject, tuple[Excerpt, ...]]]
) -> Iterator[JudgeQuestion]:
    about = [
        (subject, excerpts)
        for subject, excerpts in excerpted
        if not rule.subject_kinds or not subject.kinds.isdisjoint(rule.subject_kinds)
    ] or excerpted
    fitting = [
        (
            subject.surface,
            tuple(item for item in excerpts if _is_for(rule, item)),
            tuple(
                file
                for file in subject.files
                if (file.unread is not None or file.private) and fits_file(rule, file)
            ),
        )
        for subject, excerpts in about
    ]
    if not any(excerpts or unread for _, excerpts, unread in fitting):
        fitting = [
            (subject.surface, tuple(item for item in excerpts if not _is_left_alone(item)), ())
            for subject, excerpts in about
        ]
    surfaces = dict.fromkeys(surface for surface, excerpts, unread in fitting if excerpts or unread)
    for surface in surfaces:
        mine = [item for item in fitting if item[0] is surface]
        yield JudgeQuestion(
            rule,
            surface,
            tuple(excerpt for _, excerpts, _ in mine for excerpt in excerpts),
            tuple(
                UnreadFile(file.path, file.unread)
                for _, _, unread in mine
                for file in unread
                if file.unread is not None
            ),
            tuple(file.path for _, _, unread in mine for file in unread if file.private),
        )


def _is_for(rule: Rule, excerpt: Excerpt) -> bool:
    if excerpt.about_pull_request:
        return not rule.inputs.isdisjoint({RuleInput.DESCRIPTION, RuleInput.PULL_REQUEST})
    file = excerpt.file
    if file is None or fits_file(rule, file):
        return True
    return (
        RuleInput.DEPENDENCIES in rule.inputs
        and is_lock_file(file.path)
        and fits_path(rule, file.path)
    )


def _is_left_alone(excerpt: Excerpt) -> bool:
    return excerpt.file is not None and bool(excerpt.file.unwritten)


MANIFEST_BYTES = 6_000
"""What the list of files that stand in other batches may take of a prompt."""

_IN_PART = " (in part)"

Key = tuple[str, SubjectKind | None, frozenset[tuple[int, int]]]
"""What tells one excerpt from another, whole or in part: its name, its kind, the rows it takes."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions of one surface that are asked in one prompt, over these excerpts.

    Where a subject is cut, this is the `part`th of `parts`, and `elsewhere` names the excerpts that
    stand in the others.
    """

    surface: Surface
    questions: tuple[JudgeQuestion, ...]
    excerpts: tuple[Excerpt, ...]
    part: int = 1
    parts: int = 1
    elsewhere: tuple[str, ...] = ()

    def list_excerpts(self, question: JudgeQuestion) -> tuple[Excerpt, ...]:
        """What of this batch belongs to a question."""
        mine = list_keys(question)
        return tuple(item for item in self.excerpts if get_key(item) in mine)

    def narrow(self, questions: Sequence[JudgeQuestion]) -> Batch:
        """The same part of the subject, as far as some of the questions need it."""
        needed = {key for question in questions for key in list_keys(question)}
        kept = tuple(item for item in self.excerpts if get_key(item) in needed)
        return replace(self, questions=tuple(questions), excerpts=kept)


@dataclass(frozen=True, slots=True)
class Plan:
    """All batches of a review. `unseen` says, by question, what no batch shows it, and why."""

    batches: tuple[Batch, ...]
    unseen: Mapping[JudgeQuestion, tuple[UnreadFile, ...]]

    @property
    def unread(self) -> tuple[UnreadFile, ...]:
        """Everything that some question is not shown, each file once."""
        return tuple({item.path: item for items in self.unseen.values() for item in items}.values())


def get_key(excerpt: Excerpt) -> Key:
    """What stays the same when an excerpt is cut."""
    # Not its label: of two files whose names show alike, one would be taken for the other.
    name = excerpt.file.path if excerpt.file else excerpt.label
    return name, excerpt.kind, excerpt.taken


def list_keys(question: JudgeQuestion) -> frozenset[Key]:
    """The excerpts of a question."""
    return frozenset(get_key(excerpt) for excerpt in question.excerpts)


def map_signatures(questions: Sequence[JudgeQuestion]) -> dict[Key, tuple[int, ...]]:
    """For each excerpt, which of the questions it belongs to."""
    found: dict[Key, tuple[int, ...]] = {}
    for index, question in enumerate(questions):
        # In the order of the excerpts, not of a set: prompts must read the same in each process.
        for key in dict.fromkeys(map(get_key, question.excerpts)):
            found[key] = (*found.get(key, ()), index)
    return found


def plan_batches(
    questions: Sequence[JudgeQuestion],
    options: JudgmentOptions,
    overhead: Callable[[Surface, Sequence[JudgeQuestion]], int],
) -> Plan:
    """The batches for `questions`, surface by surface.

    `overhead` gives the bytes of a prompt without its excerpts. A hunk is only cut if it alone
    is over the budget; a single line that is over it cannot be shown.
    """
    batches: list[Batch] = []
    unseen: dict[JudgeQuestion, list[UnreadFile]] = {}
    for surface in dict.fromkeys(question.surface for question in questions):
        # By surface: the terms, the schema and the instruction differ, and one prompt has one of
        # each.
        mine = iter([item for item in questions if item.surface is surface and item.excerpts])
        while group := tuple(islice(mine, options.rules_per_batch)):
            room = options.prompt_tokens * BYTES_A_TOKEN - overhead(surface, group)
            made, lost = _plan_group(surface, group, room, options.batches - len(batches))
            batches += made
            for question in group:
                keys = list_keys(question)
                unseen.setdefault(question, []).extend(
                    UnreadFile(excerpt.file.path if excerpt.file else excerpt.label, reason)
                    for excerpt, reason in lost
                    if get_key(excerpt) in keys
                )
    return Plan(tuple(batches), {item: tuple(lost) for item, lost in unseen.items() if lost})


def _plan_group(
    surface: Surface, group: Sequence[JudgeQuestion], room: int, allowed: int
) -> tuple[list[Batch], list[tuple[Excerpt, str]]]:
    # Excerpts of the same questions stand together, so that a rule can say in a few ranges of
    # numbers which of them it is about.
    together = map_signatures(group)
    rank = {signature: place for place, signature in enumerate(dict.fromkeys(together.values()))}
    known = {get_key(item): item for question in group for item in question.excerpts}
    excerpts = sorted(known.values(), key=lambda item: rank[together[get_key(item)]])
    lost: list[tuple[Excerpt, str]] = []
    if sum(excerpt.bytes for excerpt in excerpts) <= room:
        bins = [excerpts]
    else:
        bins, lost = pack_excerpts(excerpts, room - MANIFEST_BYTES)
    # Named as unseen, never dropped: a rule that missed a file must not pass.
    for excerpt in {get_key(item): item for left in bins[allowed:] for item in left}.values():
        lost.append((excerpt, f"the change is larger than {max(allowed, 0)} prompts hold"))
    bins = bins[: max(allowed, 0)]
    labels = list(dict.fromkeys(excerpt.label for excerpt in excerpts))
    batches = []
    for index, part in enumerate(bins, 1):
        keys = {get_key(excerpt) for excerpt in part}
        here = {excerpt.label for excerpt in part}
        batches.append(
            Batch(
                surface,
                tuple(question for question in group if keys & list_keys(question)),
                tuple(part),
                index,
                len(bins),
                tuple(label for label in labels if label not in here) if len(bins) > 1 else (),
            )
        )
    return batches, lost


def pack_excerpts(
    excerpts: Sequence[Excerpt], room: int
) -> tuple[list[list[Excerpt]], list[tuple[Excerpt, str]]]:
    """The excerpts in bins of at most `room` bytes, and those of which something fits in none.

    Two ways are tried, and the one with fewer bins wins: files kept whole, the largest first; or
    hunk after hunk in their order.
    """
    lost: list[tuple[Excerpt, str]] = []
    pieces: list[Excerpt] = []
    for excerpt in excerpts:
        cut, complete = _cut_excerpt(excerpt, room)
        pieces += cut
        if not complete:
            lost.append((excerpt, "a line is longer than one prompt holds"))
    whole = _pack_first_fit(pieces, room)
    running = _pack_in_order(pieces, room)
    # If both take as many, whole files: a hunk is judged better beside the rest of its file.
    return (running if len(running) < len(whole) else whole), lost


def _pack_first_fit(pieces: Sequence[Excerpt], room: int) -> list[list[Excerpt]]:
    order = {id(piece): index for index, piece in enumerate(pieces)}
    bins: list[list[Excerpt]] = []
    left: list[int] = []
    for piece in sorted(pieces, key=lambda item: -item.bytes):
        place = next((i for i, free in enumerate(left) if piece.bytes <= free), None)
        if place is None:
            bins.append([])
            left.append(room)
            place = -1
        bins[place].append(piece)
        left[place] -= piece.bytes
    for filled in bins:
        filled.sort(key=lambda item: order[id(item)])
    return sorted(bins, key=lambda filled: order[id(filled[0])])


def _pack_in_order(pieces: Sequence[Excerpt], room: int) -> list[list[Excerpt]]:
    bins: list[list[Excerpt]] = [[]]
    free = room
    for piece in pieces:
        opening = piece.opening_bytes + len(_IN_PART)
        blocks: list[ExcerptBlock] = []
        cut = False
        for block in piece.blocks:
            need = block.bytes + (0 if blocks else opening)
            if need > free and (blocks or bins[-1]):
                if blocks:
                    bins[-1].append(piece.with_blocks(tuple(blocks), _IN_PART))
                    blocks, cut = [], True
                bins.append([])
                free = room
                need = block.bytes + opening
            blocks.append(block)
            free -= need
        if not piece.blocks:
            if opening > free:
                bins.append([])
                free = room
            free -= opening
        bins[-1].append(piece.with_blocks(tuple(blocks), _IN_PART if cut else piece.part))
    return [filled for filled in bins if filled]


def _cut_excerpt(excerpt: Excerpt, room: int) -> tuple[list[Excerpt], bool]:
    """The excerpt in pieces of at most `room` bytes, and whether they hold all of it."""
    if excerpt.bytes <= room:
        return [excerpt], True
    # Each piece has its own opening line, and says that it is one.
    room -= excerpt.opening_bytes + len(_IN_PART)
    complete = True
    pieces: list[list[ExcerptBlock]] = [[]]
    free = room
    for block in excerpt.blocks:
        for part in _cut_block(block, room) if block.bytes > room else (block,):
            if part.bytes > room:
                complete = False
                continue
            if part.bytes > free:
                pieces.append([])
                free = room
            pieces[-1].append(part)
            free -= part.bytes
    parts = [excerpt.with_blocks(tuple(blocks), _IN_PART) for blocks in pieces if blocks]
    return parts, complete and bool(parts)


def _cut_block(block: ExcerptBlock, room: int) -> Iterator[ExcerptBlock]:
    """Runs of rows of a block, each with its own first line number. A lone row may be too large."""
    start = 0
    used = 0
    opening = count_utf8_bytes(block.heading) + 8
    for index, row in enumerate(block.rows):
        need = count_utf8_bytes(row.display_text) + 1
        if index > start and used + need + opening > room:
            yield slice_block(block, start, index)
            start, used = index, 0
        used += need
    yield slice_block(block, start, len(block.rows))
