"""JSON Schemas of rule files and of the configuration, with a description of each key.

For editors, which complete and explain as people type. Whatever a schema cannot say, such as what a
pattern must parse as, `jurat rules check` does. The descriptions stand here and not at the models,
which every start builds.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from jurat.rules.config import Config
from jurat.rules.rule import RuleFile

Json = dict[str, Any]

DRAFT = "https://json-schema.org/draft/2020-12/schema"


class SchemaName(StrEnum):
    """The files that have a schema."""

    RULES = "rules"
    CONFIG = "config"


_MODELS: Mapping[SchemaName, type[BaseModel]] = MappingProxyType(
    {SchemaName.RULES: RuleFile, SchemaName.CONFIG: Config}
)
_TITLES = {
    SchemaName.RULES: "Rules of Jurat",
    SchemaName.CONFIG: ".github/jurat.yml, the configuration of Jurat",
}


def build_schema(name: SchemaName) -> Json:
    """The JSON Schema of a file, draft 2020-12, each key with its description."""
    schema = _MODELS[name].model_json_schema(by_alias=True)
    definitions = schema.get("$defs", {})
    _describe(_MODELS[name].__name__, schema)
    for model, definition in definitions.items():
        _describe(model, definition)
    if rule := definitions.get("Rule"):
        # Set by whoever loads the file, and refused in it.
        del rule["properties"]["origin"]
    return {"$schema": DRAFT, "title": _TITLES[name]} | {
        key: value for key, value in schema.items() if key != "title"
    }


def _describe(model: str, definition: Json) -> None:
    """Put in what people read of each key; what is written for developers goes."""
    definition.pop("description", None)
    for key, value in definition.get("properties", {}).items():
        value.pop("title", None)
        value.pop("default", None)
        if said := DESCRIPTIONS.get(model, {}).get(key):
            value["description"] = said


_LIST_LANGUAGE = "The languages that it is written for; one, or a list."
_MESSAGE = "What is wrong at this place; goes before the rule's own message."
_FIELD = "Where the fact stands: keys joined with '.', list items as [0], all of them as [*]."
_OPERATOR = "How the fact must compare."

DESCRIPTIONS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "RuleFile": {
            "version": "The form of this file; there is one, 1.",
            "pack": "What this file is part of.",
            "vocabulary": "Names for `flow` constraints: sources, sinks and what makes values fit.",
            "rules": "The rules, in their order.",
        },
        "Pack": {
            "name": "What the pack is called.",
            "description": "What it is for.",
            "tags": "Tags that all of its rules get.",
        },
        "Rule": {
            "id": "Letters, digits, '.', '_' and '-'; unique over all files in force.",
            "statement": "What must hold, as one sentence to a colleague.",
            "message": "What is wrong if the rule is broken; $NAME fills in what was captured.",
            "kind": "How it is decided: computational by its constraints, procedural by an order, "
            "normative by a model; definitional rules and principles explain, and always pass.",
            "modality": "How strongly it binds.",
            "severity": "How much is at stake. MUST and MUST_NOT block from HIGH on by default.",
            "scope": "Places in your organisation, such as hr/overtime, or an owner/name.",
            "paths": "Globs of files that it is about; ** crosses folders, ! in front excludes.",
            "languages": "The languages that it is about, or globs of them; ! in front excludes.",
            "subject_kinds": "The kinds of subject that it is about.",
            "tags": "Words to select by.",
            "effective": "The days on which it is in force.",
            "maturity": "experimental observes; stable and proven count.",
            "pin": "true keeps the maturity as it is written here.",
            "constraints": "What is computed; all of them must hold.",
            "preconditions": "Constraints over facts that must hold for the rule to apply; text is "
            "for the model.",
            "exceptions": "When breaking the rule is fine, in words for the model.",
            "rationale": "Why there is this rule.",
            "examples": "Subjects that it passes and subjects that it catches; `jurat rules test` "
            "runs them.",
            "references": "Where it is written: links, articles, pages.",
            "authority": "Where its force comes from.",
            "relations": "How it relates to other rules, by their ids.",
            "fix": "What to do, in words.",
            "family": "A name for rules about one kind of fault.",
            "everywhere": "true judges generated and vendored files as well.",
            "reads": "What a model must be shown beside one file; left out, the words tell.",
            "also_known_as": "What other tools call it, as tool:id; their suppressions count.",
        },
        "Effective": {
            "from": "The first day, included.",
            "until": "The last day, included.",
        },
        "Examples": {
            "valid": "Subjects that the rule must pass.",
            "invalid": "Subjects that it must catch.",
        },
        "Example": {
            "code": "The code.",
            "language": "Its language, if neither the rule nor the path says it.",
            "path": "The file that it stands in, if the rule looks at paths.",
            "facts": "The facts, in place of code.",
            "base": "What stood there before, for a rule about what must not go.",
            "fixed": "What the rule's fix must make of the code.",
        },
        "Authority": {
            "source_class": "What it comes from: rules/authority.yml has the classes.",
            "weight": "0 to 100; else by its class.",
            "jurisdiction": "Where it holds.",
            "domain": "What it is about, as a whole.",
            "scope_class": "How wide it reaches.",
            "topics": "What it is about, in words.",
            "superseded": "true if something newer has taken its place.",
        },
        "Relations": {
            "overrides": "Rules that this one takes the place of.",
            "refines": "Rules that this one says in more detail.",
            "conflicts_with": "Rules that cannot hold beside it.",
            "depends_on": "Rules that it rests on.",
            "derives_from": "Rules that it follows from.",
        },
        "NumericConstraint": {
            "type": "A number that compares with a threshold.",
            "message": _MESSAGE,
            "field_path": _FIELD,
            "operator": _OPERATOR,
            "threshold": "The number to compare with.",
            "unit": "The threshold's unit; units of time, data, length, mass and ratio convert.",
            "baseline": "base makes it a ratchet: only what is worse than before is found.",
        },
        "DateConstraint": {
            "type": "A date or a time that compares with another.",
            "message": _MESSAGE,
            "field_path": _FIELD,
            "operator": _OPERATOR,
            "reference_date": "A date, a time, or the field path of one.",
        },
        "EnumConstraint": {
            "type": "A value that must be one of some.",
            "message": _MESSAGE,
            "field_path": _FIELD,
            "allowed_values": "The values; types count.",
        },
        "LookupConstraint": {
            "type": "A value that a table must have.",
            "message": _MESSAGE,
            "field_path": _FIELD,
            "lookup_table": "A CSV or YAML file in or below this file's folder.",
            "key_column": "The column that holds the value.",
            "result_column": "The column to compare with.",
            "compare": "The fact that compares with the result column.",
        },
        "LookupComparison": {"field_path": _FIELD, "operator": _OPERATOR},
        "PatternConstraint": {
            "type": "Code that must not appear, in ast-grep's rule language.",
            "message": _MESSAGE,
            "language": _LIST_LANGUAGE,
            "rule": "An ast-grep rule: pattern, kind, regex, inside, has, all, any, not, matches.",
            "pattern": "Whole code with $METAVARIABLES, the short form of `rule`.",
            "constraints": "ast-grep rules for single metavariables.",
            "utils": "ast-grep rules by name, for `matches`.",
            "names": "Utilities for `matches` by full names, whatever a file's imports call them.",
            "transform": "New metavariables made from captured ones.",
            "fix": "The code to write instead, with what was captured; an empty text deletes.",
            "removed": "true makes it what must not go: what a change takes away is found.",
            "disguised": "true finds only what reads otherwise than it is written.",
            "peers": "A rule for what stands beside it twice as often: found is the exception.",
            "instead": "A regular expression (RE2) for a line that may stand in its place.",
            "auto_applicable": "false if more has to change than the fix changes.",
            "consequence": "What the program does differently by design: the fix is advice then.",
        },
        "RegexConstraint": {
            "type": "Text that must not appear in an added line.",
            "message": _MESSAGE,
            "pattern": "In RE2's syntax.",
            "unless": "What must not stand in what it matches (RE2).",
            "followed_by": "What must stand behind it, there or in the added lines below (RE2).",
            "whole_key_in": "Globs of files in which it must begin all of a private key.",
            "known_keys": "How the letters of keys begin that everybody knows, and nobody uses.",
        },
        "FlowConstraint": {
            "type": "Values that must not arrive somewhere.",
            "message": _MESSAGE,
            "language": _LIST_LANGUAGE,
            "sources": "Where they come from: groups of the vocabulary, names, or parameter.",
            "sinks": "Where they must not arrive: classes of the vocabulary, or callees.",
            "sanitizers": "Callees that return something fit.",
            "guards": "Callees that are true of what is fit.",
            "propagators": "Callees that put what they are given into what they are called on.",
        },
        "SettingConstraint": {
            "type": "What a callee must not be given, whatever brings it there.",
            "message": _MESSAGE,
            "language": _LIST_LANGUAGE,
            "settings": "Callees with what they must not be given; properties with such a value.",
            "exceptions": "Words of functions' names, with | between them, that are not meant.",
            "beside": "Words, with | between them, of which the file must have one as well.",
        },
        "OrderConstraint": {
            "type": "Steps that must happen in an order.",
            "message": _MESSAGE,
            "field_path": "Where the list of steps stands; `steps` if left out.",
            "steps": "The steps, in the order in which they must happen.",
        },
        "FlowVocabulary": {
            "language": _LIST_LANGUAGE,
            "sources": "By group: what hands in values from outside.",
            "sinks": "By class: callees and the arguments that matter.",
            "sanitizers": "By class of sinks: what returns something fit.",
            "undoes": "By class of sinks: what takes back what a sanitizer did, such as unescape.",
            "guards": "By class of sinks: what is true of what is fit.",
            "checks": "By class of sinks: what ends in an error for what is not fit.",
            "rejected": "By class of sinks: texts of which it is enough that a value has none.",
            "quotes": "By class of sinks: quotes between which a value without them is a text.",
            "unfit": "By class of sinks: sanitizers that are no help between quotes or in scripts.",
            "refusals": "By class of sinks: what is true of what is not fit.",
            "bounds": "By class of sinks: what says where a path lies, once it is normalized.",
            "normalizers": "By class of sinks: what works out the .. of a path.",
            "carriers": "By group: objects that an unknown function may read a source from.",
            "propagators": "What puts its arguments into what it is called on.",
            "passing": "What answers with what it is given, or a part or another form of it.",
            "formats": "Words such as uuid: is_uuid asks for a text that ends no other.",
            "kinds": "Words such as email: is_email asks for what its author took for enough.",
            "opposites": "Words such as unsafe, and what each turns round: safe.",
            "fixed": "Callees that make the same of the same, such as bytes().",
            "lookups": "Methods such as find_one, whose answer does not come from the key.",
            "binders": "Methods such as setParameter, which put a value beside a statement.",
            "callbacks": "What calls a function with what, such as acme.App().on() -> req, res.",
            "trusted": "Words such as role: names under which a session keeps what is believed.",
            "secrets": "Words such as token: names of what must not be guessed.",
            "events": "Words such as reset, before which a form is what must not be guessed.",
            "forms": "Words such as code: what must not be guessed on such an event.",
        },
        "Config": {
            "_extends": "A file that this one builds on: repo, owner/repo or owner/repo:path.yml.",
            "version": "The form of this file; there is one, 1.",
            "packs": "The shipped packs in force; [] for none. Default: [engineering].",
            "rules": "Rule files, or folders of them, of this repository.",
            "ignore": "Globs of paths that are not reviewed.",
            "surfaces": "Path globs, and the kind of subject their files are; the first that fits.",
            "block_on": "The severity from which on MUST and MUST_NOT block. Default: HIGH.",
            "levels": "What single rules may do, by id or glob.",
            "judge": "none asks no model, and puts rules that only one can decide out of force.",
            "review": "How a pull request is reviewed.",
            "commands": "Who may give commands in comments.",
            "rating": "Which regulations the repository is rated by.",
            "budget": "Tokens that models may be given and give.",
            "retain": "What is kept of a change: full, or a digest and the quoted evidence.",
            "required": "In the owner's file: what no repository of theirs may lower.",
        },
        "ReviewConfig": {
            "max_rules": "Rules that a model judges in one call. Default: 20.",
            "severity_min": "Rules below this severity are left out. Default: MEDIUM.",
            "max_comments": "Open inline comments at once. Default: 20.",
            "drafts": "Whether drafts are reviewed. Default: false.",
            "needs_confirmation": "What the check says if a person should confirm.",
            "unassessed": "What the check says if nobody decided a blocking rule.",
            "maturity": "propose only shows what a rule's record would make of it.",
            "private": "Globs of paths that no model is ever shown.",
            "backtest": "Whether the App looks back at what was merged. Default: true.",
        },
        "BudgetConfig": {
            "review": "For one review; what is not asked for want of them is not assessed.",
            "day": "For all of the repository's reviews of a day in UTC.",
        },
        "CommandConfig": {
            "permission": "Who may give commands. Default: write.",
            "own_decisions": "Whether people may decide about findings on what they wrote.",
        },
        "RatingConfig": {
            "regulations": "The regulations that are rated.",
            "fail_below": "The score, 0 to 4, below which the check fails.",
            "risk": "The class of risk, set by hand; else it is derived from the code.",
            "on": "The day as of which the law is applied; else today.",
            "roles": "Whom the rating is for; else everybody.",
        },
        "RequiredConfig": {
            "rules": "Rules in force in every repository, by id or glob.",
            "levels": "The least that rules do.",
            "settings": "Settings that no repository loosens.",
            "waivers": "refused lets nobody set aside what a required rule finds.",
        },
        "LevelEntry": {
            "rules": "Ids of rules, or globs of them.",
            "paths": "Globs of the files that it is about; all if left out.",
            "level": "off, observe, warn or block.",
        },
    }
)
"""What each key says, by the names of the models."""
