"""Move what changelog.d/ says into CHANGELOG.md.

    python deploy/changelog.py

A fragment is a Markdown file: a heading, then bullets. Its bullets go to the end of the section of
that heading in the release that CHANGELOG.md has first; without one, the release gets a new section
at its end. The files are deleted. Ends with 0, or with 1 and one line on standard error about a
fragment that is none, or about a first release that is dated; then nothing was written.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FRAGMENT = re.compile(r"(### \S.*\n)\n((?:- \S.*\n(?:  \S.*\n)*)+)")


def main() -> int:
    """Assemble the fragments of this checkout."""
    changelog = ROOT / "CHANGELOG.md"
    fragments = sorted(ROOT.glob("changelog.d/*.md"))
    fragments = [path for path in fragments if path.name != "README.md"]
    try:
        text = assemble(changelog.read_text(), {path.name: path.read_text() for path in fragments})
    except ValueError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command speaks by printing
        return 1
    changelog.write_text(text)
    for path in fragments:
        path.unlink()
    return 0


def assemble(changelog: str, fragments: dict[str, str]) -> str:
    """The changelog with the fragments, by file name, in its first release. Raises ValueError."""
    before, first, *released = re.split(r"^(?=## )", changelog, flags=re.MULTILINE)
    if fragments and not first.split("\n")[0].endswith(", unreleased"):
        problem = "CHANGELOG.md: begin a release first, with a line `## VERSION, unreleased`."
        raise ValueError(problem)
    title, *sections = re.split(r"^(?=### )", first, flags=re.MULTILINE)
    for name, fragment in fragments.items():
        read = FRAGMENT.fullmatch(fragment)
        if read is None:
            problem = (
                f"changelog.d/{name}: write a heading `### SECTION`, an empty line, and bullets."
            )
            raise ValueError(problem)
        heading, bullets = read.groups()
        index = next((i for i, text in enumerate(sections) if text.startswith(heading)), None)
        if index is None:
            sections.append(f"{heading}\n{bullets}\n")
        else:
            sections[index] = f"{sections[index].rstrip()}\n{bullets}\n"
    first = (
        title.rstrip() + "\n\n" + "".join(f"{text.rstrip()}\n\n" for text in sections)
    ).rstrip()
    return before + first + "\n" + "".join("\n" + text for text in released)


if __name__ == "__main__":
    sys.exit(main())
