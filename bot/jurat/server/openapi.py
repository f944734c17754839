"""The OpenAPI document, made from the table of routes and from the models that they declare.

https://spec.openapis.org/oas/v3.1.0
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from jurat import __version__
from jurat.server.api_http import PROBLEM_JSON, Route, build_problem
from jurat.server.api_models import ProblemAnswer

PREFIX = "/api/v1"

_REFUSALS: Mapping[int, str] = {
    400: "The body is not JSON that can be used.",
    401: "The bearer token is missing or wrong.",
    404: "There is no such thing.",
    408: "The body did not come in time.",
    413: "The body is too large.",
    415: "The body is not said to be JSON, or has a Content-Encoding.",
    422: "A field or parameter is not what it must be.",
    429: "As many evaluations as may wait do so already.",
    503: "The server cannot answer now.",
}

_HEADERS: Mapping[int, str] = {401: "WWW-Authenticate", 429: "Retry-After"}
"""The header that goes with a refusal."""

_EXAMPLES = Path(__file__).parent / "examples.json"
"""By operation, what was sent to a server and what it answered, lists cut to two items: written by
`python -m tests.server.examples`."""
_TEMPLATE = "#/components/schemas/{model}"

Json = dict[str, Any]


def build_openapi(routes: Iterable[Route]) -> Json:
    """The document of these routes."""
    routes = tuple(routes)
    examples = json.loads(_EXAMPLES.read_text(encoding="utf-8"))
    schemas, components = _build_schemas(routes)
    paths: dict[str, Json] = {}
    for route in routes:
        operations = paths.setdefault(f"{PREFIX}{route.path}", {})
        operations[route.method.lower()] = _build_operation(
            route, schemas, examples.get(route.name, {})
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Jurat",
            "version": __version__,
            "summary": "Judges changes, files and facts by the rules that an organisation has.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "What JURAT_API_TOKEN is on the server, or the token that it "
                    "made itself.",
                }
            },
        },
    }


Schemas = Mapping[type[BaseModel], Json]


def _build_schemas(routes: Iterable[Route]) -> tuple[Schemas, Json]:
    """The schema of each model that a route names, and everything those refer to."""
    asked = {route.request_model for route in routes if route.place == "body"}
    answered = {route.response_model for route in routes if route.response_model is not None} | {
        ProblemAnswer
    }
    modes: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        *((model, "validation") for model in sorted(asked, key=_get_name)),
        *((model, "serialization") for model in sorted(answered, key=_get_name)),
    ]
    refs, definitions = models_json_schema(modes, ref_template=_TEMPLATE)
    return {key[0]: refs[key] for key in modes}, definitions["$defs"]


def _get_name(model: type[BaseModel]) -> str:
    return model.__name__


def _build_operation(route: Route, schemas: Schemas, example: Json) -> Json:
    operation: Json = {
        "operationId": route.name,
        "summary": route.summary,
        "responses": {
            "200": {
                "description": _get_docstring(route.response_model)
                if route.response_model
                else "This document.",
                "content": _build_json_content(
                    schemas[route.response_model] if route.response_model else {"type": "object"},
                    example.get("answer"),
                ),
            },
            **{str(status): _build_refusal(status, schemas) for status in sorted(route.refusals)},
        },
    }
    if route.place == "body":
        operation["requestBody"] = {
            "required": True,
            "description": _get_docstring(route.request_model),
            "content": _build_json_content(schemas[route.request_model], example.get("request")),
        }
    elif route.place != "nothing":
        operation["parameters"] = list(_build_parameters(route, example.get("request", {})))
    return operation


def _build_refusal(status: int, schemas: Schemas) -> Json:
    answer: Json = {
        "description": _REFUSALS[status],
        "content": {
            PROBLEM_JSON: {
                "schema": schemas[ProblemAnswer],
                "example": build_problem(status, _REFUSALS[status]),
            }
        },
    }
    if status in _HEADERS:
        answer["headers"] = {_HEADERS[status]: {"required": True, "schema": {"type": "string"}}}
    return answer


def _build_parameters(route: Route, example: Json) -> Iterable[Json]:
    """One parameter a field. Enumerations are written out, so that nothing refers elsewhere."""
    schema = route.request_model.model_json_schema()
    required = schema.get("required", ())
    for name, described in schema["properties"].items():
        inner = _inline_schema(described, schema.get("$defs", {}))
        yield {
            "name": name,
            "in": route.place,
            "required": name in required,
            "description": inner.pop("description", ""),
            "schema": inner,
            **({"example": example[name]} if name in example else {}),
        }


def _inline_schema(node: Any, definitions: Mapping[str, Any]) -> Any:
    """The schema of a parameter without references, and without null, which no query can hold."""
    if "$ref" in node:
        target = definitions[node["$ref"].rsplit("/", 1)[-1]]
        return _inline_schema({**target, **{key: node[key] for key in node if key != "$ref"}}, {})
    given = [option for option in node.get("anyOf", ()) if option.get("type") != "null"]
    rest = {key: value for key, value in node.items() if key not in ("anyOf", "title")}
    if len(given) == 1:
        rest = {**_inline_schema(given[0], definitions), **rest}
    if rest.get("default", ...) is None:
        del rest["default"]
    return rest


def _build_json_content(schema: Json, example: Json | None) -> Json:
    given = {} if example is None else {"example": example}
    return {"application/json": {"schema": schema, **given}}


def _get_docstring(thing: object) -> str:
    return inspect.getdoc(thing) or ""
