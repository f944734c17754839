"""Pin the images that Jurat is built on, or runs beside, by the digests their tags have now.

    python deploy/base_images.py [FOLDER]

In the folder (by default deploy/) every `FROM` of a Dockerfile and every `image:` of a YAML file
that has a tag gets the digest behind it: `python:3.13-slim@sha256:…`. One that has a digest gets
the newest. What has no tag is built here: a stage, or Jurat's own image.

All registries are asked before the first file is written. Ends with 0, or with 1 and one line on
standard error if one of them gave no digest; then nothing was written.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

IMAGE = re.compile(
    r"""^ (?P<before> [ \t]* (?: FROM [ \t]+ (?:--\S+[ \t]+)* | (?:-[ \t]+)? image:[ \t]+ ) )
    (?P<name> [\w.-]+ (?: :\d+ (?=/) )? (?: /[\w.-]+ )* : [\w.-]+ )
    (?: @\S+ )? (?= \s | \Z )""",
    re.MULTILINE | re.VERBOSE,
)
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

ACCEPT = ", ".join(
    (
        "application/vnd.oci.image.index.v1+json",
        "application/vnd.docker.distribution.manifest.list.v2+json",
        "application/vnd.oci.image.manifest.v1+json",
        "application/vnd.docker.distribution.manifest.v2+json",
    )
)
LARGEST = 4 << 20  # https://github.com/opencontainers/distribution-spec: what a registry must take
SECONDS = 30.0


class RegistryError(Exception):
    """A registry gave no digest; the message says which, and why."""


class Image(NamedTuple):
    """Where an image's manifest is asked for."""

    address: str  # https://registry, without a path
    repository: str
    tag: str


def parse_image(name: str) -> Image:
    """`python:3.13-slim` as Docker reads it: without a host it is Docker Hub's own."""
    path, _, tag = name.rpartition(":")
    host, _, rest = path.partition("/")
    if not rest or not (set(host) & {".", ":"} or host == "localhost"):
        host, rest = "registry-1.docker.io", path if rest else f"library/{path}"
    elif host == "docker.io":
        host = "registry-1.docker.io"
    scheme = "http" if _is_loopback(host.partition(":")[0]) else "https"
    return Image(f"{scheme}://{host}", rest, tag)


def resolve(name: str) -> str:
    """The digest of what a tag leads to now: that of the bytes that came, not a claim in a header.

    A list of platforms has a digest too, so that a pinned image still runs on each of them.
    """
    image = parse_image(name)
    address = f"{image.address}/v2/{image.repository}/manifests/{image.tag}"
    try:
        body, claimed = _fetch_manifest(address)
    except (OSError, HTTPException, ValueError) as error:  # urllib's are OSError, json's ValueError
        raise RegistryError(f"{name}: {address}: {error}") from error
    digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
    # https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests
    if claimed is not None and claimed != digest:
        raise RegistryError(f"{name}: {address}: said {claimed!r}, but sent {digest}")
    return digest


def pin(text: str, digests: dict[str, str]) -> str:
    """A file's text with every image by tag and digest."""
    return IMAGE.sub(
        lambda found: f"{found['before']}{found['name']}@{digests[found['name']]}", text
    )


def pin_folder(folder: Path) -> dict[str, str]:
    """Pin every image in a folder's files; the digests by the images' names."""
    texts = {
        path: path.read_text(encoding="utf-8")
        for pattern in ("Dockerfile", "**/*.yaml")
        for path in sorted(folder.glob(pattern))
    }
    names = sorted({found["name"] for text in texts.values() for found in IMAGE.finditer(text)})
    if not names:
        raise RegistryError(f"{folder}: no image with a tag")
    digests = {name: resolve(name) for name in names}
    for path, text in texts.items():
        if (pinned := pin(text, digests)) != text:
            path.write_text(pinned, encoding="utf-8")
    return digests


def main() -> int:
    """Run it; the exit code."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent
    try:
        digests = pin_folder(folder)
    except RegistryError as error:
        sys.stderr.write(f"base-images: {error}. Nothing was written.\n")
        return 1
    sys.stdout.writelines(f"{name}@{digest}\n" for name, digest in digests.items())
    return 0


def _fetch_manifest(address: str) -> tuple[bytes, str | None]:
    """A manifest's bytes, and the digest that its registry claims for them."""
    try:
        return _get_manifest(address, None)
    except HTTPError as error:
        if error.code != 401:
            raise
        challenge = error.headers.get("WWW-Authenticate", "")
    return _get_manifest(address, _get_token(challenge))


def _get_manifest(address: str, token: str | None) -> tuple[bytes, str | None]:
    request = Request(address, headers={"Accept": ACCEPT})  # noqa: S310 # parse_image
    if token is not None:
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    body, claimed = _get(request)
    # A proxy's page of words also comes with status 200.
    manifest = json.loads(body)
    if not isinstance(manifest, dict) or manifest.get("schemaVersion") != 2:
        raise ValueError("the answer is no manifest")
    if claimed is not None and not DIGEST.fullmatch(claimed):
        raise ValueError(f"{claimed!r} is no digest")
    return body, claimed


def _get_token(challenge: str) -> str:
    """What anybody may pull with: https://distribution.github.io/distribution/spec/auth/token/."""
    fields = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    realm = fields.pop("realm", "")
    if not challenge.lower().startswith("bearer ") or not _is_safe(realm):
        raise ValueError(f"asks for {challenge!r}, which is no token that anybody can get")
    body, _ = _get(Request(f"{realm}?{urlencode(fields)}"))  # noqa: S310 # _is_safe
    answer = json.loads(body)
    token = answer.get("token") or answer.get("access_token") if isinstance(answer, dict) else None
    if not isinstance(token, str):
        raise ValueError(f"{realm} gave no token")  # noqa: TRY004 # what came is wrong, not its type
    return token


def _get(request: Request) -> tuple[bytes, str | None]:
    with urlopen(request, timeout=SECONDS) as response:  # noqa: S310 # parse_image, _is_safe
        body: bytes = response.read(LARGEST + 1)
        if len(body) > LARGEST:
            raise ValueError(f"more than {LARGEST} bytes")
        return body, response.headers.get("Docker-Content-Digest")


def _is_safe(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "https" or (
        parts.scheme == "http" and _is_loopback(parts.hostname or "")
    )


def _is_loopback(host: str) -> bool:
    """Whether plain HTTP will do, as for Docker."""
    return host in {"localhost", "127.0.0.1"}


if __name__ == "__main__":
    sys.exit(main())
