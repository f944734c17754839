from __future__ import annotations

import datetime as dt
import pickle
from decimal import Decimal
from pathlib import Path

import pytest

from jurat.errors import ConfigurationError, ExitCode, FileError, RuleError, UsageError
from jurat.facts.context import SubjectKind
from jurat.rules.constraints import DateConstraint, LookupConstraint, PatternConstraint
from jurat.rules.files import filter_rule_files, read_rule_files
from jurat.rules.loader import (
    find_missing_tables,
    list_packs,
    load_config,
    load_ruleset,
    read_pack,
)
from jurat.rules.rule import Maturity, RuleKind, Severity
from tests.support.code import rule_text

CONTRACT = """\
version: 1
pack: {name: hr, description: Working time and equal treatment, tags: [hr]}   # optional
rules:
  - id: hr.overtime-cap
    statement: Monthly overtime must not exceed 45 hours.
    kind: computational
    modality: MUST
    severity: HIGH
    subject_kinds: [event]
    maturity: stable
    constraints:
      - {type: numeric, field_path: monthly_overtime_hours, operator: "<=", threshold: 45, unit: hours}
      - {type: date, field_path: approved_on, operator: "<", reference_date: 2027-01-01}
      - {type: enum, field_path: contract_type, allowed_values: [permanent, fixed_term]}
      - {type: lookup, field_path: country, lookup_table: tables/notice.csv, key_column: country, result_column: max_days, compare: {field_path: notice_days, operator: "<="}}
  - id: py.requests-verify-off
    statement: TLS certificates are verified.
    kind: computational
    modality: MUST_NOT
    severity: CRITICAL
    languages: [python]
    constraints:
      - type: pattern
        language: python
        rule:                       # ast-grep's own rule language; a bare `pattern:` string is the short form
          pattern: {context: "f(verify=False)", selector: keyword_argument}
          inside: {kind: argument_list, inside: {pattern: "requests.$METHOD($$$ARGS)"}}
        fix: "verify=True"
    examples:
      invalid: ["requests.get(url, verify=False)"]
      valid: ["requests.get(url)"]
"""  # noqa: E501  # the rule file format as others write against it, word for word
NOTICE = "country,max_days\nDE,30\nFR,60\n"


def errors_of(files: dict[str, str]) -> list[str]:
    with pytest.raises(RuleError) as caught:
        load_ruleset(files)
    return [str(caught.value), *map(str, caught.value.others)]


def error_of(text: str, **more: str) -> str:
    (error,) = errors_of({"r.yml": text, **more})
    return error


def constraint(text: str, **keys: str) -> str:
    return f"rules:\n{rule_text(f'constraints: [{text}]', **keys)}"


def test_the_contract_of_a_rule_file_loads_word_for_word() -> None:
    rule_set = load_ruleset({"rules/hr.yml": CONTRACT, "rules/tables/notice.csv": NOTICE})
    overtime, verify = rule_set.rules.values()
    assert (overtime.kind, overtime.severity) == (RuleKind.COMPUTATIONAL, Severity.HIGH)
    assert overtime.subject_kinds == (SubjectKind.EVENT,)
    assert overtime.maturity is Maturity.STABLE
    assert overtime.tags == verify.tags == ("hr",)
    assert overtime.origin == "rules/hr.yml:4"
    assert [pack.name for pack in rule_set.packs] == ["hr"]
    assert rule_set.tables["hr.overtime-cap", "tables/notice.csv"][1] == {
        "country": "FR",
        "max_days": "60",
    }
    date = overtime.constraints[1]
    assert isinstance(date, DateConstraint)
    assert date.reference_date == dt.date(2027, 1, 1)
    assert isinstance(overtime.constraints[3], LookupConstraint)
    assert isinstance(verify.constraints[0], PatternConstraint)
    assert verify.constraints[0].fix == "verify=True"


def test_the_contract_of_a_rule_file_goes_beside_the_shipped_packs() -> None:
    own = {"rules/hr.yml": CONTRACT, "rules/tables/notice.csv": NOTICE}
    for pack in list_packs():
        assert len(load_ruleset({**read_pack(pack), **own})) > 2


def test_five_keys_are_enough() -> None:
    text = "rules:\n" + rule_text(kind="normative")
    (rule,) = load_ruleset({"r.yml": text}).rules.values()
    assert rule.constraints == ()


def test_the_revision_follows_what_a_rule_says_and_not_where_it_stands() -> None:
    def revision(text: str, path: str = "r.yml") -> str:
        (rule,) = load_ruleset({path: text}).rules.values()
        return rule.revision

    text = "rules:\n" + rule_text(kind="normative")
    assert revision(text) == revision(f"# moved down\n{text}", "elsewhere.yml")
    assert revision(text) != revision(text.replace("A statement", "Another statement"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("serverity: HIGH", "r.yml:7: rules[0].serverity: unknown key; did you mean 'severity'?"),
        ("zzz: 1", "r.yml:7: rules[0].zzz: unknown key; known are also_known_as, authority,"),
        ("origin: x", "r.yml:7: rules[0].origin: unknown key"),
        ("tags: hr", "r.yml:7: rules[0].tags: must be a list, not 'hr'"),
        ("subject_kinds: [evnt]", "did you mean 'event'?"),
        ("languages: [pyton]", "unknown language 'pyton'; did you mean 'python'?"),
        ("languages: ['x*']", "'x*' fits no language that has a grammar"),
        ("paths: ['/src/**']", "must neither start nor end with '/'"),
        ("paths: ['src/[a']", "'src/[a' has an unmatched '[' or ']'"),
        ("paths: ['!src/{a,b']", "'src/{a,b' has an unmatched '{' or '}'"),
        ("paths: ['{1..99999}']", "is not a glob"),
        ("effective: {from: 2027-02-01, until: 2027-01-01}", "from must not be later than until"),
        ("effective: {from: soon}", "effective.from: must be a date such as 2027-01-31"),
        ("authority: {weight: 101}", "authority.weight: must be at most 100, not 101"),
        ("relations: {overrides: [nobody]}", "relations.overrides[0]: there is no rule 'nobody'"),
        ("relations: {refines: [test.rule]}", "a rule cannot relate to itself"),
        ("relations: {depends_on: [test.rul]}", "did you mean 'test.rule'?"),
        ("examples: {valid: [{facts: {a: 1}, code: x}]}", "needs either code or facts"),
        ("examples: {invalid: [{cod: x}]}", "examples.invalid[0].cod: unknown key; did you mean"),
        ("examples: {valid: [x]}", "write the example as facts"),
        ("preconditions: [{type: regex, pattern: x}]", "regex cannot be one"),
        ("pin: maybe", "pin: must be true or false, not 'maybe'"),
    ],
)
def test_a_wrong_key_is_an_error_at_its_line(text: str, expected: str) -> None:
    assert expected in error_of("rules:\n" + rule_text(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{type: numerc}", "constraints[0].type: unknown type 'numerc'; did you mean 'numeric'?"),
        ("{field_path: a}", "constraints[0].type: is required"),
        ("3", "constraints[0]: must be a mapping of keys to values, not 3"),
        (
            '{type: numeric, field_path: a, operator: "=", threshold: 1}',
            "operator: must be one of <, <=, ==, !=, >=, >; found '='",
        ),
        (
            '{type: numeric, field_path: a, operator: "<", threshold: many}',
            "threshold: must be a number, not 'many'",
        ),
        (
            '{type: numeric, field_path: a, operator: "<", threshold: "NaN"}',
            "threshold: must be a finite number",
        ),
        (
            '{type: numeric, field_path: a, operator: "<", threshold: "Infinity"}',
            "threshold: must be a finite number",
        ),
        (
            '{type: numeric, field_path: a, operator: "<", threshold: 1e999}',
            "more than 60 digits",
        ),
        (
            '{type: numeric, field_path: "a..b", operator: "<", threshold: 1}',
            "'a..b' is no field path",
        ),
        (
            '{type: numeric, field_path: "a[-1]", operator: "<", threshold: 1}',
            "'a[-1]' is no field path",
        ),
        (
            '{type: date, field_path: a, operator: "<", reference_date: 2027-13-01}',
            "must be a date such as 2027-01-31",
        ),
        (
            '{type: date, field_path: a, operator: "<", reference_date: 20270101}',
            "must be a date such as 2027-01-31",
        ),
        ("{type: enum, field_path: a, allowed_values: []}", "allowed_values: must not be empty"),
        ("{type: regex, pattern: '('}", "not a regular expression for RE2: missing )"),
        ("{type: regex, pattern: 'a(?=b)'}", "not a regular expression for RE2"),
        ("{type: regex, pattern: 'a*'}", "matches the empty text, and so every line"),
        ("{type: pattern, language: python}", "needs either pattern (code) or rule"),
        ("{type: pattern, language: [], pattern: f()}", "language: must not be empty"),
        ("{type: pattern, language: pyhton, pattern: f()}", "language: unknown language 'pyhton'"),
        ("{type: pattern, language: python, pattern: 'f($$$'}", "is not whole python code"),
        (
            "{type: pattern, language: [python, go], rule: {any: [{pattern: 'x('}, {kind: call}]}}",
            "constraints[0].rule.any[0].pattern: 'x(' is not whole python code",
        ),
        (
            "{type: pattern, language: python, rule: {kind: clal}}",
            "constraints[0].rule: not a pattern for python: Kind `clal` is invalid.",
        ),
        (
            "{type: pattern, language: python, rule: {kindd: call}}",
            "unknown field `kindd`",
        ),
        ("{type: pattern, language: python, rule: {regex: '['}}", "regex parse error"),
        (
            "{type: pattern, language: python, pattern: f($A), constraints: {B: {kind: call}}}",
            "Undefined meta var `B`",
        ),
        (
            "{type: pattern, language: python, pattern: f($A), fix: g($B)}",
            "constraints[0].fix: $B is not bound by the pattern; bound are $A",
        ),
        (
            "{type: pattern, language: python, rule: {kind: call, not: {pattern: f($A)}}, fix: $A}",
            "$A is not bound by the pattern; bound are none",
        ),
        (
            "{type: order, steps: [a, b]}",
            "order needs a rule of kind: procedural; this one is computational",
        ),
        (
            "{type: lookup, field_path: a, lookup_table: t.csv, key_column: k}",
            "lookup_table: there is no table t.csv",
        ),
        (
            "{type: lookup, field_path: a, lookup_table: ../t.csv, key_column: k}",
            "must be a file in or below the rule file's folder",
        ),
        (
            "{type: lookup, field_path: a, lookup_table: t.csv, key_column: k, "
            'compare: {field_path: b, operator: "<"}}',
            "compare needs a result_column",
        ),
    ],
)
def test_a_wrong_constraint_is_an_error_at_its_line(text: str, expected: str) -> None:
    error = error_of(constraint(text))
    assert error.startswith("r.yml:7: rules[0].constraints")
    assert expected in error
    assert "backtrace" not in error
    assert "\n" not in error


@pytest.mark.parametrize("kind", ["normative", "definitional", "principle", "procedural"])
def test_constraints_belong_to_rules_that_are_computed(kind: str) -> None:
    text = constraint("{type: pattern, language: python, pattern: f()}", kind=kind)
    assert f"pattern needs a rule of kind: computational; this one is {kind}" in error_of(text)


def test_a_duplicate_id_names_both_places() -> None:
    text = "rules:\n" + rule_text(kind="normative")
    (error,) = errors_of({"a.yml": text, "b.yml": f"# a comment\n{text}"})
    assert error == "b.yml:3: rules[0].id: the id 'test.rule' stands in a.yml:2 already"


def test_relations_reach_across_files() -> None:
    first = "rules:\n" + rule_text("relations: {overrides: [b]}", kind="normative", id="a")
    second = "rules:\n" + rule_text(kind="normative", id="b")
    assert set(load_ruleset({"a.yml": first, "b.yml": second}).rules) == {"a", "b"}


def test_all_errors_of_all_files_are_reported_in_order() -> None:
    broken = "rules:\n" + rule_text("zzz: 1", kind="normativ")
    errors = errors_of({"b.yml": broken, "a.yml": "rules: 3"})
    assert [error.split(": ")[0] for error in errors] == ["a.yml:1", "b.yml:4", "b.yml:7"]


def test_a_file_that_is_no_rule_file_says_so() -> None:
    assert "is empty" in error_of("")
    assert "r.yml:2: rules: holds no rule" in error_of("version: 1\nrules: []")
    assert "r.yml:1: rules: is required" in error_of("version: 1")
    assert "version: must be one of 1" in error_of("version: 2\nrules: []")
    assert "r.yml: must be a mapping" in error_of("[]").replace(":1", "")


def test_an_error_survives_a_process_boundary() -> None:
    with pytest.raises(RuleError) as caught:
        load_ruleset({"r.yml": "rules: [{id: a}]"})
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert [str(error) for error in copy.others] == list(map(str, caught.value.others))
    assert copy.exit_code is ExitCode.USAGE


class TestTables:
    LOOKUP = constraint("{type: lookup, field_path: a, lookup_table: t/x.csv, key_column: k}")
    YAML = LOOKUP.replace("t/x.csv", "t/x.yml")

    def test_they_stand_beside_the_rule_file(self) -> None:
        rule_set = load_ruleset({"rules/r.yml": self.LOOKUP, "rules/t/x.csv": "k,v\na,1\n"})
        assert rule_set.tables == {("test.rule", "t/x.csv"): ({"k": "a", "v": "1"},)}

    def test_they_may_be_yaml_which_is_then_no_rule_file(self) -> None:
        files = {"r.yml": self.YAML, "t/x.yml": "- {k: a, v: 1.50}\n- {k: b, v: true}\n"}
        (table,) = load_ruleset(files).tables.values()
        assert table == ({"k": "a", "v": "1.50"}, {"k": "b", "v": "true"})

    @pytest.mark.parametrize(
        ("table", "expected"),
        [
            ("", "t/x.csv: a table needs a line of column names"),
            ("k,v\n", "t/x.csv: a table needs a line of column names"),
            ("k,k\na,b\n", "t/x.csv:1: the first line must name each column once"),
            ("k,v\na\n", "t/x.csv:2: has 1 columns, the first line names 2"),
            ('k,v\na,"b\n', "t/x.csv:2: not valid CSV"),
            ("id,v\na,1\n", "t/x.csv has no column 'k'; it has id, v"),
            ("k,v\na,1\na,2\n", "t/x.csv has several rows for 'a'"),
        ],
    )
    def test_a_broken_one_is_an_error(self, table: str, expected: str) -> None:
        (error,) = errors_of({"r.yml": self.LOOKUP, "t/x.csv": table})
        assert expected in error

    def test_a_broken_yaml_one_is_an_error(self) -> None:
        (error,) = errors_of({"r.yml": self.YAML, "t/x.yml": "- {k: a}\n- {v: b}\n"})
        assert error == "t/x.yml:2: [1]: must be a mapping with the same keys as the first row"

    def test_those_that_are_missing_can_be_asked_for(self) -> None:
        assert find_missing_tables({"rules/r.yml": self.LOOKUP}) == {"rules/t/x.csv"}
        assert find_missing_tables({"rules/r.yml": self.LOOKUP, "rules/t/x.csv": ""}) == set()
        assert find_missing_tables({"r.yml": "rules: []"}) == set()


@pytest.mark.parametrize(
    "entry", ["/etc", "../..", "rules/../../other", "", ".git/hooks", "..\\\\rules"]
)
def test_a_configuration_names_rules_of_its_repository_alone(entry: str) -> None:
    with pytest.raises(ConfigurationError, match="must be a path in this repository") as caught:
        load_config("jurat.yml", f'version: 1\nrules:\n  - rules\n  - "{entry}"\n')
    assert str(caught.value).startswith("jurat.yml:4: rules[1]:")


class TestReading:
    @pytest.mark.parametrize("link", ["rules", "rules/r.yml", "rules/t.csv"])
    def test_no_link_leads_out_of_the_folder_that_was_named(
        self, tmp_path: Path, link: str
    ) -> None:
        texts = {"r.yml": TestTables.LOOKUP.replace("t/x.csv", "t.csv"), "t.csv": "k\na\n"}
        for place in ("inside/rules", "outside"):
            (tmp_path / place).mkdir(parents=True)
            for name, text in texts.items():
                (tmp_path / place / name).write_text(text)
        inside = tmp_path / "inside"
        assert len(read_rule_files([inside / "rules"], within=inside)) == 2
        linked = inside / link
        if linked.is_dir():
            linked.rename(tmp_path / "moved")
        else:
            linked.unlink()
        linked.symlink_to(tmp_path / "outside" / link.removeprefix("rules").strip("/"))
        with pytest.raises(RuleError, match="leads out of the repository"):
            read_rule_files([inside / "rules"], within=inside)

    def test_a_folder_is_read_with_its_tables(self, tmp_path: Path) -> None:
        (tmp_path / "hr" / "tables").mkdir(parents=True)
        (tmp_path / "hr" / "rules.yml").write_text(CONTRACT)
        (tmp_path / "hr" / "tables" / "notice.csv").write_text(NOTICE)
        (tmp_path / "hr" / "README.md").write_text("not a rule")
        assert len(load_ruleset(read_rule_files([tmp_path]))) == 2

    def test_a_file_brings_the_tables_that_it_names(self, tmp_path: Path) -> None:
        (tmp_path / "tables").mkdir()
        (tmp_path / "rules.yml").write_text(CONTRACT)
        (tmp_path / "tables" / "notice.csv").write_text(NOTICE)
        assert len(load_ruleset(read_rule_files([tmp_path / "rules.yml"]))) == 2

    def test_a_file_given_twice_is_read_once(self, tmp_path: Path) -> None:
        path = tmp_path / "r.yml"
        path.write_text("rules:\n" + rule_text(kind="normative"))
        assert len(load_ruleset(read_rule_files([tmp_path, path, f"{tmp_path}/./r.yml"]))) == 1

    def test_what_cannot_be_read_is_a_rule_error(self, tmp_path: Path) -> None:
        with pytest.raises(RuleError, match="there is no such file or folder"):
            read_rule_files([tmp_path / "none.yml"])
        with pytest.raises(RuleError, match="holds no rule file"):
            read_rule_files([tmp_path])
        (tmp_path / "r.yml").write_bytes(b"rules:\n  \xff")
        with pytest.raises(RuleError, match=r"r\.yml:2: is not UTF-8 text"):
            read_rule_files([tmp_path])

    def test_a_file_of_another_ending_is_not_passed_over(self, tmp_path: Path) -> None:
        (tmp_path / "rules.txt").write_text(CONTRACT)
        with pytest.raises(RuleError, match=r"rules\.txt: is no rule file: .* \.yml or \.yaml"):
            read_rule_files([tmp_path / "rules.txt"])
        with pytest.raises(RuleError, match=r"rules\.txt: is no rule file"):
            filter_rule_files(["rules.txt"], ["rules.txt"])

    def test_a_table_alone_is_no_rule(self, tmp_path: Path) -> None:
        table = tmp_path / "limits.csv"
        table.write_text("country,limit\nDE,5\n")
        with pytest.raises(RuleError, match="holds no rule file"):
            read_rule_files([tmp_path])
        with pytest.raises(RuleError, match=r"limits\.csv: is no rule file"):
            read_rule_files([table])
        with pytest.raises(RuleError, match="nor a folder that holds one"):
            filter_rule_files(["tables"], ["tables/limits.csv"])
        with pytest.raises(RuleError, match="is no rule file"):
            filter_rule_files(["limits.csv"], ["limits.csv"])

    def test_a_repositorys_files_are_found_by_file_or_folder(self) -> None:
        paths = ["rules/a.yml", "rules/t/x.csv", "rules/notes.md", "rules2/b.yml", "one.yml"]
        assert filter_rule_files(["rules", "one.yml"], paths) == [
            "rules/a.yml",
            "rules/t/x.csv",
            "one.yml",
        ]
        assert filter_rule_files(["./rules/"], paths) == ["rules/a.yml", "rules/t/x.csv"]
        with pytest.raises(RuleError, match="there is no such rule file"):
            filter_rule_files(["policies"], paths)


def test_packs_are_known_by_name() -> None:
    assert "engineering" in list_packs()
    assert all(path.startswith("jurat:engineering/") for path in read_pack("engineering"))
    with pytest.raises(UsageError, match="did you mean 'engineering'"):
        read_pack("enginering")


def test_only_what_is_shipped_is_taken_as_checked() -> None:
    path, text = next(iter(read_pack("engineering").items()))
    broken = text + rule_text("constraints: [{type: regex, pattern: '('}]")
    assert "not a regular expression" in errors_of({path: broken})[0]
    assert "not a regular expression" in errors_of({"jurat:none/a.yml": broken})[0]


class TestConfiguration:
    def error_of(self, text: str) -> str:
        with pytest.raises(ConfigurationError) as caught:
            load_config(".github/jurat.yml", text)
        assert isinstance(caught.value, FileError)
        return str(caught.value)

    def test_an_empty_file_is_the_default(self) -> None:
        assert load_config("c.yml", "").packs == ("engineering",)
        assert load_config("c.yml", "version: 1\npacks: []").packs == ()

    def test_everything_can_be_set(self) -> None:
        text = """\
version: 1
packs: [engineering]
rules: [.github/rules]
ignore: ["vendor/**"]
surfaces: {"contracts/**": clause_set}
review: {max_rules: 40, severity_min: LOW, drafts: true}
rating: {regulations: [gdpr], fail_below: 2.5}
"""
        configuration = load_config("c.yml", text)
        assert configuration.surfaces == {"contracts/**": SubjectKind.CLAUSE_SET}
        assert configuration.review.max_rules == 40
        assert Decimal(str(configuration.rating.fail_below)) == Decimal("2.5")

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("pakcs: []", ".github/jurat.yml:1: pakcs: unknown key; did you mean 'packs'?"),
            ("a: 1\nb: [\nc: 1", ".github/jurat.yml:3: not valid YAML: did not find expected"),
            ("packs: [enginering]", "unknown pack 'enginering'; did you mean 'engineering'?"),
            (
                "review:\n  max_rules: 0",
                ".github/jurat.yml:2: review.max_rules: must be at least 1",
            ),
            ("review: {severity_min: HIHG}", "did you mean 'HIGH'?"),
            ("ignore: ['/a']", "ignore[0]: '/a' must neither start nor end with '/'"),
            ("surfaces: {'a[': event}", "surfaces.a[: 'a[' has an unmatched"),
            ("surfaces: {'a/*': evnt}", "did you mean 'event'?"),
            ("[]", "must be a mapping of keys to values, not a list"),
        ],
    )
    def test_an_error_names_its_line_and_key(self, text: str, expected: str) -> None:
        assert expected in self.error_of(text)
