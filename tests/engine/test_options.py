"""A text that a program takes for one of its options is no text any more."""

from __future__ import annotations

import pytest

from tests.engine.test_hidden_flows import count_flows

GIT = (
    "import re, subprocess\nfrom flask import request, abort\n"
    "def show():\n    a = request.args['a']\n%s    subprocess.run([%s])\n"
)
FAULTS = {
    "where an option may stand": GIT % ("", "'git', 'show', a"),
    "before something else": GIT % ("", "'tar', 'cf', '/tmp/a', a + '.txt'"),
    "by another question": GIT
    % ("    if a.startswith('.'):\n        abort(400)\n", "'hg', 'cat', a"),
    "after an unfit pattern": GIT
    % ("    if not re.fullmatch(r'-?[^ ]+', a):\n        abort(400)\n", "'git', 'show', a"),
}
FIT = {
    "behind two dashes": GIT % ("", "'git', 'show', '--', a"),
    "as an option's own value": GIT % ("", "'git', 'log', '--author', a"),
    "in an option": GIT % ("", "'git', 'log', f'--author={a}'"),
    "behind a folder": GIT % ("", "'tar', 'cf', '/tmp/a', './' + a"),
    "that begins with no dash": GIT
    % ("    if a.startswith('-'):\n        abort(400)\n", "'git', 'show', a"),
    "that begins with a scheme": GIT
    % ("    if not a.startswith('https://'):\n        abort(400)\n", "'git', 'clone', a"),
    "whose first letter is none": GIT
    % ("    if a[0] == '-':\n        abort(400)\n", "'git', 'show', a"),
    "to a program without such options": GIT % ("", "'/opt/shop/report', a"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_a_program_may_take_for_an_option_is_found(name: str) -> None:
    assert count_flows(FAULTS[name], "python") == 1


@pytest.mark.parametrize("name", FIT)
def test_what_no_program_takes_for_an_option_is_fit(name: str) -> None:
    assert count_flows(FIT[name], "python") == 0
