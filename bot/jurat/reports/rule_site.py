"""The rules as a folder of pages with a search, which a browser opens from the disk."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from jurat.reports.markdown import load_templates
from jurat.reports.rule_docs import (
    describe_applicability,
    describe_how_decided,
    describe_merit,
    render_example_code,
)
from jurat.rules.messages import list_written_messages
from jurat.rules.rule import ExampleEntry, Rule, RuleSet, is_grave
from jurat.source.visible_text import to_visible_text

INDEX = "index.html"
RULE_FOLDER = "rules"
MARK = '<meta name="generator" content="jurat rules docs">'
"""Stands in each page: a folder that has it in its index is one of ours."""

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class _Fact:
    name: str
    text: str
    links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _RulePage:
    """A rule as its page has it. `words` are what the search looks through."""

    rule: Rule
    facts: tuple[_Fact, ...]
    examples: tuple[tuple[str, tuple[str, ...]], ...]
    words: str

    @property
    def path(self) -> str:
        return f"{RULE_FOLDER}/{self.rule.id}.html"


def render_site(rule_set: RuleSet) -> Mapping[str, str]:
    """The pages by their paths in the folder; `INDEX` lists the rest.

    They load nothing, run one script, which searches, and hold nothing of a rule but as text.
    """
    templates = load_templates(_TEMPLATES)
    templates.filters |= {"visible": to_visible_text}
    style = (_TEMPLATES / "rules.css").read_text(encoding="utf-8")
    script = (_TEMPLATES / "rules.js").read_text(encoding="utf-8")
    common = {
        "style": style,
        "mark": MARK,
        # By their digests: a page of the disk has no origin that a policy could name.
        "policy": f"default-src 'none'; style-src {_sign(style)}; script-src {_sign(script)};"
        " base-uri 'none'; form-action 'none'",
    }
    pages = [_build_page(rule, rule_set) for rule in rule_set.rules.values()]
    packs = [pack for pack in rule_set.packs if pack.description]
    index = templates.get_template("rules.html.j2")
    single = templates.get_template("rule.html.j2")
    listed = index.render(**common, script=script, pages=pages, packs=packs)
    return {INDEX: listed} | {page.path: single.render(**common, page=page) for page in pages}


def _sign(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _build_page(rule: Rule, rule_set: RuleSet) -> _RulePage:
    examples = (
        ("Breaks it", _render_examples(rule, rule.examples.invalid)),
        ("Keeps it", _render_examples(rule, rule.examples.valid)),
    )
    said = (rule.id, rule.statement, rule.rationale, rule.fix or "", rule.severity, rule.modality)
    words = " ".join((*said, *rule.tags, *rule.languages, *rule.also_known_as))
    return _RulePage(
        rule,
        tuple(_iter_facts(rule, rule_set)),
        tuple((heading, codes) for heading, codes in examples if codes),
        words.lower(),
    )


def _render_examples(rule: Rule, examples: Sequence[ExampleEntry]) -> tuple[str, ...]:
    return tuple(render_example_code(rule, example)[0] for example in examples)


def _iter_facts(rule: Rule, rule_set: RuleSet) -> Iterator[_Fact]:
    yield _Fact("Decided", describe_how_decided(rule))
    yield _Fact("Applies to", describe_applicability(rule))
    if rule.merit is not None and is_grave(rule):
        yield _Fact("Blocks", describe_merit(rule.merit))
    for name, texts in (
        ("Says", list_written_messages(rule)),
        ("Except", rule.exceptions),
        ("How to keep it", (rule.fix or "",)),
        ("Also known as", rule.also_known_as),
        ("Tags", rule.tags),
    ):
        if said := " · ".join(filter(None, texts)):
            yield _Fact(name, said)
    for name, ids in (
        ("Takes the place of", rule.relations.overrides),
        ("Depends on", rule.relations.depends_on),
    ):
        if ids:
            yield _Fact(name, "", tuple((one, _build_link(one, rule_set)) for one in ids))
    if rule.references:
        yield _Fact("Sources", "", tuple(map(_split_reference, rule.references)))
    if rule.origin:
        yield _Fact("Written in", rule.origin)


def _build_link(rule_id: str, rule_set: RuleSet) -> str:
    return f"{rule_id}.html" if rule_id in rule_set.rules else ""


def _split_reference(reference: str) -> tuple[str, str]:
    """What a reference says, and its https address; "" if it has none."""
    address = reference.rpartition(" ")[2]
    try:
        is_address = urlsplit(address).scheme == "https"
    except ValueError:
        is_address = False
    name = reference.removesuffix(address).rstrip(": ")
    return (name or address, address) if is_address else (reference, "")
