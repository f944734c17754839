"""Whom it is for that something is done: who asks the system, or who runs a script of its parts.

A script that compares models keeps what it compared, and a package offers what its users may
measure of their own. Of what was read of real programs at first sight, records of scripts were
right in 1 of 10 cases and those of applications in 3 of 4, measurements of packages in 4 of 11, and
failures met in packages and scripts in 7 of 12, where applications had 7 of 7.
"""

from __future__ import annotations

from jurat.rating.behaviours.behaviour import Sign
from jurat.rating.program.conduct import Conduct, ask_once
from jurat.rating.program.inference import SENDS
from jurat.rating.program.program_names import Function
from jurat.rating.program.stores import get_last
from jurat.rating.program.surroundings import is_small

OF_RECORDS = frozenset(("durable_record", "log_fields", "logged_inference"))
"""What is written down of an inference."""
OF_MEASURES = frozenset(("measured_answers", "compared_groups"))
"""What is reckoned of many answers."""
_BY_NOBODY_ELSE = frozenset(("command", "call"))
"""How a function is called by who runs a script, or uses a package."""
_LED = 5
"""Calls by which who asks leads to what is done for them."""


def is_served(conduct: Conduct, sign: Sign) -> bool:
    """Whether what a sign shows is done where the system runs; of other behaviours, yes."""
    if sign.function not in conduct.product:
        return True
    if sign.behaviour in OF_RECORDS:
        return sign.function in _list_served(conduct)
    if sign.behaviour == "caught_failure":
        return sign.function in _list_served(conduct) or _is_of_others(conduct, sign)
    return sign.behaviour not in OF_MEASURES or sign.function in _list_started(conduct)


def is_of_service(conduct: Conduct, one: Function) -> bool:
    """Whether somebody who asks leads to a function, or it asks a model itself; in a small program
    all does.
    """
    return is_small(conduct) or one in conduct.inferring or one in _list_served(conduct)


def _is_of_others(conduct: Conduct, sign: Sign) -> bool:
    """Whether what may fail there is somebody else's, by its name, and no own part of the program.

    What is tried again of one's own may be a search, or a default that is taken.
    """
    one = sign.function
    return any(
        (name := conduct.name(one, call.callee)) and name[0] != "?"
        for call in conduct.facts(one).calls
        if call.line == sign.line and (get_last(call) in SENDS or conduct.asks_model(one, call))
    )


@ask_once
def _list_served(conduct: Conduct) -> frozenset[Function]:
    """The functions that a route, a page or a message of somebody's leads to."""
    asked = (one for one in conduct.handlers if not conduct.list_verbs(one) <= _BY_NOBODY_ELSE)
    return conduct.program.walk(asked, _LED)


@ask_once
def _list_started(conduct: Conduct) -> frozenset[Function]:
    """The functions that something leads to which starts here, and is no package's offer."""
    program = conduct.program
    begun = {(path, 0) for path in program.begun if not path.endswith("__init__.py")}
    return program.walk(begun | (conduct.handlers - program.open_functions), _LED)
