"""Accounts are known by what a text says, wherever it stands, and never by what it is called."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from jurat.rating.texts.account_table import ACCOUNTS, REGISTER
from jurat.rating.texts.accounts import find_accounts, is_register
from jurat.rating.texts.document_facts import list_statements
from jurat.rating.texts.stated_values import count_values
from tests.rating.test_recon_signals import signal
from tests.support.growth import LINEAR, measure_growth

NOTICE = """
Brightloan AG, Seestrasse 4, Zug, uses your payslips to judge whether you can repay, because you
want a contract with us. A hosting provider in Dublin stores them on our behalf for 18 months.
You may see, correct or erase them, object, or complain to the data protection authority:
privacy@brightloan.example.
"""
REGISTER_ROWS = """
- {risk: wrong refusal, likelihood: possible, severity: high, measure: a clerk checks each one}
- {risk: drift with new products, likelihood: likely, severity: medium, measure: monitoring}
"""
GIVEN = {
    "privacy_notice": NOTICE,
    REGISTER: REGISTER_ROWS,
    "processing_record": """
activity: scoring of applications
purpose: help clerks
legal basis: contract
data subjects: applicants
data: payslips, score
recipients: hosting provider in Dublin
kept: 18 months
security: TLS, roles
contact: privacy@brightloan.example, first line of the register of the bank
""",
    "review_plan": """
Every quarter the head of lending goes through the refusals of the last three months with the
complaints of customers, and checks that fewer than 2 % were wrong; the model is withdrawn if
the share is above that limit for two quarters in a row. Minutes are kept by the board.
""",
    "training_account": """
The course takes three hours and ends with a test that 80 of 92 clerks passed in 2025. They learn
what the model misses, work through six cases in which it was wrong, and repeat it each year.
""",
    "incident_procedure": """
If a customer is harmed, whoever notices phones the lending lead, who switches the model off within
one hour and tells the supervisor the same day. The team finds the cause, replays it on old cases
and turns it on again only after that. We practised it in May.
""",
    "incident_report": """
Somebody who was hurt, or nearly, by a wrong refusal is a serious incident.
The lending lead notes it, looks at the case with the clerk on the same day, and keeps the papers.
She then reports it to the market surveillance authority, and to the customer.
""",
    "monitoring_plan": """
What we collect once it is in use: the share of refusals, overruled ones, complaints of customers.
The head of lending looks at it each Monday; the team is paged if refusals rise above 12 % in a
week. What came of it stands below: in May two products were taken out.
""",
    "attack_report": """
The team and two guests went at the staging system for a day, on 12 May 2025.
Injections hidden in payslips: 4 of 60 got through, fixed since by quoting, 0 of 60 in the retest.
The database was killed under load: all 40 requests fell back to clerks, as wanted.
""",
    "fairness_report": """
We drew 400 refusals of the last round by group, and three clerks rated them without the names.
Women were refused in 12 %, men in 11 %, those over 55 in 19 %: a gap of 7 points to the others.
The age was removed from the features on 3 May; measured again, the difference is 1 point.
""",
    "risk_policy": """
This policy is binding for whoever builds or buys a model, in force since 3 May 2025, and read each
year. Risks that leave somebody without money come first; the board alone may accept level 3, and
nobody level 4. The risk owner signs each card. What came of it: two models were turned down.
""",
    "purpose_account": """
For whom: 40 clerks who decide on loans, at their desks, since 2025. It helps them to see what they
may miss. It may harm people with irregular income, whose payslips it misses; we assume that a
clerk reads each one. Checked under the consumer credit act. It must not be used for companies.
""",
}


def _find(text: str) -> list[str]:
    return [name for name, _ in find_accounts(ACCOUNTS, *list_statements(text))]


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_said_is_an_account_whatever_it_is_called(name: str) -> None:
    assert name in _find(f"# Notes of Tuesday\n\n{GIVEN[name]}")


@pytest.mark.parametrize("name", GIVEN)
def test_half_of_it_is_none(name: str) -> None:
    lines = GIVEN[name].strip().splitlines()
    assert name not in _find("\n".join(lines[: len(lines) // 3]))


@pytest.mark.parametrize(
    "text",
    [
        "# Privacy\n\nYour privacy is important to us: we are committed to high standards. "
        "We take protection of your data seriously and comply with all applicable laws always.",
        "# Privacy notice\n## Controller\n## Purposes\n## Legal basis\n## Recipients\n## Kept\n"
        "## Your rights: access, erasure, objection\n## Complaints to the supervisory authority\n",
        "Purpose: TBD\nLegal basis: TBD\nRecipients: TBD\nKept: TBD\nRights: TBD\nContact: TBD\n"
        * 4,
        "```\n" + NOTICE + "```\n",
        "# Risk management\n\nSince 2019 we take risks 100 % seriously. Our 250 people strive for "
        "the highest standards in 14 countries, and 99 % of customers trust our models.",
        "# Risk register\n\n| Risk | Likelihood | Response | Owner |\n|---|---|---|---|\n"
        "| Project is late because the vendor is slow | high | weekly review of the plan | PM |\n"
        "| The budget of the campaign is overrun | low | controller checks each month | CFO |\n",
        "# Workers\n\nEach worker takes 10 jobs from the queue and retries a job 3 times; a job "
        "that fails is kept for 7 days. Stop a worker with SIGTERM and it ends after the job. Call "
        "`purge` to delete what is older than 30 days, and check the log if the rate is above 5 %.",
    ],
    ids=["promises", "headings", "blanks", "a fence", "figures", "a project", "a manual"],
)
def test_a_form_or_a_promise_is_none(text: str) -> None:
    assert _find(text) == []


def test_a_page_too_long_for_one_account_is_looked_at_by_its_sections() -> None:
    filler = "The tables were moved to the other schema and the tests adapted. " * 90
    apart = NOTICE.strip().splitlines()
    scattered = "\n".join(f"## Part {n}\n\n{line}\n\n{filler}" for n, line in enumerate(apart))
    assert _find(scattered) == []
    together = f"## Setup\n\n{filler}\n\n## For customers\n{NOTICE}"
    assert (
        find_line(together, "privacy_notice")
        == together[: together.index("## For")].count("\n") + 1
    )


def find_line(text: str, name: str) -> int:
    return dict(find_accounts([name], *list_statements(text)))[name]


def test_a_register_needs_rows_that_are_filled() -> None:
    assert is_register(REGISTER_ROWS)
    assert not is_register("| Risk | Likelihood | Measure |\n|---|---|---|\n| | | |\n| | | |\n")
    assert not is_register("Risks: none. Measures: none needed. Approved.")


@pytest.mark.parametrize("path", ["docs/letter.md", "compliance/notes.yaml", "web/index.html"])
def test_a_notice_counts_in_a_document_in_settings_and_on_a_page(path: str) -> None:
    assert signal("privacy_document", {path: NOTICE, "main.py": "print(1)\n"})


def test_words_in_bold_that_begin_a_paragraph_are_a_heading() -> None:
    text = "# Tool\n\n**Known limits.** The model misses handwritten notes: 12 of 80 were wrong.\n"
    assert signal("limitations_document", {"notes.md": text})
    assert not signal("limitations_document", {"notes.md": text.replace("Known limits", "Note")})


@pytest.mark.parametrize("text", ["\n", " ", "x", "a.b+", "{{", "# "])
def test_values_are_counted_in_linear_time(text: str) -> None:
    def prepare(size: int) -> Callable[[], object]:
        return partial(count_values, f"40 %\n{text * size}\n3 May")

    assert count_values(f"40 %\n{text * 20_000}\n3 May") == 2
    assert measure_growth(prepare, 2_000) < LINEAR


def test_what_a_long_text_states_is_counted_to_its_end() -> None:
    rows = '"key": "word",\n' * 1_000
    assert count_values(f'{rows}"40 %",\n{rows}5\n%\n{rows}"3 May"') == 3
