"""What looks like a secret is masked, and what does not stays readable."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurat.source.secret_masks import find_secrets, mask_secrets, to_model_lines
from tests.support.secret_formats import FORMATS, draw_secret


@pytest.mark.parametrize("name", FORMATS)
def test_a_secret_of_each_kind_is_masked(name: str) -> None:
    assert len(FORMATS) == 60
    for seed in range(10):
        secret, line = draw_secret(name, seed)
        assert secret not in mask_secrets(line), line


@pytest.mark.parametrize(
    "line",
    [
        "def compute_evaluation_id(evaluation: Evaluation, *, rules: RuleSet) -> str:",
        "from jurat.github.errors import GitHubUnavailableError, PullRequestClosedError",
        "password = os.environ['DB_PASSWORD']",
        'password = getpass("Password: ")',
        "token: str = await create_token(user, session=session)",
        'if key == "unchanged" and auth is None:',
        "      - uses: actions/checkout@08eba0b27e820071cde6df949e0beb9ba4906955",
        "https://docs.github.com/en/rest/checks/runs?apiVersion=2022-11-28",
        "import { createHash, timingSafeEqual } from 'node:crypto';",
        "postgres://${USER}:${PASSWORD}@db/shop",
        "class AbstractSingletonProxyFactoryBean(ProxyConfig):",
        "id = '123e4567-e89b-12d3-a456-426614174000'",
        "max_tokens: 64000",
    ],
)
def test_plain_code_is_left_as_it_is(line: str) -> None:
    assert mask_secrets(line) == line


def test_a_mask_leaves_the_line_readable() -> None:
    assert mask_secrets('db = connect(host, password="Tr0ub4dor&3-x", port=1)') == (
        'db = connect(host, password="⟦masked: password⟧", port=1)'
    )


@pytest.mark.parametrize(
    "line",
    [
        'token = "ghp_{}" + "{}"',
        "token = 'ghp_{}' '{}'",
        "token = `ghp_{}` + `{}`",
        'token = "ghp_{}\u200b{}"',
        'token = "\uff47\uff48\uff50_{}{}"',
        'token = "\\x67hp_{}{}"',
        'token = "\\u0067hp_{}{}"',
    ],
)
def test_a_secret_in_parts_or_in_disguise_is_masked(line: str) -> None:
    first, second = "a8Kd3Ls9Qm2Xp7Zt4V", "b1Nc6Hy0Rj5Wf3Ge8U"
    shown = mask_secrets(line.format(first, second))
    assert first not in shown
    assert second not in shown


KEY = """key = '''-----BEGIN RSA PRIVATE KEY-----
MIIEpAIBAAKCAQEA0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9t0u1v2w3x
MIIEpAIBAAKCAQEA0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9t0u1v2w3x
Zz9=
-----END RSA PRIVATE KEY-----'''
print(key)"""


def test_every_line_of_a_private_key_is_masked() -> None:
    shown = mask_secrets(KEY).split("\n")
    assert shown[1:4] == ["⟦masked: private key⟧"] * 3
    assert shown[5] == "print(key)"


def test_a_key_that_never_ends_hides_no_code() -> None:
    code = [
        "-----BEGIN PRIVATE KEY-----",
        "MIIEpAIBAAKCAQEA0a1b2c3d4e5f",
        "os.system(command)",
        "x",
    ]
    assert to_model_lines(code)[2:] == code[2:]


@given(st.text(max_size=300))
def test_any_text_keeps_its_lines_and_is_masked_once(text: str) -> None:
    shown = mask_secrets(text)
    assert shown.count("\n") == text.count("\n")
    assert mask_secrets(shown) == shown


def test_a_forged_mask_hides_no_secret() -> None:
    secret, _ = draw_secret("github-pat")
    assert secret not in mask_secrets(f"⟦masked: {secret}⟧")


def test_a_long_line_takes_no_longer_than_its_length() -> None:
    # A minified file is one line; quadratic, this would take hours.
    for text in ("a_" * 60_000, "key=" * 30_000, "'" * 100_000, "A1" * 60_000):
        find_secrets(text)
