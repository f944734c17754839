"""Behaviours by which a system is watched while it runs: outcomes compared, harm reported."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jurat.rating.behaviours.behaviour import Sign, register_behaviour
from jurat.rating.code.durations import DURATION_TEXT
from jurat.rating.code.function_facts import CallFact, FunctionFacts, Tags
from jurat.rating.code.tag_search import has_name, has_text
from jurat.rating.program.conduct import Conduct
from jurat.rating.program.external_acts import is_act, list_path
from jurat.rating.program.program_names import Function
from jurat.rating.program.store_calls import list_store_calls
from jurat.rating.program.store_verbs import Access
from jurat.rating.program.stores import is_change, list_called, list_filled, list_touched
from jurat.rating.program.surroundings import is_on_the_way, is_small
from jurat.rating.signals.recon_table import split_name
from jurat.rating.texts.parts import build_part

_COUNTED = re.compile(
    r"\b(?:avg|count|sum|stddev\w*|percentile\w*|corr|variance|median)\s*\(|\bgroup\s+by\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"(?:^|\.)(?:mean|fmean|median|std|stdev|var|quantile|quantiles|percentile|histogram|ks_2samp"
    r"|chi2_contingency|chisquare|wasserstein_distance|jensenshannon|entropy|ttest_ind|mannwhitneyu"
    r"|Counter|value_counts|groupby|aggregate|annotate|sum|len|count|reduce|filter)(?:\(\))?$"
)
_ORDERS = ("op:>", "op:<", "op:>=", "op:<=")
_TOLD = re.compile(
    r"(?:^|[._])(?:mail_\w+|post|fetch|request|send\w*|sendmail|publish|notify|alert|trigger|emit"
    r"|urlopen|capture_message|error|critical|warning|warn|exit|create_issue|page)(?:\(\))?$"
)
_TO_AUTHORITY = re.compile(
    r"authorit|inspectorate|regulator|supervis(?:or|ory)|ombuds|surveillance|notified_?body"
    r"|vigilance|watchdog|incident",
    re.IGNORECASE,
)
_SENT = re.compile(
    r"(?:^|\.)(?:post|put|fetch|request|send|send_message|sendmail|sendMail|urlopen"
    r"|publish)(?:\(\))?$"
)


@register_behaviour("watched_outcomes")
def find_watched(conduct: Conduct) -> Iterator[Sign]:
    """On a schedule, what the system did is counted, held against a bound, and acted upon."""
    filled = _list_answered(conduct)
    if is_small(conduct):
        filled |= _list_remark_places(conduct)
    for one in sorted(conduct.scheduled | _list_run_by_name(conduct)):
        reached = conduct.program.walk([one], 2) & set(conduct.product)
        touched = {place for item in reached for place in list_touched(conduct, item)}
        touched |= {p for it in reached for k in list_store_calls(conduct, it) for p in k.places}
        calls = [(item, call) for item in reached for call in conduct.facts(item).calls]
        drifts = any(_DRIFT.search(conduct.name(item, call.callee)) for item, call in calls)
        if not (drifts or touched & filled):
            continue
        counts = any(
            has_text(call.given | call.receiver, _COUNTED)
            or _COMPARED.search(call.callee)
            or has_name(call.given, _COMPARED)
            for _, call in calls
        )
        line = next(
            (
                guard.line
                for item in sorted(reached)
                for number, guard in enumerate(conduct.facts(item).guards)
                if _is_bound(guard.asks) and _is_acted_on(conduct, item, number)
                if not _is_of_age(conduct, item, guard.asks)
            ),
            0,
        )
        if counts and line:
            place = next(
                item
                for item in sorted(reached)
                if any(guard.line == line for guard in conduct.facts(item).guards)
            )
            yield Sign("watched_outcomes", place, line, frozenset({one, place}))
        reported = next(
            (
                (item, call.line)
                for item, call in calls
                if is_act(conduct, item, call) and _is_bound(call.given)
            ),
            None,
        )
        if counts and not line and reported is not None:
            yield Sign("watched_outcomes", *reported, frozenset({one, reported[0]}))


def _list_run_by_name(conduct: Conduct) -> frozenset[Function]:
    """What a small program does if it is started by its name, over what lies within some days.

    Somebody starts it again and again: what lies before was looked at then.
    """
    if not is_small(conduct):
        return frozenset()
    return frozenset(
        (path, 0)
        for path, facts in conduct.program.files.items()
        if facts.is_started and path in conduct.program.live_files
        if any(
            has_text(call.given, DURATION_TEXT) and has_text(call.given, _COUNTED)
            for function in facts.functions
            for call in function.calls
        )
    )


_ROWS = ("table:", "model:")
_KEPT = (*_ROWS, "key:")
"""Places that outlive a call; a handle of a store, or one of its methods, is none."""


def _list_answered(conduct: Conduct) -> frozenset[str]:
    """The places into which the path of an inference puts something."""
    if not conduct.deciding:
        return frozenset()
    filled = list_filled(conduct, conduct.beside & set(conduct.product))
    filled |= {
        place
        for one in list_path(conduct)
        for kept in list_store_calls(conduct, one)
        if kept.access in (Access.ADD, Access.CHANGE)
        for place in kept.places
    }
    # Of a large program a word is a key of many things: rows are known by where they stand.
    kinds = _KEPT if is_small(conduct) else _ROWS
    return frozenset(place for place in filled if place.startswith(kinds))


def _list_remark_places(conduct: Conduct) -> frozenset[str]:
    """The places into which people put what they say of what a system decided."""
    return frozenset(
        place
        for one in (conduct.program.walk(conduct.handlers, 2) if conduct.deciding else ())
        for kept in list_store_calls(conduct, one)
        if kept.access is Access.ADD and kept.outlives
        for place in kept.places
        if place.startswith(_KEPT)
    )


_DRIFT = re.compile(
    r"ks_2samp|wasserstein_distance|jensenshannon|chi2_contingency|^(?:evidently|nannyml"
    r"|alibi_detect|whylogs)\b"
)


def _is_bound(asks: Tags) -> bool:
    """Whether a condition holds something against a bound, and not only asks if it is there."""
    return any(tag in _ORDERS for tag in asks)


_CLOCK = re.compile(r"(?:^|\.)(?:now|utcnow|today|time|Date|monotonic)(?:\(\))?$")


def _is_of_age(conduct: Conduct, one: Function, asks: Tags) -> bool:
    """Whether it is asked how old one thing is, such as a lock, and nothing is counted."""
    said = conduct.expand(one, asks, 1)
    return has_name(said, _CLOCK) and not (has_name(said, _COMPARED) or has_text(said, _COUNTED))


def _is_acted_on(conduct: Conduct, one: Function, number: int) -> bool:
    """Whether somebody is told, the run fails, or something changes, if a condition holds."""
    facts = conduct.facts(one)
    if facts.guards[number].leaves == "raise":
        return True
    inside = [call for call in facts.calls if number in call.guards]
    return any(
        _TOLD.search(conduct.name(one, call.callee) or call.callee)
        or is_change(call)
        or is_act(conduct, one, call)
        or any(_has_send(conduct, target) for target in conduct.targets(one, call.callee))
        for call in inside
    )


def _has_send(conduct: Conduct, one: Function) -> bool:
    return any(
        _SENT.search(conduct.name(one, call.callee) or "-") or is_change(call)
        for call in conduct.facts(one).calls
    )


@register_behaviour("reported_harm")
def find_reports(conduct: Conduct) -> Iterator[Sign]:
    """What went badly is sent to whom it must be reported, with what the system did."""
    filled = _list_answered(conduct)
    remarks = _list_remark_places(conduct)
    for one in conduct.subjects:
        for call in conduct.facts(one).calls:
            if _is_sent_by_legal_day(conduct, one, call) or _is_harm_sent(conduct, one, call):
                yield Sign("reported_harm", one, call.line, frozenset({one}))
            if not _is_sent_to_authority(conduct, one, call):
                continue
            around = {one, *conduct.program.callers.get(one, ())} & set(conduct.product)
            carried = {p for item in around for c in conduct.facts(item).calls
                       for p in list_called(conduct, item, c)}  # fmt: skip
            carried |= {p for it in around for k in list_store_calls(conduct, it) for p in k.places}
            if carried & filled or (carried & remarks and _is_due(conduct, one)):
                yield Sign("reported_harm", one, call.line, frozenset({one}))


_LEGAL = ({2.0, 15.0}, {10.0, 15.0}, {48.0, 360.0}, {240.0, 360.0})
"""The days, and the hours, within which Article 73 wants to know of what is serious."""
_SPANS = re.compile(
    r"timedelta|relativedelta|Duration|add(?:Days|Hours)|\b(?:days|hours)\b", re.IGNORECASE
)
_HOUSE = re.compile(r"slack|pager|on_?call|opsgenie|teams|discord|\bops\b|webhook", re.IGNORECASE)
"""Where the house tells itself of something."""


def _is_sent_by_legal_day(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether what is kept of an event leaves the house, and its kind has the days of the law.

    To whom it goes is a setting, and whoever knows these days knows whom they are for.
    """
    name = conduct.name(one, call.callee) or "-"
    if not _SENT.search(name) or conduct.infers(one, call) or not call.given:
        return False
    if not is_on_the_way(conduct, one):
        return False  # a large program has days of all sorts, and sends for all sorts of ends
    to = (tag[2:] for tag in call.given if tag[:2] in ("a:", "t:", "k:") and " " not in tag)
    if any(map(_HOUSE.search, to)):
        return False
    around = {one, *conduct.program.callers.get(one, ()), *conduct.program.edges.get(one, ())}
    around = {item for item in around if item in conduct.program.live}
    around |= {(item[0], 0) for item in around}
    if not any(
        kept.access is Access.READ for item in around for kept in list_store_calls(conduct, item)
    ):
        return False
    facts = [conduct.facts(item) for item in around]
    numbers = {number for there in facts for number in _list_spans(there)}
    words = {word for there in facts for word in (*there.says, *there.refers)}
    words |= {word for there in facts for other in there.calls for word in other.keywords}
    tags = {tag for there in facts for other in there.calls for tag in other.given}
    counted = any(map(_SPANS.search, words)) or not _PARTS_OF_DAY.isdisjoint(tags)
    return counted and any(days <= numbers for days in _LEGAL)


_PARTS_OF_DAY = frozenset(("n:3600", "n:3600000", "n:86400", "n:86400000"))


def _list_spans(facts: FunctionFacts) -> Iterator[float]:
    """The numbers that a table of a function has, and those of which it makes spans of time."""
    options = {word for call in facts.calls for word in call.keywords}
    tables = [
        pair.value
        for pair in facts.pairs
        if pair.key not in options and (pair.constant or has_name(pair.value, _SPANS))
    ]
    spans = [call.given for call in facts.calls if _SPANS.search(call.callee)]
    for tags in (*tables, *spans):
        yield from (float(tag[2:]) for tag in tags if tag[:2] == "n:")


_HARM = build_part(
    r"deaths?|died|fatal\w*|injur\w*|harm\w*|serious|incidents?|adverse|hospital\w*|widespread"
    r"|outcome|severity|near miss|patients?|victims?|casualt\w*|aware\w*|learned|what happened"
    r"|manufacturer|device",
    2,
)
_INCIDENT = build_part(r"incidents?|adverse events?|deaths?|died|fatal\w*|injur\w*|vorkommnis\w*")


def _is_harm_sent(conduct: Conduct, one: Function, call: CallFact) -> bool:
    """Whether a small program sends to an authority what somebody came to, whoever keeps it.

    What is put together and where it goes may stand in what calls, or in what is called.
    """
    sends = _SENT_OUT.search(conduct.name(one, call.callee) or "-") is not None
    handed = call.given or call.keywords or call.receiver
    if not (sends and handed and is_small(conduct)) or conduct.infers(one, call):
        return False
    # Who is handed a function registers a route.
    if any(tag.startswith("x:function") for tag in call.given):
        return False
    if any(_HOUSE.search(tag[2:]) for tag in call.given if tag[:2] in _NAMED and " " not in tag):
        return False
    around = {one, (one[0], 0), *conduct.program.callers.get(one, ())}
    around |= {item for item in conduct.program.edges.get(one, ()) if item[1]}
    said = {
        word for item in around & set(conduct.product) for word in _list_all_said(conduct, item)
    }
    if not any(_AN_AUTHORITY.search(word) for word in said if " " not in word):
        return False
    spoken = " ; ".join(split_name(word).replace("_", " ") for word in said).lower()
    return _HARM.is_said(spoken) or _INCIDENT.is_said(spoken)


def _list_all_said(conduct: Conduct, one: Function) -> Iterator[str]:
    """The texts, keys and fields of a function: what others chose, and no name of its own."""
    facts = conduct.facts(one)
    yield from facts.says
    yield from (pair.key for pair in facts.pairs)
    for call in facts.calls:
        yield from call.keywords
        yield from (tag[2:] for tag in call.given if tag[:2] in _NAMED)


_NAMED = ("a:", "k:", "t:")
_SENT_OUT = re.compile(
    r"(?:^|\.)(?:post|put|fetch|request|send|send_message|sendmail|sendMail|send_mail|urlopen"
    r"|publish|deliver|submit)(?:\(\))?$"
)
_AN_AUTHORITY = re.compile(
    r"authorit|inspectorate|regulator|surveillance|notified_?body|vigilance|watchdog|eudamed|ministry"
    r"|behoerde|behörde|autorit|autoridad|toezicht",
    re.IGNORECASE,
)
_DUE = re.compile(r"timedelta|Duration|addDays|interval|deadline|\bdue\b|\bdays\b", re.IGNORECASE)


def _is_due(conduct: Conduct, one: Function) -> bool:
    """Whether what people have told of is sent by a day that something counts."""
    around = (one, (one[0], 0), *conduct.program.callers.get(one, ()))
    return any(
        _DUE.search(word)
        for facts in map(conduct.facts, around)
        for word in (*facts.says, *facts.refers)
    )


def _is_sent_to_authority(conduct: Conduct, one: Function, call: CallFact) -> bool:
    if not _SENT.search(conduct.name(one, call.callee) or "-") or conduct.infers(one, call):
        return False
    to = (tag[2:] for tag in call.given if tag[:2] in ("a:", "t:", "k:") and " " not in tag)
    if any(map(_HOUSE.search, to)):
        return False
    # Where it goes is a setting or an address, whose name others chose.
    return any(
        tag[:2] in ("a:", "t:", "k:") and " " not in tag and _TO_AUTHORITY.search(tag[2:])
        for tag in conduct.expand(one, call.given, 1)
    )
