"""Secrets in foreign text, replaced before it leaves the house.

What is masked is what looks like a secret, not what surely is one: a mask that was not needed
costs a reader nothing, as the line stays where it is and says what stood there. So a long random
text goes as well, whoever issued it, and the known formats only name what would hardly be random
enough. A mask is `⟦masked: KIND⟧`, and tells nothing of the value but that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from jurat.source.disguises import mark_disguises, mark_hidden


class SecretSpan(NamedTuple):
    """Where in a line something looks like a secret, and what it looks like."""

    start: int
    end: int
    kind: str


def mask_secrets(text: str) -> str:
    r"""`text` with its secrets masked, line by line. "\n" ends a line, as everywhere."""
    lines = text.split("\n")
    return "\n".join(
        _mask_line(line, inside=inside)
        for line, inside in zip(lines, list_key_lines(lines), strict=True)
    )


def to_model_line(line: str, *, inside: bool = False) -> str:
    """A foreign line as a model may be given it: its secrets masked, what hides in it visible.

    `inside` says that it is part of a private key.
    """
    return mark_hidden(_mask_line(line, inside=inside))


def to_model_code(line: str, *, inside: bool = False) -> str:
    """A foreign line of code likewise, what poses in it marked as well."""
    return mark_disguises(_mask_line(line, inside=inside))


def to_model_lines(lines: Sequence[str]) -> list[str]:
    """Consecutive lines of one text, likewise."""
    keys = list_key_lines(lines)
    return [to_model_line(line, inside=key) for line, key in zip(lines, keys, strict=True)]


def _mask_line(line: str, *, inside: bool) -> str:
    if inside:
        return f"{line[: len(line) - len(line.lstrip())]}⟦masked: private key⟧"
    spans = find_secrets(line)
    if not spans:
        return line
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces += (line[at : span.start], f"⟦masked: {span.kind}⟧")
        at = span.end
    return "".join((*pieces, line[at:]))


def find_secrets(line: str) -> tuple[SecretSpan, ...]:
    """What looks like a secret in one line, in order and apart."""
    # Of the same length: re2 takes no lone surrogates, and every place must stay where it is.
    line = line.encode("utf-8", "replace").decode()
    found = list(_iter_spans(line))
    folded = _fold(line)
    if folded is not None:
        # Both views: what folds away for one detector may be what another one needs.
        text = "".join(item[0] for item in folded)
        found += [
            SecretSpan(folded[start][1], folded[end - 1][2], kind)
            for start, end, kind in _iter_spans(text)
        ]
    masked = [match.span() for match in _MASK.finditer(line)] if "⟦masked: " in line else []
    return _join_spans(
        span
        for span in found
        if not any(span.start < end and start < span.end for start, end in masked)
    )


_MASK = re.compile(
    r"⟦masked: (?:issued token|password|secret|private key|webhook address"
    r"|[0-9,]+ (?:random characters|hexadecimal digits))⟧"
)
"""A mask, word for word: text that merely looks like one is masked as any other."""


def _join_spans(found: Iterable[SecretSpan]) -> tuple[SecretSpan, ...]:
    joined: list[SecretSpan] = []
    for span in sorted(found, key=lambda item: (item.start, -item.end)):
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = SecretSpan(last.start, max(last.end, span.end), last.kind)
        else:
            joined.append(span)
    return tuple(joined)


# A line as it is once it runs: without what cannot be seen, escapes resolved, and the parts of a
# text that are only put together again as one.

_ODD = re.compile(r"[^\x20-\x7e\t]|\\[xu]|[\w+/=-][\"'`]\s+[\"'`]|[\"'`]\s*[+.&~]\s*[\"'`]")
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\u\{([0-9a-fA-F]{1,6})\}")
_JOINT = re.compile(r"(?<=[\w+/=-])([\"'`])(?:\s*[+.&~]\s*|\s+)[rbf]?\1(?=[\w+/=-])")


def _fold(line: str) -> list[tuple[str, int, int]] | None:
    """Each character that counts, and where it stands; None if that is the line as it is."""
    if _ODD.search(line) is None:
        return None
    found: list[tuple[str, int, int]] = []
    at = 0
    while at < len(line):
        mark = line[at]
        if mark == "\\" and (escape := _ESCAPE.match(line, at)):
            value = int(next(filter(None, escape.groups())), 16)
            readable = value < 0x110000 and not 0xD800 <= value < 0xE000
            mark, end = chr(value) if readable else "?", escape.end()
        elif mark in "\"'`" and (joint := _JOINT.match(line, at)):
            at = joint.end()
            continue
        else:
            end = at + 1
        if unicodedata.category(mark) not in ("Cf", "Cc", "Mn"):
            plain = unicodedata.normalize("NFKC", mark)
            found.append((plain if len(plain) == 1 else mark, at, end))
        at = end
    return found or None


# Private keys, whose lines are secrets in the midst of a file.

_KEY_BEGINS = re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = re.compile(r"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
_KEY_WIDTH = 40
_KEY_LINE = re.compile(
    r"""[\s"'`+|>#*/]*"""
    r"""(?:[A-Za-z0-9+/]{1,100}={0,2}|(?:Proc-Type|DEK-Info|Version|Comment): .{0,80})?"""
    r"""(?:\\[nr])*[\s"'`+\\,;)]*"""
)


def list_key_lines(lines: Sequence[str]) -> list[bool]:
    """Of consecutive lines, which are inside of a private key.

    Only what could be part of one: a line that could not ends it, and so does a short one, which
    is the last of its text. So nobody hides code below a key that never ends.
    """
    inside = False
    found = []
    for line in lines:
        if inside and (_KEY_ENDS.search(line) or _KEY_LINE.fullmatch(line) is None):
            inside = False
        found.append(inside and bool(line.strip()))
        if len(line.strip()) < _KEY_WIDTH and ":" not in line and line.strip():
            inside = False
        if begins := [match.end() for match in _KEY_BEGINS.finditer(line)]:
            inside = _KEY_ENDS.search(line, begins[-1]) is None
    return found


# Formats that name their issuer, or what a text is for.

_ISSUED = "issued token"
_FORMATS: tuple[tuple[str, str], ...] = (
    (_ISSUED, r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{12,}"),
    (_ISSUED, r"\b(?:gh[a-z]_|github_pat_|gl[a-z]{2,6}-|GR1348941)[0-9A-Za-z_.-]{16,}"),
    (_ISSUED, r"\b(?i:xox[a-z]|xapp|xwfp)[-.][0-9A-Za-z.-]{10,}"),
    (_ISSUED, r"\b(?:[rsp]k_(?:live|test|prod)_|whsec_)[0-9A-Za-z]{8,}"),
    (_ISSUED, r"\bsk-[0-9A-Za-z_-]{16,}"),
    (_ISSUED, r"\b(?:AIza|ya29\.|GOCSPX-|1//0)[0-9A-Za-z_-]{16,}"),
    (
        _ISSUED,
        r"\b(?:npm|hf|api_org|gsk|r8|sbp|shp[a-z]{2}|tfp|ntn|pul|dapi|rubygems|sntry[su])"
        r"[_-]?[0-9A-Za-z]{20,}",
    ),
    (
        _ISSUED,
        r"\b(?:FLWSECK(?:_TEST)?|FLWPUBK(?:_TEST)?|EAAA|sq0[a-z]{3}|sm_[a-z]{3}|hv[bsr]\.|"
        r"CFPAT|pscale_[a-z]+_|EZ[AT]K|atlasv1\.|LTAI)[_-]?[0-9A-Za-z_=.-]{12,}",
    ),
    (_ISSUED, r"\bSG\.[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}"),
    (_ISSUED, r"\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}(?:\.[0-9A-Za-z_-]*)?"),
    (_ISSUED, r"\b[0-9]{8,10}:AA[0-9A-Za-z_-]{30,}"),
    (_ISSUED, r"\bT3BlbkFJ[0-9A-Za-z]{10,}"),
    (
        "webhook address",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([0-9A-Za-z/_+-]{20,})",
    ),
    ("webhook address", r"discord(?:app)?\.com/api/webhooks/([0-9]+/[0-9A-Za-z_-]{20,})"),
    ("webhook address", r"webhook\.office\.com/webhookb2/([0-9A-Za-z@/_-]{30,})"),
    (
        "private key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"((?:\\[nr]|[0-9A-Za-z+/=\s]){12,})",
    ),
    ("private key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    # RFC 3986, section 3.2.1. Braces, angles, $ and * stand for a value that stands elsewhere.
    ("password", r"://[^\s/:@\"'`<>{}$*]*:([^\s/@\"'`<>{}$*]{3,})@"),
    ("password", r"(?i)\b(?:basic|bearer|apikey|token)\s+([0-9A-Za-z_.~+/-]{16,}=*)"),
    ("password", r"(?i)(?:-u|--user)[ =][\"']?[\w.@-]+:([^\s\"'$:{}]{3,})"),
    (
        "password",
        r"(?i)[;?&\"'](?:password|pwd|accountkey|sharedaccesskey|sig|code|sas|key|secret|"
        r"access_token|api_?key|token)=([^\s;&\"'<>{}$]{6,})",
    ),
    ("password", r"(?i)\bidentified\s+by\s+[\"']([^\"']{3,})[\"']"),
)
"""A kind and what it looks like; a group, if there is one, is what is masked of it. Facts of their
issuers' documentation, taken wider than they are, as formats change."""


@cache
def _compile_formats() -> tuple[tuple[str, Any], ...]:
    import re2  # noqa: PLC0415 - only what leaves the house needs it

    return tuple((kind, re2.compile(pattern)) for kind, pattern in _FORMATS)


@cache
def _compile_any() -> Any:
    """All formats in one: most lines hold none of them."""
    import re2  # noqa: PLC0415 - as above

    return re2.compile("|".join(f"(?:{pattern})" for _, pattern in _FORMATS))


def _iter_spans(line: str) -> Iterator[SecretSpan]:
    if _compile_any().search(line):
        for kind, pattern in _compile_formats():
            for match in pattern.finditer(line):
                group = 1 if pattern.groups else 0
                yield SecretSpan(match.start(group), match.end(group), kind)
    yield from _iter_named(line)
    yield from _iter_random(line)


# Values by the name that they are given.

_SECRETS_NAME = (
    r"(?P<strong>pass(?:wor[dt]|wd|phrase|code)?|pwd|(?:client|shared|app|consumer|signing|webhook)?"
    r"[_-]?secret|private[_-]?key|credentials?|passwort|kennwort)"
    r"|(?P<weak>tokens?|auth|authorization|bearer|cookie|session|salt|pepper|nonce|seed|dsn|"
    r"license|licence|signature|cert|(?:api|access|account|auth|secret|master|encryption|"
    r"signing|shared|storage|app|application|license|write|read|admin|deploy|service|client|"
    r"ingest|integration)[_-]?(?:key|id|token|secret)|key)"
)
_NAMED = re.compile(
    rf"(?i:{_SECRETS_NAME})"
    # A text in a text has its quotes behind backslashes.
    r"[\\\"'`\])]{0,4}\s{0,40}(?P<between>=>|:=|==?|!=|:|,|>|\s)\s{0,40}"
    r"(?:[rbfu@$]{0,2}\\{0,2}(?P<quote>[\"'`])(?P<quoted>[^\"'`]{1,4096})"
    r"|(?P<plain>[^\s\"'`,;(){}\[\]<>$\\]{4,4096}))",
)
_LAST_NAME = re.compile(
    r"(?i:pass(?:wor[dt]|wd|phrase|code)?|pwd|secret|private[_-]?key|credentials?)$"
)
_ELSEWHERE = re.compile(
    r"\$\{|\{\{|#\{|\$\(|%\(|%s|<%|\{[A-Za-z_][^{}]*\}|^[<\[{*$%][^A-Za-z0-9]*[\w .-]*[>\]}*%]*$"
)
"""A value that stands elsewhere, or a hole for one."""
_REFERENCE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
"""What the program itself may call so, if no quotes say that it is a text."""
_NUMBER = re.compile(r"-?[0-9._]{1,12}")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
"""The name of a variable of the environment."""
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=[^=]")
_STATEMENT = re.compile(r"[;()<>{}=*]")


@cache
def _compile_names() -> Any:
    """Looks quickly whether anything is named at all."""
    import re2  # noqa: PLC0415 - as above

    return re2.compile(f"(?i:{_SECRETS_NAME})")


def _iter_named(line: str) -> Iterator[SecretSpan]:
    if _compile_names().search(line) is None:
        return
    for match in _NAMED.finditer(line):
        if not match["strong"] and _is_inside_word(line, match.start()):
            continue
        group = "quoted" if match["quoted"] is not None else "plain"
        value = match[group]
        if group == "plain" and match["between"].startswith(","):
            continue
        # In capitals and without a space it is a line of an environment, and no program's name.
        said = bool(match["strong"]) and match["strong"].isupper() and match["between"] == "="
        quoted = group == "quoted" or said
        if _is_secret_value(value, strong=bool(match["strong"]), quoted=quoted):
            kind = "password" if match["strong"] else "secret"
            yield SecretSpan(*match.span(group), kind)


def is_secret_name(name: str) -> bool:
    """Whether what is called so is a secret, whatever it looks like."""
    return _LAST_NAME.search(name) is not None


def _is_inside_word(line: str, at: int) -> bool:
    """Whether a name is the end of another word: `monkey`, but not `api_key` or `apiKey`."""
    before = line[at - 1 : at]
    return before.isalpha() and not (before.islower() and line[at].isupper())


def _is_secret_value(value: str, *, strong: bool, quoted: bool) -> bool:
    if len(value) < 4 or _ELSEWHERE.search(value) or _VARIABLE.fullmatch(value):
        return False
    if not quoted:
        if _ASSIGNED.match(value) or _NUMBER.fullmatch(value):
            return False
        # Without quotes it may be a name of the program's own: only what no name looks like goes.
        if _REFERENCE.fullmatch(value):
            return any(map(str.isdigit, value)) and not _is_made_of_words(value)
        signs = any(map(str.isdigit, value)) or bool(re.search(r"[!@#%^&*+~?]", value))
        return signs or not _is_made_of_words(value)
    if " " in value:
        # A sentence or a statement is what a rule is about; a phrase of words alone is not.
        return strong and _STATEMENT.search(value) is None and len(value) <= 100
    return strong or (len(value) >= 8 and not _is_made_of_words(value))


# Text at random, whatever it is for.

_PAIRS = (
    "abcdgiklmnprstuvy baeilou caehiklortu dadeiosu eacdefglmnprstvwx faefioru geisu haeio"
    " iabcdefglmnoprstvz ke ladeilostuy maeiop nacdegiostuv obcdlmnoprstuvw paeiloprtu qu"
    " racdegimnorstuy sacehiopstuy tacehilorstuy ubceilmnprst vaei waehior xt ypst ze"
)
_COMMON_PAIRS = frozenset(letters[0] + other for letters in _PAIRS.split() for other in letters[1:])
"""The 200 pairs of letters that make up 91% of English words, and 30% of letters at random."""

_RUN = re.compile(r"[0-9A-Za-z+/_=~%-]+(?:\.[0-9A-Za-z+/_=~%-]+)*")
_PIECE = re.compile(r"[^.]+")
_PART = re.compile(r"[0-9A-Za-z]+")
_HEX = re.compile(r"(?:[0-9a-f]{24,}|[0-9A-F]{24,})")
_LEAST_MARKS = 6
"""Different characters below which a text is a ruler, a filler or a zero."""
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_PUBLIC = re.compile(r"(?i)(?:@|\b(?:sha(?:1|256|384|512)|md5|h1|rev|commit)[-:= \"']{1,3})$")
"""Before a digest that is there to be read: a commit, a checksum."""


def _iter_random(line: str) -> Iterator[SecretSpan]:
    for run in _RUN.finditer(line):
        if run.end() - run.start() < 12:
            continue
        pieces = list(_PIECE.finditer(line, *run.span()))
        random = [_is_random(piece.group()) for piece in pieces]
        if not any(random):
            continue
        for piece, is_random in zip(pieces, random, strict=True):
            # What joins one at a dot is of the same token, unless it is a word.
            joins = is_random or _is_of_token(piece.group())
            if joins and not _PUBLIC.search(line[max(0, piece.start() - 12) : piece.start()]):
                text = piece.group()
                kind = "random characters" if _HEX.fullmatch(text) is None else "hexadecimal digits"
                yield SecretSpan(*piece.span(), f"{len(text):,} {kind}")


def _is_of_token(text: str) -> bool:
    return len(text) >= 4 and (any(map(str.isdigit, text)) or not _is_made_of_words(text))


def _is_random(text: str) -> bool:
    if len(text) < 12 or _UUID.fullmatch(text):
        return False
    parts = _PART.findall(text)
    if any(map(_is_random_word, parts)):
        return True
    joined = "".join(parts)
    # Of many short parts it is a path, or a list.
    return len(joined) >= 4.5 * len(parts) > 4.5 and _is_random_word(joined, least=20)


def _is_random_word(word: str, least: int = 12) -> bool:
    if len(word) < least or word.isdigit() or len(set(word)) < _LEAST_MARKS:
        return False
    digits = sum(map(str.isdigit, word))
    if not digits:
        return len(word) >= max(least, 16) and _compute_likeness(word) < 0.5
    letters = len(word) - digits
    if letters < 4:
        return len(word) >= 24 and letters > 0
    # The longer, the surer.
    return _compute_likeness(word) < (0.42 if len(word) < 16 else 0.48)


def _compute_likeness(text: str) -> float:
    """The share of neighbours in a text that neighbour each other in English words."""
    pairs = [one + other for one, other in pairwise(text.lower())]
    return sum(pair in _COMMON_PAIRS for pair in pairs) / len(pairs) if pairs else 0.0


def _is_made_of_words(text: str) -> bool:
    """Whether a text is words with signs between them, and few digits."""
    parts = _PART.findall(text)
    joined = "".join(parts)
    if not joined or 4 * sum(map(str.isdigit, joined)) > len(joined):
        return False
    pairs = [one + other for part in parts for one, other in pairwise(part.lower())]
    return sum(pair in _COMMON_PAIRS for pair in pairs) >= len(pairs) / 2
