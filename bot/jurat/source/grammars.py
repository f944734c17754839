"""What each grammar calls a function, a class and a branch: the one table behind functions.py.

The names are node kinds and fields of the tree-sitter grammars that ast-grep bundles; each
grammar's `node-types.json` lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from ast_grep_py import Rule


@dataclass(frozen=True, slots=True)
class Grammar:
    """How functions look in one language, in node kinds.

    `functions` maps a kind to what it is outside of a class. `closures` count once something names
    them: their parent, past the kinds in `through`, is one of `bindings`. `classes` make methods of
    the functions directly inside them, `modules` only qualify names. `branches` are decision points
    one by one, `rules` those that the kind alone does not tell (the key is the kind). `nests` are
    the control structures. `parameters` are the kinds that stand for one parameter each, in the
    field "parameters", or in a child of a kind in `lists`, or in the function if its own kind is
    there. `wrappers` are parents, and `prefixes` siblings before it, that belong to a function.
    `constructors` are names. `endings` complete a first line that stands on its own.
    """

    functions: Mapping[str, str]
    branches: frozenset[str]
    nests: frozenset[str]
    parameters: frozenset[str]
    rules: Mapping[str, Rule] = field(default_factory=dict)
    closures: frozenset[str] = frozenset()
    bindings: frozenset[str] = frozenset()
    through: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    wrappers: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()
    constructors: frozenset[str] = frozenset()
    endings: tuple[str, ...] = ("}", "{}", "\n{}", ") {}")


def _build_operator(kind: str, *operators: str) -> tuple[str, Rule]:
    """A short-circuit operator: each is a decision of its own."""
    escaped = "|".join(operator.replace("|", r"\|").replace("?", r"\?") for operator in operators)
    return kind, {"kind": kind, "has": {"field": "operator", "regex": f"^({escaped})$"}}


def _build_unless(kind: str, default: str) -> tuple[str, Rule]:
    """A case that tests something; the default one is if all others did not apply."""
    return kind, {"kind": kind, "not": {"regex": default}}


def _build_matching(kind: str, regex: str) -> tuple[str, Rule]:
    return kind, {"kind": kind, "regex": regex}


def _split_kinds(words: str) -> frozenset[str]:
    return frozenset(words.split())


_C_LIKE = "if_statement for_statement while_statement do_statement"

_PYTHON = Grammar(
    functions={"function_definition": "function"},
    closures=_split_kinds("lambda"),
    bindings=_split_kinds("assignment named_expression"),
    classes=_split_kinds("class_definition"),
    branches=_split_kinds(
        "if_statement elif_clause for_statement while_statement except_clause boolean_operator "
        "conditional_expression for_in_clause if_clause"
    ),
    rules=dict([_build_unless("case_clause", r"^case\s+_\s*:")]),
    nests=_split_kinds("if_statement for_statement while_statement try_statement match_statement"),
    parameters=_split_kinds(
        "identifier typed_parameter default_parameter typed_default_parameter list_splat_pattern "
        "dictionary_splat_pattern tuple_pattern"
    ),
    wrappers=_split_kinds("decorated_definition"),
    constructors=_split_kinds("__init__ __new__"),
    endings=("\n    pass", ":\n    pass", "):\n    pass"),
)

_JAVASCRIPT = Grammar(
    functions={
        "function_declaration": "function",
        "generator_function_declaration": "function",
        "method_definition": "method",
    },
    closures=_split_kinds("arrow_function function_expression generator_function"),
    bindings=_split_kinds(
        "variable_declarator assignment_expression pair field_definition export_statement"
    ),
    through=_split_kinds("parenthesized_expression"),
    classes=_split_kinds("class_declaration class"),
    branches=_split_kinds(
        f"{_C_LIKE} for_in_statement catch_clause ternary_expression switch_case"
    ),
    rules=dict([_build_operator("binary_expression", "&&", "||", "??")]),
    nests=_split_kinds(f"{_C_LIKE} for_in_statement switch_statement try_statement"),
    parameters=_split_kinds(
        "identifier assignment_pattern rest_pattern object_pattern array_pattern"
    ),
    prefixes=_split_kinds("decorator"),
    constructors=_split_kinds("constructor"),
)

_TYPESCRIPT = replace(
    _JAVASCRIPT,
    bindings=_JAVASCRIPT.bindings - {"field_definition"} | {"public_field_definition"},
    classes=_JAVASCRIPT.classes | {"abstract_class_declaration"},
    modules=_split_kinds("internal_module module"),
    parameters=_JAVASCRIPT.parameters | {"required_parameter", "optional_parameter"},
)

_GO = Grammar(
    functions={"function_declaration": "function", "method_declaration": "method"},
    closures=_split_kinds("func_literal"),
    bindings=_split_kinds(
        "var_spec const_spec short_var_declaration assignment_statement keyed_element"
    ),
    through=_split_kinds("expression_list literal_element parenthesized_expression"),
    branches=_split_kinds(
        "if_statement for_statement expression_case type_case communication_case"
    ),
    rules=dict([_build_operator("binary_expression", "&&", "||")]),
    nests=_split_kinds(
        "if_statement for_statement expression_switch_statement type_switch_statement "
        "select_statement"
    ),
    parameters=_split_kinds("parameter_declaration variadic_parameter_declaration"),
)

_JAVA = Grammar(
    functions={
        "method_declaration": "method",
        "constructor_declaration": "constructor",
        "compact_constructor_declaration": "constructor",
    },
    closures=_split_kinds("lambda_expression"),
    bindings=_split_kinds("variable_declarator assignment_expression"),
    classes=_split_kinds(
        "class_declaration interface_declaration enum_declaration record_declaration "
        "annotation_type_declaration"
    ),
    branches=_split_kinds(f"{_C_LIKE} enhanced_for_statement catch_clause ternary_expression"),
    rules=dict(
        [
            _build_operator("binary_expression", "&&", "||"),
            _build_matching("switch_label", r"^case\b"),
        ]
    ),
    nests=_split_kinds(
        f"{_C_LIKE} enhanced_for_statement switch_expression try_statement "
        "try_with_resources_statement"
    ),
    parameters=_split_kinds("formal_parameter spread_parameter identifier"),
)

_KOTLIN = Grammar(
    functions={"function_declaration": "function", "secondary_constructor": "constructor"},
    closures=_split_kinds("lambda_literal anonymous_function"),
    bindings=_split_kinds("property_declaration assignment"),
    classes=_split_kinds("class_declaration object_declaration companion_object"),
    branches=_split_kinds(
        "if_expression for_statement while_statement do_while_statement catch_block "
        "conjunction_expression disjunction_expression elvis_expression"
    ),
    rules=dict([_build_unless("when_entry", r"^else\b")]),
    nests=_split_kinds(
        "if_expression for_statement while_statement do_while_statement when_expression "
        "try_expression"
    ),
    lists=_split_kinds("function_value_parameters lambda_parameters"),
    parameters=_split_kinds("parameter variable_declaration multi_variable_declaration"),
)

_RUST = Grammar(
    functions={"function_item": "function"},
    closures=_split_kinds("closure_expression"),
    bindings=_split_kinds("let_declaration static_item const_item"),
    classes=_split_kinds("impl_item trait_item"),
    modules=_split_kinds("mod_item"),
    branches=_split_kinds("if_expression for_expression while_expression"),
    rules=dict(
        [_build_operator("binary_expression", "&&", "||"), _build_unless("match_arm", r"^_\s*=>")]
    ),
    nests=_split_kinds(
        "if_expression for_expression while_expression loop_expression match_expression"
    ),
    parameters=_split_kinds("parameter identifier tuple_pattern reference_pattern"),
    prefixes=_split_kinds("attribute_item"),
)

_RUBY = Grammar(
    functions={"method": "function", "singleton_method": "function"},
    closures=_split_kinds("lambda"),
    bindings=_split_kinds("assignment"),
    classes=_split_kinds("class module singleton_class"),
    branches=_split_kinds(
        "if elsif unless while until for if_modifier unless_modifier while_modifier "
        "until_modifier when in_clause rescue rescue_modifier conditional"
    ),
    rules=dict([_build_operator("binary", "&&", "||", "and", "or")]),
    nests=_split_kinds("if unless while until for case case_match begin"),
    parameters=_split_kinds(
        "identifier optional_parameter keyword_parameter splat_parameter hash_splat_parameter "
        "block_parameter destructured_parameter"
    ),
    constructors=_split_kinds("initialize"),
    endings=("\nend",),
)

_C = Grammar(
    functions={"function_definition": "function"},
    branches=_split_kinds(f"{_C_LIKE} conditional_expression"),
    rules=dict(
        [
            _build_operator("binary_expression", "&&", "||"),
            _build_matching("case_statement", r"^case\b"),
        ]
    ),
    nests=_split_kinds(f"{_C_LIKE} switch_statement"),
    parameters=_split_kinds("parameter_declaration variadic_parameter"),
)

_CPP = Grammar(
    functions={"function_definition": "function"},
    closures=_split_kinds("lambda_expression"),
    bindings=_split_kinds("init_declarator assignment_expression"),
    classes=_split_kinds("class_specifier struct_specifier union_specifier"),
    modules=_split_kinds("namespace_definition"),
    branches=_split_kinds(f"{_C_LIKE} for_range_loop catch_clause conditional_expression"),
    rules=dict(
        [
            _build_operator("binary_expression", "&&", "||", "and", "or"),
            _build_matching("case_statement", r"^case\b"),
        ]
    ),
    nests=_split_kinds(f"{_C_LIKE} for_range_loop switch_statement try_statement"),
    parameters=_split_kinds(
        "parameter_declaration optional_parameter_declaration variadic_parameter_declaration "
        "variadic_parameter"
    ),
    wrappers=_split_kinds("template_declaration"),
)

_CSHARP = Grammar(
    functions={
        "method_declaration": "method",
        "constructor_declaration": "constructor",
        "destructor_declaration": "method",
        "operator_declaration": "method",
        "local_function_statement": "function",
    },
    closures=_split_kinds("lambda_expression anonymous_method_expression"),
    bindings=_split_kinds("variable_declarator assignment_expression"),
    classes=_split_kinds(
        "class_declaration struct_declaration interface_declaration record_declaration "
        "enum_declaration"
    ),
    branches=_split_kinds(f"{_C_LIKE} foreach_statement catch_clause conditional_expression"),
    rules=dict(
        [
            _build_operator("binary_expression", "&&", "||", "??"),
            _build_matching("switch_section", r"^case\b"),
            _build_unless("switch_expression_arm", r"^_\s*=>"),
        ]
    ),
    nests=_split_kinds(
        f"{_C_LIKE} foreach_statement switch_statement switch_expression try_statement"
    ),
    parameters=_split_kinds("parameter implicit_parameter"),
)

_PHP = Grammar(
    functions={"function_definition": "function", "method_declaration": "method"},
    closures=_split_kinds("anonymous_function arrow_function"),
    bindings=_split_kinds("assignment_expression array_element_initializer"),
    classes=_split_kinds(
        "class_declaration interface_declaration trait_declaration enum_declaration"
    ),
    branches=_split_kinds(
        f"{_C_LIKE} else_if_clause foreach_statement catch_clause conditional_expression "
        "case_statement match_conditional_expression"
    ),
    rules=dict([_build_operator("binary_expression", "&&", "||", "??", "and", "or")]),
    nests=_split_kinds(
        f"{_C_LIKE} foreach_statement switch_statement match_expression try_statement"
    ),
    parameters=_split_kinds("simple_parameter variadic_parameter property_promotion_parameter"),
    constructors=_split_kinds("__construct"),
)

_SWIFT = Grammar(
    functions={
        "function_declaration": "function",
        "init_declaration": "constructor",
        "deinit_declaration": "method",
    },
    closures=_split_kinds("lambda_literal"),
    bindings=_split_kinds("property_declaration assignment"),
    classes=_split_kinds("class_declaration protocol_declaration"),
    branches=_split_kinds(
        "if_statement guard_statement for_statement while_statement repeat_while_statement "
        "catch_block ternary_expression conjunction_expression disjunction_expression "
        "nil_coalescing_expression"
    ),
    rules=dict([_build_matching("switch_entry", r"^case\b")]),
    nests=_split_kinds(
        "if_statement for_statement while_statement repeat_while_statement switch_statement "
        "do_statement"
    ),
    lists=_split_kinds("function_declaration init_declaration lambda_function_type_parameters"),
    parameters=_split_kinds("parameter lambda_parameter"),
)

_SCALA = Grammar(
    functions={"function_definition": "function"},
    closures=_split_kinds("lambda_expression"),
    bindings=_split_kinds("val_definition var_definition"),
    classes=_split_kinds(
        "class_definition object_definition trait_definition enum_definition given_definition"
    ),
    branches=_split_kinds("if_expression for_expression while_expression do_while_expression"),
    rules=dict(
        [
            _build_operator("infix_expression", "&&", "||"),
            _build_unless("case_clause", r"^case\s+_\s*=>"),
        ]
    ),
    nests=_split_kinds(
        "if_expression for_expression while_expression do_while_expression match_expression "
        "try_expression"
    ),
    parameters=_split_kinds("parameter binding"),
    constructors=_split_kinds("this"),
    endings=("}", " {}", " = 0", "\n  0"),
)

_BASH = Grammar(
    functions={"function_definition": "function"},
    branches=_split_kinds(
        "if_statement elif_clause for_statement c_style_for_statement while_statement"
    ),
    rules=dict(
        [
            _build_operator("binary_expression", "&&", "||"),
            ("list", {"kind": "list"}),
            _build_unless("case_item", r"^\s*\(?\*\)"),
        ]
    ),
    nests=_split_kinds(
        "if_statement for_statement c_style_for_statement while_statement case_statement"
    ),
    parameters=frozenset(),
    endings=("\n:\n}", "\n{\n:\n}"),
)

GRAMMARS: Mapping[str, Grammar] = MappingProxyType(
    {
        "bash": _BASH,
        "c": _C,
        "cpp": _CPP,
        "csharp": _CSHARP,
        "go": _GO,
        "java": _JAVA,
        "javascript": _JAVASCRIPT,
        "kotlin": _KOTLIN,
        "php": _PHP,
        "python": _PYTHON,
        "ruby": _RUBY,
        "rust": _RUST,
        "scala": _SCALA,
        "swift": _SWIFT,
        "tsx": _TYPESCRIPT,
        "typescript": _TYPESCRIPT,
    }
)
"""By ast-grep's name, the languages whose functions are extracted."""

COMMENT_KINDS: Mapping[str, tuple[str, ...]] = {
    "dart": ("comment", "block_comment"),
    "haskell": ("comment", "haddock"),
    "java": ("line_comment", "block_comment"),
    "kotlin": ("line_comment", "multiline_comment"),
    "markdown": ("html_block",),
    "rust": ("line_comment", "block_comment"),
    "scala": ("comment", "block_comment"),
    "swift": ("comment", "multiline_comment"),
}
"""What grammars call a comment, if it is not just `comment`."""
