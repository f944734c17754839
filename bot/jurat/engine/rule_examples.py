"""A rule's own examples, run through the same dispatch as a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from jurat.engine.check import check_rules
from jurat.engine.fixes import apply_fixes
from jurat.facts.assembly import RoutedFile, build_file_subject
from jurat.facts.context import EvaluationContext, Subject, SubjectKind
from jurat.findings.finding import Finding
from jurat.findings.verdict import RuleVerdict, Verdict
from jurat.rules.constraints import PatternConstraint
from jurat.rules.flows import ValueConstraint
from jurat.rules.matching import fits_subject
from jurat.rules.rule import Example, ExampleEntry, Rule, RuleKind, RuleSet
from jurat.rules.selection import Selection
from jurat.source.diff import Diff, FileChange, FileStatus, Hunk, Line
from jurat.source.diff_parser import decode_text
from jurat.source.embedded import read_code
from jurat.source.file_text import with_language
from jurat.source.languages import detect_language
from jurat.source.syntax import is_parsable


@dataclass(frozen=True, slots=True)
class ExampleFailure:
    """An example that does not come out as its rule says: of a `kind`, "valid" or "invalid"."""

    rule: Rule
    kind: str
    index: int
    problem: str

    @property
    def example(self) -> str:
        """What it is called, such as "invalid[0]"."""
        return f"{self.kind}[{self.index}]"

    @property
    def text(self) -> str:
        """Its code, or its facts as they are written in Python."""
        entry = normalize_example(getattr(self.rule.examples, self.kind)[self.index])
        return entry.code if entry.code is not None else str(dict(entry.facts or {}))

    def __str__(self) -> str:
        return f"{self.rule.origin}: {self.rule.id}: {self.example} {self.problem}"


def run_examples(rule_set: RuleSet) -> list[ExampleFailure]:
    """Every example that fails. Rules that a model judges are passed over: nobody can run them."""
    return [
        ExampleFailure(rule, name, index, problem)
        for rule in rule_set.rules.values()
        if is_runnable(rule)
        for name in ("valid", "invalid")
        for index, example in enumerate(getattr(rule.examples, name))
        for problem in _find_problems(rule, rule_set, normalize_example(example), expected=name)
    ]


def is_runnable(rule: Rule) -> bool:
    """Whether a rule's examples can be run without a model."""
    return rule.kind in (RuleKind.COMPUTATIONAL, RuleKind.PROCEDURAL)


def find_in_example(rule: Rule, rule_set: RuleSet, example: ExampleEntry) -> tuple[Finding, ...]:
    """What a rule finds in one of its examples."""
    subject = _build_subject(rule, normalize_example(example))
    verdict = _decide_example(rule, rule_set, subject)
    return verdict.findings if verdict is not None else ()


def build_added_file(path: str, language: str | None, code: str) -> FileChange:
    """A file that the change adds whole."""
    texts = code.split("\n")
    ends_with_newline = texts[-1] == ""
    if ends_with_newline:
        texts.pop()
    lines = tuple(
        Line("added", None, number, text, number < len(texts) or ends_with_newline)
        for number, text in enumerate(texts, start=1)
    )
    return FileChange(
        path=path,
        status=FileStatus.ADDED,
        language=language,
        hunks=(Hunk(0, 0, 1, len(lines), "", lines),),
        head=code,
    )


def build_changed_file(path: str, language: str | None, base: str, head: str) -> FileChange:
    """A file that the change makes `head` of `base`, as one hunk."""
    old, new = _split_lines(base), _split_lines(head)
    lines: list[Line] = []
    for tag, first, last, start, end in _match_lines(old, new):
        if tag == "equal":
            lines += [
                Line("context", n + 1, n + 1 + start - first, *_detach_newline(old[n]))
                for n in range(first, last)
            ]
            continue
        lines += [
            Line("removed", n + 1, None, *_detach_newline(old[n])) for n in range(first, last)
        ]
        lines += [Line("added", None, n + 1, *_detach_newline(new[n])) for n in range(start, end)]
    return FileChange(
        path=path,
        status=FileStatus.MODIFIED,
        language=language,
        hunks=(
            # A side without lines starts at the line before it.
            Hunk(min(1, len(old)), len(old), min(1, len(new)), len(new), "", tuple(lines)),
        ),
        base=base,
        head=head,
    )


def _split_lines(text: str) -> list[str]:
    """The lines with their newlines; not by splitlines, as to git a form feed ends none."""
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def _detach_newline(line: str) -> tuple[str, bool]:
    text = line.removesuffix("\n")
    return text, text != line


def _match_lines(
    old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[str, int, int, int, int]]:
    """What becomes of which lines, as opcodes of difflib, which is asked of the middle alone."""
    most = min(len(old), len(new))
    top = next((n for n in range(most) if old[n] != new[n]), most)
    below = range(1, most - top + 1)
    tail = next((n - 1 for n in below if old[-n] != new[-n]), most - top)
    yield "equal", 0, top, 0, top
    middle = SequenceMatcher(None, old[top : len(old) - tail], new[top : len(new) - tail])
    for tag, *ends in middle.get_opcodes():
        first, last, start, end = (number + top for number in ends)
        yield tag, first, last, start, end
    yield "equal", len(old) - tail, len(old), len(new) - tail, len(new)


def build_added_files(contents: Mapping[str, bytes]) -> Diff:
    """A change that adds these files whole, by their paths."""
    return Diff(
        tuple(
            with_language(build_added_file(path, None, decode_text(content)))
            for path, content in sorted(contents.items())
        )
    )


def normalize_example(example: Example | str) -> Example:
    """The example written out: its code ends with a newline, as files do."""
    whole = Example(code=example) if isinstance(example, str) else example
    if whole.base is not None and not whole.base.endswith("\n"):
        whole = whole.model_copy(update={"base": f"{whole.base}\n"})
    if whole.code is None or whole.code.endswith("\n"):
        return whole
    return whole.model_copy(update={"code": f"{whole.code}\n"})


def _find_problems(rule: Rule, rule_set: RuleSet, example: Example, expected: str) -> Iterator[str]:
    path, language = find_path(rule, example)
    code = read_code(path, example.code or "")
    if language is not None and not is_parsable(code, language):
        yield f"does not parse as {language}"
        return
    verdict = _decide_example(rule, rule_set, _build_subject(rule, example))
    yield from _describe_unexpected(verdict, expected)
    if verdict is None or verdict.verdict is not Verdict.DENY or expected != "invalid":
        return
    if example.code is not None:
        yield from _find_fix_problems(rule, rule_set, example, verdict)


def _find_fix_problems(
    rule: Rule, rule_set: RuleSet, example: Example, verdict: RuleVerdict
) -> Iterator[str]:
    """What is wrong with the fix: other than `fixed`, does not parse, or leaves the fault."""
    code = example.code or ""
    path, language = find_path(rule, example)
    if example.fixed is not None and not verdict.remediations:
        yield "has no fix"
    if not verdict.remediations:
        return
    fixed = apply_fixes(code, verdict.remediations)
    if example.fixed is not None and fixed.rstrip("\n") != example.fixed.rstrip("\n"):
        yield f"is fixed to {fixed!r}"
    elif language is not None and not is_parsable(read_code(path, fixed), language):
        yield f"does not parse once fixed: {fixed!r}"
    else:
        after = _decide_example(rule, rule_set, _build_file_subject(rule, path, language, fixed))
        if after is not None and after.verdict is not Verdict.ALLOW:
            yield f"still breaks the rule once fixed: {fixed!r}"


def _describe_unexpected(verdict: RuleVerdict | None, expected: str) -> Iterator[str]:
    if verdict is None:
        if expected == "invalid":
            yield "is not caught: the rule does not look at it, or cannot decide it"
    elif expected == "valid" and verdict.verdict is not Verdict.ALLOW:
        yield f"is caught: {verdict.reasoning}"
    elif expected == "invalid" and verdict.verdict is not Verdict.DENY:
        yield f"is not caught: {verdict.reasoning}"


def _decide_example(rule: Rule, rule_set: RuleSet, subject: Subject) -> RuleVerdict | None:
    """The verdict, or None if the rule does not look at the subject or cannot decide it."""
    if not fits_subject(rule, subject):
        return None
    dispatched = check_rules(EvaluationContext((subject,)), Selection((rule,)), rule_set)
    return dispatched.verdicts[0] if dispatched.verdicts else None


def _build_subject(rule: Rule, example: Example) -> Subject:
    """The example's facts, or its code as a file that the change adds."""
    if example.code is None:
        kind = rule.subject_kinds[0] if rule.subject_kinds else SubjectKind.CODE_DIFF
        return Subject(kind, facts=example.facts or {})
    path, language = find_path(rule, example)
    if example.base is None:
        return _build_file_subject(rule, path, language, example.code)
    return _build_subject_of(rule, build_changed_file(path, language, example.base, example.code))


def decide_file(rule: Rule, rule_set: RuleSet, file: FileChange) -> RuleVerdict | None:
    """What a rule says of a file; None if it does not look at it or cannot decide it."""
    return _decide_example(rule, rule_set, _build_subject_of(rule, file))


def find_path(rule: Rule, example: Example) -> tuple[str, str | None]:
    """Where the code of an example stands, and its language."""
    language = example.language or _detect_language(rule, example.path)
    return example.path or f"example.{language or 'txt'}", language


def _build_file_subject(rule: Rule, path: str, language: str | None, code: str) -> Subject:
    """The example's file, as the first kind of subject that its rule is about."""
    return _build_subject_of(rule, build_added_file(path, language, code))


def _build_subject_of(rule: Rule, file: FileChange) -> Subject:
    if rule.subject_kinds and SubjectKind.CODE_DIFF not in rule.subject_kinds:
        return build_file_subject(RoutedFile(file, rule.subject_kinds[0]))
    return Subject(SubjectKind.CODE_DIFF, files=(file,))


def _detect_language(rule: Rule, path: str | None) -> str | None:
    """The example's language: its path's, or the first that the rule is about."""
    if path is not None and (language := detect_language(path)) is not None:
        return language
    named = [name for name in rule.languages if not set(name) & set("*?[{!")]
    named += [
        language
        for constraint in rule.constraints
        if isinstance(constraint, (PatternConstraint, ValueConstraint))
        for language in constraint.languages
    ]
    return named[0] if named else None
