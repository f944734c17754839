"""The check run of one head: begun at once, and concluded with all its annotations or not at all.

GitHub appends the annotations of every update, takes few at a time, and does not reopen a completed
run: https://docs.github.com/en/rest/checks/runs. So the conclusion travels with the last batch, and
a run that an earlier attempt left half annotated gets only what it lacks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from jurat.findings.evaluation import Conclusion
from jurat.github.client import GitHub, Values
from jurat.github.errors import ensure_admitted
from jurat.github.models import CheckAnnotationPayload, CheckRunPayload
from jurat.github.retries import BeforeWrite, write_once
from jurat.reports.check_run import Annotation, CheckAction, CheckRun
from jurat.reports.commit_check import CommitCheck
from jurat.reports.limits import (
    ANNOTATION_TEXT,
    ANNOTATION_TITLE,
    ANNOTATIONS,
    BUTTON_DESCRIPTION,
    BUTTON_IDENTIFIER,
    BUTTON_LABEL,
    BUTTONS,
    CHECK_TEXT,
    PAGE,
)

REVIEW = "jurat"
RULES = "jurat / rules"
BACKTEST = "jurat / backtest"
"""The names of the checks: of the change, of the rules that a change would put in force, and of
what was merged before."""

BEGUN = ("Reviewing this change", "Jurat is reading the change and deciding the rules that apply.")
SUPERSEDED = ("Superseded", "A newer commit was pushed during the review. It has its own check.")
REPLACED = ("Replaced", "Two reviews of this commit began at once. The newer check is of both.")
STOPPED = ("Stopped", "The review was stopped before it had decided anything.")

# Never rely on `check_run.pull_requests`: it is empty for a head in a fork.
# An earlier release wrote the repository's name in place of its id.
_EXTERNAL_ID = re.compile(r"(?:(?P<id>\d+)|[^#]+)#(?P<number>\d+)@(?P<head>[0-9a-f]+)")
_RUNS = "/repos/{+repository}/check-runs"
_RUN = _RUNS + "/{id}"


class CheckKey(NamedTuple):
    """What a check run of ours is about. A fork's run names no pull request, so its id does.

    `repository_id` is None of a run that an earlier release began.
    """

    repository_id: int | None
    number: int
    head_sha: str

    def __str__(self) -> str:
        return f"{self.repository_id}#{self.number}@{self.head_sha}"

    @classmethod
    def read(cls, external_id: str | None) -> CheckKey | None:
        """The key that an external_id holds; None if it is none of ours."""
        match = _EXTERNAL_ID.fullmatch(external_id or "")
        if match is None:
            return None
        known = int(match["id"]) if match["id"] else None
        return cls(known, int(match["number"]), match["head"])


class CheckRunWriter:
    """The check run `name` of one commit, as one App writes it on behalf of one pull request.

    `repository` is what the repository is called now, `key` names it by what it is called always.
    `before_write` is awaited before each write but a cancellation, and stops it by raising. `begun`
    is the title and summary until it is concluded. A run is shared by all pull requests that have
    the commit as their head (see `jurat.github.commit_check`), unless `shared` says that each has
    its own.
    """

    def __init__(
        self,
        github: GitHub,
        repository: str,
        key: CheckKey,
        app_id: int,
        before_write: BeforeWrite,
        *,
        name: str = REVIEW,
        begun: tuple[str, str] = BEGUN,
        shared: bool = True,
    ) -> None:
        self._shared = shared
        self._github = github
        self._repository = repository
        self._key = key
        self._app_id = app_id
        self._before_write = before_write
        self._name = name
        self._begun = begun
        self._run: CheckRunPayload | None = None

    async def begin(self) -> CheckRunPayload:
        """The open run of this head: the one that another review began, or a new one."""
        if self._run is None:
            # Found first: a job that was killed left its run open, and a second one would hang
            # beside it.
            self._run = await self.find() or await self._create()
        return self._run

    async def find(self) -> CheckRunPayload | None:
        """Our newest run for this head that is not completed."""
        found = [run for run in await self._list_runs() if run.status != "completed"]
        # Ids grow: the newest is the one that GitHub shows.
        return max(found, key=lambda run: run.id, default=None)

    async def is_concluded(self) -> bool:
        """Whether a review of this head was concluded already."""
        # A cancelled run is one that a push superseded or a stop ended: it decided nothing.
        return any(run.conclusion not in (None, "cancelled") for run in await self._list_runs())

    async def show(self, wanted: CommitCheck | None) -> None:
        """Have the newest run of this commit say that, or be open for None; no other stays open.

        Only the newest counts for whoever requires the check. Done again it changes nothing.
        """
        runs = sorted(await self._list_runs(), key=lambda run: run.id)
        newest = runs[-1] if runs else None
        self._run = newest if newest and newest.status != "completed" else None
        if wanted is None:
            await self.begin()
        elif newest is None or not _is_saying(newest, wanted.check):
            await self.conclude(wanted.check, about=wanted.number)
        for run in runs[:-1]:
            if run.status != "completed":
                await self._close(run, REPLACED)

    async def _list_runs(self) -> list[CheckRunPayload]:
        """Our runs for this head, whichever their state."""
        runs = self._github.iter_items(
            CheckRunPayload,
            "/repos/{+repository}/commits/{sha}/check-runs{?check_name,filter,per_page}",
            {
                "repository": self._repository,
                "sha": self._key.head_sha,
                "check_name": self._name,
                # The default, "latest", hides an open run behind a newer completed one.
                "filter": "all",
                "per_page": PAGE.size,
            },
            key="check_runs",
        )
        return [run async for run in runs if self._is_ours(run)]

    def _is_ours(self, run: CheckRunPayload) -> bool:
        """Whether a run of this head is one that we write. Its repository may be renamed."""
        key = CheckKey.read(run.external_id)
        if key is None or key.head_sha != self._key.head_sha:
            return False
        about = self._shared or key.number == self._key.number
        return about and run.app is not None and run.app.id == self._app_id

    async def conclude(self, edit: CheckRun, *, about: int | None = None) -> None:
        """Complete the run. Done again with the same edit, it adds no annotation.

        `about` is the number of the pull request whose words they are, and its buttons.
        """
        # Before the first write: a refusal in the middle would leave half of the annotations.
        check_size(edit)
        annotations = await self._list_missing(edit.annotations)
        size = ANNOTATIONS.size
        batches = [annotations[at : at + size] for at in range(0, len(annotations), size)] or [()]
        # In progress until the last batch: a run that is completed shows, and gates, what it has so
        # far.
        for batch in batches[:-1]:
            await self._before_write()
            self._run = await self._update(await self.begin(), self._begun, batch)
        await self._before_write()
        self._run = await self._update(
            await self.begin(),
            (edit.title, edit.summary),
            batches[-1],
            text=edit.text,
            conclusion={**_build_conclusion(edit), **await self._write_number(about)},
        )

    async def post(self, edit: CheckRun, *, anew: bool) -> None:
        """Write a check that has no annotations by one request: no crash leaves it open.

        If the newest run says the same, that stays the only one, unless it is wanted `anew`.
        """
        check_size(edit)
        newest = max(await self._list_runs(), key=lambda run: run.id, default=None)
        if newest is not None and newest.status != "completed":
            await self.conclude(edit)
            return
        if newest is not None and not anew and _is_saying(newest, edit):
            return
        known = newest.id if newest else 0

        async def arrived() -> CheckRunPayload | None:
            return next((run for run in await self._list_runs() if run.id > known), None)

        self._run = await self._post(
            {
                "status": "completed",
                "output": _build_output((edit.title, edit.summary), text=edit.text),
                **_build_conclusion(edit),
            },
            arrived,
        )

    async def cancel(self, title_and_summary: tuple[str, str] = SUPERSEDED) -> None:
        """Complete a run that is still open as cancelled, under this title and summary."""
        if (run := await self.find()) is not None:
            self._run = await self._close(run, title_and_summary)

    async def _close(
        self, run: CheckRunPayload, title_and_summary: tuple[str, str]
    ) -> CheckRunPayload:
        cancelled = {"conclusion": Conclusion.CANCELLED.value}
        return await self._update(run, title_and_summary, conclusion=cancelled)

    async def _write_number(self, about: int | None) -> dict[str, Any]:
        """What has the run name another pull request than it does, to answer its buttons there."""
        key = CheckKey.read((await self.begin()).external_id)
        if about is None or (key is not None and key.number == about):
            return {}
        return {"external_id": str(self._key._replace(number=about))}

    async def _create(self) -> CheckRunPayload:
        begun = {"status": "in_progress", "output": _build_output(self._begun)}
        return await self._post(begun, self.find)

    async def _post(
        self, said: dict[str, Any], find: Callable[[], Awaitable[CheckRunPayload | None]]
    ) -> CheckRunPayload:
        data = {
            "name": self._name,
            "head_sha": self._key.head_sha,
            "external_id": str(self._key),
            **said,
        }

        async def create() -> CheckRunPayload:
            await self._before_write()
            values: Values = {"repository": self._repository}
            return await self._github.write("POST", CheckRunPayload, _RUNS, values, data)

        return await write_once(create, find, self._github.sleep)

    async def _list_missing(self, wanted: Sequence[Annotation]) -> Sequence[Annotation]:
        """The annotations that the run does not have yet.

        One that an interrupted review left and that is no longer wanted cannot be taken back: its
        run is then cancelled, and a new one takes its place.
        """
        run = await self.begin()
        if not run.output.annotations_count:
            return wanted
        url = _RUN + "/annotations{?per_page}"
        values: Values = {"repository": self._repository, "id": run.id, "per_page": PAGE.size}
        # Counted, not a set: two findings may say the same of the same line.
        there = Counter(
            [
                _identify_listed(item)
                async for item in self._github.iter_items(CheckAnnotationPayload, url, values)
            ]
        )
        if there - Counter(map(_identify_written, wanted)):
            await self.cancel()
            self._run = await self._create()
            return wanted
        missing = []
        for annotation in wanted:
            if there[_identify_written(annotation)]:
                there[_identify_written(annotation)] -= 1
            else:
                missing.append(annotation)
        return missing

    async def _update(
        self,
        run: CheckRunPayload,
        title_and_summary: tuple[str, str],
        batch: Sequence[Annotation] = (),
        *,
        text: str = "",
        conclusion: dict[str, Any] | None = None,
    ) -> CheckRunPayload:
        """One update. If its answer is lost, the count of annotations tells if it arrived."""
        values: Values = {"repository": self._repository, "id": run.id}
        # Annotations are appended, never replaced, so that their number tells whether an update
        # arrived.
        count = run.output.annotations_count + len(batch)
        status = "completed" if conclusion else "in_progress"
        data = {
            "status": status,
            "output": _build_output(title_and_summary, batch, text),
            **(conclusion or {}),
        }

        async def arrived() -> CheckRunPayload | None:
            now = await self._github.read(CheckRunPayload, _RUN, values)
            return now if (now.status, now.output.annotations_count) == (status, count) else None

        update = partial(self._github.write, "PATCH", CheckRunPayload, _RUN, values, data)
        return await write_once(update, arrived, self._github.sleep)


def _build_output(
    title_and_summary: tuple[str, str], batch: Sequence[Annotation] = (), text: str = ""
) -> dict[str, Any]:
    """Title and summary go together on every write, or GitHub keeps neither."""
    title, summary = title_and_summary
    output: dict[str, Any] = {"title": title, "summary": summary}
    if text:
        output["text"] = text
    if batch:
        output["annotations"] = [_build_annotation(item) for item in batch]
    return output


def _build_annotation(item: Annotation) -> dict[str, Any]:
    return {
        "path": item.path,
        "start_line": item.start_line,
        "end_line": item.end_line,
        "annotation_level": item.level,
        "title": item.title,
        "message": item.message,
    }


def _build_conclusion(edit: CheckRun) -> dict[str, Any]:
    return {
        "conclusion": edit.conclusion.value,
        "actions": [_build_action(action) for action in edit.actions],
    }


def _build_action(action: CheckAction) -> dict[str, str]:
    return {
        "label": action.label,
        "description": action.description,
        "identifier": action.identifier,
    }


_Identity = tuple[str, int, int, str, str]


def _identify_written(item: Annotation) -> _Identity:
    return (item.path, item.start_line, item.end_line, item.title, item.message)


def _identify_listed(item: CheckAnnotationPayload) -> _Identity:
    return (item.path, item.start_line, item.end_line, item.title or "", item.message or "")


def _is_saying(run: CheckRunPayload, edit: CheckRun) -> bool:
    """Whether a run is completed with this; a run that says the same needs no other one."""
    said = (run.conclusion, run.output.title, run.output.summary)
    return run.status == "completed" and said == (edit.conclusion, edit.title, edit.summary)


def check_size(edit: CheckRun) -> None:
    """Raises OversizedWriteError for what GitHub would refuse, or cut without a word."""
    ensure_admitted("check's summary", edit.summary, CHECK_TEXT)
    ensure_admitted("check's text", edit.text, CHECK_TEXT)
    for note in edit.annotations:
        ensure_admitted("annotation's message", note.message, ANNOTATION_TEXT)
        ensure_admitted("annotation's title", note.title, ANNOTATION_TITLE)
    ensure_admitted("check's list of buttons", edit.actions, BUTTONS)
    for action in edit.actions:
        ensure_admitted("button's label", action.label, BUTTON_LABEL)
        ensure_admitted("button's description", action.description, BUTTON_DESCRIPTION)
        ensure_admitted("button's identifier", action.identifier, BUTTON_IDENTIFIER)
