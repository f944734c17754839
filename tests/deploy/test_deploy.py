"""What stands in deploy/ fits the program: variables, ports, commands, metrics, paths."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from jurat.cli.registry import load_command
from jurat.server.prometheus import PrometheusMetrics
from jurat.settings import DEFAULT_WEBHOOK_PATH, VARIABLES

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SERVED = {"/healthz", "/readyz", "/metrics", "/", DEFAULT_WEBHOOK_PATH}
WORKER_PORT, WEB_PORT = 9000, 3000

COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
MANIFESTS: list[dict[str, Any]] = [
    document
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text())
]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()


def of_kind(kind: str) -> list[dict[str, Any]]:
    found = [item for item in MANIFESTS if item["kind"] == kind]
    assert found, kind
    return found


def parsed(arguments: list[str]) -> dict[str, Any]:
    """The options of a `jurat` command, as the command line itself reads them."""
    name, *rest = arguments
    command: Any = load_command(name)
    with command.make_context(name, rest) as context:
        return dict(context.params)


def dockerfile_environment() -> dict[str, str]:
    lines = DOCKERFILE.replace("\\\n", " ").splitlines()
    words = [word for line in lines if line.startswith("ENV ") for word in shlex.split(line)[1:]]
    return dict(word.split("=", 1) for word in words)


def unit() -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign] # names keep their case
    parser.read_string((DEPLOY / "jurat.service").read_text())
    return parser


def environments() -> Iterator[tuple[str, str]]:
    """Every variable that anything in deploy/ sets for Jurat, and where."""
    for name in dockerfile_environment():
        if not name.startswith(("PYTHON", "PIP_")) and name != "PATH":
            yield "Dockerfile", name
    for service in ("web", "worker"):
        for name in COMPOSE["services"][service]["environment"]:
            yield f"compose {service}", name
    for deployment in of_kind("Deployment"):
        for variable in container(deployment)["env"]:
            yield deployment["metadata"]["name"], variable["name"]
    for name in re.findall(
        r"^Environment=(\w+)=", (DEPLOY / "jurat.service").read_text(), re.MULTILINE
    ):
        yield "jurat.service", name
    text = (DEPLOY / "kubernetes" / "kustomization.yaml").read_text()
    for name in re.findall(r"--from-literal=(\w+)=", text):
        yield "kustomization.yaml", name


def container(deployment: dict[str, Any]) -> dict[str, Any]:
    (only,) = deployment["spec"]["template"]["spec"]["containers"]
    assert isinstance(only, dict)
    return only


def test_every_variable_is_one_that_jurat_reads() -> None:
    named = list(environments())
    assert len(named) > 20
    assert [(where, name) for where, name in named if name not in VARIABLES] == []


@pytest.mark.parametrize(
    "arguments",
    [
        *(service["command"] for service in COMPOSE["services"].values() if "command" in service),
        *(container(deployment)["args"] for deployment in of_kind("Deployment")),
        shlex.split(unit()["Service"]["ExecStart"])[1:],
    ],
    ids=" ".join,
)
def test_every_command_is_one_that_jurat_has(arguments: list[str]) -> None:
    options = parsed(arguments)
    if arguments[0] == "worker":
        assert (options["host"], options["port"]) == ("0.0.0.0", WORKER_PORT)
    assert options["worker"] is ("--no-worker" not in arguments) if "worker" in options else True


def test_the_image_is_built_from_what_is_there_and_runs_without_rights() -> None:
    # One line names the base of both stages, so that one digest is enough.
    stages = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert stages[1:] == ["base", "base"]
    for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE):
        for source in line.split():
            assert (ROOT / source).exists(), source
    assert re.search(r"^USER 10001:10001$", DOCKERFILE, re.MULTILINE)
    installs = re.findall(r"pip (?:install|wheel) .+", DOCKERFILE)
    assert len(installs) == 4
    # By hash, or with nothing but what is there already.
    fenced = ("--require-hashes", "--no-build-isolation", "--no-index")
    assert all("--no-deps" in line and any(flag in line for flag in fenced) for line in installs)
    assert re.search(r'^ENTRYPOINT \["jurat"\]$', DOCKERFILE, re.MULTILINE)
    assert dockerfile_environment()["PORT"] == str(WEB_PORT)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["shared-scripts"] == {"bot/launcher.py": "jurat"}
    assert "scripts" not in project["project"]  # its entry point would take the launcher's place


def test_the_image_sees_what_the_wheel_is_made_from_and_nothing_else() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().split("\n")
    assert "*" in ignored
    allowed = {line[1:] for line in ignored if line.startswith("!")}
    copied = {
        source
        for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
        for source in line.split()
    }
    assert allowed == copied


def test_the_services_have_a_root_file_system_that_is_read_only() -> None:
    services = COMPOSE["services"]
    for name in ("web", "worker"):
        assert services[name]["read_only"] is True
        assert services[name]["cap_drop"] == ["ALL"]
    assert services["worker"]["deploy"]["replicas"] == 2
    assert services["web"]["ports"] == [f"127.0.0.1:{WEB_PORT}:{WEB_PORT}"]
    assert services["worker"]["environment"]["PORT"] == str(WORKER_PORT)
    for deployment in of_kind("Deployment"):
        security = container(deployment)["securityContext"]
        assert security["readOnlyRootFilesystem"] is True
        assert security["allowPrivilegeEscalation"] is False
        assert deployment["spec"]["template"]["spec"]["securityContext"]["runAsNonRoot"] is True


def test_the_services_share_one_secret_and_no_password_is_written_down() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    for name in ("APP_ID", "WEBHOOK_SECRET", "POSTGRES_PASSWORD"):
        assert f"${{{name}:?" in text
    assert not re.search(r"PRIVATE KEY|ghs_|AIza", text)


@pytest.mark.parametrize("part", ["web", "worker"])
def test_the_parts_of_a_deployment_fit_each_other(part: str) -> None:
    (deployment,) = (
        item for item in of_kind("Deployment") if item["metadata"]["name"] == f"jurat-{part}"
    )
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    port = WEB_PORT if part == "web" else WORKER_PORT
    (exposed,) = container(deployment)["ports"]
    assert exposed == {"name": "http", "containerPort": port}
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        asked = container(deployment)[probe]["httpGet"]
        assert asked["path"] in SERVED
        assert asked["port"] == "http"
    (scaler,) = (
        item
        for item in of_kind("HorizontalPodAutoscaler")
        if item["spec"]["scaleTargetRef"]["name"] == f"jurat-{part}"
    )
    assert scaler["spec"]["minReplicas"] == deployment["spec"]["replicas"]
    (budget,) = (
        item
        for item in of_kind("PodDisruptionBudget")
        if item["spec"]["selector"]["matchLabels"].items() <= labels.items()
    )
    assert budget["spec"]["maxUnavailable"] == 1
    policies = [
        item
        for item in of_kind("NetworkPolicy")
        if item["spec"]["podSelector"]["matchLabels"].items() <= labels.items()
    ]
    ports = {
        allowed["port"]
        for policy in policies
        for rule in policy["spec"].get("ingress", ())
        for allowed in rule["ports"]
    }
    assert ports == {port}
    annotations = deployment["spec"]["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == str(port)
    assert annotations["prometheus.io/path"] in SERVED


@pytest.mark.parametrize("part", ["web", "worker"])
def test_the_private_key_is_a_file_and_no_variable(part: str) -> None:
    (deployment,) = (
        item for item in of_kind("Deployment") if item["metadata"]["name"] == f"jurat-{part}"
    )
    variables = {source["secretRef"]["name"] for source in container(deployment)["envFrom"]}
    files = {
        volume["secret"]["secretName"]
        for volume in deployment["spec"]["template"]["spec"]["volumes"]
        if "secret" in volume
    }
    # Each key of a secret that is taken for variables becomes one, whatever it is called.
    assert files.isdisjoint(variables)
    assert files == {"jurat-private-key"}


def test_the_service_leads_to_the_web_part() -> None:
    (service,) = of_kind("Service")
    assert service["spec"]["selector"]["app.kubernetes.io/component"] == "web"
    assert service["spec"]["ports"][0]["targetPort"] == "http"


def test_what_kustomize_lists_is_there() -> None:
    folder = DEPLOY / "kubernetes"
    (kustomization,) = of_kind("Kustomization")
    listed = {*kustomization["resources"], "kustomization.yaml"}
    assert listed == {path.name for path in folder.glob("*.yaml")}


def test_a_stop_leaves_time_to_drain() -> None:
    (worker,) = (
        item for item in of_kind("Deployment") if item["metadata"]["name"] == "jurat-worker"
    )
    grace = 20  # jurat.jobs.worker.WorkerOptions.grace
    assert worker["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] > 2 * grace
    assert int(unit()["Service"]["TimeoutStopSec"]) > 2 * grace
    assert COMPOSE["services"]["worker"]["stop_grace_period"] == "60s"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd on this machine")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    # Only the program is not where the unit looks for it.
    text = (DEPLOY / "jurat.service").read_text().replace("/opt/jurat/bin/jurat", "/bin/true")
    path = tmp_path / "jurat.service"
    path.write_text(text)
    ended = subprocess.run(
        ["systemd-analyze", "verify", str(path)], capture_output=True, text=True, check=False
    )
    assert [line for line in ended.stderr.splitlines() if str(path) in line] == []


def exposed_metrics() -> set[str]:
    """The names that a scrape can show, histograms with their parts."""
    text = PrometheusMetrics().render(None).decode()
    kinds = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE))
    parts = ("_bucket", "_sum", "_count")
    return {
        name + part
        for name, kind in kinds.items()
        for part in (parts if kind == "histogram" else ("",))
    }


def asked_metrics() -> Iterator[tuple[str, str]]:
    rules = yaml.safe_load((DEPLOY / "monitoring" / "rules.yaml").read_text())
    for group in rules["groups"]:
        for rule in group["rules"]:
            assert {"summary", "action"} <= rule["annotations"].keys()
            for name in re.findall(r"\bjurat_\w+", rule["expr"]):
                yield rule["alert"], name
    dashboard = json.loads((DEPLOY / "monitoring" / "dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            for name in re.findall(r"\bjurat_\w+", target["expr"]):
                yield panel["title"], name


def test_every_metric_that_is_asked_for_exists() -> None:
    asked, exposed = list(asked_metrics()), exposed_metrics()
    assert len(asked) > 20
    assert [(where, name) for where, name in asked if name not in exposed] == []


def test_every_metric_is_asked_for_by_somebody() -> None:
    asked = {re.sub(r"_(bucket|sum|count)$", "", name) for _, name in asked_metrics()}
    exposed = {re.sub(r"_(bucket|sum|count)$", "", name) for name in exposed_metrics()}
    ours = {name for name in exposed if name.startswith("jurat_") and not name.endswith("_created")}
    assert ours - asked == {"jurat_build_info"}


def test_the_panels_do_not_overlap() -> None:
    dashboard = json.loads((DEPLOY / "monitoring" / "dashboard.json").read_text())
    taken: set[tuple[int, int]] = set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells


@pytest.mark.parametrize("page", ["threat-model.md", "operations.md"])
def test_a_page_names_only_what_is_there(page: str) -> None:
    text = (ROOT / "docs" / page).read_text()
    named = re.findall(r"`((?:tests|deploy|bot|docs)/[\w./-]*)`", text)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    exposed = {re.sub(r"_(bucket|sum|count)$", "", name) for name in exposed_metrics()}
    assert set(re.findall(r"`(jurat_\w+)`", text)) <= exposed
