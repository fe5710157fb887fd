"""The OpenAPI 3.1 document of an app, with the problems of each operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from singletable_apps.shared.web import problems
from singletable_apps.shared.web.pagination import CURSOR_FORMAT
from singletable_apps.shared.web.request_headers import TAGS, VISIBLE
from singletable_apps.shared.web.settings import Site

# OpenAPI is nested JSON of many shapes.
Json: TypeAlias = dict[str, Any]
ProblemTypes: TypeAlias = Mapping[str, problems.ProblemType]

_SCHEMA = {"$ref": "#/components/schemas/Problem"}
_TEXT = {"type": "string"}
# FastAPI sees these as optional, because the handler itself reports that they are missing.
_REQUIRED = {
    "if-match": {"type": "string", "pattern": TAGS},
    "idempotency-key": {"type": "string", "pattern": VISIBLE},
}

_ETAG = {"ETag": {"description": "The ETag of the current version.", "schema": _TEXT}}
LOCATION = {"Location": {"description": "Its URL.", "schema": _TEXT}}
# For `responses=`: what a handler sends with `Headers`, when it reads or creates something.
TAGGED: dict[int | str, Json] = {200: {"headers": _ETAG}}
CREATED: dict[int | str, Json] = {201: {"headers": {**_ETAG, **LOCATION}}}
FILE_NAME = {"Content-Disposition": {"description": "The name of the file.", "schema": _TEXT}}

# For `openapi_extra`: the operation can be used without a token, key or cookie.
PUBLIC: dict[str, Any] = {"security": [{}]}


def responses(*types: problems.ProblemType) -> dict[int | str, Json]:
    """Return the `responses=` of a FastAPI route for these problem types."""
    return dict(_responses(types))


def _responses(types: tuple[problems.ProblemType, ...]) -> Iterator[tuple[int, Json]]:
    for status in sorted({each.status for each in types}):
        same = [each for each in types if each.status == status]
        examples = {each.name: {"value": _example(each)} for each in same}
        headers = {
            name: {"description": text, "schema": _TEXT}
            for each in same
            for name, text in each.headers.items()
        }
        yield (
            status,
            {
                "description": " / ".join(f"{each.title}." for each in same),
                "content": {problems.MEDIA_TYPE: {"schema": _SCHEMA, "examples": examples}},
                **({"headers": headers} if headers else {}),
            },
        )


def _example(problem_type: problems.ProblemType) -> Json:
    return {
        "type": problems.problem_type_url(problem_type, ""),
        "title": problem_type.title,
        "status": problem_type.status,
        "detail": problem_type.about,
    }


def build_openapi(app: FastAPI, site: Site, types: ProblemTypes) -> Json:
    """Return the OpenAPI document of an app with these problem types, by name."""
    document: Json = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        separate_input_output_schemas=True,
    )
    schemas: Json = document.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    problem = problems.ProblemDocument.model_json_schema(
        ref_template="#/components/schemas/{model}"
    )
    schemas.update(problem.pop("$defs"))
    schemas["Problem"] = problem
    for path, operations in cast(Json, document.get("paths", {})).items():
        for method, operation in operations.items():
            _complete(operation, path, method, site, types)
    return document


def _complete(operation: Json, path: str, method: str, site: Site, types: ProblemTypes) -> None:
    """Add what all operations of this kind have in common."""
    parameters: list[Json] = operation.get("parameters", [])
    for parameter in parameters:
        _without_null(parameter)
        schema = _REQUIRED.get(parameter["name"].lower())
        if schema is not None and "pattern" not in parameter["schema"]:
            parameter.update(required=True, schema=schema)
    responses_: Json = operation["responses"]
    is_validated = "422" in responses_
    if is_validated and "#/components/schemas/HTTPValidationError" in str(responses_["422"]):
        del responses_["422"]
    found = _problem_types(path, method, operation, is_validated=is_validated)
    for status, answer in _responses(tuple(types.get(each.name, each) for each in found)):
        _merge(responses_, str(status), answer)
    for code in responses_:
        if code.startswith("2"):
            _describe_headers(responses_[code], parameters, is_deleted=method == "delete")
        _complete_examples(responses_[code], site.prefix)
    if any(parameter["name"] == "if-none-match" for parameter in parameters):
        responses_["304"] = {"description": "Not changed since the ETag you sent."}


def _without_null(parameter: Json) -> None:
    """Remove null from a parameter: only a body can contain it."""
    schema: Json = parameter["schema"]
    others = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    if len(others) == 1:
        del schema["anyOf"]
        schema.update(others[0])


def _problem_types(
    path: str, method: str, operation: Json, *, is_validated: bool
) -> list[problems.ProblemType]:
    types = [problems.INTERNAL_ERROR, problems.UNAVAILABLE]
    if is_validated:
        types.append(problems.INVALID)
    if "{" in path:
        types.append(problems.MALFORMED_PATH)
    if any(each["in"] in ("path", "query") for each in operation.get("parameters", [])):
        types.append(problems.URL_TOO_LONG)
    if method != "get":
        types.append(problems.CROSS_ORIGIN)
    # An unexpected body is checked too.
    if "requestBody" in operation or method != "get":
        types += [problems.MALFORMED_BODY, problems.TOO_LARGE, problems.UNSUPPORTED_MEDIA_TYPE]
    for parameter in operation.get("parameters", []):
        types += _problems_of_parameter(parameter)
    return types


def _problems_of_parameter(parameter: Json) -> list[problems.ProblemType]:
    match parameter["name"].lower():
        case "if-match":
            required = [problems.PRECONDITION_REQUIRED] if parameter["required"] else []
            return [problems.PRECONDITION_FAILED, *required]
        case "idempotency-key":
            return [problems.IDEMPOTENCY_KEY]
        case _:
            return (
                [problems.INVALID_CURSOR]
                if parameter["schema"].get("format") == CURSOR_FORMAT
                else []
            )


def _merge(responses_: Json, status: str, answer: Json) -> None:
    """Add a response to a status that may have others already."""
    existing: Json = responses_.setdefault(status, answer)
    if existing is answer:
        return
    existing["description"] = f"{existing['description']} / {answer['description']}"
    content: Json = existing.setdefault("content", {}).setdefault(
        problems.MEDIA_TYPE, {"schema": _SCHEMA}
    )
    content.setdefault("examples", {}).update(answer["content"][problems.MEDIA_TYPE]["examples"])
    existing.setdefault("headers", {}).update(answer.get("headers", {}))


def _complete_examples(answer: Json, prefix: str) -> None:
    """Add the prefix of the API to the types in examples."""
    content = answer.get("content", {}).get(problems.MEDIA_TYPE, {})
    for name, example in content.get("examples", {}).items():
        value = {**example["value"], "type": f"{prefix}/problems/{name}"}
        content["examples"][name] = {"value": value}


def _describe_headers(answer: Json, parameters: list[Json], *, is_deleted: bool) -> None:
    """Describe the headers that follow from the parameters."""
    headers: Json = answer.setdefault("headers", {})
    headers["X-Request-Id"] = {"description": "The request ID.", "schema": _TEXT}
    for parameter in parameters:
        if parameter["name"] in ("if-match", "if-none-match") and not is_deleted:
            headers.update(_ETAG)
        elif parameter["schema"].get("format") == CURSOR_FORMAT:
            about = 'The URL of the next page (rel="next").'
            headers["Link"] = {"description": about, "schema": _TEXT}
