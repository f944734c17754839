"""What a call comes to whose function stands in no file that is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ast_grep_py import SgNode

from jurat.engine.flow.calls.containers import MUTATORS, call_container, is_builder
from jurat.engine.flow.calls.creations import build_name, is_class_name, make_container
from jurat.engine.flow.calls.joined_texts import put_together
from jurat.engine.flow.calls.parts import is_finder
from jurat.engine.flow.calls.texts import PERCENT_HOLE, fill_text, join_text
from jurat.engine.flow.checks.foreign_checks import GETTERS
from jurat.engine.flow.checks.guards import Guards
from jurat.engine.flow.checks.matched_groups import read_groups
from jurat.engine.flow.checks.replacements import (
    find_replaced,
    is_unseen_pattern,
    mark_replaced,
    read_pattern,
)
from jurat.engine.flow.forms.program import UNKNOWN, Attribute, Call, Expression
from jurat.engine.flow.values.addresses import ALIKE, find_address_part, write_address
from jurat.engine.flow.values.folding import fold_piece
from jurat.engine.flow.values.mappings import keep_under, read_way, take_kept
from jurat.engine.flow.values.named_secrets import keep_guessed
from jurat.engine.flow.values.paths import keep_front, settle_path, write_path
from jurat.engine.flow.values.pieces import cut_text, find_place, find_step
from jurat.engine.flow.values.repeated import is_made_of_repeated
from jurat.engine.flow.values.settings import open_object
from jurat.engine.flow.values.surroundings import is_text_escape
from jurat.engine.flow.values.taints import REMOTE, Taint, Taints, Trace, merge_taints
from jurat.engine.flow.values.unset import find_unset
from jurat.engine.flow.values.value import (
    NOTHING,
    Env,
    Given,
    Value,
    collect,
    extend_name,
    iter_taints,
)
from jurat.engine.flow.words import split_words

_DEFAULTING = frozenset({"get", "getOrDefault"})
"""What returns what it is given behind a key if there is nothing under it."""

_LOOKING_UP = re.compile(r"(?:find|load|lookup|look_up|authenticate)(?:_[a-z]|[A-Z])")
"""Begins the name of what looks something up, as an account by an address."""

_PARTS = split_words(
    """
    getName getKey getType getContentType getMethod getScheme getProtocol getId getStatus
    getPort getMessage getUserInfo getQuery getRawQuery getFragment getRef
    """
)
"""Methods that return one part of an object: what a check says of it, it says of no other."""

_KEY_GETTER = re.compile(r"get\w*(?:Id|ID|Pid|Oid)")
"""What returns the key of a record: a part of it as well."""

_CUTTERS = split_words(
    """
    slice substr substring charAt at codePointAt charCodeAt split rsplit partition rpartition
    splitext extname Ext getExtension getFileExtension SplitN Split SplitAfter Cut subSequence
    dirname Dir getParent getParentFile commonpath commonprefix
    """
)
"""What returns a part of a text: what a check says of it, it says of no more than that."""

_CUTTERS_BY_NUMBER = split_words("slice substr substring charAt codePointAt charCodeAt subSequence")
"""Methods of a text that are told where to cut it: of the numbers the part holds nothing."""

_PATH_JOINERS = frozenset({"join", "joinpath", "Join", "resolve", "resolveSibling", "child"})

_SIGNING = re.compile(r"(?:^|[./])(?:hmac\.(?:new|digest|New)|createHmac|Mac)\b(?!Error)")
"""In the name of what signs a text by a key: harmless itself, and known to be of that text."""

_CODING = re.compile(r"(?:^|\.)(?:ord|charCodeAt|codePointAt)$")
_DECODING = re.compile(r"(?:^|\.)(?:chr|unichr|fromCharCode|fromCodePoint)$")
"""What makes a number of a letter, and a letter of such a number again."""

_BYTE_TYPES = frozenset({"bytes", "bytearray"})
_OPENERS = split_words(
    """
    from of builder newBuilder fromClientResponse newInstance newFactory newDefaultInstance
    newNSInstance newDefaultFactory createXMLReader cookie AcquireCookie
    """
)
"""Methods of a class that begin an object of it."""

_PATH_WRITERS = frozenset({"Join", "join"})
_PATH_FOLLOWERS = frozenset({"resolve", "resolveSibling", "joinpath"})
_PATH = re.compile(
    r"(?:Path|\b(?:Paths\.get|Path\.of|toPath|resolve|normalize|toAbsolutePath|toRealPath|getParent)\(\))$"
)
"""Ends the name of a path that a method puts another behind."""

_PATH_MAKERS = re.compile(r"(?:^|[./])(?:path\.resolve|Paths\.get|Path\.of|File|PurePath|Path)$")
"""Ends the name of what makes a path of several parts, each behind the one before it."""

_NO_FOLDER = re.compile(r"(?i)resolver|ur[il]\b")
"""In the name of what has a method called `resolve` that puts nothing below it."""

_RESTARTING = ("os.path.", "posixpath.", "ntpath.", "path.resolve", "pathlib.")
_KEEPERS = frozenset({"set", "Set", "put", "setdefault", "Store", "setProperty"})
"""Methods that keep what they are given under what stands before it."""

_SETTERS = frozenset({"setFeature", "setProperty", "set_feature"})
_COMPILERS = frozenset({"compile", "MustCompile", "RegExp", "Compile", "createFilter"})


class ForeignCalls(Guards):
    """Calls of what nobody here has seen: they pass on what they are given."""

    def update(self, target: Expression, value: Value, env: Env) -> None:
        """Put a changed container back."""
        raise NotImplementedError

    def call_unknown(
        self,
        expression: Call,
        called: Value,
        receiver: Value,
        given: Given,
        env: Env,
        *,
        returned: Sequence[Value],
    ) -> Value:
        """A callee that is not followed passes on what it is given.

        One of the file's own may be named like a sanitizer, but is none by that. `returned` is what
        the functions among its arguments return.
        """
        name = called.name
        word = name.rpartition(".")[2]
        values = [value for _, value in given if value.closure is None]
        is_made = expression.new or (self.language.capitals_name_classes and is_class_name(name))
        result = build_name(name, receiver, given, is_made=is_made)
        if name == "fmt.Fprintf" and len(values) > 1 and is_builder(values[0]):
            self._print_into(expression, given, values, env)
            return NOTHING
        joined = put_together(self, name, receiver, values)
        if joined is not None:
            return joined
        if isinstance(expression.callee, Attribute):
            self._change_receiver(expression.callee, name, receiver, values, env)
        if (folded := fold_piece(word, receiver, values)) is not UNKNOWN:
            return Value(constant=folded)
        groups = read_groups(self, name, receiver, values)
        if groups is not None:
            return groups
        piece = self._take_piece(word, receiver, values)
        if piece is not None:
            return piece if piece.name else piece._replace(name=result)
        if word in _COMPILERS and values:
            return read_pattern(result, values)
        carried = self._carry(expression.node, values, "" if is_made else name)
        made = make_container(name, result, [one for _, one in given], is_made=is_made)
        if made is not None:
            return made
        notes = self._find_traits(expression, name, receiver, given, is_made=is_made)
        taints: Taints = ()
        # Most calls are given nothing that came from anywhere.
        if carried or any(one.taints or one.items for one in (receiver, *values, *returned)):
            replaced = find_replaced(self, name, receiver, [*values, *returned])
            taints = self._hand_on(
                called, receiver, values, (*carried, *collect(returned)), given, is_made=is_made,
                carries=bool(carried),
            )  # fmt: skip
            left = (mark_replaced(self, one, replaced) for one in taints) if replaced else taints
            taints = tuple(one for one in left if one.matters)
        box = notes.box or (object() if is_made else None)
        return notes._replace(taints=taints, name=result, box=box)

    def _hand_on(
        self,
        called: Value,
        receiver: Value,
        values: list[Value],
        others: Taints,
        given: Given,
        *,
        is_made: bool,
        carries: bool,
    ) -> Taints:
        """The origins of what a callee makes of what it is given, and those of `others`."""
        name = called.name
        word = name.rpartition(".")[2]
        own = self._read_answer(word, iter_taints(receiver), values)
        is_known = self.is_module(receiver) and self._is_passing(receiver, extend_name(name, "()"))
        # The first part of `Paths.get("/a", b)` is no key, nor is that of `lodash.first(a)`.
        if not (is_known or _PATH_MAKERS.search(name)):
            own, values = self._take_step(word, own, values, carries=carries)
        # The other letters of `b64encode(text, others)` are none that it makes.
        values = values[:1] if name.startswith("base64.") else values
        # An address with a host stays what it is.
        behind = self.language.resolves_addresses and word == "resolve"
        behind = behind and _NO_FOLDER.search(receiver.name) is None
        values = write_address(name, _write_paths(name, receiver, values, behind))
        foreign = self._is_foreign(called, receiver, is_made=is_made)
        passed = _list_passed(name, own, self._keep_texts(receiver, word, values), foreign=foreign)
        # What a function that is handed over returns, the callee was given it for.
        placed = keep_guessed(self, values) if word in _CUTTERS_BY_NUMBER else ()
        taints = merge_taints((*others, *passed, *placed))
        if word in _PATH_JOINERS and (own or len(values) > 1):
            taints = keep_front(taints, own or iter_taints(values[0]))
        if called.closure is None:
            taints = self._clean(name, taints, given, is_made=is_made)
        taints = settle_path(self, name, taints, values)
        return self._hold(name, taints) if is_made else taints

    def _take_step(
        self, word: str, own: Taints, values: list[Value], *, carries: bool
    ) -> tuple[Taints, list[Value]]:
        """The origins of what a method is called on, a part further if it is one, and what counts
        of its arguments: a key is none.
        """
        if word in self.matcher.binders and len(values) > 1:
            return own, []
        if word in GETTERS and values and isinstance(values[0].constant, str):
            return tuple(one.enter(values[0].constant) for one in own), values[1:]
        is_part = not values and (word in _PARTS or _KEY_GETTER.fullmatch(word) is not None)
        if is_part or word in _CUTTERS:
            step = find_step(word, values)
            return tuple(one.enter(step) for one in own), values
        is_lookup = word in self.matcher.lookups or _LOOKING_UP.match(word) is not None
        if is_lookup and not carries and not any(one.strength == REMOTE for one in own):
            # `known.get(key, other)` may be the other.
            return own, values[1:2] if word in _DEFAULTING else []
        return own, values

    def _print_into(
        self, expression: Call, given: Given, values: Sequence[Value], env: Env
    ) -> None:
        """`fmt.Fprintf` writes a text into the builder that it is given first."""
        text = fill_text(self, str(values[1].constant), values[2:], PERCENT_HOLE)
        changed, _ = call_container(values[0], "Write", [(given[0][0], text)]) or values[:1]
        self.update(expression.arguments[0].value, changed, env)

    def _change_receiver(
        self, callee: Attribute, name: str, receiver: Value, values: Sequence[Value], env: Env
    ) -> None:
        """What a method makes of what it is called on: it is set to something, or filled."""
        word = name.rpartition(".")[2]
        is_setting = word in _SETTERS and len(values) > 1 and values[1].constant is True
        if is_setting and values[0].name:
            # What it is set to is a part of its name from then on: sinks may ask for it.
            named = f"{receiver.name}+{values[0].name}"
            self.update(callee.of, receiver._replace(name=named), env)
        elif self._can_lead_away(name):
            # `router.push(address)` keeps none of it.
            return
        elif self.language.name == "go" and self._is_package(receiver):
            # Nor does `io.WriteString(out, text)`.
            return
        elif word in MUTATORS or self.matcher.find_propagator(name):
            self._propagate(callee, receiver, values, env)

    def _can_lead_away(self, name: str) -> bool:
        """Whether a callee leads whoever looks at a page to another one."""
        return any(one.mask & self.matcher.redirects for one in self.matcher.find_sinks(name))

    def _is_foreign(self, called: Value, receiver: Value, *, is_made: bool) -> bool:
        """Whether a callee's answer is its own: that of a constructor holds what it was given."""
        if is_unseen_pattern(called.name, receiver):
            return True
        word = called.name.rpartition(".")[2]
        if is_made or word in GETTERS or called.closure is not None:
            return False
        if _CODING.search(called.name) or _DECODING.search(called.name):
            return False
        return not self._is_passing(receiver, extend_name(called.name, "()"))

    def _clean(self, name: str, taints: Taints, given: Given, *, is_made: bool) -> Taints:
        """What is left of origins behind a callee that signs, asks another server, or sanitizes."""
        if _SIGNING.search(name) or _CODING.search(name):
            return tuple(one.encode(self.matcher.everything) for one in taints)
        if _DECODING.search(name):
            return tuple(one.decode(self.matcher.everything) for one in taints)
        # What another server answers is its own.
        if taints and not is_made and self.matcher.asks_host(name):
            return ()
        spared = self.matcher.in_attributes if is_text_escape(name, given) else 0
        return self.sanitize(taints, name, extend_name(name, "()"), spared=spared)

    def _hold(self, name: str, taints: Taints) -> Taints:
        """What an object was given, of whose class maybe nobody knows what it does with it."""
        if self.matcher.find_passing(extend_name(name, "()")):
            return taints
        return tuple(one._replace(held_by=name) for one in taints)

    def _keep_texts(self, receiver: Value, word: str, values: Sequence[Value]) -> Sequence[Value]:
        """What a callee is given but the numbers that say where to cut the text it is asked of."""
        is_of_text = word in _CUTTERS_BY_NUMBER and not self.is_module(receiver)
        return () if is_of_text else values

    def _take_piece(self, word: str, receiver: Value, values: Sequence[Value]) -> Value | None:
        """A piece of a text, or where it begins; None if a callee asks for neither."""
        if place := find_place(word, receiver, values):
            return Value(name=place)
        piece = cut_text(word, receiver, values, self.path_steps)
        if piece is None:
            return None
        step = find_step(word, values)
        return Value(tuple(one.enter(step) for one in piece))

    def _find_traits(
        self, expression: Call, name: str, receiver: Value, given: Given, *, is_made: bool
    ) -> Value:
        """What is known of an answer beside its origins: that it is fixed, or what it was told."""
        if not (self.matcher.asks_settings or self.matcher.options):
            return NOTHING
        fixed = False
        if self.matcher.find_fixed(extend_name(name, "()")):
            is_of = name.startswith(receiver.name or "?") and not self.is_module(receiver)
            fixed = is_made_of_repeated(expression, given, receiver, held=is_of)
        notes = Value(fixed=fixed, default=find_unset(name, receiver, given))
        if not self.matcher.options:
            return notes
        whole = is_made or (name.rpartition(".")[2] in _OPENERS and self.is_module(receiver))
        return open_object(notes, given, whole=whole)

    def is_foreign(self, value: Value) -> bool:
        """Whether a value is a module or a part of one, by its name: no object that was made."""
        is_one = value.items is not None or value.box is not None
        return bool(value.name) and value.name[0] not in "<?" and not is_one

    def is_module(self, value: Value) -> bool:
        """Whether a value is a module or a class, by its name."""
        if value.name in _BYTE_TYPES:
            return True
        head, _, last = value.name.rpartition(".")
        is_object = value.taints or value.items is not None or value.instance is not None
        is_object = is_object or value.fixed or value.constant is not UNKNOWN
        if is_object or not last or value.name[0] in "<?" or last.isupper():
            return False
        return not head or is_class_name(last) or last.endswith("()")

    def _is_package(self, value: Value) -> bool:
        """Whether a value of Go is a package, and no variable that goes by the name of its type."""
        return self.is_module(value) and not is_class_name(value.name.rpartition(".")[2])

    def _propagate(
        self, callee: Attribute, receiver: Value, values: Sequence[Value], env: Env
    ) -> None:
        """What is written into something is in it from then on."""
        if callee.name in _KEEPERS and len(values) > 1:
            kept = keep_under(read_way(values[0]), collect(values[1:]))
            taints = merge_taints((*receiver.taints, *kept))
            self.update(callee.of, receiver._replace(taints=taints), env)
            return
        before = receiver.constant if isinstance(receiver.constant, str) else ""
        whole = join_text(self, [Value(constant=before), *values]) if values else NOTHING
        taints = merge_taints((*receiver.taints, *whole.taints, *collect(values)))
        if taints != receiver.taints:
            self.update(callee.of, receiver._replace(taints=taints), env)

    def _read_answer(self, word: str, taints: Iterable[Taint], given: Sequence[Value]) -> Taints:
        """The origins of what a method is called on: `wrap(request).get("a")` reads a source.

        One that is given more than names makes an answer of it: nobody has asked for a source. Nor
        has who asks for no part by its name, as `find(request).getTarget()`.
        """
        if word in GETTERS and given:
            taints = take_kept(read_way(given[0]), tuple(taints))
        names_none = not given and word not in GETTERS
        if names_none or any(one.constant is UNKNOWN for one in given):
            return tuple(taints)
        return tuple(
            one._replace(foreign=False, answered_by="")
            if one.foreign and self.matcher.find_carrier(one.source.removesuffix("()"))
            else one
            for one in taints
        )

    def _is_passing(self, receiver: Value, called: str) -> bool:
        """Whether the answer of a callee is known to be what it was given, or a part of it.

        A module's own function is no method of a text, whatever it is called.
        """
        holds = receiver.taints or receiver.constant is not UNKNOWN
        if self.is_foreign(receiver) and "(" not in receiver.name and not holds:
            return bool(self.matcher.find_passing_function(called))
        return bool(self.matcher.find_passing(called))

    def _carry(self, node: SgNode, values: Sequence[Value], answerer: str) -> Taints:
        """What comes of handing on the object that sources are read from.

        `answerer` is the callee if nobody knows what it does, empty for a class.
        """
        found = []
        for value in values:
            mask = self.matcher.find_carrier(value.name) if value.name else 0
            if mask:
                found.append(
                    Taint(
                        f"{value.name}()", (), mask, REMOTE, "", False, Trace(node, None),
                        foreign=bool(answerer), answered_by=answerer,
                    )
                )  # fmt: skip
        return tuple(found)


def _write_paths(name: str, receiver: Value, values: list[Value], behind: bool) -> list[Value]:
    """The arguments of what puts paths together, as they stand there: `behind` the receiver."""
    word = name.rpartition(".")[2]
    follows = word in _PATH_FOLLOWERS and _PATH.search(receiver.name)
    if behind or follows:
        return list(write_path([NOTHING, *values], restarts=True))
    if word in _PATH_WRITERS or (_PATH_MAKERS.search(name) and len(values) > 1):
        return list(write_path(values, restarts=name.startswith(_RESTARTING)))
    return values


def _list_passed(
    name: str, own: Taints, values: Sequence[Value], *, foreign: bool
) -> Iterator[Taint]:
    """What a callee hands on that is not followed, with its name on the way of each address.

    Cut, or by a callee that nobody knows, the address of a request may lead anywhere. `foreign` is
    one whose answer may be anything: a path that it has checked, a page that it has made. Behind a
    folder, a path whose `..` were worked out for itself leads up from there. Of what was looked up
    an answer is the record's own.
    """
    word, step = name.rpartition(".")[2], find_step(name, values)
    # By a key: `list.findFirst()` looks nothing up.
    found = foreign and bool(values) and is_finder(extend_name(name, "()"))
    held = (one.leave_object() if foreign else one for one in own if not (foreign and one.found))
    yield from _note_step(held, word)
    for position, value in enumerate(values):
        # Before a base, what comes as a path may be `//host`.
        is_path = word == "URL" and position == 0 and len(values) > 1
        for one in _note_step(iter_taints(value), "path" if is_path else word):
            passed = one.become_answer(name, found=found) if foreign else one
            if word in _CUTTERS:
                yield passed.enter(step)
            else:
                yield passed._replace(settled=None) if word in _PATH_JOINERS else passed


def _note_step(taints: Iterable[Taint], step: str) -> Iterator[Taint]:
    for one in taints:
        # Of a part that was read by its name nobody takes the whole for an address of ours.
        is_address = find_address_part(one.source) and ALIKE.issuperset(one.path)
        yield one.enter(step) if is_address else one
