"""`make base-images` asks a registry over HTTP for digests, and writes all of them or none."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
SCRIPT = DEPLOY / "base_images.py"
TOKEN = "a token that anybody gets"


class Registry(ThreadingHTTPServer):
    """A registry's `GET /v2/NAME/manifests/TAG` behind a token, and the service that gives it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.manifests: dict[str, bytes] = {}
        self.headers: dict[str, str] = {}
        self.realm = f"http://{self.host}/token"
        self.given: list[str] = []

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    def push(self, name: str, tag: str, layer: str) -> str:
        """Put an image there; its digest."""
        manifest = json.dumps({"schemaVersion": 2, "layers": [layer]}).encode()
        self.manifests[f"/v2/{name}/manifests/{tag}"] = manifest
        return f"sha256:{hashlib.sha256(manifest).hexdigest()}"


class Answers(BaseHTTPRequestHandler):
    server: Registry

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        if path == "/token":
            self.server.given.append(query)
            self.answer(200, json.dumps({"token": TOKEN}).encode(), {})
        elif self.headers["Authorization"] != f"Bearer {TOKEN}":
            scope = f"repository:{path.removeprefix('/v2/').split('/manifests/')[0]}:pull"
            challenge = f'Bearer realm="{self.server.realm}",service="here",scope="{scope}"'
            self.answer(401, b"{}", {"WWW-Authenticate": challenge})
        elif path not in self.server.manifests:
            self.answer(404, b'{"errors": [{"code": "MANIFEST_UNKNOWN"}]}', {})
        else:
            assert "application/vnd.oci.image.index.v1+json" in self.headers["Accept"]
            self.answer(200, self.server.manifests[path], self.server.headers)

    def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 # the base's name
        pass


@pytest.fixture
def registry() -> Iterator[Registry]:
    with Registry() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def folder(registry: Registry, tmp_path: Path) -> Path:
    """What stands in deploy/, with its images at the registry of the test."""
    for path in [DEPLOY / "Dockerfile", *DEPLOY.glob("**/*.yaml")]:
        text = re.sub(
            r"(?m)^(FROM |\s+image: )(?=\w+:)", rf"\g<1>{registry.host}/", path.read_text()
        )
        copy = tmp_path / path.relative_to(DEPLOY)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(re.sub(r"@sha256:\w+", "", text))
    return tmp_path


def pin(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def images(folder: Path) -> set[str]:
    """Every image that a Dockerfile or YAML file of the folder names, read without the script."""
    lines = (folder / "Dockerfile").read_text().splitlines()
    stages = {line.split()[3] for line in lines if re.match(r"FROM \S+ AS ", line)}
    named = {line.split()[1] for line in lines if line.startswith("FROM ")} - stages

    def visit(node: Any) -> None:
        if isinstance(node, dict):
            named.update([node["image"]] if isinstance(node.get("image"), str) else [])
            visit(list(node.values()))
        elif isinstance(node, list):
            for item in node:
                visit(item)

    for path in folder.glob("**/*.yaml"):
        visit(list(yaml.safe_load_all(path.read_text())))
    return named - {"jurat"}


def contents(folder: Path) -> dict[Path, str]:
    return {path: path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_every_image_of_others_is_pinned_and_nothing_else_changes(
    registry: Registry, folder: Path
) -> None:
    python = registry.push("python", "3.13-slim", "one")
    postgres = registry.push("postgres", "17", "two")
    before = contents(folder)
    ended = pin(folder)
    assert (ended.returncode, ended.stderr) == (0, "")
    pinned = {
        f"{registry.host}/python:3.13-slim@{python}",
        f"{registry.host}/postgres:17@{postgres}",
    }
    assert images(folder) == pinned == set(ended.stdout.splitlines())
    after = contents(folder)
    assert {path: re.sub(r"@sha256:\w{64}", "", text) for path, text in after.items()} == before
    assert sorted(registry.given) == [
        f"service=here&scope=repository%3A{name}%3Apull" for name in ("postgres", "python")
    ]


def test_again_it_changes_nothing_and_a_newer_image_replaces_the_digest(
    registry: Registry, folder: Path
) -> None:
    old = registry.push("python", "3.13-slim", "one")
    registry.push("postgres", "17", "two")
    pin(folder)
    once = contents(folder)
    assert pin(folder).returncode == 0
    assert contents(folder) == once
    new = registry.push("python", "3.13-slim", "patched")
    assert pin(folder).returncode == 0
    assert contents(folder) == {path: text.replace(old, new) for path, text in once.items()}


@pytest.mark.parametrize("absent", ["python", "postgres"])
def test_if_one_is_not_there_nothing_is_written(
    registry: Registry, folder: Path, absent: str
) -> None:
    registry.push("python", "3.13-slim", "one")
    registry.push("postgres", "17", "two")
    registry.manifests = {
        path: body for path, body in registry.manifests.items() if absent not in path
    }
    before = contents(folder)
    ended = pin(folder)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert re.fullmatch(
        rf"base-images: \S+/{absent}:\S+: http://\S+: HTTP Error 404: .*\. Nothing was written\.\n",
        ended.stderr,
    )
    assert contents(folder) == before


def test_without_a_network_nothing_is_written(registry: Registry, folder: Path) -> None:
    registry.server_close()  # the port is nobody's now
    before = contents(folder)
    ended = pin(folder)
    assert ended.returncode == 1
    assert ended.stderr.endswith("refused>. Nothing was written.\n")
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("latest", "'latest' is no digest"),
        ("sha256:0123", "'sha256:0123' is no digest"),
        ("sha256:" + "0" * 64, "but sent sha256:"),
    ],
)
def test_a_digest_that_is_none_or_another_ones_is_refused(
    registry: Registry, folder: Path, header: str, said: str
) -> None:
    registry.push("python", "3.13-slim", "one")
    registry.push("postgres", "17", "two")
    registry.headers["Docker-Content-Digest"] = header
    before = contents(folder)
    ended = pin(folder)
    assert ended.returncode == 1
    assert said in ended.stderr
    assert contents(folder) == before


@pytest.mark.parametrize("body", [b"<p>Sign in to this network", b'"sha256:00"', b"[]", b"{}", b""])
def test_an_answer_that_is_no_manifest_is_refused(
    registry: Registry, folder: Path, body: bytes
) -> None:
    registry.push("python", "3.13-slim", "one")
    registry.manifests["/v2/postgres/manifests/17"] = body
    before = contents(folder)
    ended = pin(folder)
    assert ended.returncode == 1
    assert ended.stderr.startswith("base-images: ")
    assert ended.stderr.count("\n") == 1
    assert contents(folder) == before


def test_a_token_is_asked_for_where_it_can_be_asked_safely(
    registry: Registry, folder: Path
) -> None:
    for realm in ("http://example.com/token", "file:///etc/passwd", ""):
        registry.realm = realm
        ended = pin(folder)
        assert ended.returncode == 1
        assert "no token that anybody can get" in ended.stderr


def test_a_folder_without_images_is_an_error(tmp_path: Path) -> None:
    ended = pin(tmp_path)
    assert ended.returncode == 1
    assert "no image with a tag" in ended.stderr


def test_names_are_read_as_docker_reads_them() -> None:
    program = (
        "import runpy, sys; parse = runpy.run_path(sys.argv[1])['parse_image'];"
        "[print(*parse(name)) for name in sys.argv[2:]]"
    )
    names = ("python:3.13", "grafana/k6:1", "ghcr.io/astral-sh/uv:0.9", "localhost:5000/a:b")
    command = [sys.executable, "-c", program, str(SCRIPT), *names]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout.splitlines() == [
        "https://registry-1.docker.io library/python 3.13",
        "https://registry-1.docker.io grafana/k6 1",
        "https://ghcr.io astral-sh/uv 0.9",
        "http://localhost:5000 a b",
    ]
