"""Behaviours that Article 5 prohibits and no text tells: what is gathered of whom, and kept."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.behaviours.safeguards import AGREED
from jurat.rating.code.tag_search import has_name, has_text
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.stores import is_change

_FACES = re.compile(
    r"face_encodings|DeepFace\.represent|FaceAnalysis\(\)|FaceDescriptors|InceptionResnet|index_faces"
    r"|get_face\w*embedding|MTCNN\(\)"
)
_COMPARED = re.compile(r"compare_faces|face_distance|DeepFace\.(?:verify|find)|FaceMatcher")
_GATHERED = re.compile(
    r"VideoCapture|^(?:requests|httpx|urllib|aiohttp|axios|puppeteer|playwright|selenium|scrapy|bs4"
    r"|duckduckgo_search|instaloader|icrawler|snscrape)\b|^fetch\b|DDGS"
)


@register_behaviour("faces_gathered")
def find_gathered_faces(conduct: Conduct) -> Iterator[Sign]:
    """Faces from the web or from cameras are kept as vectors, one after the other, unasked."""
    for one in conduct.subjects:
        facts = conduct.facts(one)
        for call in facts.calls:
            if not (call.loops and is_change(call)):
                continue
            loops = [tag for number in call.loops for tag in facts.loops[number].asks]
            guards = [tag for guard in conduct.list_guards(one, call) for tag in guard.asks]
            tags = call.given | call.receiver | frozenset(loops)
            around = tags | {f"x:{other.callee}" for other in facts.calls}
            if (
                has_name(tags, _FACES)
                and has_name(around, _GATHERED)
                and not has_name(tags, _COMPARED)
                and not has_text(frozenset(guards), AGREED)
            ):
                yield Sign("faces_gathered", one, call.line, frozenset({one}))
