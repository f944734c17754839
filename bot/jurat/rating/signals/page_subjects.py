"""What a page of a large program is about: the product as a whole, or a part of it.

A large program has pages on all of its parts, and each says what its part is for, how it is built
and where it ends. That is no account of the product. One is its front page, and a page whose title
names an account, and nothing beside that but the product.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache

from jurat.rating.signals.recon_table import compile_expression, load_recon_table, split_name
from jurat.rating.texts.account_table import ACCOUNTS
from jurat.rules.constraints import LinearRegex

_DOCS = r"docs?|documentation|manual|website|site|wiki|legal|polic(?:y|ies)|compliance|governance"
_IN_PLACE = re.compile(rf"^[^/]+$|^\.github/|(?:^|/)(?:{_DOCS})/", re.IGNORECASE)
"""Where pages stand that are about more than the code beside them."""
_FRONT = re.compile(
    rf"^(?:(?:{_DOCS})/(?:source/|src/)?)?(?:readme|index|overview|introduction|about)\.\w+$"
    rf"|(?:^|/)(?:{_DOCS})/(?:.*/)?introduction\.\w+$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_SAID_OF_ANY = """ai an and app application are as at by for from how in information into is it
    its list md notes of on or our out page product program project readme service software
    statement system the their these this to tool user users version we what with you your"""
_GENERAL = frozenset(_SAID_OF_ANY.split())
_LEAST_STEM = 4
"""Letters from which on a word may go on as it likes."""


def is_front(path: str) -> bool:
    """Whether a page is one on which a program is presented, and each thing is one among many."""
    return _FRONT.search(path) is not None


def is_of_whole(path: str, title: str, signal: str, product: Collection[str]) -> bool:
    """Whether what a page says for a signal is said of the product, whose words are given."""
    if is_front(path):
        return True
    if not _IN_PLACE.search(path):
        return False
    stem = split_name(posixpath.basename(path).partition(".")[0]).replace("_", " ")
    return any(
        _is_card(one, product) or _is_named_so(one, signal, product) for one in (title, stem)
    )


def list_product_words(titles: Iterable[str]) -> frozenset[str]:
    """The words of which the names of a product are made."""
    return frozenset(word for title in titles for word in _list_words(title))


_CARD = re.compile(
    r"\b(?:transparency[- ](?:note|report)s?|(?:model|system|ai)[- ]cards?)\b", re.IGNORECASE
)
"""What a page is called that is to give every account of a system."""


def _is_card(title: str, product: Collection[str]) -> bool:
    """Whether a page is one on a system as a whole, by what such pages are called."""
    rest = _list_words(_CARD.sub(" ", title))
    return _CARD.search(title) is not None and all(
        word in product or word in _GENERAL for word in rest
    )


_OF_MAKERS = frozenset(("operator_training_document", "review_cycle"))
"""What accounts for what somebody does about a product, and not for what it is."""


def is_of_makers(path: str, signal: str) -> bool:
    """Whether a front page would tell what is done about the product by those who make or run it.

    It tells what the product is; courses that it gives and figures that it shows are part of that.
    """
    return is_front(path) and signal in _OF_MAKERS


def is_headed_so(line: str, signal: str) -> bool:
    """Whether a line says, as headings do, what the signal looks for."""
    terms = _compile_terms(signal, headings=True)
    return any(term.search(f"# {line}".encode()) for term in terms)


def _is_named_so(title: str, signal: str, product: Collection[str]) -> bool:
    """Whether a title says what the signal looks for, and nothing else but the product."""
    if not any(term.search(f"# {title}".encode()) for term in _compile_terms(signal)):
        return False
    return all(
        word in product or word in _GENERAL or _is_of_accounts(word) for word in _list_words(title)
    )


def _list_words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


@cache
def _compile_terms(signal: str, *, headings: bool = False) -> tuple[LinearRegex, ...]:
    """What pages on a signal, and the accounts that show it, are called; or headings alone."""
    source = next(one for one in load_recon_table().signals if one.name == signal)
    said = (pattern for probe in source.probes for pattern in probe.documents)
    patterns = [pattern for pattern in said if not headings or pattern.startswith("^")]
    patterns += [
        rf"\b(?:{ACCOUNTS[name].title})"
        for probe in source.probes
        for name in probe.accounts
        if ACCOUNTS[name].title
    ]
    return tuple(map(compile_expression, patterns))


@lru_cache(maxsize=4_096)
def _is_of_accounts(word: str) -> bool:
    """Whether a word is one by which accounts are called."""
    return any(
        word == stem or (len(stem) >= _LEAST_STEM and word.startswith(stem))
        for stem in _list_stems()
    )


@cache
def _list_stems() -> frozenset[str]:
    """The words of all titles of accounts."""
    return frozenset(
        word for account in ACCOUNTS.values() for word in re.findall(r"[a-z]{3,}", account.title)
    )
