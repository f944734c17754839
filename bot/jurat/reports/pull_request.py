"""The edits still to be made on a pull request: what is wanted, less what is posted already."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from jurat.facts.context import EvaluationContext
from jurat.findings.evaluation import Evaluation
from jurat.findings.finding import Finding
from jurat.findings.verdict import RuleVerdict
from jurat.reports.check_run import (
    Annotation,
    CheckRun,
    Edit,
    EditComment,
    PostedComment,
    ReviewComment,
    ReviewPost,
    build_actions,
    build_fix_button,
)
from jurat.reports.comment import (
    CommentAnchor,
    CommentMarker,
    anchor_comment,
    parse_marker,
    render_comment,
    with_state,
    with_waiver,
)
from jurat.reports.limits import ANNOTATION_TEXT, ANNOTATION_TITLE, fit
from jurat.reports.markdown import escape_plain
from jurat.reports.promotions import describe_promotions
from jurat.reports.summary import (
    describe_finding,
    describe_norm,
    describe_open_ends,
    describe_verdict,
    render_summary,
    render_title,
)
from jurat.rules.config import Config
from jurat.rules.maturity import NO_STANDINGS, TrackRecord
from jurat.source.diff import FileChange


@dataclass(frozen=True, slots=True)
class _PostedFinding:
    comment: PostedComment
    marker: CommentMarker


def plan_writes(
    evaluation: Evaluation,
    context: EvaluationContext,
    configuration: Config,
    posted: Sequence[PostedComment],
    head_sha: str,
    *,
    track_records: Mapping[str, TrackRecord] = NO_STANDINGS,
    earlier: Collection[str] = (),
) -> tuple[Edit, ...]:
    """The edits that bring the pull request in line with `evaluation`, the check's conclusion last.

    A finding with a comment gets no second one, even if its file was renamed. A comment whose
    finding is gone is edited to say in which commit; one whose rule was not decided this time, or
    whose file was not read, stays as it is. Shadow findings stand in the summary alone, and so do
    waived ones, whose comments say why. A finding whose id is in `earlier` has had a comment: if it
    has none now, a person deleted that, and it stands in the check alone.
    """
    findings = evaluation.findings
    ours = [_PostedFinding(item, marker) for item in posted if (marker := parse_marker(item.body))]
    files = {file.path: file for file in context.files}
    known = _match_comments(findings, ours, files)
    counting = _filter_counting(findings)
    fresh = [finding for finding in counting if finding.id not in known]
    # Comments that stand from earlier pushes count: the budget is what a reader sees, not what is
    # new.
    room = configuration.review.max_comments - sum(
        known[finding.id].marker.state == "open" for finding in counting if finding.id in known
    )
    comments, elsewhere = _build_comments(
        [finding for finding in fresh if finding.id not in earlier],
        evaluation.by_rule,
        files,
        max(room, 0),
    )
    elsewhere += [finding for finding in fresh if finding.id in earlier]
    edits: list[Edit] = []
    if comments:
        # Before the check: what GitHub refuses becomes an annotation of the conclusion that
        # follows.
        body = _render_review_body(evaluation, findings, len(elsewhere))
        edits.append(ReviewPost(body, comments))
    current = {known[finding.id].comment.comment_id for finding in counting if finding.id in known}
    waived = [finding for finding in findings if finding.waiver and finding.id in known]
    edits += _build_waiver_edits(waived, known)
    gone = {known[finding.id].comment.comment_id for finding in waived}
    # A waived comment is edited once: "fixed" as well would claim what nobody did.
    others = [item for item in ours if item.comment.comment_id not in gone]
    edits += _build_follow_up_edits(
        others, current, _list_undecided(evaluation, context), head_sha[:12]
    )
    check = _build_check_run(evaluation, configuration, findings, elsewhere, track_records)
    # Last, as it opens the merge: whoever merges at the moment it turns green finds the comments.
    edits.append(replace(check, actions=(*build_fix_button(findings), *check.actions)))
    return tuple(edits)


def plan_check_run(
    evaluation: Evaluation,
    configuration: Config,
    track_records: Mapping[str, TrackRecord] = NO_STANDINGS,
) -> CheckRun:
    """The check's conclusion if nothing can be commented on: findings are annotations."""
    findings = evaluation.findings
    elsewhere = _filter_counting(findings)
    return _build_check_run(
        evaluation, configuration, findings, elsewhere, track_records, interactive=False
    )


def _filter_counting(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that are shown where they stand."""
    return [item for item in findings if not item.shadow and item.waiver is None]


def _build_check_run(
    evaluation: Evaluation,
    configuration: Config,
    findings: Sequence[Finding],
    elsewhere: Sequence[Finding],
    track_records: Mapping[str, TrackRecord],
    *,
    interactive: bool = True,
) -> CheckRun:
    """`elsewhere` are the findings that have no comment of their own."""
    observing = [finding.rule for finding in findings if finding.shadow]
    promotions = describe_promotions(observing, track_records, configuration.review)
    return CheckRun(
        evaluation.published_conclusion,
        render_title(evaluation),
        render_summary(evaluation, findings, promotions, interactive=interactive),
        annotations=_build_annotations(elsewhere),
        actions=build_actions(evaluation),
    )


def _match_comments(
    findings: Sequence[Finding], ours: Sequence[_PostedFinding], files: Mapping[str, FileChange]
) -> Mapping[str, _PostedFinding]:
    """The posted comment of each finding, by fingerprint, or by code if a file was renamed.

    A comment on a file that is still there is about that file: the same code may stand in two.
    """
    by_id = {item.marker.fingerprint: item for item in ours}
    matched = {finding.id: by_id[finding.id] for finding in findings if finding.id in by_id}
    taken = {item.marker.fingerprint for item in matched.values()}
    moved = {
        item.marker.code_print: item
        for item in ours
        # Only if that path is out of the diff: the same code may stand in two files.
        if item.marker.fingerprint not in taken and item.comment.path not in files
    }
    for finding in findings:
        # Popped: one comment answers for one finding.
        if finding.id not in matched and finding.code_id in moved:
            matched[finding.id] = moved.pop(finding.code_id)
    return matched


def _build_comments(
    fresh: Sequence[Finding],
    verdicts: Mapping[str, RuleVerdict],
    files: Mapping[str, FileChange],
    room: int,
) -> tuple[tuple[ReviewComment, ...], list[Finding]]:
    """The inline comments, at most `room`, and the findings that stand elsewhere.

    Of two fixes for the same lines only the first is a button: applying both would undo one.
    """
    comments: list[ReviewComment] = []
    elsewhere: list[Finding] = []
    suggested: dict[str, list[CommentAnchor]] = {}
    for finding in fresh:
        anchor = anchor_comment(finding, files)
        if anchor is None or finding.path is None or len(comments) >= room:
            elsewhere.append(finding)
            continue
        rivals = suggested.setdefault(finding.path, [])
        free = not any(
            anchor.start_line <= rival.end_line and rival.start_line <= anchor.end_line
            for rival in rivals
        )
        if anchor.suggestible and free:
            rivals.append(anchor)
        comments.append(
            ReviewComment(
                path=finding.path,
                line=anchor.end_line,
                start_line=anchor.start_line if anchor.start_line < anchor.end_line else None,
                body=render_comment(finding, verdicts[finding.rule.id], anchor, suggest=free),
            )
        )
    return tuple(comments), elsewhere


def _list_undecided(
    evaluation: Evaluation, context: EvaluationContext
) -> tuple[frozenset[str], frozenset[str]]:
    """Rule ids that were not decided to the end, and paths that were not read, this time."""
    paths = {file.path for file in evaluation.coverage.unread}
    # Its comments stand under the old name.
    paths |= {file.old_path for file in context.unread if file.old_path}
    return evaluation.undecided, frozenset(paths)


def _build_follow_up_edits(
    ours: Sequence[_PostedFinding],
    current: set[int],
    undecided: tuple[frozenset[str], frozenset[str]],
    commit: str,
) -> list[EditComment]:
    """Marks comments whose finding is gone as fixed, and fixed ones that are back as open.

    `current` holds the ids of the comments whose finding stands. A finding that nobody looked for,
    because its rule was not decided or its file not read, is not gone.
    """
    rules, paths = undecided
    edits = []
    for comment, marker in ((item.comment, item.marker) for item in ours):
        stands = comment.comment_id in current
        looked_for = marker.rule_id not in rules and comment.path not in paths
        if stands and marker.state != "open":
            body = with_state(comment.body, marker, "open", commit)
            edits.append(EditComment(comment.comment_id, body, resolved=False))
        elif not stands and marker.state != "fixed" and looked_for:
            body = with_state(comment.body, marker, "fixed", commit)
            edits.append(EditComment(comment.comment_id, body, resolved=True))
    return edits


def _build_waiver_edits(
    findings: Sequence[Finding], known: Mapping[str, _PostedFinding]
) -> list[EditComment]:
    """Has the comments of findings that do not count say so, unless they do."""
    edits = []
    for finding in findings:
        posted = known[finding.id]
        if finding.waiver is None:
            continue
        body = with_waiver(posted.comment.body, posted.marker, finding.waiver)
        if body != posted.comment.body:
            edits.append(EditComment(posted.comment.comment_id, body))
    return edits


def _build_annotations(elsewhere: Sequence[Finding]) -> tuple[Annotation, ...]:
    """Notes for findings with a line but no inline comment; the summary has all of them."""
    notes = []
    for finding in elsewhere:
        location = finding.location
        if location is None or location.file_path is None or location.start_line is None:
            continue
        notes.append(
            Annotation(
                path=location.file_path,
                start_line=location.start_line,
                end_line=location.end_line or location.start_line,
                level="failure" if finding.blocks else "warning",
                title=fit(escape_plain(finding.rule.id), ANNOTATION_TITLE),
                message=fit(
                    escape_plain(
                        "\n".join(filter(None, (describe_finding(finding), describe_norm(finding))))
                    ),
                    ANNOTATION_TEXT,
                ),
            )
        )
    return tuple(notes)


def _render_review_body(evaluation: Evaluation, findings: Sequence[Finding], elsewhere: int) -> str:
    """What matters ahead of the comments: what blocks, what a click mends, what nobody decided."""
    said = describe_open_ends(evaluation, elsewhere)
    rest = f" In the check's summary: {said}." if said else ""
    return describe_verdict(evaluation, findings) + rest
