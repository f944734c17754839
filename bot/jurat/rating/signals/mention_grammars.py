"""How imports, calls, names and strings look in each grammar: the table behind mentions.py.

The names are node kinds and fields of the tree-sitter grammars that ast-grep bundles. What stands
in a comment is in none of these kinds, and a docstring is told from other strings by mentions.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType


def _split_kinds(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _parse_fields(words: str) -> Mapping[str, str]:
    """Kinds with a field behind a colon, if there is one."""
    return {kind: field for kind, _, field in (word.partition(":") for word in words.split())}


@dataclass(frozen=True, slots=True)
class MentionGrammar:
    """One language.

    `calls` are calls, instantiations, decorators and annotations, each with the field that ends
    what is called, or "" if that is the first child. A call of one of `loaders` is an import.
    `definitions`
    have a name of their own. `names` are identifiers, `strings` literals with their quotes.
    `labels` are nodes that give a string in them a name: an assignment, an argument, a pair.
    """

    imports: frozenset[str]
    calls: Mapping[str, str]
    definitions: frozenset[str]
    names: frozenset[str]
    strings: frozenset[str]
    labels: frozenset[str]
    loaders: frozenset[str] = frozenset()


_PYTHON = MentionGrammar(
    imports=_split_kinds("import_statement import_from_statement"),
    calls=_parse_fields("call:function decorator"),
    definitions=_split_kinds("function_definition class_definition"),
    names=_split_kinds("identifier"),
    strings=_split_kinds("string concatenated_string"),
    labels=_split_kinds(
        "assignment augmented_assignment keyword_argument pair default_parameter "
        "typed_default_parameter named_expression return_statement"
    ),
    loaders=_split_kinds("import_module __import__"),
)

_JAVASCRIPT = MentionGrammar(
    imports=_split_kinds("import_statement export_statement"),
    calls=_parse_fields("call_expression:function new_expression:constructor decorator"),
    definitions=_split_kinds(
        "function_declaration generator_function_declaration method_definition class_declaration "
        "variable_declarator"
    ),
    names=_split_kinds(
        "identifier property_identifier shorthand_property_identifier "
        "shorthand_property_identifier_pattern"
    ),
    strings=_split_kinds("string template_string"),
    labels=_split_kinds("variable_declarator assignment_expression pair assignment_pattern"),
    loaders=_split_kinds("require import"),
)

_TYPESCRIPT = replace(
    _JAVASCRIPT,
    definitions=_JAVASCRIPT.definitions
    | _split_kinds("interface_declaration type_alias_declaration abstract_class_declaration"),
    names=_JAVASCRIPT.names | _split_kinds("type_identifier"),
    labels=_JAVASCRIPT.labels | _split_kinds("public_field_definition"),
)

SHAPES: Mapping[str, MentionGrammar] = MappingProxyType(
    {
        "python": _PYTHON,
        "javascript": replace(_JAVASCRIPT, strings=_JAVASCRIPT.strings | _split_kinds("jsx_text")),
        "typescript": _TYPESCRIPT,
        "tsx": replace(_TYPESCRIPT, strings=_TYPESCRIPT.strings | _split_kinds("jsx_text")),
        "java": MentionGrammar(
            imports=_split_kinds("import_declaration"),
            calls=_parse_fields(
                "method_invocation:name object_creation_expression:type annotation:name "
                "marker_annotation:name"
            ),
            definitions=_split_kinds(
                "method_declaration class_declaration interface_declaration record_declaration "
                "enum_declaration"
            ),
            names=_split_kinds("identifier type_identifier"),
            strings=_split_kinds("string_literal"),
            labels=_split_kinds("variable_declarator assignment_expression element_value_pair"),
        ),
        "kotlin": MentionGrammar(
            imports=_split_kinds("import_header"),
            calls=_parse_fields("call_expression annotation constructor_invocation"),
            definitions=_split_kinds("function_declaration class_declaration object_declaration"),
            names=_split_kinds("simple_identifier type_identifier"),
            strings=_split_kinds("string_literal"),
            labels=_split_kinds("property_declaration assignment value_argument"),
        ),
        "go": MentionGrammar(
            imports=_split_kinds("import_spec"),
            calls=_parse_fields("call_expression:function"),
            definitions=_split_kinds("function_declaration method_declaration type_spec"),
            names=_split_kinds("identifier field_identifier type_identifier"),
            strings=_split_kinds("interpreted_string_literal raw_string_literal"),
            labels=_split_kinds(
                "keyed_element const_spec var_spec short_var_declaration assignment_statement"
            ),
        ),
        "csharp": MentionGrammar(
            imports=_split_kinds("using_directive"),
            calls=_parse_fields(
                "invocation_expression:function object_creation_expression:type attribute:name"
            ),
            definitions=_split_kinds(
                "method_declaration class_declaration interface_declaration record_declaration "
                "enum_declaration"
            ),
            names=_split_kinds("identifier"),
            strings=_split_kinds(
                "string_literal verbatim_string_literal interpolated_string_expression "
                "raw_string_literal"
            ),
            labels=_split_kinds("variable_declarator assignment_expression argument"),
        ),
        "ruby": MentionGrammar(
            imports=frozenset(),
            calls=_parse_fields("call:method"),
            definitions=_split_kinds("method singleton_method class module"),
            names=_split_kinds(
                "identifier constant hash_key_symbol simple_symbol instance_variable"
            ),
            strings=_split_kinds("string heredoc_body"),
            labels=_split_kinds("assignment pair"),
            loaders=_split_kinds("require gem"),
        ),
        "php": MentionGrammar(
            imports=_split_kinds("namespace_use_declaration"),
            calls=_parse_fields(
                "function_call_expression:function member_call_expression:name "
                "scoped_call_expression:name object_creation_expression attribute"
            ),
            definitions=_split_kinds(
                "function_definition method_declaration class_declaration interface_declaration"
            ),
            names=_split_kinds("name"),
            strings=_split_kinds("encapsed_string string heredoc"),
            labels=_split_kinds(
                "assignment_expression array_element_initializer argument const_element "
                "property_element"
            ),
        ),
        "rust": MentionGrammar(
            imports=_split_kinds("use_declaration extern_crate_declaration"),
            calls=_parse_fields("call_expression:function macro_invocation:macro attribute"),
            definitions=_split_kinds("function_item struct_item enum_item trait_item"),
            names=_split_kinds("identifier field_identifier type_identifier"),
            strings=_split_kinds("string_literal raw_string_literal"),
            labels=_split_kinds("let_declaration const_item static_item field_initializer"),
        ),
        "swift": MentionGrammar(
            imports=_split_kinds("import_declaration"),
            calls=_parse_fields("call_expression attribute"),
            definitions=_split_kinds("function_declaration class_declaration protocol_declaration"),
            names=_split_kinds("simple_identifier type_identifier"),
            strings=_split_kinds("line_string_literal multi_line_string_literal"),
            labels=_split_kinds("property_declaration assignment value_argument"),
        ),
        "scala": MentionGrammar(
            imports=_split_kinds("import_declaration"),
            calls=_parse_fields("call_expression:function instance_expression annotation:name"),
            definitions=_split_kinds(
                "function_definition class_definition object_definition trait_definition"
            ),
            names=_split_kinds("identifier type_identifier"),
            strings=_split_kinds("string interpolated_string"),
            labels=_split_kinds("val_definition var_definition assignment_expression"),
        ),
        "cpp": MentionGrammar(
            imports=_split_kinds("preproc_include"),
            calls=_parse_fields("call_expression:function new_expression:type"),
            definitions=_split_kinds("function_definition class_specifier struct_specifier"),
            names=_split_kinds("identifier field_identifier type_identifier"),
            strings=_split_kinds("string_literal raw_string_literal"),
            labels=_split_kinds("init_declarator assignment_expression"),
        ),
        "c": MentionGrammar(
            imports=_split_kinds("preproc_include"),
            calls=_parse_fields("call_expression:function"),
            definitions=_split_kinds("function_definition struct_specifier"),
            names=_split_kinds("identifier field_identifier type_identifier"),
            strings=_split_kinds("string_literal"),
            labels=_split_kinds("init_declarator assignment_expression"),
        ),
        "dart": MentionGrammar(
            imports=_split_kinds("import_or_export"),
            calls=_parse_fields("call_expression"),
            definitions=_split_kinds("class_declaration function_signature"),
            names=_split_kinds("identifier type_identifier"),
            strings=_split_kinds("string_literal"),
            labels=_split_kinds("static_final_declaration initialized_identifier named_argument"),
        ),
        "lua": MentionGrammar(
            imports=frozenset(),
            calls=_parse_fields("function_call:name"),
            definitions=_split_kinds("function_declaration"),
            names=_split_kinds("identifier"),
            strings=_split_kinds("string"),
            labels=_split_kinds("assignment_statement field"),
            loaders=_split_kinds("require"),
        ),
        "bash": MentionGrammar(
            imports=frozenset(),
            calls=_parse_fields("command:name"),
            definitions=_split_kinds("function_definition"),
            names=_split_kinds("variable_name"),
            strings=_split_kinds("string raw_string"),
            labels=_split_kinds("variable_assignment"),
        ),
    }
)
"""By ast-grep's name, the languages whose code is read."""
