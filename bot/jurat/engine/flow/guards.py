"""What follows from a condition: a value that is one of a known list can do no harm behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from jurat.engine.flow.addresses import find_address_part
from jurat.engine.flow.allowed_text import find_allowed, is_plain
from jurat.engine.flow.evaluator import Evaluator
from jurat.engine.flow.joins import join_envs
from jurat.engine.flow.patterns import compile_pattern
from jurat.engine.flow.pieces import read_step
from jurat.engine.flow.program import (
    UNKNOWN,
    Attribute,
    Call,
    Comprehension,
    Constant,
    Expression,
    Index,
    InnerAssignment,
    Logical,
    Name,
    Not,
    Relationship,
    Text,
)
from jurat.engine.flow.taints import PARTS, REMOTE, Cleared, split_words
from jurat.engine.flow.values import NOTHING, Env, Value, extend_name, iter_taints

GETTERS = split_words(
    """
    get getlist getList getAll get_all getParameter getHeader header headers query param params
    Get FormValue PostFormValue Param PathValue pop cookies getParameterValues
    DefaultQuery
    """
)
"""Methods whose first argument says which part they return."""

TELLING = split_words(
    """
    exists isfile isdir isFile isDir isDirectory is_file is_dir stat lstat access existsSync
    hasattr callable len isinstance typeof startswith endswith startsWith endsWith search find
    includes contains indexOf match test isString isArray print log info debug warn error write
    canParse
    """
)
"""Callees whose yes says nothing of where a value leads."""

_CONTAINS = split_words(
    """
    contains includes has containsKey Contains indexOf __contains__ hasOwnProperty some anyMatch
    hasOwn isSubsetOf issubset find
    """
)
"""Methods that ask whether a list has a value, or whether a text has another."""

_EQUALS = split_words(
    """
    equals equalsIgnoreCase EqualFold Equal isEqual compare_digest constant_time_compare
    timingSafeEqual ConstantTimeCompare
    """
)
_IN_CONSTANT_TIME = re.compile(
    r"(?:^|\.)(?:compare_digest|constant_time_compare|timingSafeEqual|ConstantTimeCompare"
    r"|hmac\.Equal|MessageDigest\.isEqual)$|/hmac\.Equal$"
)
"""Whoever takes the same time for all texts compares a signature, also if another file made it."""

_CONTAINS_ANY = frozenset({"ContainsAny", "containsAny", "IndexAny"})
"""Functions that ask whether a text has one of some characters."""

_NUMBERS = frozenset({"number", "boolean", "bigint"})
_NUMERIC_TYPES = split_words(
    """
    int float bool Integer Long UUID uuid.UUID Number complex
    """
)


_MATCHERS = split_words(
    """
    match fullmatch test matches MatchString Match
    """
)
_WHOLE = frozenset({"fullmatch", "matches"})
_PREFIXES = frozenset({"startswith", "startsWith", "HasPrefix"})
_SUFFIXES = frozenset({"endswith", "endsWith", "HasSuffix"})
_OPEN_SUFFIX = re.compile(r"\w")
"""Begins the end of a host that another host may end with: `a.example`, `evil-a.example`."""

_SCHEME = re.compile(r"(?i)(?:https?|wss?|ftp|file|git|ssh)(?::/{0,2})?")
_HOST = re.compile(r"(?i)(?:https?:)?//[^/?#\\%\0]+[/?#]")
_OPEN_HOST = re.compile(r"(?i)(?:[a-z]+:)?//[^/?#\\\0]+")
"""A host without an end: what follows may go on with it, as `https://a.example` + `.b.example`."""

_UPWARD = re.compile(r"\.\.[/\\]?$")
_DOTS = re.compile(r"[/\\]?\.\.[/\\]?")
_STEPS = frozenset({"split", "Split", "SplitN", "SplitAfter", "parts"})
"""Parts of a path that are all of its steps."""

_NO_FOLDER = re.compile(r"[./\\~]*")
"""Begins a path in any folder."""

_SLASH = re.compile(r"/")
_ROOTED, _NO_HOST = "\0/", "\0//"
"""End the names of origins of which half of an answer is known."""


class Guards(Evaluator):
    """Conditions, and what is known on the path behind each."""

    facts: dict[int, tuple[Cleared, Cleared]]
    """By call: what a function of the file has checked if it returned true, and if false."""

    def narrow(self, condition: Expression, env: Env, *, holds: bool) -> None:
        """Note in `env` what follows from a condition that was evaluated before."""
        rule = _RULES.get(type(condition))
        if rule is not None:
            rule(self, condition, env, holds)

    def _narrow_not(self, condition: Not, env: Env, holds: bool) -> None:
        self.narrow(condition.of, env, holds=not holds)

    def _narrow_logical(self, condition: Logical, env: Env, holds: bool) -> None:
        if holds is (condition.operator == "and"):
            self.narrow(condition.left, env, holds=holds)
            self.narrow(condition.right, env, holds=holds)
            return
        left, right = env.copy(), env.copy()
        self.narrow(condition.left, left, holds=holds)
        self.narrow(condition.left, right, holds=not holds)
        self.narrow(condition.right, right, holds=holds)
        joined = join_envs([left, right])
        if joined is not None:
            env.cleared = joined.cleared

    def _narrow_binding(self, condition: InnerAssignment, env: Env, holds: bool) -> None:
        self.narrow(condition.value, env, holds=holds)

    def _narrow_name(self, condition: Name, env: Env, holds: bool) -> None:
        known = env.conditions.get(condition.name)
        if known is not None:
            # Out of the way meanwhile: `ok = ok && a` stands for itself.
            del env.conditions[condition.name]
            self.narrow(known, env, holds=holds)
            env.conditions[condition.name] = known
        if not holds and (known is None or self._is_reading(known)):
            self._clear(condition, env)

    def _is_reading(self, known: Expression) -> bool:
        """Whether a call reads a part of something: its answer is that value, and empty or not."""
        if not isinstance(known, Call) or not isinstance(known.callee, Attribute):
            return False
        receiver = self.results.get(id(known.callee.of), NOTHING)
        return known.callee.name in GETTERS and any(iter_taints(receiver))

    def _settle_whole(self, mask: int, asked: Sequence[Expression], env: Env) -> None:
        """What is not refused: a host by its address, and so whatever the address came from."""
        for expression in asked if mask else ():
            for taint in iter_taints(self.results.get(id(expression), NOTHING)):
                # Of a form, one field; of what is no form, such as a route's part, the whole.
                least = 1 if taint.path and taint.path[0].isidentifier() else 0
                paths = [taint.path[:end] for end in range(least, len(taint.path) + 1)]
                env.clear([taint._replace(path=path) for path in paths], mask)

    def _narrow_part(self, condition: Attribute | Index, env: Env, holds: bool) -> None:
        if isinstance(condition, Attribute):
            find = self.matcher.find_guard if holds else self.matcher.find_refusal
            self._settle_whole(find(f"?.{condition.name}"), [condition.of], env)
        if not holds:
            self._clear(condition, env)
        elif isinstance(condition, Index) and condition.key is not None:
            self._admit(condition.of, condition.key, env)

    def _narrow_comparison(self, condition: Relationship, env: Env, holds: bool) -> None:
        operator, left, right = condition.operator, condition.left, condition.right
        if operator in ("!=", "not in", "is not"):
            operator, holds = {"!=": "==", "not in": "in", "is not": "is"}[operator], not holds
        if operator in ("==", "is"):
            self._narrow_equality(left, right, env, holds=holds)
            if not holds and self._get_constant(right) == "..":
                self._clear_steps(left, env, self.matcher.get_rejected(".."))
        elif operator == "in":
            if holds:
                self._admit(right, left, env)
                self._clear_within(right, env, self.matcher.everything)
            else:
                self._reject(right, left, env)
        elif operator == "instanceof" and holds and isinstance(right, Name):
            if right.name in _NUMERIC_TYPES:
                self._clear(left, env)
        elif operator in (">", ">=", "<"):
            # indexOf(x) >= 0, and strings.Index(x, "..") < 0.
            bound = self._get_constant(right)
            if bound in (0, -1) and isinstance(left, Call):
                self.narrow(left, env, holds=holds if operator != "<" else not holds)

    def _narrow_equality(
        self,
        left: Expression,
        right: Expression,
        env: Env,
        *,
        holds: bool,
        is_signature: bool = False,
    ) -> None:
        pairs = ((left, right), (right, left))
        for one, other in pairs:
            if self._narrow_answered(one, self._get_constant(other), env, holds):
                return
        for one, other in pairs if holds else ():
            known = self.results.get(id(other))
            if known is None:
                continue
            self._narrow_answer(one, known, env)
            fit = self.matcher.everything & ~self._find_harmful(known, is_signature=is_signature)
            self._clear(one, env, fit, literal=fit != self.matcher.everything)
            if known.constant is UNKNOWN:
                self._clear_signed(one, env, fit)
            # Whoever brings the signature of a text has it from us.
            signed = (taint for taint in iter_taints(known) if taint.encoded and not taint.live)
            env.clear(signed, self.matcher.everything)
            self._clear_within(one, env, fit)

    def _narrow_answered(self, one: Expression, constant: object, env: Env, holds: bool) -> bool:
        """What follows if an answer is compared with a constant that stands for yes or no."""
        value = self.results.get(id(one))
        if isinstance(one, Call) and value is not None:
            if isinstance(constant, bool):
                self.narrow(one, env, holds=holds is constant)
                return True
            if constant == -1:
                self.narrow(one, env, holds=not holds)
                return True
            if value.name.endswith(".ConstantTimeCompare()") and constant in (0, 1):
                self.narrow(one, env, holds=holds is (constant == 1))
                return True
            if value.name.endswith("typeof()") and isinstance(constant, str) and holds:
                texts = self.matcher.objects if constant == "string" else 0
                for argument in one.arguments:
                    self._clear(argument.value, env, None if constant in _NUMBERS else texts)
                return True
        if constant is None and isinstance(one, Call | Name | InnerAssignment):
            # What a pattern found, or a table had: something, or nothing.
            self.narrow(one, env, holds=not holds)
            if isinstance(one, Name) and not holds:
                env.present |= {one.name}
            return True
        if isinstance(constant, bool) and isinstance(one, Name):
            self.narrow(one, env, holds=holds is constant)
            return True
        return False

    def _find_harmful(self, known: Value, *, is_signature: bool) -> int:
        """For which questions a value does harm, and so whatever is equal to it."""
        harmful = 0
        for taint in iter_taints(known):
            if is_signature and taint.foreign:
                continue
            # What is equal to our own address, or its host, leads back here.
            own = self.matcher.places if find_address_part(taint.source) else 0
            harmful |= taint.live & ~own
        return harmful

    def _clear_signed(self, part: Expression, env: Env, mask: int) -> None:
        """Of a part that is equal to what was worked out, the text that it signs."""
        value = self.results.get(id(part), NOTHING)
        whole = (
            one._replace(path=one.path[:end])
            for one in iter_taints(value)
            if (end := next((n for n, step in enumerate(one.path) if step in PARTS), None))
            is not None
        )
        env.clear(whole, mask)

    def _narrow_answer(self, one: Expression, known: Value, env: Env) -> None:
        """What a guard answers in words: `address.range() == "unicast"`, of a host's address."""
        if isinstance(one, Call) and isinstance(known.constant, str):
            name = self.get_callee_name(one)
            mask = self.matcher.find_guard(name) & ~self.matcher.find_bound(name)
            self._settle_whole(mask, [one], env)

    def _clear_within(self, part: Expression, env: Env, mask: int) -> None:
        """What follows for a settled path if the folder that it lies in is known."""
        if isinstance(part, Call):
            name = self.get_callee_name(part)
            receiver = part.callee.of if isinstance(part.callee, Attribute) else None
            asked = [receiver, *(one.value for one in part.arguments)]
        elif isinstance(part, Attribute):
            name, asked = f"?.{part.name}", [part.of]
        else:
            return
        bound = self.matcher.find_bound(name)
        for one in asked:
            if bound and one is not None:
                self._clear(one, env, bound & mask, bound=bound)

    def _narrow_call(self, condition: Call, env: Env, holds: bool) -> None:
        known = self.facts.get(id(condition))
        if known is not None:
            for key, mask in known[0 if holds else 1].items():
                env.cleared[key] = env.cleared.get(key, 0) | mask
        name = self.get_callee_name(condition)
        receiver = condition.callee.of if isinstance(condition.callee, Attribute) else None
        arguments = [one.value for one in condition.arguments]
        callee = self.results.get(id(condition.callee))
        if callee is not None and (callee.closure or callee.known_class):
            # The file's own: it is worth what it does, which `facts` has, whatever its name says.
            return
        name, turned = self.matcher.words.turn(name)
        # Of what `is_invalid` was asked about and denied, `is_valid` would have been true.
        holds ^= turned
        if arguments:
            self._narrow_question(name, receiver, arguments, env, holds=holds)
        asked = [one for one in (receiver, *arguments) if one is not None]
        self._narrow_beginning(name, asked, arguments, env, holds=holds)
        if holds:
            self._clear_asked(name, arguments, env)
            self._clear_found(condition, env)
        else:
            self._settle_whole(self.matcher.find_refusal(name), asked, env)
        mask = self.matcher.find_guard(name)
        mask &= self._find_admitted(name, receiver, arguments)
        is_prefix = name.rpartition(".")[2] in _PREFIXES
        # A host stays the host, however much of what follows it is decoded.
        literal = is_prefix and not self._is_beginning(_HOST.match, arguments)
        if mask and holds:
            for one in asked:
                self._clear(one, env, mask, literal=literal, bound=self.matcher.find_bound(name))

    def _narrow_beginning(
        self,
        name: str,
        asked: Sequence[Expression],
        arguments: Sequence[Expression],
        env: Env,
        *,
        holds: bool,
    ) -> None:
        """What follows from the beginning of a path: not up from a folder, and on this host.

        `/` alone says nothing of the host, as `//host` begins so, too; both answers together do.
        """
        if name.rpartition(".")[2] not in _PREFIXES:
            return
        if not holds and self._is_beginning(_UPWARD.match, arguments):
            for one in asked:
                self._clear_dots(one, env, self.matcher.get_rejected(".."), as_given=False)
        elif holds and self._is_beginning(_SLASH.fullmatch, arguments):
            self._note_half(asked, env, _ROOTED, _NO_HOST)
        elif not holds and self._has_beginning("//", arguments):
            self._note_half(asked, env, _NO_HOST, _ROOTED)

    def _clear_dots(
        self, expression: Expression, env: Env, mask: int, *, as_given: bool = True
    ) -> None:
        """A path that has no `..`: it leads nowhere above the place that it is relative to.

        Of one that stands behind a folder, or begins at the root, they have been worked out: none
        is left of those that led up. `as_given` says whether it counts for a text as it came.
        """
        value = self.results.get(id(expression), NOTHING)
        taints = (one for one in iter_taints(value) if one.shows_dots)
        env.clear((one for one in taints if as_given or one.settled), mask, literal=True)

    def _clear_steps(self, expression: Expression, env: Env, mask: int) -> None:
        """A path of whose steps none is `..`: what is said of all of them is said of the whole."""
        value = self.results.get(id(expression), NOTHING)
        taints = (one for one in iter_taints(value) if one.shows_dots)
        whole = (
            one._replace(path=path) for one in taints if (path := leave_steps(one.path)) is not None
        )
        env.clear(whole, mask, literal=True)

    def _note_half(self, asked: Sequence[Expression], env: Env, half: str, other: str) -> None:
        """One half of an answer; the whole of it if the other was given."""
        mask = self.matcher.get_rejected("//")
        for expression in asked:
            for taint in iter_taints(self.results.get(id(expression), NOTHING)):
                env.cleared[taint.source + half, taint.path] = mask
                if env.cleared.get((taint.source + other, taint.path)):
                    env.clear([taint], mask, literal=True)

    def _clear_asked(self, name: str, arguments: Sequence[Expression], env: Env) -> None:
        """A function of another file was asked about a value, and said yes.

        Of where something leads that is the usual check, under any name: inside a folder, one of
        our hosts. A library's own function that is no guard, such as `os.path.exists`, is none.
        """
        if self._is_uninformative(name) or name.rpartition(".")[2] in GETTERS:
            return
        word = name.rpartition(".")[2]
        for one in arguments:
            is_plain_text = self.matcher.words.is_format(word)
            self._clear(one, env, None if is_plain_text else self.matcher.places)
            if self.matcher.words.is_kind(word):
                self._clear_handed(one, env)

    def _is_uninformative(self, name: str) -> bool:
        """Whether a callee is known to say nothing of what it is asked about."""
        called = extend_name(name, "()")
        known = self.matcher.find_passing(called) or self.matcher.find_sanitizer(called)
        return bool(known) or name.rpartition(".")[2] in TELLING

    def _clear_found(self, condition: Call, env: Env) -> None:
        """What something was looked up by, and found: whoever keeps it knows what it stands for."""
        if not self.matcher.believed:
            return
        part: Expression = condition
        while isinstance(part, Call | Attribute):
            if isinstance(part, Attribute):
                part = part.of
                continue
            if not self._is_uninformative(self.get_callee_name(part)):
                for one in part.arguments:
                    self._clear(one.value, env, self.matcher.believed)
            part = part.callee

    def _clear_handed(self, expression: Expression, env: Env) -> None:
        """What a caller handed over, and a validator of another file has found to be valid."""
        value = self.results.get(id(expression), NOTHING)
        handed = (taint for taint in iter_taints(value) if taint.strength != REMOTE)
        env.clear(handed, self.matcher.everything)

    def _narrow_question(
        self,
        name: str,
        receiver: Expression | None,
        arguments: Sequence[Expression],
        env: Env,
        *,
        holds: bool,
    ) -> None:
        """What follows from a question that any language knows: is it equal, is it in there."""
        word = name.rpartition(".")[2]
        if word in _EQUALS:
            # `left.equals(right)`, or `hmac.compare_digest(left, right)`.
            left = receiver if receiver is not None and len(arguments) == 1 else arguments[0]
            signed = _IN_CONSTANT_TIME.search(name) is not None
            self._narrow_equality(left, arguments[-1], env, holds=holds, is_signature=signed)
        elif word in _CONTAINS:
            box = receiver if receiver is not None and len(arguments) == 1 else arguments[0]
            if holds:
                self._admit(box, arguments[-1], env)
            else:
                self._reject(box, arguments[-1], env)
        elif word in _CONTAINS_ANY and not holds:
            self._reject_each(arguments[0], arguments[-1], env)
        elif word == "isinstance" and holds and len(arguments) > 1:
            named = getattr(arguments[1], "name", "")
            texts = self.matcher.objects if named == "str" else 0
            if self._are_nodes(arguments[1]):
                # Of a program that was read, each node is one of a few kinds.
                texts |= self.matcher.programs
            self._clear(arguments[0], env, None if named in _NUMERIC_TYPES else texts)
        elif word in ("all", "every", "allMatch") and holds:
            for one in (receiver, *arguments):
                if one is not None and not isinstance(one, Name):
                    self._clear(one, env)
        elif word == "any" and not holds and isinstance(arguments[0], Comprehension):
            # Of no step that there is.
            self.narrow(arguments[0].element, env, holds=False)

    def _are_nodes(self, kinds: Expression) -> bool:
        """Whether the kinds that are asked for are those of a syntax tree."""
        known = self.results.get(id(kinds), NOTHING)
        parts = list((known.items or {}).values()) or [known]
        return all(one.name.startswith("ast.") for one in parts)

    def _find_admitted(
        self, name: str, receiver: Expression | None, arguments: Sequence[Expression]
    ) -> int:
        """The questions that a pattern answers, if a guard asks one; else all."""
        word = name.rpartition(".")[2]
        if word in _PREFIXES:
            return self._find_begun(name, arguments)
        if word in _SUFFIXES and self._is_beginning(_OPEN_SUFFIX.match, arguments):
            return 0
        if word not in _MATCHERS or not arguments:
            return self.matcher.everything
        asked = [one for one in (receiver, *arguments) if one is not None]
        values = [value for one in asked if (value := self.results.get(id(one))) is not None]
        patterns = [one.constant for one in values if isinstance(one.constant, str)]
        if not patterns or any(
            any(iter_taints(one)) for one in values if one.constant is not UNKNOWN
        ):
            return self.matcher.everything
        return self.find_matched(patterns[0], word)

    def find_matched(self, pattern: str, word: str) -> int:
        """The questions that a text can do no harm to which fits a pattern, asked by a method."""
        allowed = find_allowed(pattern, whole=word in _WHOLE)
        known = 0 if allowed is None else self.find_unreached(allowed)
        return known | self._find_unheld(pattern, word)

    def _find_begun(self, name: str, arguments: Sequence[Expression]) -> int:
        """The questions that the beginning of a text may answer, by what it must begin with."""
        if self._is_beginning(_SCHEME.fullmatch, arguments):
            # It says no more of a URL than its scheme.
            return 0
        mask = self.matcher.everything
        if arguments and _is_open_host(arguments[-1]):
            mask &= ~self.matcher.get_rejected("//")
        if self._is_beginning(_SLASH.fullmatch, arguments) or self._is_beginning(
            _OPEN_HOST.fullmatch, arguments
        ):
            mask &= ~self.matcher.get_rejected("//")
        if self._is_beginning(_NO_FOLDER.fullmatch, arguments):
            mask &= ~self.matcher.find_bound(name)
        return mask

    def _find_unheld(self, text: str, word: str) -> int:
        """The questions that no text which fits a pattern does harm to, by what it may hold."""
        starts = word == "match" and not self.shares_scope
        pattern = compile_pattern(text, starts=starts, whole=word in _WHOLE)
        if pattern is None:
            return 0
        mask = self.matcher.find_unheld(pattern.can_hold)
        leading = self.matcher.get_rejected("//")
        if pattern.has_fixed_host():
            mask |= leading
        if pattern.begins_at_root():
            mask |= leading & self.matcher.get_rejected(":")
        return mask

    def _is_beginning(self, fits: Callable[[str], object], arguments: Sequence[Expression]) -> bool:
        """Whether the beginnings that a check asks for are all constants that fit."""
        if not arguments:
            return False
        known = self.results.get(id(arguments[-1]), NOTHING)
        said = [known] if known.items is None else known.items.values()
        return bool(said) and all(
            isinstance(one.constant, str) and fits(one.constant) is not None for one in said
        )

    def _has_beginning(self, text: str, arguments: Sequence[Expression]) -> bool:
        """Whether one of the beginnings that a check asks for is a text."""
        known = self.results.get(id(arguments[-1]), NOTHING) if arguments else NOTHING
        said = [known] if known.items is None else known.items.values()
        return any(one.constant == text for one in said)

    def find_unreached(self, characters: frozenset[str]) -> int:
        """The questions that a text of these characters alone can do no harm to."""
        if is_plain(characters):
            return self.matcher.everything
        # A slash leads somewhere in a path or a URL, and is text in a statement or a shell.
        return self.matcher.find_safe(characters, otherwise=is_plain(characters - {"/"}))

    def get_callee_name(self, call: Call) -> str:
        """The qualified name of what a call called."""
        callee = self.results.get(id(call.callee))
        if callee is not None and callee.name:
            return callee.name
        if isinstance(call.callee, Attribute):
            return f"?.{call.callee.name}"
        return getattr(call.callee, "name", "?")

    def _admit(self, box: Expression, one: Expression, env: Env) -> None:
        """A value that is in a list which nobody outside has written."""
        known = self.results.get(id(box))
        if known is not None and not any(t.strength == REMOTE for t in iter_taints(known)):
            self._clear(one, env)

    def _reject(self, box: Expression, one: Expression, env: Env) -> None:
        """A text that does not hold another."""
        text = self._get_constant(one)
        mask = self.matcher.get_rejected(text)
        if mask and isinstance(text, str) and _DOTS.fullmatch(text):
            self._clear_dots(box, env, mask)
            if text == "..":
                self._clear_steps(box, env, mask)
        elif mask:
            self._clear(box, env, mask, literal=True)

    def _reject_each(self, box: Expression, characters: Expression, env: Env) -> None:
        """A text that holds none of some characters."""
        text = self._get_constant(characters)
        for character in text if isinstance(text, str) else "":
            self._clear(box, env, self.matcher.get_rejected(character), literal=True)

    def _clear(
        self,
        expression: Expression,
        env: Env,
        mask: int | None = None,
        *,
        literal: bool = False,
        bound: int = 0,
    ) -> None:
        """Note that a check answered some questions; those in `bound` of a settled path only."""
        value = self.results.get(id(expression))
        if value is not None:
            answered = self.matcher.everything if mask is None else mask
            taints = tuple(iter_taints(value))
            env.clear(taints, answered & ~bound, literal=literal)
            settled = (taint for taint in taints if taint.settled)
            env.clear(settled, answered & bound, literal=literal)

    def _get_constant(self, expression: Expression) -> Any:
        value = self.results.get(id(expression))
        return UNKNOWN if value is None else value.constant


_RULES: dict[type[Expression], Callable[[Guards, Any, Env, bool], None]] = {
    Not: Guards._narrow_not,
    Logical: Guards._narrow_logical,
    InnerAssignment: Guards._narrow_binding,
    Name: Guards._narrow_name,
    Attribute: Guards._narrow_part,
    Index: Guards._narrow_part,
    Relationship: Guards._narrow_comparison,
    Call: Guards._narrow_call,
}


def _is_open_host(said: Expression) -> bool:
    """Whether a beginning ends with a host that nobody knows: `f"https://{HOST}"`."""
    if not isinstance(said, Text) or len(said.parts) < 2:
        return False
    first, last = said.parts[0], said.parts[-1]
    text = first.value if isinstance(first, Constant) else None
    is_scheme = isinstance(text, str) and _SCHEME.fullmatch(text) is not None
    return is_scheme and len(said.parts) == 2 and not isinstance(last, Constant)


def leave_steps(path: tuple[str, ...]) -> tuple[str, ...] | None:
    """Where the whole stands of which all the steps, or one of them, are at a place."""
    end = len(path) - (path[-1:] == ("*",))
    return path[: end - 1] if end and read_step(path[end - 1])[0] in _STEPS else None


def is_condition(expression: Expression) -> bool:
    """Whether a value is worth remembering as a condition."""
    return isinstance(expression, Relationship | Not | Logical | Call | Index)
