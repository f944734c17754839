"""`_extends` as Probot has it: the nearest file wins, and what it names must be there."""

from __future__ import annotations

import pytest

from jurat.errors import ConfigurationError, RuleError
from jurat.github.base_config import FoundConfiguration, read_configuration, read_ruleset
from jurat.github.client import GitHub
from jurat.github.contents import CommitFiles
from jurat.github.errors import AccessRefusedError
from tests.github.conftest import CONFIGURATION, RULES
from tests.standins.github import Repository, StandIn, actions
from tests.standins.github.faults import Fault, always

STANDARDS = "acme/standards/.github/jurat.yml"


@pytest.fixture
def shop(repository: Repository) -> Repository:
    return repository


@pytest.fixture
def standards(github: StandIn) -> Repository:
    return github.create_repository(
        "acme/standards",
        {
            CONFIGURATION: (
                "packs: []\nrules: [laws]\nreview: {max_comments: 3, drafts: true}\n"
                "surfaces: {'**': document, 'law/**': clause_set}\n"
            ),
            "laws/a.yml": RULES.format(id="standards.rule"),
            "strict.yml": "packs: []\nreview: {max_comments: 1}\n",
        },
    )


def says(shop: Repository, text: str) -> None:
    actions.push(shop, "main", {CONFIGURATION: text})


def at(api: GitHub, shop: Repository) -> CommitFiles:
    return CommitFiles(api, "acme/shop", shop.head() or "")


async def found(api: GitHub, shop: Repository) -> FoundConfiguration:
    return await read_configuration(at(api, shop))


@pytest.mark.parametrize("value", ["standards", "acme/standards", "standards:.github/jurat.yml"])
async def test_a_file_builds_on_that_of_another_repository(
    api: GitHub, shop: Repository, standards: Repository, value: str
) -> None:
    says(shop, f"_extends: {value}\nreview: {{max_comments: 9}}\nsurfaces: {{'a/**': creative}}\n")
    configuration, rule_set = await read_ruleset(at(api, shop))
    assert (configuration.review.max_comments, configuration.review.drafts) == (9, True)
    assert list(configuration.surfaces) == ["a/**", "**", "law/**"]
    assert list(rule_set.rules) == ["standards.rule"]
    assert configuration.extends is None


async def test_each_key_says_which_files_it_comes_from(
    api: GitHub, shop: Repository, standards: Repository
) -> None:
    says(shop, "_extends: standards\npacks: [engineering]\nreview: {max_comments: 9}\n")
    assert (await found(api, shop)).sources == {
        "packs": (CONFIGURATION,),
        "review": (CONFIGURATION, STANDARDS),
        "rules": (STANDARDS,),
        "surfaces": (STANDARDS,),
    }


async def test_the_nearest_list_takes_the_place_of_the_farther_one(
    api: GitHub, shop: Repository, standards: Repository
) -> None:
    actions.push(shop, "main", {"own/b.yml": RULES.format(id="own.rule")})
    says(shop, "_extends: standards\nrules: [own]\n")
    _, rule_set = await read_ruleset(at(api, shop))
    assert list(rule_set.rules) == ["own.rule"]


async def test_a_path_may_be_named_and_a_chain_goes_on(
    api: GitHub, shop: Repository, standards: Repository
) -> None:
    actions.push(standards, "main", {"mid.yml": "_extends: standards:strict.yml\nversion: 1\n"})
    says(shop, "_extends: standards:mid.yml\n")
    configuration = (await found(api, shop)).configuration
    assert configuration.review.max_comments == 1


async def test_the_owners_file_may_build_on_another(
    api: GitHub, shop: Repository, standards: Repository, github: StandIn
) -> None:
    github.create_repository("acme/.github", {CONFIGURATION: "_extends: standards:strict.yml\n"})
    assert (await found(api, shop)).sources == {
        "packs": ("acme/standards/strict.yml",),
        "review": ("acme/standards/strict.yml",),
    }


async def test_a_file_of_the_same_repository_is_read_at_the_base(
    api: GitHub, shop: Repository
) -> None:
    actions.push(shop, "main", {"common.yml": "packs: []\n"})
    says(shop, "_extends: shop:common.yml\n")
    base = at(api, shop)
    actions.push(shop, "main", {"common.yml": "packs: [engineering]\n"})
    assert (await read_configuration(base)).configuration.packs == ()


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("nowhere", "acme/nowhere cannot be read"),
        ("other/nowhere", "other/nowhere cannot be read"),
        ("standards:no.yml", "acme/standards has no file no.yml"),
        ("standards:../secret.yml", "acme/standards has no file ../secret.yml"),
        ("shop", "acme/shop:.github/jurat.yml builds on this file: it is a circle"),
        ("Acme/Shop", "it is a circle"),
        ("https://example.com/x", "must be repo, owner/repo or owner/repo:path.yml"),
        ("..", "must be repo, owner/repo or owner/repo:path.yml"),
        ("'acme/..:x.yml'", "must be repo, owner/repo or owner/repo:path.yml"),
        ("3", "must be text, not 3"),
    ],
)
async def test_what_cannot_be_followed_is_an_error_on_its_line(
    api: GitHub, shop: Repository, standards: Repository, value: str, problem: str
) -> None:
    says(shop, f"packs: []\n_extends: {value}\n")
    with pytest.raises(ConfigurationError) as caught:
        await found(api, shop)
    error = caught.value
    assert (error.path, error.line, error.key) == (CONFIGURATION, 2, "_extends")
    assert problem in error.problem


async def test_a_refusal_is_no_missing_base(
    api: GitHub, shop: Repository, standards: Repository, github: StandIn
) -> None:
    says(shop, "_extends: standards\n")
    github.faults.append(always(Fault(403, "Resource not accessible"), "GET", "standards/commits"))
    with pytest.raises(ConfigurationError, match="acme/standards cannot be read"):
        await found(api, shop)


async def test_a_refused_owners_repository_is_not_taken_for_none(
    api: GitHub, shop: Repository, github: StandIn
) -> None:
    github.create_repository("acme/.github", {CONFIGURATION: "packs: []\n"})
    github.faults.append(always(Fault(403, "Resource not accessible"), "GET", ".github/commits"))
    with pytest.raises(AccessRefusedError):
        await found(api, shop)


async def test_a_long_chain_ends_with_an_error(
    api: GitHub, shop: Repository, standards: Repository
) -> None:
    chain = {f"{n}.yml": f"_extends: standards:{n + 1}.yml\n" for n in range(1, 9)}
    actions.push(standards, "main", {**chain, "9.yml": "packs: []\n"})
    says(shop, "_extends: standards:6.yml\n")
    assert (await found(api, shop)).configuration.packs == ()
    says(shop, "_extends: standards:5.yml\n")
    with pytest.raises(ConfigurationError, match=r"^acme/standards/8\.yml:1: .*more than 5 files"):
        await found(api, shop)


async def test_errors_name_the_file_that_they_stand_in(
    api: GitHub, shop: Repository, standards: Repository
) -> None:
    says(shop, "_extends: standards\n")
    actions.push(standards, "main", {"laws/a.yml": "rules: [{id: x}]\n"})
    with pytest.raises(RuleError, match=r"^acme/standards/laws/a\.yml:1: "):
        await read_ruleset(at(api, shop))
    actions.push(standards, "main", {CONFIGURATION: "packs: []\nrule: []\n"})
    with pytest.raises(
        ConfigurationError, match=r"^acme/standards/\.github/jurat\.yml:2: "
    ) as error:
        await read_ruleset(at(api, shop))
    assert "rule" not in f"{error.value.key} {error.value.problem}".replace("jurat rules", "")
