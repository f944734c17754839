"""What speaks for a token that nobody has verified where it is read: what follows, and who says so.

Nobody is believed before the signature was looked at. To find the key, the issuer has to be read
before that; when a token ends a client may read for itself; and a function may verify the same
token right behind it, or say in its name that it does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ast_grep_py import SgNode

from jurat.engine.flow.values.evaluator import Hit

_OF_TOKEN = re.compile(r"(?i)jw[tse]|token|claim|unverified")
"""In the name of what reads a token."""

_WARNING = re.compile(r"(?i)un_?trusted|un_?verified|without_?(?:verif|signature)|not_?verified")
"""In the name of a function whose answer nobody is to believe."""

_VERIFYING = re.compile(r"(?i:verif)|(?:^|[._])(?:Parse(?:WithClaims|Signed)?|decode)$")
"""In the name of what looks at a signature, or takes the key by which to do so."""

_READ = re.compile(r"\.ParseUnverified$")
"""Ends the name of what reads a token by a parser."""

_LENIENT = re.compile(r"\.WithoutClaimsValidation$")
"""Ends the name of an option by which a parser looks at the signature alone."""

_END = re.compile(r"[\"']exp[\"']|\bExpiresAt\b|\bGetExpirationTime\(|\bVerifyExpiresAt\(")
"""A read of when a token ends."""

_EMPTY = re.compile(r"\s*:?=\s*&?[\w.]+\{\}\s*(?:\n|;|$)")
"""What follows a variable that an empty object is put into."""

_CLAIMS = r"\b(\w+)(?:, *\w+)? *:= *(?:%s)\.Claims(?:\.\([^()]*\))?"
"""A variable that Go puts the claims of one of some tokens into."""

_KEYED = 2
"""Arguments without which nobody can verify a token: itself, and a key."""

_ISSUER = re.compile(
    r"(?:\.get\(|\[)\s*[\"'](?:iss|aud|azp|kid)[\"']|\.(?:Issuer|Audience|Header)\b"
    r"|\.(?:GetIssuer|GetAudience)\(\)"
)
"""What is read of a token: who issued it, for whom, by which key."""

_TIMES = re.compile(
    r"(?:\.get\(|\[)\s*[\"'](?:exp|iat|nbf)[\"']|\.(?:ExpiresAt|IssuedAt|NotBefore)\b"
    r"|\.(?:GetExpirationTime|GetIssuedAt|GetNotBefore)\(\)"
)
"""And from when on, and for how long."""

_OF_REQUEST = re.compile(r"(?i)request|\breq\b|\b(?:gin|echo)\.Context|\bfiber\.Ctx")
"""In the parameters of a function that answers a request: there a token lets somebody in."""

_ASSIGNMENTS = frozenset({"assignment", "short_var_declaration", "assignment_statement"})


def explain_token(hit: Hit) -> str:
    """The end of "It only advises: …" for a token that is read unverified; empty if nothing speaks
    for it.
    """
    function = next((one for one in hit.node.ancestors() if one.field("body") is not None), None)
    if function is None or not _OF_TOKEN.search(hit.callee):
        return ""
    named = function.field("name")
    if named is not None and _WARNING.search(named.text()):
        said = named.text()
        return f"`{said}` says itself that nobody has checked the token, for callers to do"
    read = _find_read(hit.node)
    if _LENIENT.search(hit.callee) and _is_end_asked(function, hit.node):
        return "this function asks for itself when the token ends"
    kept = list(_list_kept(read))
    if kept and (verifying := _find_verifying(function, read, kept)):
        return f"`{verifying}` verifies the same token in this function"
    if kept and _is_read_plainly(function, read, kept):
        return "no more is read of the token than who issued it, for whom, and when it ends"
    return ""


def _find_read(node: SgNode) -> SgNode:
    """The call that reads a token: a parser that is told to check nothing is made for it."""
    around = (one for one in node.ancestors() if one.kind() == "call_expression")
    return next((one for one in around if _READ.search(_get_callee(one))), node)


def _get_callee(call: SgNode) -> str:
    called = call.field("function")
    return called.text() if called is not None else ""


def _is_end_asked(function: SgNode, node: SgNode) -> bool:
    """Whether a function reads when a token ends, behind a node."""
    behind = node.range().end.index - function.range().start.index
    return _END.search(function.text(), behind) is not None


def _list_arguments(call: SgNode) -> list[SgNode]:
    given = call.field("arguments")
    return [one for one in given.children() if one.is_named()] if given is not None else []


def _list_kept(call: SgNode) -> Iterator[str]:
    """The variables that hold what was read: where the answer goes to, and what is filled."""
    around = call.parent()
    if around is not None and around.kind() == "expression_list":
        around = around.parent()
    left = around.field("left") if around is not None and around.kind() in _ASSIGNMENTS else None
    if left is not None:
        parts = left.children() if left.kind() == "expression_list" else [left]
        names = (one.text() for one in parts if one.kind() == "identifier")
        yield from (name for name in names if name not in ("_", "err"))
    given = _list_arguments(call)
    filled = given if _get_callee(call).rpartition(".")[2].startswith("Unsafe") else given[1:2]
    for one in filled:
        named = one.field("operand") if one.kind() == "unary_expression" else one
        if named is not None and named.kind() == "identifier" and "(" not in one.text():
            yield named.text()


def _find_verifying(function: SgNode, read: SgNode, kept: list[str]) -> str:
    """The name of what is given the same token, and a key, behind the place where it is read.

    Nothing that was read may be returned before that.
    """
    given = _list_arguments(read)
    if not given:
        return ""
    token, end = given[0].text(), read.range().end.index
    of, _, word = _get_callee(read).rpartition(".")
    # Of one that is an object the signature is asked for when its claims are.
    checked = {f"{of}.Claims", f"{of}.Verify"} if word.startswith("Unsafe") else set()
    for call in function.find_all(kind=read.kind()):
        others = [one.text() for one in _list_arguments(call)]
        is_behind = call.range().start.index > end
        if is_behind and others and _get_callee(call) in checked:
            return "" if _is_returned(function, kept, end, call) else _get_callee(call)
        if not is_behind or len(others) < _KEYED or token not in others:
            continue
        name = _get_callee(call).rpartition(".")[2]
        if _VERIFYING.search(name) and not _WARNING.search(name) and not _is_off(call):
            return "" if _is_returned(function, kept, end, call) else name
    return ""


def _is_returned(function: SgNode, kept: list[str], end: int, call: SgNode) -> bool:
    """Whether a function returns what it has kept, between a place and a call."""
    name = re.compile(rf"\b(?:{'|'.join(map(re.escape, kept))})\b")
    return any(
        end <= one.range().start.index and one.range().end.index < call.range().start.index
        for one in function.find_all(kind="return_statement")
        if name.search(one.text())
    )


def _is_off(call: SgNode) -> bool:
    """Whether a call says that it does not look at the signature."""
    return re.search(r"(?i)verif\w*[\"']?\s*[:=]\s*(?:False|0)\b", call.text()) is not None


def _is_read_plainly(function: SgNode, read: SgNode, kept: list[str]) -> bool:
    """Whether all that is read of a token, at least once, tells nobody who somebody is.

    To return it, or to hand it on, is to read all of it; that the library fills it is none.
    """
    before, end = read.parent() or read, read.range().end.index
    if before.kind() == "expression_list":
        before = before.parent() or before
    first = min(before.range().start.index, read.range().start.index)
    offset, text = function.range().start.index, function.text()
    reads, given = 0, function.field("parameters")
    lets_in = given is not None and _OF_REQUEST.search(given.text()) is not None
    named = list(re.finditer(_CLAIMS % "|".join(map(re.escape, kept)), text))
    kept = [*kept, *(one[1] for one in named)]
    for one in function.find_all(kind="identifier"):
        at = one.range()
        behind = text[at.end.index - offset :]
        if any(put.start() <= at.start.index - offset < put.end() for put in named):
            continue
        if one.text() not in kept or first <= at.start.index < end or _is_declared(one, behind):
            continue
        if not _ISSUER.match(behind) and (lets_in or not _TIMES.match(behind)):
            return False
        reads += 1
    return reads > 0


def _is_declared(one: SgNode, behind: str) -> bool:
    """Whether a variable is made there, empty: `var claims jwt.MapClaims`, `claims := Claims{}`."""
    around = one.parent()
    if around is not None and around.kind() == "var_spec":
        return around.field("value") is None
    return _EMPTY.match(behind) is not None
