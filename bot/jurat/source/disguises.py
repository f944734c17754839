# ruff: noqa: RUF001, RUF002 - the letters that pose as others are what it is about
"""What stands in a text as something else than it is: one view for prompts, quotes and rules.

Characters that nobody sees or that move others, letters that pose as plain ones, escapes of what
could be written plainly, and codecs by which text becomes code: https://trojansource.codes,
https://www.unicode.org/reports/tr55, PEP 672 and PEP 263. A disguise is shown where it stands and
takes nothing away, so that a line stays a line and its words stay in their order.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from jurat.source.diff import FileChange

_UNUSUAL = re.compile(r"[^\x20-\x7e\t]")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Controls, format characters (bidi, zero-width, tags), lone surrogates, line separators."""

_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\uffa0\ufe00-\ufe0f"
    "\U000e0100-\U000e01ef]"
)
"""Characters of other categories that draw nothing: fillers and variation selectors."""


def mark_hidden(text: str) -> str:
    r"""`text` on one line, with every character that is invisible or moves others spelled out.

    Such a character becomes `⟦U+202E⟧`. A tab stays, and so does what is visible, in any script.
    """
    return _UNUSUAL.sub(_spell_out, text)


def mark_disguises(text: str) -> str:
    r"""A line of code as `mark_hidden` has it, and behind each word that poses what it reads as.

    `ｅｖａｌ(x)` becomes `ｅｖａｌ⟦reads as eval⟧(x)`. In which words nobody means a disguise, such
    as those of texts, only a grammar can tell: all are marked, since a mark takes nothing away.
    """
    if text.isascii() and "\\" not in text:
        return mark_hidden(text)
    return mark_hidden(_WORD.sub(_add_reading, text))


def read_plainly(text: str) -> str:
    """A text as it reads: without marks and what is hidden, its letters and escapes in plain form.

    Two texts that differ in their disguises alone read the same.
    """
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    bare = "".join(mark for mark in _MARK.sub("", text) if not _is_hidden(mark))
    return _WORD.sub(lambda match: _read_word(match.group()) or match.group(), bare)


def is_disguised(code: str, line: int = 0) -> bool:
    """Whether a name, or a comment that says how a file is decoded, reads as what it is not.

    `line` is the one that it stands on, from 0: Python decodes by the first two.

    Letters of other scripts are letters like any. They pose if they only stand for plain ones
    (`ｅ`, `𝐞`), if they look like punctuation (`ǃ`), or if all letters of a word look Latin, but
    not all are. "_" ends a word.
    """
    if _COOKIE.match(code):
        return line < _COOKIE_LINES and _find_odd_codec(code) != ""
    return read_plainly(code) != code


def _spell_out(match: re.Match[str]) -> str:
    character = match.group()
    return f"⟦U+{ord(character):04X}⟧" if _is_hidden(character) else character


def _is_hidden(character: str) -> bool:
    if " " <= character <= "~" or character == "\t":
        return False
    is_hidden = unicodedata.category(character) in _HIDDEN_CATEGORIES
    return is_hidden or _HIDDEN.match(character) is not None


_MARK = re.compile(r"⟦(?:U\+[0-9A-F]{4,6}|reads as [^⟦⟧]*)⟧")
_ESCAPE = re.compile(r"\\u+([0-9a-fA-F]{4})|\\u\{([0-9a-fA-F]{1,6})\}|\\U([0-9a-fA-F]{8})")
_WORD = re.compile(rf"(?:{_ESCAPE.pattern}|\w)+")
_PART = re.compile(r"[^_]+")


def _add_reading(match: re.Match[str]) -> str:
    reading = _read_word(match.group())
    return f"{match.group()}⟦reads as {reading}⟧" if reading else match.group()


def _read_word(word: str) -> str:
    if word.isascii() and "\\" not in word:
        return ""
    bare = _ESCAPE.sub(_resolve_escape, word)
    reading = _PART.sub(lambda match: _read_part(match.group()), bare)
    return "" if reading == word else reading


def _resolve_escape(match: re.Match[str]) -> str:
    """What could be written plainly, or ends a line; any other escape stays one."""
    value = int(next(filter(None, match.groups())), 16)
    if value in (0x0A, 0x0D):
        return f"U+{value:04X}"
    return chr(value) if 0x20 <= value < 0x7F else match.group()


def _read_part(part: str) -> str:
    """A part of a name between underscores, its letters plain as far as they pose."""
    letters = [mark for mark in part if mark.isalpha()]
    plain = _LOOKS_LATIN if any(map(_is_latin, letters)) else _IS_LATIN_ALIKE
    # One that looks like nothing in Latin tells what its neighbours are.
    poses = all(mark in plain or _is_latin(mark) or _find_stand_in(mark) for mark in letters)
    return "".join(
        _find_stand_in(mark) or (plain.get(mark, mark) if poses else mark) for mark in part
    )


@lru_cache(maxsize=4096)
def _find_stand_in(mark: str) -> str:
    """What a character stands for and never is for itself, "" if there is nothing."""
    if mark.isascii():
        return ""
    if mark in _LOOKS_PLAIN:
        return _LOOKS_PLAIN[mark]
    plain = unicodedata.normalize("NFKC", mark)
    # What has no place in a name, such as `²` or `㎏`, is read as itself.
    is_part_of_names = f"a{mark}".isidentifier()
    return plain if is_part_of_names and re.search(r"[A-Za-z0-9_]", plain) else ""


@lru_cache(maxsize=4096)
def _is_latin(mark: str) -> bool:
    return unicodedata.name(mark, "").startswith("LATIN ")


def _pair(*pairs: tuple[str, str]) -> dict[str, str]:
    return {
        mark: plain for foreign, latin in pairs for mark, plain in zip(foreign, latin, strict=True)
    }


_IS_LATIN_ALIKE = _pair(
    # Cyrillic, Greek as far as formulas do not use it, Armenian, Cherokee, Lisu, Coptic.
    ("асԁеһіјԛорѕхуѵԝӏүь", "acdehijqopsxyvwlyb"),
    ("АВСЕНІЈКМОРԚЅТХУѴԜЗҮӀЬ", "ABCEHIJKMOPQSTXYVW3YIb"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹοϲϳ", "ABEZHIKMNOPTYXCocj"),
    ("օոսցհզյՕՏԼՍ", "onughqjOSLU"),
    ("ᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃ", "ABCDEGHiJKLMPRSTVWZ"),
    ("ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "ABCDEFGHIJKLMNOPRSTUVWXYZ"),
    ("ⲟⲤⲥⲞⲢⲣⲭⲬ", "oCcOPpxX"),
)
"""Letters of other scripts that nobody can tell from a Latin letter, or a digit."""

_LOOKS_LATIN = _IS_LATIN_ALIKE | _pair(("кмнтвгпи", "kmhtbrnu"))
"""Those, and letters that pass for Latin ones beside others: Russian has words of these alone."""

_LOOKS_PLAIN = _pair(
    ("ɑɡɩʋ", "agiv"),
    ("ǀǁǃꞌʹʻʼʽˈˑːꓸꓹꓺꓻꓼꓽ", "||!''''''::.,.,;:"),
)
"""Letters of Latin's own that no word of a language has, and letters that look like punctuation."""


# Source that is decoded by what a line of it says.

_COOKIE_LINES = 2
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_PLAIN_CODECS = re.compile(
    r"u8|utf(?:_?8(?:_(?:sig|ucs[24]))?)?|cp65001|(?:us_)?ascii|(?:iso_?8859|latin)_?\w+|cp125\d|windows_125\d|koi8_[ru]"
    r"|euc_?(?:jp|kr)"
)
"""Codecs in which what looks like ASCII is ASCII."""


def find_odd_codec(file: FileChange) -> str:
    """The codec by which Python decodes a file, if it can make code of text; "" if it cannot."""
    if file.language != "python":
        return ""
    begins = (item.text for item in file.list_fragments("head") if item.first_line == 1)
    lines = next(begins, "").split("\n")[:_COOKIE_LINES]
    return next(filter(None, map(_find_odd_codec, lines)), "")


def _find_odd_codec(line: str) -> str:
    match = _COOKIE.match(line.removeprefix("\ufeff"))
    is_odd = match and not _PLAIN_CODECS.fullmatch(match[1].lower().replace("-", "_"))
    return match[1] if match and is_odd else ""
