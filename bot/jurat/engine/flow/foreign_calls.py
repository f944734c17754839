"""What a call comes to whose function stands in no file that is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ast_grep_py import SgNode

from jurat.engine.flow.addresses import ALIKE, find_address_part
from jurat.engine.flow.allowed_text import find_characters, find_kept
from jurat.engine.flow.containers import MUTATORS, call_container, is_builder, open_builder
from jurat.engine.flow.foreign_checks import GETTERS
from jurat.engine.flow.guards import Guards
from jurat.engine.flow.lowering import CHANNEL
from jurat.engine.flow.mappings import keep_under, put_entry, take_kept
from jurat.engine.flow.parts import is_finder
from jurat.engine.flow.pieces import cut_text, find_place, find_step
from jurat.engine.flow.program import UNKNOWN, Argument, Attribute, Call, Expression
from jurat.engine.flow.settings import is_fixed, open_object
from jurat.engine.flow.taints import (
    HOLE,
    REMOTE,
    Start,
    Taint,
    Taints,
    Trace,
    extend_before,
    merge_taints,
    split_words,
)
from jurat.engine.flow.text_checks import find_unreached
from jurat.engine.flow.texts import BRACE_HOLE, PERCENT_HOLE, fill_text, join_text
from jurat.engine.flow.values import NOTHING, Env, Value, collect, extend_name, iter_taints

Given = Sequence[tuple[Argument, Value]]

_LOOKUPS = split_words(
    """
    get getOrDefault find findOne findById findByPk findUnique findFirst findAll findMany
    find_one filter_by first query execute executemany fetch fetchone fetchall fetchrow fetchval
    scalar get_object_or_404 get_or_404 select where one one_or_none queryForObject queryForList
    Query QueryRow QueryContext QueryRowContext Exec exists stat has includes send urlopen
    request run check_output Popen connect getConnection verify compare check_password load_user
    """
)
"""What is looked up by a key does not come from the key."""

_DEFAULTING = frozenset({"get", "getOrDefault"})
"""What returns what it is given behind a key if there is nothing under it."""

_LOOKING_UP = re.compile(r"(?:find|load|lookup|look_up|authenticate)(?:_[a-z]|[A-Z])")
"""Begins the name of what looks something up, as an account by an address."""

_BINDERS = frozenset({"param", "bind", "setParameter", "bindValue", "addValue", "setString"})
"""What puts a value beside a statement, under a name or a number: what it finds is its own."""

_PARTS = split_words(
    """
    getName getKey getType getContentType getMethod getScheme getProtocol getId getStatus
    getPort getMessage
    """
)
"""Methods that return one part of an object: what a check says of it, it says of no other."""

_CUTTERS = split_words(
    """
    slice substr substring charAt at codePointAt charCodeAt split rsplit partition rpartition
    splitext extname Ext getExtension getFileExtension SplitN Split SplitAfter Cut subSequence
    dirname Dir getParent getParentFile commonpath commonprefix
    """
)
"""What returns a part of a text: what a check says of it, it says of no more than that."""

_LINE_FLAG = re.compile(r"[dgimsuvy]*m[dgimsuvy]*")
_BY_LINE = frozenset({"re.M", "re.MULTILINE", "java.util.regex.Pattern.MULTILINE"})
_STARTS = {
    **dict.fromkeys(
        (
            *("realpath", "abspath", "resolve", "realpathSync", "native", "Abs", "toRealPath"),
            *("getCanonicalPath", "getCanonicalFile"),
        ),
        Start.ROOT,
    ),
    **dict.fromkeys(("relpath", "relative", "Rel", "relativize"), Start.FOLDER),
}
"""What works out the `..` of a path and makes it begin elsewhere."""

_PATH_JOINERS = frozenset({"join", "joinpath", "Join", "resolve", "resolveSibling", "child"})
_PATH_KEEPERS = split_words(
    """
    resolve absolute joinpath with_name with_stem with_suffix expanduser relative_to
    """
)
"""Methods of a path that return another one."""

_SIGNING = re.compile(r"(?:^|[./])(?:hmac\.(?:new|digest|New)|createHmac|Mac)\b(?!Error)")
"""In the name of what signs a text by a key: harmless itself, and known to be of that text."""

_CHARSET = re.compile(r"(?:^|\.)(?:Standard)?Charsets?\.")
_BYTE_TYPES = frozenset({"bytes", "bytearray"})
_OPENERS = frozenset({"from", "of", "builder", "newBuilder", "fromClientResponse"})
"""Methods of a class that begin an object of it."""

_PATH_WRITERS = frozenset({"Join", "join"})
_PATH_FOLLOWERS = frozenset({"resolve", "resolveSibling", "joinpath"})
_PATH = re.compile(r"(?:Path|\b(?:Paths\.get|Path\.of|toPath)\(\))$")
"""Ends the name of a path that a method puts another behind."""

_RESTARTING = ("os.path.", "posixpath.", "ntpath.")
_STRIPPERS = frozenset(
    {"lstrip", "strip", "removeprefix", "TrimPrefix", "TrimLeft", "substring", "slice"}
)
_KEEPERS = frozenset({"set", "Set", "put", "setdefault"})
"""Methods that keep what they are given under what stands before it."""

_SETTERS = frozenset({"setFeature", "setProperty", "set_feature"})
_EACH = "/g"
"""Ends the name of a pattern that is looked for all over a text."""

_REPLACERS = split_words(
    """
    replace replaceAll ReplaceAll Replace sub ReplaceAllString ReplaceAllLiteralString
    ReplaceAllStringFunc
    """
)
_PATTERN_REPLACERS = frozenset(
    {"ReplaceAllString", "ReplaceAllLiteralString", "ReplaceAllStringFunc"}
)
"""Methods of a pattern alone: of `sub` and `replace` the pattern may be an argument."""

_SUBJECT_FIRST = re.compile(r"(?:^strings\.Replace(?:All)?|StringUtils\.replace(?:All|Each)?)$")
"""What is given the text that it replaces in before what it replaces."""

_TEXT_ELEMENTS = {
    "style": "HTMLStyleElement", "textarea": "HTMLTextAreaElement", "title": "HTMLTitleElement",
}  # fmt: skip
"""Elements whose content is text, by their tags: a browser makes no other elements of it."""

_LISTS = frozenset({"ArrayList", "LinkedList"})
_LIST_MAKERS = frozenset({"java.util.List.of", "java.util.Arrays.asList", "List.of"})
_MAPS = frozenset({"HashMap", "LinkedHashMap", "TreeMap", "ConcurrentHashMap"})
_MAP_MAKERS = frozenset({"java.util.Map.of", "Map.of"})
_COMPILERS = frozenset({"compile", "MustCompile", "RegExp", "Compile", "createFilter"})
_TEXT_JOINERS = frozenset({"join", "Join"})
_JOINERS = _TEXT_JOINERS | {"urlunsplit", "urlunparse"}
_FORMATTERS = split_words(
    """
    fmt.Sprintf fmt.Fprintf fmt.Errorf String.format util.format java.lang.String.format
    fmt.Sprint
    """
)


class ForeignCalls(Guards):
    """Calls of what nobody here has seen: they pass on what they are given."""

    replaces_once = False
    """Whether `replace` leaves all but the first, unless a pattern says otherwise."""

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
        callee = expression.callee
        values = [value for _, value in given if value.closure is None]
        is_made = expression.new or (self.capitals_name_classes and is_class_name(name))
        result = _build_name(name, receiver, given, is_made=is_made)
        if name == "fmt.Fprintf" and len(values) > 1 and is_builder(values[0]):
            text = fill_text(self, str(values[1].constant), values[2:], PERCENT_HOLE)
            changed, _ = call_container(values[0], "Write", [(given[0][0], text)]) or values[:1]
            self.update(expression.arguments[0].value, changed, env)
            return NOTHING
        joined = self._put_together(name, receiver, values)
        if joined is not None:
            return joined
        is_setting = word in _SETTERS and len(values) > 1 and values[1].constant is True
        if isinstance(callee, Attribute) and is_setting and values[0].name:
            # What it is set to is a part of its name from then on: sinks may ask for it.
            named = f"{receiver.name}+{values[0].name}"
            self.update(callee.of, receiver._replace(name=named), env)
        if isinstance(callee, Attribute) and (
            word in MUTATORS or self.matcher.find_propagator(name)
        ):
            self._propagate(callee, receiver, values, env)
        piece = self._take_piece(word, receiver, values)
        if piece is not None:
            return piece if piece.name else piece._replace(name=result)
        mask = self._find_taken_out(name, receiver, [*values, *returned])
        if word in _COMPILERS and values:
            return _read_pattern(result, values)
        carried = self._carry(expression.node, values, foreign=not is_made)
        own = self._read_answer(word, iter_taints(receiver), values)
        own, values = _take_step(word, own, values, carries=bool(carried))
        # A constructor's answer holds what it was given; that of another callee is its own.
        is_open = is_made or word in GETTERS or called.closure is not None
        foreign = not is_open and not self.matcher.find_passing(extend_name(name, "()"))
        foreign = foreign or _is_unseen_pattern(name, receiver)
        if word in _PATH_FOLLOWERS and _PATH.search(receiver.name):
            values = list(_write_path([NOTHING, *values], restarts=True))
        elif word in _PATH_WRITERS:
            values = list(_write_path(values, restarts=name.startswith(_RESTARTING)))
        passed = _list_passed(name, own, values, foreign=foreign)
        # What a function that is handed over returns, the callee was given it for.
        taints = merge_taints((*carried, *collect(returned), *passed))
        if word in _PATH_JOINERS and (own or len(values) > 1):
            # The folder that another function found stays its own, whatever is put behind it.
            front = own or tuple(iter_taints(values[0]))
            kept = {one.key for one in front if one.foreign}
            taints = tuple(
                one if one.key in kept else one._replace(foreign=False) for one in taints
            )
        made = _make_container(name, result, values, is_made=is_made)
        if made is not None:
            return made
        notes = self._find_traits(expression, name, receiver, given, is_made=is_made)
        if called.closure is None and _SIGNING.search(name):
            taints = tuple(one.encode(self.matcher.everything) for one in taints)
        elif called.closure is None:
            # What another server answers is its own.
            asks = taints and not is_made and self.matcher.asks_host(name)
            taints = () if asks else self.sanitize(taints, name, extend_name(name, "()"))
        taints = self._settle(name, taints, values)
        left = (one.drop_answered(mask) for one in taints) if mask else taints
        return notes._replace(taints=tuple(one for one in left if one.matters), name=result)

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
            parts = [value for _, value in given]
            if isinstance(expression.callee, Attribute) and not self.is_module(receiver):
                parts.append(receiver)
            fixed = all(is_fixed(one) or _CHARSET.search(one.name) for one in parts)
        notes = Value(fixed=fixed)
        if not self.matcher.options:
            return notes
        whole = is_made or (name.rpartition(".")[2] in _OPENERS and self.is_module(receiver))
        return open_object(notes, given, whole=whole)

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

    def _put_together(self, name: str, receiver: Value, values: Sequence[Value]) -> Value | None:
        """A text that is filled in or joined; None if a callee does neither."""
        word = name.rpartition(".")[2]
        text: Value | None = None
        if name in _FORMATTERS and values and isinstance(values[0].constant, str):
            text = fill_text(self, values[0].constant, values[1:], PERCENT_HOLE)
        elif word in ("format", "formatted") and isinstance(receiver.constant, str):
            holes = BRACE_HOLE if word == "format" else PERCENT_HOLE
            text = fill_text(self, receiver.constant, values, holes)
        elif word in _JOINERS and (values or receiver.items is not None):
            return self._join(word, receiver, values)
        return text and text._replace(name=extend_name(name, "()"))

    def _settle(self, name: str, taints: Taints, values: Sequence[Value]) -> Taints:
        """The origins of a path behind what works out its `..`, or takes its first slash off."""
        if self.matcher.find_normalizer(extend_name(name, "()")):
            start = _STARTS.get(name.rpartition(".")[2], Start.GIVEN)
            taints = tuple(one.settle(start) for one in taints)
        if _is_slash_stripped(name.rpartition(".")[2], values):
            taints = tuple(one.unroot() for one in taints)
        return taints

    def _find_taken_out(self, name: str, receiver: Value, values: Sequence[Value]) -> int:
        """The questions that are answered by taking characters out of a text."""
        word = name.rpartition(".")[2]
        if word not in _REPLACERS or len(values) < 2:
            return 0
        if _SUBJECT_FIRST.search(name):
            # `strings.Replace(text, old, new, 2)` leaves all but the first two.
            if word == "Replace" and [one.constant for one in values[3:]] != [-1]:
                return 0
            values = values[1:]
        pattern = values[0].constant
        if isinstance(receiver.constant, str):
            pattern = receiver.constant
        if len(values) < 2 or not isinstance(pattern, str) or any(iter_taints(values[1])):
            return 0
        if self.replaces_once and word == "replace" and not values[0].name.endswith(_EACH):
            return 0
        kept = find_kept(pattern)
        if kept is not None:
            return find_unreached(self, kept)
        # A single character is gone for good; longer texts come back out of their halves.
        mask = 0
        for character in find_characters(pattern):
            mask |= self.matcher.get_rejected(character)
        return mask

    def _join_items(self, separator: str, items: Value) -> Value:
        if items.items is None:
            taken = self.take_parts(items.taints, items.name)
            return Value(tuple(t._replace(mixed=True, foreign=False) for t in taken))
        parts: list[Value] = []
        for item in items.items.values():
            parts += [item] if not parts else [Value(constant=separator), item]
        joined = join_text(self, parts)
        return joined._replace(taints=merge_taints((*joined.taints, *items.taints)))

    def _join(self, word: str, receiver: Value, values: Sequence[Value]) -> Value | None:
        """A text of the parts of a list, or an address; None if it is no text that joins them."""
        if word not in _TEXT_JOINERS:
            items = values[0] if values else NOTHING
            return self._join_address(list((items.items or {}).values())) if items.is_list else None
        if word == "join" and isinstance(receiver.constant, str) and values:
            return self._join_items(receiver.constant, values[0])
        # `list.join(", ")`, `strings.Join(list, ", ")`, `String.join(", ", list)`.
        several = [receiver, *values[:2]]
        separators = [one.constant for one in several if isinstance(one.constant, str)]
        lists = [one for one in several if one.is_list]
        if len(lists) != 1 or len(separators) > 1 or not (separators or receiver.is_list):
            return None
        return self._join_items(separators[0] if separators else ",", lists[0])

    def _join_address(self, parts: Sequence[Value]) -> Value:
        """An address of its parts: the scheme, the host and what follows."""
        slashes = Value(constant="://"), Value(constant="/")
        return join_text(self, [*parts[:1], slashes[0], *parts[1:2], slashes[1], *parts[2:]])

    def _propagate(
        self, callee: Attribute, receiver: Value, values: Sequence[Value], env: Env
    ) -> None:
        """What is written into something is in it from then on."""
        if callee.name in _KEEPERS and len(values) > 1:
            kept = keep_under(_read_key(values[0]), collect(values[1:]))
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

        One that is given more than names makes an answer of it: nobody has asked for a source.
        """
        if word in GETTERS and given:
            taints = take_kept(_read_key(given[0]), tuple(taints))
        if any(one.constant is UNKNOWN for one in given):
            return tuple(taints)
        return tuple(
            one._replace(foreign=False)
            if one.foreign and self.matcher.find_carrier(one.source.removesuffix("()"))
            else one
            for one in taints
        )

    def _carry(self, node: SgNode, values: Sequence[Value], *, foreign: bool) -> Taints:
        """What comes of handing on the object that sources are read from."""
        found = []
        for value in values:
            mask = self.matcher.find_carrier(value.name) if value.name else 0
            if mask:
                found.append(
                    Taint(
                        f"{value.name}()", (), mask, REMOTE, "", False, Trace(node, None),
                        foreign=foreign,
                    )
                )  # fmt: skip
        return tuple(found)


def _build_name(name: str, receiver: Value, given: Given, *, is_made: bool) -> str:
    """What a callee's answer goes by: an object by its class, and by what some are told."""
    word = name.rpartition(".")[2]
    if word in _PATH_KEEPERS and receiver.name.endswith("Path"):
        return receiver.name
    if word == "createElement" and given and given[0][1].constant in _TEXT_ELEMENTS:
        return _TEXT_ELEMENTS[given[0][1].constant]
    # A request that is made here is one to be sent, and nobody's who asks.
    result = name if is_made and not word.endswith("Request") else extend_name(name, "()")
    return result + (_list_settings(given) if is_made and word.endswith("Parser") else "")


def _read_key(value: Value) -> Any:
    """What something is kept under: a constant, or a list of constants as the steps of a way."""
    if not value.items:
        return value.constant
    parts = [one.constant for one in value.items.values()]
    return UNKNOWN if UNKNOWN in parts or value.taints else "/".join(map(str, parts))


def _list_settings(given: Given) -> str:
    """What a parser is made to do, as a part of its name: sinks may ask for it."""
    options = {one.keyword: value for one, value in given if one.keyword is not None}
    for one, value in given:
        if one.spread and value.items is not None:
            options |= value.items
    return "".join(f"+{name}" for name, value in options.items() if value.constant is True)


def is_lookup(word: str) -> bool:
    """Whether a callee looks something up, by its name."""
    return word in _LOOKUPS or _LOOKING_UP.match(word) is not None


def _is_unseen_pattern(name: str, receiver: Value) -> bool:
    """Whether a text is made anew by a pattern that stands in no file that is read.

    What it leaves of the text is as hidden as what another function does with it.
    """
    is_asked = name.rpartition(".")[2] in _PATTERN_REPLACERS
    is_anybodys = any(taint.strength == REMOTE for taint in receiver.taints)
    return is_asked and receiver.constant is UNKNOWN and not is_anybodys


def _read_pattern(name: str, values: Sequence[Value]) -> Value:
    """A pattern is known by its text, and by whether it fits more than once, or in any line."""
    text = values[0].constant
    flags = str(values[1].constant) if len(values) > 1 else ""
    by_line = _LINE_FLAG.fullmatch(flags) or any(one.name in _BY_LINE for one in values[1:])
    text = f"(?m){text}" if by_line and isinstance(text, str) else text
    return Value(constant=text, name=f"{name}{_EACH}" if "g" in flags else name)


def _take_step(
    word: str, own: Taints, values: list[Value], *, carries: bool
) -> tuple[Taints, list[Value]]:
    """The origins of what a method is called on, a part further if it is one, and what counts of
    its arguments: a key is none.
    """
    if word in _BINDERS and len(values) > 1:
        return own, []
    if word in GETTERS and values and isinstance(values[0].constant, str):
        return tuple(one.enter(values[0].constant) for one in own), values[1:]
    if (word in _PARTS and not values) or word in _CUTTERS:
        step = find_step(word, values)
        return tuple(one.enter(step) for one in own), values
    if is_lookup(word) and not carries and not any(one.strength == REMOTE for one in own):
        # `known.get(key, other)` may be the other.
        return own, values[1:2] if word in _DEFAULTING else []
    return own, values


def _list_passed(
    name: str, own: Taints, values: Sequence[Value], *, foreign: bool
) -> Iterator[Taint]:
    """What a callee hands on that is not followed, with its name on the way of each address.

    Cut, or by a callee that nobody knows, the address of a request may lead anywhere. `foreign` is
    one whose answer may be anything: a path that it has checked, a page that it has made. Behind a
    folder, a path whose `..` were worked out for itself leads up from there. Of what was looked up
    an answer is the record's own.
    """
    word = name.rpartition(".")[2]
    step = find_step(word, values)
    # By a key: `list.findFirst()` looks nothing up.
    found = foreign and bool(values) and is_finder(extend_name(name, "()"))
    yield from _note_step((one for one in own if not (foreign and one.found)), word)
    for position, value in enumerate(values):
        # Before a base, what comes as a path may be `//host`.
        is_path = word == "URL" and position == 0 and len(values) > 1
        for one in _note_step(iter_taints(value), "path" if is_path else word):
            passed = one.become_answer(found=found) if foreign else one
            if word in _CUTTERS:
                yield passed.enter(step)
            else:
                yield passed._replace(settled=None) if word in _PATH_JOINERS else passed


def _write_path(parts: Sequence[Value], *, restarts: bool) -> Iterator[Value]:
    """The parts of a path that are put one behind the other, each with what stands before it.

    With `restarts`, one that begins at the root stands alone.
    """
    before = ""
    for part in parts:
        constant = part.constant if isinstance(part.constant, str) else None
        head = before + "/" if before and before != "/" else before
        kept = (
            one
            if restarts and one.is_rooted
            else one._replace(before=extend_before(head, one.before))
            for one in iter_taints(part)
        )
        yield Value(tuple(kept), name=part.name)
        before = extend_before(head, HOLE if constant is None else constant)


def _is_slash_stripped(word: str, values: Sequence[Value]) -> bool:
    """Whether the slash at a path's beginning is taken off, of what is said to be taken off."""
    said = [value.constant for value in values]
    return word in _STRIPPERS and (
        (word in ("substring", "slice") and said[:1] == [1]) or "/" in said[:2]
    )


def _note_step(taints: Iterable[Taint], step: str) -> Iterator[Taint]:
    for one in taints:
        # Of a part that was read by its name nobody takes the whole for an address of ours.
        is_address = find_address_part(one.source) and ALIKE.issuperset(one.path)
        yield one.enter(step) if is_address else one


_SAYING_NOTHING = frozenset(("String", "List", "Object", "Function"))
"""Types of what anything may be: to call a `Function` is not to make one."""


def _make_container(
    name: str, result: str, values: Sequence[Value], *, is_made: bool
) -> Value | None:
    """A new list or mapping, a copy of one, or what a text is put together in; None if none."""
    word = name.rpartition(".")[2]
    if is_made and word in _LISTS and (not values or values[0].is_list):
        copied = values[0].items if values else None
        return Value(name=result, items=dict(copied or {}), box=object())
    if is_made and word in _MAPS and not (values and values[0].items is None):
        return Value(name=result, items=dict(values[0].items or {}) if values else {}, box=object())
    if name in _MAP_MAKERS:
        made = Value(name=result, items={}, box=object())
        for key, value in zip(values[::2], values[1::2], strict=False):
            made = put_entry(made, key, value)
        return made
    if name == CHANNEL:
        return Value(name=name, items={}, box=object())
    if name in _LIST_MAKERS and not any(one.items for one in values):
        return Value(name=result, items=dict(enumerate(values)), box=object())
    made = open_builder(Value(name=result), values) if is_made else NOTHING
    return made if is_builder(made) else None


def is_class_name(name: str) -> bool:
    """Whether a name reads like one of a class whose objects are known by it."""
    last = name.rpartition(".")[2]
    return last[:1].isupper() and not last.isupper() and last not in _SAYING_NOTHING
