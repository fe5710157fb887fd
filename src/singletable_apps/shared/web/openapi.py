"""The description of an app in OpenAPI 3.1, with the problems that each operation may answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, cast

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from singletable_apps.shared.web.etags import TAGS
from singletable_apps.shared.web.idempotency import VISIBLE
from singletable_apps.shared.web.problems import (
    CROSS_ORIGIN,
    IDEMPOTENCY_KEY,
    INTERNAL_ERROR,
    INVALID,
    INVALID_CURSOR,
    MALFORMED_BODY,
    MALFORMED_PATH,
    MEDIA_TYPE,
    PRECONDITION_FAILED,
    PRECONDITION_REQUIRED,
    TOO_LARGE,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    UNSUPPORTED_MEDIA_TYPE,
    ProblemDocument,
    ProblemType,
    problem_type_url,
)
from singletable_apps.shared.web.settings import Site

# OpenAPI is JSON that is built up piece by piece, so its values are of any type.
Json: TypeAlias = dict[str, Any]

_SCHEMA = {"$ref": "#/components/schemas/Problem"}
_TEXT = {"type": "string"}
# A handler tells these apart from an empty value only if it may be missing, and says so itself.
_REQUIRED = {
    "if-match": {"type": "string", "pattern": TAGS},
    "idempotency-key": {"type": "string", "pattern": VISIBLE},
}
_BY_PARAMETER = {
    "if-match": (PRECONDITION_FAILED, PRECONDITION_REQUIRED),
    "idempotency-key": (IDEMPOTENCY_KEY,),
    "cursor": (INVALID_CURSOR,),
}


def responses(*kinds: ProblemType) -> dict[int | str, Json]:
    """For FastAPI's `responses=`: each status with the kinds of problems that have it."""
    return dict(_responses(kinds))


def _responses(kinds: tuple[ProblemType, ...]) -> Iterator[tuple[int, Json]]:
    for status in sorted({kind.status for kind in kinds}):
        alike = [kind for kind in kinds if kind.status == status]
        examples = {kind.name: {"value": _example(kind)} for kind in alike}
        headers = {
            name: {"description": words, "schema": _TEXT}
            for kind in alike
            for name, words in kind.headers.items()
        }
        yield (
            status,
            {
                "description": " / ".join(f"{kind.title}." for kind in alike),
                "content": {MEDIA_TYPE: {"schema": _SCHEMA, "examples": examples}},
                **({"headers": headers} if headers else {}),
            },
        )


def _example(kind: ProblemType) -> Json:
    return {
        "type": problem_type_url(kind, ""),
        "title": kind.title,
        "status": kind.status,
        "detail": kind.about,
    }


def describe(app: FastAPI, site: Site) -> Json:
    """The description of all operations, made once."""
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
    problem = ProblemDocument.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(problem.pop("$defs"))
    schemas["Problem"] = problem
    for path, operations in cast(Json, document.get("paths", {})).items():
        for method, operation in operations.items():
            _complete(operation, path, method, site)
    return document


def _complete(operation: Json, path: str, method: str, site: Site) -> None:
    """Add to an operation what is true of all such operations."""
    parameters: list[Json] = operation.get("parameters", [])
    names = {parameter["name"].lower() for parameter in parameters}
    for parameter in parameters:
        _without_null(parameter)
        schema = _REQUIRED.get(parameter["name"].lower())
        if schema is not None and "pattern" not in parameter["schema"]:
            parameter.update(required=True, schema=schema)
    answers: Json = operation["responses"]
    has_faults = "422" in answers
    if has_faults and "#/components/schemas/HTTPValidationError" in str(answers["422"]):
        del answers["422"]
    kinds = _kinds(names, path, method, operation, site, has_faults=has_faults)
    for status, answer in _responses(kinds):
        _merge(answers, str(status), answer)
    for code in answers:
        if code.startswith("2"):
            _describe_headers(answers[code], names)
        _put_prefix(answers[code], site.prefix)
    if "if-none-match" in names:
        answers["304"] = {"description": "It is still what the ETag says."}


def _without_null(parameter: Json) -> None:
    """Nothing but a body can be null: what is None to a handler is left out by who asks."""
    schema: Json = parameter["schema"]
    others = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    if len(others) == 1:
        del schema["anyOf"]
        schema.update(others[0])


def _kinds(
    names: set[str], path: str, method: str, operation: Json, site: Site, *, has_faults: bool
) -> tuple[ProblemType, ...]:
    kinds = [INTERNAL_ERROR, UNAVAILABLE]
    if has_faults:
        kinds.append(INVALID)
    if "{" in path:
        kinds.append(MALFORMED_PATH)
    if method != "get":
        kinds.append(CROSS_ORIGIN)
    # A body that is not asked for is looked at all the same.
    if "requestBody" in operation or method != "get":
        kinds += [MALFORMED_BODY, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE]
    if site.settings.limit is not None:
        kinds.append(TOO_MANY_REQUESTS)
    for name, more in _BY_PARAMETER.items():
        if name in names:
            kinds += more
    return tuple(kinds)


def _merge(answers: Json, status: str, answer: Json) -> None:
    """Add a problem to a status that may have others already."""
    there: Json = answers.setdefault(status, answer)
    if there is answer:
        return
    there["description"] = f"{there['description']} / {answer['description']}"
    content: Json = there.setdefault("content", {}).setdefault(MEDIA_TYPE, {"schema": _SCHEMA})
    content.setdefault("examples", {}).update(answer["content"][MEDIA_TYPE]["examples"])
    there.setdefault("headers", {}).update(answer.get("headers", {}))


def _put_prefix(answer: Json, prefix: str) -> None:
    """Let the examples of problems have the types that answers have."""
    content = answer.get("content", {}).get(MEDIA_TYPE, {})
    content["examples"] = {
        name: {"value": {**example["value"], "type": f"{prefix}/problems/{name}"}}
        for name, example in content.get("examples", {}).items()
    }


def _describe_headers(answer: Json, names: set[str]) -> None:
    """Say which headers an answer has because of what was asked."""
    headers: Json = answer.setdefault("headers", {})
    headers["X-Request-Id"] = {"description": "The number of the request.", "schema": _TEXT}
    if names & {"if-match", "if-none-match"}:
        headers["ETag"] = {"description": "The tag of what is there now.", "schema": _TEXT}
    if "cursor" in names:
        headers["Link"] = {"description": 'Where the next page is, rel="next".', "schema": _TEXT}
