"""How many days something lasts, by what is said of it."""

from __future__ import annotations

import re
from math import prod

from jurat.rating.code.function_facts import FunctionFacts, Tags
from jurat.rating.code.tag_search import has_name

LEAST_DAYS = 180
_UNIT_DAYS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}
_COUNTED = re.compile(
    r"(\d+)\s*(h(?:ours?)?|d(?:ays?)?|w(?:eeks?)?|m(?:onths?)|y(?:ears?)?)\b", re.IGNORECASE
)
_UNIT = re.compile(r"\W*(hour|day|week|month|year)s?\W*", re.IGNORECASE)
"""What stands behind a number that is put in when it runs."""
_NUMBER = re.compile(r"\d{1,4}")
_UNIT_KEYS = frozenset(f"k:{unit}s" for unit in ("hour", "day", "week", "month", "year"))
_OF_CLOCKS = frozenset((24.0, 60.0, 1000.0, 3600.0))
_COUNTED_BY = re.compile(r"\b(hours?|days?|weeks?|months?|years?)\s*=>", re.IGNORECASE)
SECONDS = re.compile(r"^n:(?:86400(?:000)?|3600|24|2592000|15552000|31536000|604800)(?:\.0)?$")
_MOST_COUNTED = 5_000
_STEP = re.compile(r"(?:^|\.)(?:sub|add)(Hour|Day|Week|Month|Year)s(?:\(\))?$")
"""What goes by so many of a unit from one day to another."""
DURATION = re.compile(rf"(?:^|\.)(?:timedelta|relativedelta|Duration)\(?\)?$|{_STEP.pattern}")
DURATION_TEXT = re.compile(
    r"\b\d+\s*(?:days?|months?|years?|weeks?|d\b)|interval\s+'?\d+|-\d+ (?:days?|months?|years?)"
    r"|make_interval\s*\(\s*(?:days|months|years|weeks)",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?:time\.time|\.now|\.utcnow|\.today|Date(?:\.now)?|st_mtime|mtimeMs)(?:\(\))?$"
)


def count_days(tags: Tags, facts: FunctionFacts) -> float | None:
    """The days that a duration among the tags has at most, None if nobody can tell."""
    texts = [tag[2:] for tag in tags if tag[:2] == "t:"]
    found = [
        int(number) * _UNIT_DAYS[unit[0].lower()]
        for text in texts
        for number, unit in _COUNTED.findall(text)
    ]
    numbers = [float(tag[2:]) for tag in tags if tag[:2] == "n:"]
    numbers += [float(text) for text in texts if _NUMBER.fullmatch(text)]
    units = {unit[0].lower() for text in texts for unit in _COUNTED_BY.findall(text)}
    units |= {unit[1][0].lower() for text in texts if (unit := _UNIT.fullmatch(text))}
    units |= {
        word[0]
        for call in facts.calls
        if call.callee.endswith(("timedelta", "relativedelta"))
        for word in call.keywords
    }
    steps = {
        step[1][0].lower() for tag in tags if tag[:2] == "x:" and (step := _STEP.search(tag[2:]))
    }
    units |= steps
    units |= {tag[2] for tag in tags if tag in _UNIT_KEYS}
    units |= {"d" for tag in tags if SECONDS.search(tag)}
    above = 0 if steps and set(numbers) == {1.0} else 1
    small = [number for number in numbers if above < number <= _MOST_COUNTED]
    if "op:*" in tags and (factors := set(small) - _OF_CLOCKS):
        small.append(prod(factors))  # so many months, and how long one of them is
    found += [max(small) * _UNIT_DAYS[unit] for unit in units if small and unit in _UNIT_DAYS]
    return max(found, default=None)


def is_put_together(tags: Tags) -> bool:
    """Whether a number and what it counts are said apart: `f"-{days} days"`, `{days: 400}`."""
    return any(tag[:2] == "n:" for tag in tags) and any(
        tag in _UNIT_KEYS or (tag[:2] == "t:" and _UNIT.fullmatch(tag[2:])) for tag in tags
    )


_SETS_DATE = re.compile(r"^Date\(\)\.set(?:UTC)?(Hour|Date|Month|FullYear)s?$")
_SET_UNITS = {"Hour": "hours", "Date": "days", "Month": "months", "FullYear": "years"}


def list_turned_back(facts: FunctionFacts, tags: Tags) -> Tags:
    """By how much a function turns back a day that is among the tags: `day.setMonth(... - 18)`."""
    if "x:Date" not in tags:
        return frozenset()
    return frozenset().union(
        *(
            call.given | {f"t:{_SET_UNITS[turned[1]]}"}
            for call in facts.calls
            if (turned := _SETS_DATE.match(call.callee)) and "op:-" in call.given
        )
    )


def has_clock(tags: Tags) -> bool:
    """Whether the time of day is asked for among the tags, or when a file was changed."""
    return has_name(tags, _CLOCK) or "a:st_mtime" in tags or "a:mtimeMs" in tags
