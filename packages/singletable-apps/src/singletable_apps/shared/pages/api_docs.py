"""API documentation as pages: all operations of an OpenAPI document, and each problem type."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from fastapi import APIRouter, FastAPI, Request, Response
from markdown_it import MarkdownIt
from markupsafe import Markup

# OpenAPI is nested JSON of many shapes.
Json: TypeAlias = dict[str, Any]
_MAX_DEPTH = 6
_MULTIPART = "multipart/form-data"
_MARKDOWN = MarkdownIt("commonmark", {"html": False})


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter or a member of a body."""

    name: str
    type: str
    description: Markup
    is_required: bool
    location: str = ""


@dataclass(frozen=True, slots=True)
class ApiResponse:
    """A response, with an example of its body."""

    status: str
    description: str
    example: str = ""
    problems: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation as the page shows it."""

    id: str
    method: str
    path: str
    title: str
    description: Markup
    parameters: tuple[Field, ...]
    body: tuple[Field, ...]
    body_example: str
    responses: tuple[ApiResponse, ...]
    curl: str


def add_api_docs(app: FastAPI, render: Callable[..., Response]) -> None:
    """Add `/docs` beside the app's API, and pages for its problem types.

    `render` is `Pages.render`.
    """
    prefix = app.state.site.prefix
    router = APIRouter(include_in_schema=False)

    @router.get(f"{prefix}/docs")
    def show_api_docs(request: Request) -> Response:
        document = app.openapi()
        info = document["info"]
        return render(
            request,
            "api_docs.html",
            title=info["title"],
            version=info["version"],
            description=markdown(info.get("description", "")),
            tags=group_by_tag(document, str(request.base_url).rstrip("/")),
            openapi_url=f"{prefix}/openapi.json",
            problems_url=f"{prefix}/problems",
        )

    def show_problem_type(request: Request, name: str | None) -> Response:
        types = app.state.problem_types.values()
        return render(
            request,
            "problem_types.html",
            types=[each for each in types if name in (None, each.name)],
            name=name,
            markdown=markdown,
            docs_url=f"{prefix}/docs",
            problems_url=f"{prefix}/problems",
        )

    app.state.problem_type_page = show_problem_type
    app.include_router(router)


def group_by_tag(document: Json, base_url: str) -> dict[str, list[Operation]]:
    """Return all operations, by tag."""
    tags: dict[str, list[Operation]] = {}
    for path, methods in cast(Json, document.get("paths", {})).items():
        for method, operation in cast(Json, methods).items():
            tag = (operation.get("tags") or ["operations"])[0]
            tags.setdefault(tag, []).append(_operation(document, base_url, path, method, operation))
    return tags


def _operation(document: Json, base_url: str, path: str, method: str, operation: Json) -> Operation:
    request_body = operation.get("requestBody", {})
    schema = _json_schema(request_body)
    form: Json | None = request_body.get("content", {}).get(_MULTIPART, {}).get("schema")
    example = _example(document, schema) if schema else None
    text = operation.get("description") or ""
    return Operation(
        id=f"{method}-{re.sub(r'[^a-z0-9]+', '-', path.lower()).strip('-')}",
        method=method.upper(),
        path=path,
        title=operation.get("summary", path).capitalize(),
        description=markdown(text),
        parameters=tuple(_parameter(document, each) for each in operation.get("parameters", [])),
        body=tuple(_fields(document, schema or form)),
        body_example=_pretty(example) if schema else "",
        responses=tuple(_responses(document, operation["responses"])),
        curl=_curl(base_url, path, method, operation, example, form),
    )


def _parameter(document: Json, parameter: Json) -> Field:
    return Field(
        parameter["name"],
        _type_name(document, parameter.get("schema", {})),
        markdown(parameter.get("description", "")),
        bool(parameter.get("required")),
        parameter["in"],
    )


def _fields(document: Json, schema: Json | None) -> Iterator[Field]:
    resolved = _resolve(document, schema or {})
    required = resolved.get("required", [])
    for name, inner in resolved.get("properties", {}).items():
        yield Field(
            name,
            _type_name(document, inner),
            markdown(inner.get("description", "")),
            name in required,
        )


def _responses(document: Json, responses: Json) -> Iterator[ApiResponse]:
    for status, response in sorted(responses.items()):
        content: Json = response.get("content", {})
        problems = content.get("application/problem+json", {}).get("examples", {})
        schema = _json_schema(response)
        example = _pretty(_example(document, schema)) if schema and status < "400" else ""
        titles = tuple(
            (each["value"]["type"], each["value"]["title"]) for each in problems.values()
        )
        yield ApiResponse(status, response.get("description", ""), example, titles)


def _json_schema(content_owner: Json) -> Json | None:
    content: Json = content_owner.get("content", {})
    return cast("Json | None", content.get("application/json", {}).get("schema"))


def _curl(
    base_url: str, path: str, method: str, operation: Json, example: object, form: Json | None
) -> str:
    parts = ["curl" if method == "get" else f"curl -X {method.upper()}"]
    if {} not in operation.get("security", [{}]):
        parts.append('-H "Authorization: Bearer $TOKEN"')
    query: list[str] = []
    for parameter in operation.get("parameters", []):
        if parameter["in"] == "query" and parameter.get("required"):
            query.append(f"{parameter['name']}={{{parameter['name']}}}")
        if parameter["in"] == "header" and parameter.get("required"):
            value = "$(uuidgen)" if parameter["name"].lower() == "idempotency-key" else '\\"1\\"'
            parts.append(f'-H "{parameter["name"].title()}: {value}"')
    if example is not None:
        body = json.dumps(example, ensure_ascii=False).replace("'", "'\\''")
        parts.append("--json '" + body + "'")
    for name, inner in (form or {}).get("properties", {}).items():
        value = "@image.jpg" if "contentMediaType" in inner else "…"
        parts.append(f"-F '{name}={value}'")
    parts.append(f"'{base_url}{path}{'?' if query else ''}{'&'.join(query)}'")
    return " \\\n  ".join(parts) if len(parts) > 2 else " ".join(parts)


def _resolve(document: Json, schema: Json) -> Json:
    while "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = document["components"]["schemas"][name]
    options = [each for each in schema.get("anyOf", []) if each.get("type") != "null"]
    return _resolve(document, options[0]) if len(options) == 1 else schema


def _type_name(document: Json, schema: Json) -> str:
    resolved = _resolve(document, schema)
    if values := resolved.get("enum"):
        return " | ".join(json.dumps(value) for value in values)
    if resolved.get("type") == "array":
        return f"list of {_type_name(document, resolved.get('items', {}))}"
    if "anyOf" in resolved:
        return " or ".join(_type_name(document, each) for each in resolved["anyOf"])
    return str(
        resolved.get("format")
        or resolved.get("title" if "properties" in resolved else "type", "any")
    )


def _example(document: Json, schema: Json, depth: int = 0) -> object:
    """Return an example value of a schema: its own, or one made of its parts."""
    resolved = _resolve(document, schema)
    for source in (schema, resolved):
        if source.get("examples"):
            return source["examples"][0]
    if "default" in resolved:
        return resolved["default"]
    if resolved.get("enum"):
        return resolved["enum"][0]
    if "const" in resolved:
        return resolved["const"]
    if depth > _MAX_DEPTH:
        return None
    if resolved.get("anyOf"):
        return _example(document, resolved["anyOf"][0], depth + 1)
    match resolved.get("type"):
        case "object":
            members = resolved.get("properties", {}).items()
            return {name: _example(document, inner, depth + 1) for name, inner in members}
        case "array":
            return [_example(document, resolved.get("items", {}), depth + 1)]
        case "integer" | "number":
            return resolved.get("minimum", 1)
        case "boolean":
            return True
        case "string":
            return {"date-time": "2027-01-31T18:00:00Z"}.get(resolved.get("format", ""), "…")
        case _:
            return None


def _pretty(example: object) -> str:
    return json.dumps(example, indent=2, ensure_ascii=False)


def markdown(text: str) -> Markup:
    """Render the Markdown of a description; HTML in it is escaped."""
    return Markup(_MARKDOWN.render(text))
