"""What follows from a condition: a value that is one of a known list can do no harm behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from jurat.engine.flow.checks.answers import (
    admit,
    clear_signed,
    clear_steps,
    clear_value,
    clear_within,
    get_callee_name,
    get_constant,
    reject,
    reject_each,
    reject_keys,
    settle_whole,
)
from jurat.engine.flow.checks.beginnings import narrow_beginning, narrow_character, narrow_fitting
from jurat.engine.flow.checks.begun_paths import note_begun
from jurat.engine.flow.checks.characters import narrow_characters
from jurat.engine.flow.checks.declared_checks import list_form_fields
from jurat.engine.flow.checks.elements import QUESTIONS_OF_EACH, narrow_each
from jurat.engine.flow.checks.foreign_checks import (
    GETTERS,
    clear_answered,
    clear_asked,
    clear_found,
)
from jurat.engine.flow.checks.refused_texts import narrow_number, narrow_ordered, narrow_unfit
from jurat.engine.flow.checks.text_checks import (
    HOST,
    PREFIXES,
    SPELLINGS,
    find_admitted,
    is_beginning,
)
from jurat.engine.flow.forms.program import (
    Attribute,
    Binary,
    Call,
    Expression,
    Index,
    InnerAssignment,
    Logical,
    Name,
    Not,
    Relationship,
)
from jurat.engine.flow.values.addresses import find_address_part
from jurat.engine.flow.values.called_by_syntax import bind_method
from jurat.engine.flow.values.evaluator import Evaluator
from jurat.engine.flow.values.flags import narrow_flag
from jurat.engine.flow.values.taints import REMOTE, Cleared, meet_cleared
from jurat.engine.flow.values.value import NOTHING, Env, Value, iter_taints
from jurat.engine.flow.words import split_words

_CONTAINS = split_words(
    """
    contains includes has containsKey Contains indexOf __contains__ hasOwnProperty hasOwn isSubsetOf
    issubset find
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

_AS_TRUTH = frozenset({"bool", "builtins.bool", "Boolean"})
"""What says of anything whether it holds."""

_NUMBERS = frozenset({"number", "boolean", "bigint"})
_NUMERIC_TYPES = split_words(
    """
    int float bool Integer Long UUID uuid.UUID Number complex
    """
)


class Guards(Evaluator):
    """Conditions, and what is known on the path behind each."""

    def ask_property(self, condition: Attribute, env: Env) -> tuple[Cleared, Cleared]:
        """What a property's function has checked if it returned true, and if false."""
        raise NotImplementedError

    def narrow(self, condition: Expression, env: Env, *, holds: bool) -> None:
        """Note in `env` what follows from a condition that was evaluated before."""
        narrow_flag(self, condition, env, holds=holds)
        rule = _RULES.get(type(condition))
        if rule is not None and not narrow_characters(self, condition, env, holds=holds):
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
        env.cleared = meet_cleared(left.cleared, right.cleared)

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
            clear_value(self, condition, env)

    def _is_reading(self, known: Expression) -> bool:
        """Whether a call reads a part of something: its answer is that value, and empty or not."""
        if not isinstance(known, Call) or not isinstance(known.callee, Attribute):
            return False
        receiver = self.results.get(id(known.callee.of), NOTHING)
        return known.callee.name in GETTERS and any(iter_taints(receiver))

    def _narrow_part(self, condition: Attribute | Index, env: Env, holds: bool) -> None:
        if isinstance(condition, Attribute):
            facts = self.ask_property(condition, env)
            for key, mask in facts[0 if holds else 1].items():
                env.cleared[key] = env.cleared.get(key, 0) | mask
            find = self.matcher.find_guard if holds else self.matcher.find_refusal
            settle_whole(self, find(f"?.{condition.name}"), [condition.of], env)
            clear_answered(self, condition, env, holds=holds)
        if not holds:
            clear_value(self, condition, env)
            if isinstance(condition, Index) and condition.key is not None:
                reject_keys(self, condition.of, condition.key, env, of_text=True)
        elif isinstance(condition, Index) and condition.key is not None:
            admit(self, condition.of, condition.key, env)

    def _narrow_comparison(self, condition: Relationship, env: Env, holds: bool) -> None:
        operator, left, right = condition.operator, condition.left, condition.right
        if operator in ("!=", "not in", "is not"):
            operator, holds = {"!=": "==", "not in": "in", "is not": "is"}[operator], not holds
        if operator in ("==", "in"):
            narrow_character(self, left, right, env, holds=holds)
        if operator in ("==", "is"):
            self._narrow_equality(left, right, env, holds=holds)
            if not holds and get_constant(self, right) == "..":
                clear_steps(self, left, env, self.matcher.get_rejected(".."))
        elif operator == "in":
            self._narrow_membership(left, right, env, holds=holds)
        elif operator in ("<=", "<") and holds and self._is_set(left):
            admit(self, right, left, env)
        elif operator == "instanceof" and holds and isinstance(right, Name):
            if right.name in _NUMERIC_TYPES:
                clear_value(self, left, env)
        elif operator in (">", ">=", "<", "<="):
            narrow_ordered(self, left, right, env, holds=holds)
            # indexOf(x) >= 0, and strings.Index(x, "..") < 0.
            bound = get_constant(self, right)
            if bound in (0, -1) and isinstance(left, Call):
                self.narrow(left, env, holds=holds if operator != "<" else not holds)

    def _narrow_membership(
        self, left: Expression, right: Expression, env: Env, *, holds: bool
    ) -> None:
        if bind_method(self.results.get(id(right), NOTHING), "__contains__") is not None:
            # The file's own: it is worth what it does.
            return
        if holds:
            admit(self, right, left, env)
            clear_within(self, right, env, self.matcher.everything)
        else:
            reject(self, right, left, env)
            reject_keys(self, right, left, env)

    def _is_set(self, one: Expression) -> bool:
        """Whether a set is made of a list there, of which each element is asked about."""
        return isinstance(one, Call) and get_callee_name(self, one) in ("set", "frozenset")

    def _narrow_rest(self, condition: Binary, env: Env, holds: bool) -> None:
        """Of a set nothing is left without those of another one."""
        if condition.operator == "-" and not holds and self._is_set(condition.left):
            admit(self, condition.right, condition.left, env)

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
            if self._narrow_answered(one, get_constant(self, other), env, holds):
                return
        for one, other in pairs if holds else ():
            known = self.results.get(id(other))
            if known is None:
                continue
            self._narrow_answer(one, known, env)
            fit = self.matcher.everything & ~self._find_harmful(known, is_signature=is_signature)
            clear_value(self, one, env, fit, literal=fit != self.matcher.everything)
            # Whoever brings the signature of a text has it from us.
            signed = [taint for taint in iter_taints(known) if taint.encoded and not taint.live]
            env.clear(signed, self.matcher.everything)
            if is_signature or signed:
                clear_signed(self, one, env, fit)
            clear_within(self, one, env, fit)

    def _narrow_answered(self, one: Expression, constant: object, env: Env, holds: bool) -> bool:
        """What follows if an answer is compared with a constant that stands for yes or no."""
        value = self.results.get(id(one))
        if isinstance(one, Call) and value is not None:
            if isinstance(constant, bool):
                self.narrow(one, env, holds=holds is constant)
                return True
            is_none = constant == 0 and value.name.rpartition(".")[2].startswith("isIP")
            if constant == -1 or is_none:
                self.narrow(one, env, holds=not holds)
                return True
            if value.name.endswith(".ConstantTimeCompare()") and constant in (0, 1):
                self.narrow(one, env, holds=holds is (constant == 1))
                return True
            if value.name.endswith("typeof()") and isinstance(constant, str):
                # Whatever is no object can be no operator.
                is_plain = constant == ("string" if holds else "object")
                mask = self.matcher.objects if is_plain else 0
                for argument in one.arguments:
                    is_number = holds and constant in _NUMBERS
                    clear_value(self, argument.value, env, None if is_number else mask)
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

    def _narrow_answer(self, one: Expression, known: Value, env: Env) -> None:
        """What a guard answers in words: `address.range() == "unicast"`, of a host's address."""
        if isinstance(one, Call) and isinstance(known.constant, str):
            name = get_callee_name(self, one)
            mask = self.matcher.find_guard(name) & ~self.matcher.find_bound(name)
            settle_whole(self, mask, [one], env)

    def _narrow_call(self, condition: Call, env: Env, holds: bool) -> None:
        known = self.facts.get(id(condition))
        if known is not None:
            for key, mask in (known.yes if holds else known.no).items():
                env.cleared[key] = env.cleared.get(key, 0) | mask
        name = get_callee_name(self, condition)
        receiver = condition.callee.of if isinstance(condition.callee, Attribute) else None
        arguments = [one.value for one in condition.arguments]
        if name in _AS_TRUTH and len(arguments) == 1:
            # It is true of whatever holds.
            self.narrow(arguments[0], env, holds=holds)
            return
        callee = self.results.get(id(condition.callee))
        if callee is not None and (callee.closure or callee.known_class):
            # The file's own: it is worth what it does, which `facts` has, whatever its name says.
            return
        asked_of = self.results.get(id(receiver), NOTHING).instance
        if asked_of is not None and list_form_fields(asked_of.known):
            # A form of this file: `is_valid()` is worth what its fields are declared to be.
            return
        name, turned = self.matcher.words.turn(name)
        # Of what `is_invalid` was asked about and denied, `is_valid` would have been true.
        holds ^= turned
        if arguments:
            self._narrow_question(name, receiver, arguments, env, holds=holds)
        asked = [one for one in (receiver, *arguments) if one is not None]
        narrow_fitting(self, name, asked, env, holds=holds)
        narrow_beginning(self, name, asked, arguments, env, holds=holds)
        # Whether something lies in its own folder is asked of two that have the folder alike.
        is_of_place = self.matcher.find_bound(name) or name.rpartition(".")[2] in PREFIXES
        if holds and not is_of_place and self._is_asked_of_itself(asked):
            return
        if holds:
            clear_asked(self, name, arguments, env)
            clear_found(self, condition, env)
        else:
            settle_whole(self, self.matcher.find_refusal(name), asked, env)
            narrow_unfit(self, name, asked, env)
        narrow_number(self, name, arguments, env, holds=holds)
        mask = self.matcher.find_guard(name)
        mask &= find_admitted(self, name, receiver, arguments)
        is_prefix = name.rpartition(".")[2] in PREFIXES
        # A host stays the host, however much of what follows it is decoded. Of which characters a
        # text is says nothing of what it stands for in another form.
        is_spelled = name.rpartition(".")[2] in SPELLINGS
        literal = is_spelled or (is_prefix and not is_beginning(self, HOST.match, arguments))
        if mask and holds:
            for one in asked:
                clear_value(
                    self, one, env, mask, literal=literal, bound=self.matcher.find_bound(name)
                )
            note_begun(self, asked, arguments, env, mask & self.matcher.find_bound(name))

    def _is_asked_of_itself(self, asked: Sequence[Expression]) -> bool:
        """Whether a check is told what is fit by what it is asked about: nobody has checked it."""
        known = [tuple(iter_taints(self.results.get(id(one), NOTHING))) for one in asked]
        return any(
            one.source == other.source and other.path[: len(one.path)] == one.path
            for at, origins in enumerate(known)
            for one in origins
            if one.strength == REMOTE
            for others in known[at + 1 :]
            for other in others
        )

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
            narrow_character(self, arguments[-1], box, env, holds=holds)
            if holds:
                admit(self, box, arguments[-1], env)
            else:
                reject(self, box, arguments[-1], env)
                reject_keys(self, box, arguments[-1], env)
        elif word in _CONTAINS_ANY and not holds:
            reject_each(self, arguments[0], arguments[-1], env)
        elif word == "isinstance" and holds and len(arguments) > 1:
            named = getattr(arguments[1], "name", "")
            texts = self.matcher.objects if named == "str" else 0
            if self._are_nodes(arguments[1]):
                # Of a program that was read, each node is one of a few kinds.
                texts |= self.matcher.programs
            clear_value(self, arguments[0], env, None if named in _NUMERIC_TYPES else texts)
        elif word in QUESTIONS_OF_EACH:
            narrow_each(self, word, receiver, arguments, env, holds=holds)

    def _are_nodes(self, kinds: Expression) -> bool:
        """Whether the kinds that are asked for are those of a syntax tree."""
        known = self.results.get(id(kinds), NOTHING)
        parts = list((known.items or {}).values()) or [known]
        return all(one.name.startswith("ast.") for one in parts)


_RULES: dict[type[Expression], Callable[[Guards, Any, Env, bool], None]] = {
    Not: Guards._narrow_not,
    Logical: Guards._narrow_logical,
    InnerAssignment: Guards._narrow_binding,
    Name: Guards._narrow_name,
    Attribute: Guards._narrow_part,
    Index: Guards._narrow_part,
    Relationship: Guards._narrow_comparison,
    Binary: Guards._narrow_rest,
    Call: Guards._narrow_call,
}


def is_condition(expression: Expression) -> bool:
    """Whether a value is worth remembering as a condition."""
    return isinstance(expression, Relationship | Not | Logical | Call | Index)
