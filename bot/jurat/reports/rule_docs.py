"""A rule as a page that people read: what it demands, why, of what, and how it is decided."""

from __future__ import annotations

from collections.abc import Iterator

from jurat.reports.markdown import escape_markdown, quote_code, render_fence
from jurat.rules.constraints import Constraint
from jurat.rules.merit import Merit
from jurat.rules.messages import list_written_messages
from jurat.rules.rule import Example, ExampleEntry, Rule, RuleKind, RuleSet, is_grave

_HOW = {
    RuleKind.NORMATIVE: "judged by a model",
    RuleKind.PROCEDURAL: "computed from the order of the steps, and judged by a model where that is"
    " not known",
    RuleKind.DEFINITIONAL: "never broken: it defines a term",
    RuleKind.PRINCIPLE: "never broken itself: it is judged through the rules that derive from it",
}


def render_rules(rule_set: RuleSet) -> str:
    """All rules as one Markdown document, in the corpus's order, under the names of their packs."""
    named = ", ".join(escape_markdown(pack.name) for pack in rule_set.packs)
    about = [escape_markdown(pack.description) for pack in rule_set.packs if pack.description]
    head = [f"# Rules{f': {named}' if named else ''}", *about]
    return "\n\n".join([*head, *(render_rule(rule) for rule in rule_set.rules.values())]) + "\n"


def render_rule(rule: Rule) -> str:
    """One rule in Markdown: a heading, its statement, what it applies to, and its examples."""
    weight = f"{rule.modality} · {rule.severity} · {rule.maturity}"
    parts = [
        f"## {quote_code(rule.id)}",
        f"{escape_markdown(rule.statement)}",
        f"_{escape_markdown(weight)}_",
    ]
    if rule.rationale:
        parts.append(escape_markdown(rule.rationale))
    rows = [f"- {name}: {text}" for name, text in _list_facts(rule)]
    parts.append("\n".join(rows))
    for heading, examples in (
        ("Breaks it", rule.examples.invalid),
        ("Keeps it", rule.examples.valid),
    ):
        rendered = [render_fence(*render_example_code(rule, example)) for example in examples]
        if rendered:
            parts += [f"{heading}:", *rendered]
    return "\n\n".join(parts)


def describe_how_decided(rule: Rule) -> str:
    """Whether a rule is computed or judged, in a phrase."""
    if rule.kind is not RuleKind.COMPUTATIONAL:
        return _HOW[rule.kind]
    if not rule.constraints:
        return "computed by the threshold in its statement, and judged by a model if there is none"
    constraints = dict.fromkeys(map(_describe_constraint, rule.constraints))
    return f"computed, without a model: {', '.join(constraints)}"


def describe_applicability(rule: Rule) -> str:
    """What a rule looks at, in a phrase."""
    listed = (
        ("subjects", rule.subject_kinds),
        ("languages", rule.languages),
        ("paths", rule.paths),
        ("scope", rule.scope),
    )
    return "; ".join(f"{name} {', '.join(entries)}" for name, entries in listed if entries) or "all"


def describe_merit(merit: Merit) -> str:
    """Whether a shipped rule may block, by which firings and which disguises, in a phrase."""
    said = f"{'yes' if merit.may_block else 'no'}: {merit}"
    if merit.counted != merit.own and merit.own.cases:
        said = f"{said}; its own: {merit.own.right:,} of {merit.own.cases:,}"
    return (
        f"{said}; {merit.disguises}" if merit.disguises.is_enough and any(merit.disguises) else said
    )


def _describe_constraint(constraint: Constraint) -> str:
    field = getattr(constraint, "field_path", None)
    return f"{constraint.type} of {field}" if field else constraint.type


def _list_facts(rule: Rule) -> Iterator[tuple[str, str]]:
    yield "Decided", escape_markdown(describe_how_decided(rule))
    yield "Applies to", escape_markdown(describe_applicability(rule))
    if rule.merit is not None and is_grave(rule):
        yield "Blocks", escape_markdown(describe_merit(rule.merit))
    if rule.effective.since or rule.effective.until:
        since = f"from {rule.effective.since}" if rule.effective.since else ""
        until = f"until {rule.effective.until}" if rule.effective.until else ""
        yield "In force", " ".join(filter(None, (since, until)))
    if templates := list_written_messages(rule):
        yield "Says", " · ".join(map(escape_markdown, templates))
    if rule.exceptions:
        yield "Except", escape_markdown("; ".join(rule.exceptions))
    if rule.fix:
        yield "How to keep it", escape_markdown(rule.fix)
    if rule.also_known_as:
        yield "Also known as", ", ".join(map(quote_code, rule.also_known_as))
    if rule.references:
        yield "Sources", ", ".join(quote_code(reference) for reference in rule.references)
    if rule.origin:
        yield "Written in", quote_code(rule.origin)


def render_example_code(rule: Rule, example: ExampleEntry) -> tuple[str, str]:
    """An example as code with its language, "" if it is not known, or as the facts it states."""
    if isinstance(example, str):
        return example.rstrip("\n"), _get_language(rule)
    if example.code is not None:
        return example.code.rstrip("\n"), example.language or _get_language(rule)
    return _render_json(example), "json"


def _render_json(example: Example) -> str:
    import json  # noqa: PLC0415 - few rules have facts for examples

    return json.dumps(example.model_dump(mode="json")["facts"], indent=2, ensure_ascii=False)


def _get_language(rule: Rule) -> str:
    plain_names = [name for name in rule.languages if name.isalnum()]
    return plain_names[0] if len(plain_names) == 1 else ""
