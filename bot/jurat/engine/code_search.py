"""Where a query is met in a text: by the shape of the code, or by following its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ast_grep_py import SgNode

from jurat.engine.flow.values.places import explain_place
from jurat.engine.pattern_search import PatternQuery, can_match_one, search_tree
from jurat.engine.regex_filter import RegexFilter
from jurat.rules.flows import FlowQuestion
from jurat.source.disguises import is_disguised

if TYPE_CHECKING:
    from jurat.engine.flow.forms.linked_files import LinkedFile
    from jurat.engine.flow.found_flows import Flows, Omission


class PassedNode(NamedTuple):
    """A node that a value passes, and the other file that it stands in, "" for none."""

    node: SgNode
    path: str


class CodeSearch:
    """The queries about one file. Its values are followed once for all of them.

    `others` are files of the same change and version that it is followed together with, `users`
    the paths of those that name it.
    """

    def __init__(
        self,
        queries: Iterable[PatternQuery],
        path: str = "",
        others: Sequence[LinkedFile] = (),
        users: Sequence[str] = (),
    ) -> None:
        queries = tuple(queries)
        self._path, self._others = path, others
        self._is_of_product = any(not explain_place(one, is_guess=True) for one in users)
        self._queries = tuple(query for query in queries if query.questions)
        self._alike: dict[str, list[PatternQuery]] = {}
        for query in queries:
            if query.utilities:
                self._alike.setdefault(query.utilities, []).append(query)
        self._may_match: dict[tuple[str, str, str], bool] = {}
        self._flows: dict[tuple[str, str], Flows] = {}
        self._regexes: dict[tuple[str, str], RegexFilter] = {}
        self._asked: dict[str, dict[FlowQuestion, int]] = {}

    def find(
        self, query: PatternQuery, root: SgNode, text: str, language: str, path: str = ""
    ) -> Iterator[tuple[SgNode, Sequence[PassedNode], str]]:
        """The nodes that meet a query, and of a value its way there, with what is doubtful of it.

        `path` is where the file stands, if it is known. Raises UnresolvedNamesError.
        """
        if not query.questions:
            regexes = self._get_regexes(root, text, language)
            if not self._has_any(query, root, text, language):
                return
            for node in search_tree(text, root, language, query, regexes):
                if not query.disguised or is_disguised(node.text(), node.range().start.line):
                    yield node, (), self._explain_place(path, is_guess=False)
            return
        question = query.questions.get(language)
        if question is None:
            return
        number = self._number_questions(language)[question]
        for flow in self._follow(root, text, language).found:
            if flow.question == number:
                doubt = flow.doubt or self._explain_place(path, is_guess=flow.is_guess)
                paths = flow.paths or ("",) * len(flow.steps)
                yield flow.node, tuple(map(PassedNode, flow.steps, paths)), doubt

    def _explain_place(self, path: str, *, is_guess: bool) -> str:
        """What the place of a file speaks against, unless the program itself uses the file."""
        return "" if self._is_of_product else explain_place(path, is_guess=is_guess)

    def list_nodes(
        self, query: PatternQuery, root: SgNode, text: str, language: str
    ) -> list[SgNode]:
        """The nodes that meet a query. Raises UnresolvedNamesError."""
        return [node for node, *_ in self.find(query, root, text, language)]

    def list_unfollowed(
        self, query: PatternQuery, root: SgNode, text: str, language: str
    ) -> Sequence[Omission]:
        """The functions that a query did not follow values in."""
        if language not in query.questions:
            return ()
        return self._follow(root, text, language).unfollowed

    def _has_any(self, query: PatternQuery, root: SgNode, text: str, language: str) -> bool:
        """Whether one of those that share a query's utilities may match, so that each is asked."""
        alike = self._alike.get(query.utilities, ())
        if len(alike) < 2:
            return True
        key = language, text, query.utilities
        if key not in self._may_match:
            asked = [one for one in alike if language in one.languages]
            regexes = self._get_regexes(root, text, language)
            self._may_match[key] = can_match_one(text, root, language, asked, regexes)
        return self._may_match[key]

    def _get_regexes(self, root: SgNode, text: str, language: str) -> RegexFilter:
        key = language, text
        if key not in self._regexes:
            self._regexes[key] = RegexFilter(root.text())
        return self._regexes[key]

    def _number_questions(self, language: str) -> Mapping[FlowQuestion, int]:
        """The different questions about a language, each with its number."""
        # Once: to look one up in another way compares its hundreds of names.
        if language not in self._asked:
            asked = (query.questions.get(language) for query in self._queries)
            different = dict.fromkeys(one for one in asked if one is not None)
            self._asked[language] = {one: at for at, one in enumerate(different)}
        return self._asked[language]

    def _follow(self, root: SgNode, text: str, language: str) -> Flows:
        # Loaded here: most changes have no file with both a source and a sink, and what follows
        # values takes a twentieth of a start.
        from jurat.engine.flow.analysis import find_flows  # noqa: PLC0415

        key = language, text
        if key not in self._flows:
            questions = tuple(self._number_questions(language))
            self._flows[key] = find_flows(root, language, questions, self._path, self._others)
        return self._flows[key]
