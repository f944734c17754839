"""What the functions of one file do, as values: calls, conditions, loops, writes, texts.

Own names tell functions and variables apart and are never read as words: who renames everything
has the same facts. Library names, texts, keys and numbers are kept as they stand.

There are hundreds of thousands of them in a large repository, handed from process to process: so
they are tuples, which are made, kept and sent at a third of the cost of objects with fields.
"""

from __future__ import annotations

from typing import NamedTuple

Tags = frozenset[str]
"""Where a value comes from and what it says: `x:` a call by name, `t:` a text, `k:` a key, `n:` a
number, `c:` a constant, `p:` a parameter, `h:` what its object was made with, `s:` a variable of
the module, `a:` an attribute."""


class CallFact(NamedTuple):
    """A call. `callee` is its name as `expression_reader` has it, `given` what its arguments say.

    `guards` and `loops` are those that it stands in or behind, as numbers in the function's.
    `caught` says that a handler stands around it, `retried` that the handler does something.
    `first` is the text that the first argument is or begins with, such as a key that is asked for.
    """

    callee: str
    line: int
    given: Tags = frozenset()
    receiver: Tags = frozenset()
    keywords: tuple[str, ...] = ()
    arguments: int = 0
    guards: tuple[int, ...] = ()
    loops: tuple[int, ...] = ()
    caught: bool = False
    retried: bool = False
    first: str = ""


class GuardFact(NamedTuple):
    """A condition, and what its arm ends in: `leaves` is return, raise, continue, break or "".

    `says` is what that end says, such as a status code.
    """

    line: int
    asks: Tags
    leaves: str = ""
    says: Tags = frozenset()
    handler: bool = False


class LoopFact(NamedTuple):
    """A loop, over something that ends (`bounded`) or while a condition holds."""

    line: int
    bounded: bool
    asks: Tags = frozenset()


class WriteFact(NamedTuple):
    """A value put where others can read it: a variable of the module, an attribute, a key."""

    place: str
    line: int
    value: Tags = frozenset()
    base: Tags = frozenset()
    guards: tuple[int, ...] = ()
    constant: bool = False


class PairFact(NamedTuple):
    """A key with its value, in a literal or as a keyword. `constant` if it never varies."""

    key: str
    line: int
    value: Tags = frozenset()
    constant: bool = False


class FunctionFacts(NamedTuple):
    """One function, or the statements of the file itself (`name` "").

    `parent` is the function around it, as a number in the file, -1 for none. `marks` are its
    decorators as calls. `refers` are all names that it reads.
    """

    name: str
    owner: str = ""
    parent: int = -1
    first: int = 0
    last: int = 0
    parameters: tuple[str, ...] = ()
    marks: tuple[CallFact, ...] = ()
    calls: tuple[CallFact, ...] = ()
    guards: tuple[GuardFact, ...] = ()
    loops: tuple[LoopFact, ...] = ()
    writes: tuple[WriteFact, ...] = ()
    pairs: tuple[PairFact, ...] = ()
    returns: Tags = frozenset()
    says: Tags = frozenset()
    refers: frozenset[str] = frozenset()
    asserts: tuple[Tags, ...] = ()
    divides: bool = False


ALL_OF = "*"
"""How the name begins under which a file hands on all of another one."""


class FileFacts(NamedTuple):
    """All functions of a file, its own statements first.

    `imported` are the names that imports bind, `variables` what the file's own stand for, `classes`
    the bases of each class, `fields` what the objects of each hold. `is_started` says that
    it runs when it is called as a program. `stated` are the numbers and words that its variables,
    and the fields of its classes as "Class.field", are set to: others know them by these names.
    `off` are the fields of each class that are false unless something else is said.
    """

    language: str
    functions: tuple[FunctionFacts, ...]
    imported: tuple[tuple[str, str], ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    classes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_started: bool = False
    fields: tuple[tuple[str, tuple[str, ...]], ...] = ()
    stated: tuple[tuple[str, Tags], ...] = ()
    off: tuple[tuple[str, tuple[str, ...]], ...] = ()
