"""Secrets of sixty kinds, made at random, in lines as people write them.

The formats are those that public lists and their issuers' pages give, not those that our own rules
look for: https://github.com/gitleaks/gitleaks/tree/master/cmd/generate/config/rules (by its names),
RFC 3986, RFC 7617, RFC 7468, and the manuals of curl, Kubernetes, PostgreSQL, Azure Storage and
netrc.
"""

from __future__ import annotations

import random
import re
import string

_CLASSES = {
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "d": string.digits,
    "l": string.ascii_lowercase,
    "b": string.ascii_lowercase + string.digits,
    "B": string.ascii_uppercase + string.digits,
    "w": string.ascii_letters + string.digits,
    "m": string.ascii_letters + string.digits + "+/",
    "u": string.ascii_letters + string.digits + "-_",
    "p": string.ascii_letters + string.digits + "!#%&*+-?",
}
"""What `<h32>` in a format stands for: 32 characters of a class."""

FORMATS: dict[str, tuple[str, str]] = {
    # name: the secret, and the line that it stands in
    "1password-service-account-token": ("ops_eyJ<w250>", 'client("{}")'),
    "adobe-client-secret": ("p8e-<b32>", "secret: {}"),
    "age-secret-key": ("AGE-SECRET-KEY-1<B58>", "{}"),
    "airtable-api-key": ("<b17>", 'airtable_key = "{}"'),
    "alibaba-access-key-id": ("LTAI<b20>", 'id = "{}"'),
    "anthropic-api-key": ("sk-ant-api03-<u93>AA", 'ask(key="{}")'),
    "artifactory-api-key": ("AKCp<w69>", "curl -H 'X-JFrog-Art-Api: {}' https://repo.example"),
    "asana-client-secret": ("<b32>", "ASANA_CLIENT_SECRET={}"),
    "aws-access-token": ("AKIA<B16>", "aws_access_key_id = {}"),
    "aws-secret": ("<m40>", 'aws_secret_access_key = "{}"'),
    "azure-ad-client-secret": ("<w3>8Q~<w34>", 'ClientSecret = "{}",'),
    "azure-storage-key": ("<m86>==", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}"),
    "bitbucket-client-secret": ("<b64>", "bitbucket_secret: '{}'"),
    "clojars-api-token": ("CLOJARS_<b60>", 'deploy("{}")'),
    "cloudflare-api-key": ("<u40>", 'cloudflare = Client(api_key="{}")'),
    "codecov-access-token": ("<b32>", "CODECOV_TOKEN: {}"),
    "curl-auth-user": ("<p14>", "curl -u admin:{} https://internal.example"),
    "databricks-api-token": ("dapi<h32>", 'token="{}"'),
    "datadog-access-token": ("<h40>", "datadog.initialize(app_key='{}')"),
    "digitalocean-pat": ("dop_v1_<h64>", "doctl auth init -t {}"),
    "discord-api-token": ("<w26>.<w6>.<u38>", 'bot.run("{}")'),
    "doppler-api-token": ("dp.pt.<w43>", "export DOPPLER={}"),
    "dynatrace-api-token": ("dt0c01.<B24>.<B64>", '"Api-Token {}"'),
    "facebook-page-access-token": ("EAAM<w110>", 'graph = Graph("{}")'),
    "flyio-access-token": ("fo1_<u43>", "FLY={}"),
    "gcp-api-key": ("AIza<u35>", 'maps("{}")'),
    "gcp-service-account": ("<h40>", '"private_key_id": "{}",'),
    "github-pat": ("ghp_<w36>", "git clone https://x:{}@github.com/a/b"),
    "github-fine-grained-pat": ("github_pat_<w22>_<w59>", "{}"),
    "gitlab-pat": ("glpat-<u20>", 'Gitlab(private_token="{}")'),
    "grafana-service-account-token": ("glsa_<w32>_<h8>", 'grafana("{}")'),
    "hashicorp-tf-api-token": ("<b14>.atlasv1.<u64>", 'token = "{}"'),
    "heroku-api-key": ("<h8>-<h4>-<h4>-<h4>-<h12>", 'HEROKU_API_KEY = "{}"'),
    "http-basic": ("<m32>", "Authorization: Basic {}"),
    "http-bearer": ("<u44>", "headers = {{'Authorization': 'Bearer {}'}}"),
    "huggingface-access-token": ("hf_<l34>", 'login("{}")'),
    "jwt": ("eyJ<u30>.eyJ<u60>.<u43>", 'cookie = "{}"'),
    "kubernetes-secret-yaml": ("<m24>", "  password: {}"),
    "linear-api-key": ("lin_api_<w40>", '"{}"'),
    "mailchimp-api-key": ("<h32>-us12", 'mailchimp("{}")'),
    "mailgun-private-api-token": ("key-<h32>", "api:{}"),
    "netrc": ("<p16>", "machine ftp.example login ann password {}"),
    "new-relic-user-api-key": ("NRAK-<B27>", 'newrelic("{}")'),
    "npm-access-token": ("npm_<w36>", "//registry.npmjs.org/:_authToken={}"),
    "openai-api-key": ("sk-proj-<u58>T3BlbkFJ<u58>", 'OpenAI("{}")'),
    "password-in-code": ("<p12>", 'DB_PASSWORD = "{}"'),
    "password-in-env": ("<p12>", "SMTP_PASSWORD={}"),
    "password-in-url": ("<w12>", "postgres://app:{}@db.example/shop"),
    "planetscale-password": ("pscale_pw_<u43>", 'connect("{}")'),
    "postman-api-token": ("PMAK-<h24>-<h34>", '"{}"'),
    "pulumi-api-token": ("pul-<h40>", "pulumi login {}"),
    "pypi-upload-token": ("pypi-AgEIcHlwaS5vcmc<u70>", "twine upload -p {}"),
    "rubygems-api-token": ("rubygems_<h48>", ":rubygems: {}"),
    "sendgrid-api-token": ("SG.<u22>.<u43>", 'SendGrid("{}")'),
    "sentry-user-token": ("sntryu_<h64>", '"{}"'),
    "shopify-access-token": ("shpat_<h32>", "shopify.Session('{}')"),
    "slack-bot-token": ("xoxb-<d12>-<d12>-<w24>", 'WebClient("{}")'),
    "slack-webhook-url": ("T<B10>/B<B10>/<w24>", "https://hooks.slack.com/services/{}"),
    "stripe-access-token": ("sk_live_<w24>", "stripe.api_key = '{}'"),
    "telegram-bot-api-token": ("<d10>:AA<u33>", 'Bot("{}")'),
}

_SLOT = re.compile(r"<([a-zA-Z])(\d+)>")


def draw_secret(name: str, seed: int = 0) -> tuple[str, str]:
    """A secret of a kind, and the line that it stands in. The same seed gives the same one."""
    dice = random.Random(f"{name} {seed}")
    written, line = FORMATS[name]
    secret = _SLOT.sub(
        lambda slot: "".join(dice.choices(_CLASSES[slot[1]], k=int(slot[2]))), written
    )
    return secret, line.format(secret)
