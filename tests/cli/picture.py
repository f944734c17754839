"""Takes the README's picture of a review: python -m tests.cli.picture

It is the demo's page with the check and one of its comments, as Chromium shows it on a desk.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.support.browser import ARGUMENTS, NAMES
from tests.support.production import python

PICTURE = Path(__file__).parents[2] / "docs" / "review.png"
COMMENT = "payments/client.py"
HIDE_THE_REST = """(shown) => {
    for (const box of document.querySelectorAll('#talk > article'))
        if (!box.ariaLabel && box.querySelector('header').innerText !== shown) box.remove();
}"""


def take_picture() -> None:
    """Write docs/review.png. Needs a Chromium, as `make browser` says."""
    executable = next(path for name in NAMES if (path := shutil.which(name)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        shown = Path(folder) / "page.html"
        command = [python(), "-m", "jurat", "demo", "--page", shown]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        chromium = playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
        page = chromium.new_page(viewport={"width": 880, "height": 800}, color_scheme="light")
        page.goto(shown.as_uri())
        page.evaluate(HIDE_THE_REST, COMMENT)
        page.screenshot(path=PICTURE, full_page=True)
        chromium.close()


if __name__ == "__main__":
    take_picture()
