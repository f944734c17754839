"""The configuration and the rules in force come from the base, whatever the change does."""

from __future__ import annotations

import pytest

from jurat.cli.checkout import GitCheckout, resolve_range
from jurat.cli.rule_files import load_local_ruleset, read_base_config
from jurat.errors import ConfigurationError, RuleError
from jurat.rules.config import Config
from tests.support.checkout import Checkout

RULES = """\
version: 1
rules:
  - id: acme.small
    statement: Small.
    kind: computational
    modality: MUST
    severity: HIGH
    constraints:
      - {type: numeric, field_path: change.files_changed, operator: "<=", threshold: 3}
"""


class TestWhatIsInForce:
    def at_base(self, checkout: Checkout) -> tuple[Config, set[str]]:
        with GitCheckout.containing(checkout.folder) as repository:
            file, own = read_base_config(repository, resolve_range(repository).base)
        rule_set, configuration = load_local_ruleset(file, own, packs=["none"])
        return configuration, set(rule_set.rules)

    def test_is_the_default_without_a_configuration(self, checkout: Checkout) -> None:
        checkout.commit()
        assert self.at_base(checkout) == (Config(), set())

    def test_comes_from_the_base_whatever_the_change_does_to_it(self, checkout: Checkout) -> None:
        checkout.write({".github/jurat.yml": "rules: [laws, ./more.yml]\n"})
        more = RULES.replace("acme.small", "acme.more")
        checkout.write({"laws/size.yml": RULES, "laws/notes.txt": "no rule", "more.yml": more})
        checkout.commit()
        checkout.git("switch", "--quiet", "--create", "work")
        checkout.write({".github/jurat.yml": "ignore: ['**']\n", "laws/size.yml": "rules: []\n"})
        checkout.commit()
        configuration, rules = self.at_base(checkout)
        assert configuration.ignore == ()
        assert rules == {"acme.small", "acme.more"}

    @pytest.mark.parametrize(
        ("files", "error", "says"),
        [
            ({".github/jurat.yml": "version: 1\nrule: []\n"}, ConfigurationError, "jurat.yml:2:"),
            ({".github/jurat.yml": b"\xff"}, ConfigurationError, "not UTF-8"),
            ({".github/jurat.yml": "rules: [nowhere]\n"}, RuleError, "nowhere"),
            (
                {".github/jurat.yml": "rules: [a.yml]\n", "a.yml": RULES + "    colour: red\n"},
                RuleError,
                r"a.yml:10: rules\[0\].colour",
            ),
        ],
        ids=["unknown key", "encoding", "missing folder", "unknown rule key"],
    )
    def test_that_is_broken_stops_the_review(
        self,
        checkout: Checkout,
        files: dict[str, str | bytes],
        error: type[Exception],
        says: str,
    ) -> None:
        checkout.write(files)
        checkout.commit()
        with pytest.raises(error, match=says):
            self.at_base(checkout)

    def test_says_in_one_line_that_what_it_builds_on_was_not_followed(
        self, checkout: Checkout, capsys: pytest.CaptureFixture[str]
    ) -> None:
        checkout.write({".github/jurat.yml": "_extends: standards\n"})
        checkout.commit()
        self.at_base(checkout)
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err == (
            "jurat: _extends: standards was not followed, so its rules and settings are missing"
            " here; the App follows it.\n"
        )
