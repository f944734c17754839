"""Faces that are looked for in a picture, and made unreadable in it."""

from __future__ import annotations

import re

from jurat.rating.behaviours.tied import list_values
from jurat.rating.code.function_facts import CallFact
from jurat.rating.code.tag_search import has_name
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.program_names import Function

_FINDS_FACES = re.compile(
    r"(?:^|\.)(?:detectMultiScale|face_locations|detect_faces|detectAllFaces"
    r"|FaceDetect\w*\(\)\.\w+|MTCNN\(\)\.\w+"
    r"|FaceAnalysis\(\)\.get|FaceDetectorYN\.create\(\)\.detect|RetinaFace\.\w+)(?:\(\))?$"
)


def is_looking_for_faces(conduct: Conduct, one: Function) -> bool:
    """Whether a function looks for faces: before a picture is kept that a model learns from."""
    return any(
        _FINDS_FACES.search(conduct.name(one, call.callee)) for call in conduct.facts(one).calls
    )


_BLURS = re.compile(r"(?:^|\.)(?:\w*[bB]lur|filter|pixelate|resize|extract)$")


def is_face_blurred(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether part of a picture is made unreadable for each face in it."""
    loops = (conduct.facts(one).loops[number] for number in call.loops)
    if _SIZES.search(call.callee) and not _is_coarser(conduct, one, call):
        return False  # it is made as large as a model wants it
    return _BLURS.search(call.callee) is not None and any(
        has_name(conduct.expand(one, loop.asks, 1), _FINDS_FACES) for loop in loops
    )


_SIZES = re.compile(r"(?:^|\.)(?:resize|extract)$")
_FEW_PIXELS = 32.0


def _is_coarser(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a picture is left few pixels, or a part of those that it had, for people to see."""
    result = frozenset((f"x:{call.callee}", f"x:{call.callee}()"))
    if not result.isdisjoint(list_values(conduct).given.get(one, frozenset())):
        return False
    numbers = (float(tag[2:]) for tag in call.given if tag[:2] == "n:")
    return not call.given.isdisjoint(("op:/", "op://")) or any(
        1 < n <= _FEW_PIXELS for n in numbers
    )
