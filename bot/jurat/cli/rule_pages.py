"""`jurat rules docs --site`: the rules as a folder of pages."""

from __future__ import annotations

from pathlib import Path

from jurat.cli.options import print_note
from jurat.errors import UsageError
from jurat.reports.counts import pluralize
from jurat.reports.rule_site import INDEX, MARK, RULE_FOLDER, render_site
from jurat.rules.rule import RuleSet


def write_site(rule_set: RuleSet, folder: Path) -> None:
    """Write the pages into `folder`, and take away those of rules that are gone.

    Raises UsageError if it cannot be written, or holds what this command has not written.
    """
    pages = render_site(rule_set)
    try:
        _check_folder(folder)
        (folder / RULE_FOLDER).mkdir(parents=True, exist_ok=True)
        for old in (folder / RULE_FOLDER).glob("*.html"):
            if f"{RULE_FOLDER}/{old.name}" not in pages and MARK in old.read_text("utf-8"):
                old.unlink()
        for name, text in pages.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"--site: {folder} cannot be written: {error.strerror}.", hint="Name another folder."
        ) from None
    print_note(f"{folder / INDEX} shows {pluralize(len(rule_set), 'rule')}.")


def _check_folder(folder: Path) -> None:
    """Raise UsageError for a folder with anything in it that is not such a site."""
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    index = folder / INDEX
    if not index.is_file() or MARK not in index.read_text("utf-8", "replace"):
        raise UsageError(
            f"--site: {folder} holds something else.", hint="Name a folder that is empty, or new."
        )
