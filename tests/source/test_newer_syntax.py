"""What a grammar does not know yet is read, in its place, and what is wrong stays wrong."""

from __future__ import annotations

import pytest

from jurat.source.newer_syntax import _NEWER, translate_to_older
from jurat.source.syntax import is_parsable, parse

NEWER = {
    "go, a value": (
        "go",
        "package p\n\nfunc f() *T { return new(time.Now()) }\n"
        "var a = A{new(-8.0), new(map[string]B)}\n",
    ),
    "java, a module": ("java", "import module java.base;\nclass A {}\n"),
    "java, a constructor that checks first": (
        "java",
        "class A extends B { A(int x) { if (x < 0) { throw new E(); } super(x); } }\n",
    ),
    "java, one that calls its own": ("java", "class A { A(int x) { check(x);\n this(x, 1); } }\n"),
    "python, a default of a parameter": (
        "python",
        "type A[T: int = str, *U = B] = list[T]\nclass C[T = int]:\n    x = 1\n",
    ),
    "typescript, variance": (
        "typescript",
        "interface A<in out T> {}\ntype B<in T, out U = T> = C<T, U>;\nclass D<out T> {}\n",
    ),
    "typescript, the type of a module": (
        "typescript",
        'const a = await load<typeof import("../a")>();\nuse<import("./b").B["c"]>(a);\n'
        "type C = import('./c').D[];\n",
    ),
    "typescript, a parameter called as a type": (
        "typescript",
        "class A { private timer: (string) => any; }\nconst b: (any) => C = (d) => ({ d });\n",
    ),
    "typescript, the types of a tag": (
        "typescript",
        "const rows = await db.$queryRaw<{ a: string; b: number }[]>`SELECT 1`;\n"
        "const two = await db.$queryRaw<[{ count: bigint }]>`SELECT 1`;\n"
        "const one = db.ask<\n  Row[]\n>`\n  SELECT 1`;\n",
    ),
    "java, a mark of many": ("java", "class A { void f(String @Nullable ... names) {} }\n"),
    "python, a note below a decorator": (
        "python",
        "class A:\n    @property\n# a note\n    def f(self): ...\n",
    ),
    "python, a mark that stands under a key": (
        "python",
        'def f(a: Annotated[str, MAKERS[kind](name="a")]) -> None: ...\n',
    ),
    "javascript, attributes that are words": (
        "javascript",
        'const a = <A\n  default\n  b="c"><feOffset in="d" /></A>;\n',
    ),
    "typescript, what is called in a line of its own": (
        "typescript",
        "interface A {\n  (a: string): B\n  // more\n  <T extends C>(a: T): D<T>\n"
        "  <T>(a: T): [T]\n}\n",
    ),
    "typescript, variance of what is bounded": (
        "typescript",
        "class A<\n  // why\n  const in out T extends B,\n  out U extends C = {}\n> {}\n",
    ),
    "typescript, all types of a module": ("typescript", 'export type * from "./a";\n'),
    "typescript, the record of a tag": (
        "typescript",
        'const A = styled("div")<{\n  a: string;\n}>`\n  color: red;\n`;\n',
    ),
    "typescript, NUL in a text": ("typescript", 'const a = "\0b\0";\n'),
    "typescript, a module that is read later": ("typescript", 'import defer * as a from "b";\n'),
}


@pytest.mark.parametrize(("language", "text"), NEWER.values(), ids=NEWER)
def test_newer_syntax_is_read_in_its_place(language: str, text: str) -> None:
    assert is_parsable(text, language)
    older = translate_to_older(text, language)
    assert older != text
    assert [len(line) for line in older.split("\n")] == [len(line) for line in text.split("\n")]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("go", "package p\n\nfunc f() *int { return new(1 +) }\n"),
        ("java", "class A { A(int x) { check(x); super(x; } }\n"),
        ("python", "class C[T = int:\n    x = 1\n"),
        ("typescript", "interface A<in out T {}\n"),
    ],
)
def test_what_is_wrong_stays_wrong(language: str, text: str) -> None:
    assert not is_parsable(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("go", "package p\n\nvar a = new(T)\n"),
        ("typescript", "for (const a in b) { if (c < d && out > e) f(a); }\n"),
        ("typescript", 'const a = b <import("c").then(d);\nconst e = [f <import("g"), h > i];\n'),
        ("typescript", 'import defer from "b";\n'),
        ("java", "class A extends B { A() { super(); } }\n"),
        ("python", "class C[T]:\n    x = a[b == c]\n"),
    ],
)
def test_what_a_grammar_knows_stays_as_it_is_written(language: str, text: str) -> None:
    assert parse(text, language).root().text() == text


@pytest.mark.parametrize("language", ["tsx", "javascript"])
@pytest.mark.parametrize(
    "text",
    [
        "<p>Save & close & go</p>",
        "<p>Q&A and R&D &amp; more</p>",
        '<a href="/?a=1&b=2" title="R&D">x</a>',
        "<p>\n  Save & close\n  <b>one & two</b>\n  {a & b}\n</p>",
    ],
)
def test_the_text_of_a_page_may_hold_a_bare_sign(text: str, language: str) -> None:
    whole = f"const A = () => {text};\nconst b = 1 & 2;\n"
    tree = parse(whole, language).root()
    assert is_parsable(whole, language)
    assert len(tree.text()) == len(whole)
    assert "b = 1 & 2" in tree.text()


def test_an_empty_text_between_two_quotes_lacks_nothing() -> None:
    assert is_parsable("package p\n\nvar a = ``\n", "go")
    assert not is_parsable("package p\n\nvar a = (`` + )\n", "go")


@pytest.mark.parametrize("white", [" ", "\t", "\x0b", "\x1c", "\x85", "\u2003", "\u3000", "é"])
def test_what_is_found_at_once_is_all_that_is_found_in_turn(white: str) -> None:
    """A text is asked for all newer forms at once: none may be missed, whatever is white there."""
    for language, text in NEWER.values():
        for other in (text, text.replace(" ", white), text.replace("\n", f"\n{white}")):
            expected = other.replace("\0", " ")
            for form in _NEWER[language]:
                expected = form.place.sub(form.rewrite, expected)
            assert translate_to_older(other, language) == expected
