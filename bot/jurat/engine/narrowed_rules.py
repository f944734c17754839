"""What of a rule can match in one text: ast-grep compiles all that it is given, in each file.

Most files have a word that a rule needs, and not what it stands for, or not where the rule wants
it. What cannot match there is left out, and nothing is looked for if that is all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any

from jurat.engine.regex_filter import RegexFilter

_PARTS = ("has", "inside", "precedes", "follows")


def choose_utilities(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The utilities of a configuration that its rule refers to."""
    utils = config["utils"]
    chosen: dict[str, Any] = {}
    waiting: list[object] = [config["rule"], config.get("constraints")]
    while waiting:
        part = waiting.pop()
        # No other mapping is in there, and to ask for any takes five times as long.
        if isinstance(part, dict):
            waiting += part.values()
            name = part.get("matches")
            if isinstance(name, str) and name in utils and name not in chosen:
                chosen[name] = utils[name]
                waiting.append(utils[name])
        elif isinstance(part, (list, tuple)):
            waiting += part
    return chosen


def narrow_config(
    config: Mapping[str, Any], absent: Set[str], regexes: RegexFilter
) -> Mapping[str, Any] | None:
    """The configuration with what can match in a text; None if nothing can.

    `absent` are the utilities whose names the text has none of.
    """
    narrower = _Narrower(config.get("utils", {}), absent, regexes)
    rule = narrower.narrow(config["rule"])
    if rule is None:
        return None
    if "utils" not in config:
        return {**config, "rule": rule}
    utils = {name: narrower.narrow_utility(name) or said for name, said in config["utils"].items()}
    narrowed = {**config, "rule": rule, "utils": utils}
    # Rewriters of a transformation may refer to any of them.
    return narrowed if "transform" in config else {**narrowed, "utils": choose_utilities(narrowed)}


class _Narrower:
    """The utilities of one configuration, as far as they can match in one text."""

    def __init__(self, utils: Mapping[str, Any], absent: Set[str], regexes: RegexFilter) -> None:
        self._utils = utils
        self._absent = absent
        self._regexes = regexes
        self._narrowed: dict[str, Mapping[str, Any] | None] = {}

    def narrow_utility(self, name: str) -> Mapping[str, Any] | None:
        """A utility without what cannot match; None if nothing of it can."""
        if name in self._absent:
            return None
        if name not in self._narrowed:
            # Meanwhile it may match: utilities may refer to each other in a circle.
            self._narrowed[name] = self._utils[name]
            self._narrowed[name] = self.narrow(self._utils[name])
        return self._narrowed[name]

    def narrow(self, rule: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """A rule without what cannot match; None if nothing of it can."""
        if not self._can_hold(rule):
            return None
        narrowed = dict(rule)
        for key in _PARTS:
            if key in rule:
                part = self.narrow(rule[key])
                if part is None:
                    return None
                narrowed[key] = part
        if "all" in rule:
            parts = [self.narrow(part) for part in rule["all"]]
            if None in parts:
                return None
            narrowed["all"] = parts
        if rule.get("any"):
            choices = [self.narrow(part) for part in rule["any"]]
            narrowed["any"] = [part for part in choices if part is not None]
            if not narrowed["any"]:
                return None
        if "not" in rule:
            refused = self.narrow(rule["not"])
            if refused is not None:
                narrowed["not"] = refused
            elif len(rule) > 1:
                # A rule must say something.
                del narrowed["not"]
        return narrowed

    def _can_hold(self, rule: Mapping[str, Any]) -> bool:
        """Whether what a rule says of a node itself may be so."""
        name, regex = rule.get("matches"), rule.get("regex")
        if name in self._absent or (isinstance(regex, str) and not self._regexes.can_match(regex)):
            return False
        return name is None or name not in self._utils or self.narrow_utility(name) is not None
