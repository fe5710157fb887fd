"""The OpenAPI document and the pages made from it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from singletable_apps.shared.pages import Pages
from singletable_apps.shared.pages.api_docs import markdown
from singletable_apps.shared.web import responses
from tests.apps.shared.web.notes import NAME_TAKEN, make_client, make_notes

client = make_client()


@pytest.fixture(scope="module")
def document() -> Any:
    return client.get("/api/openapi.json").json()


@pytest.mark.parametrize(
    ("path", "method", "statuses"),
    [
        ("/api/notes", "get", "200 400 414 422 500 503"),
        ("/api/notes", "post", "201 400 403 409 413 415 422 500 503"),
        ("/api/notes/{name}", "get", "200 304 400 404 414 422 500 503"),
        ("/api/notes/{name}", "put", "200 400 403 404 412 413 414 415 422 428 500 503"),
        ("/api/notes/{name}", "delete", "204 400 401 403 404 412 413 414 415 422 428 500 503"),
    ],
)
def test_operations_list_all_their_statuses(
    document: Any, path: str, method: str, statuses: str
) -> None:
    answers = document["paths"][path][method]["responses"]
    assert " ".join(sorted(answers)) == statuses
    for status, answer in answers.items():
        if status >= "400":
            (content,) = answer["content"].items()
            assert content[0] == "application/problem+json"
            assert content[1]["schema"] == {"$ref": "#/components/schemas/Problem"}


def test_problem_types_with_one_status_are_all_listed(document: Any) -> None:
    answer = document["paths"]["/api/notes"]["post"]["responses"]["400"]
    examples = answer["content"]["application/problem+json"]["examples"]
    assert set(examples) == {"malformed-body", "idempotency-key"}
    assert examples["malformed-body"]["value"]["type"] == "/api/problems/malformed-body"


def test_required_headers_are_marked_as_required(document: Any) -> None:
    parameters = document["paths"]["/api/notes/{name}"]["put"]["parameters"]
    (if_match,) = [each for each in parameters if each["in"] == "header"]
    assert if_match["required"]
    assert if_match["schema"]["type"] == "string"


def test_document_is_openapi_31_without_default_error_schemas(document: Any) -> None:
    assert document["openapi"].startswith("3.1")
    assert "HTTPValidationError" not in str(document)
    assert "ValidationError" not in document["components"]["schemas"]


def test_responses_can_be_reused() -> None:
    shared = responses(NAME_TAKEN)
    assert shared == responses(NAME_TAKEN)
    make_notes().openapi()
    assert shared == responses(NAME_TAKEN)


@pytest.fixture(scope="module")
def browser() -> TestClient:
    app = make_notes()
    Pages("notes", secret=b"a secret of thirty-two bytes or more").mount(app)
    return TestClient(app, headers={"Accept": "text/html"})


def test_docs_page_shows_every_operation(browser: TestClient, document: Any) -> None:
    page = browser.get("/api/docs")
    assert page.status_code == 200
    for path, methods in document["paths"].items():
        assert f"<code>{path}</code>" in page.text
        for method, operation in methods.items():
            assert f'class="method method-{method}"' in page.text
            assert operation["summary"].capitalize() in page.text
    assert "&#34;Idempotency-Key: $(uuidgen)" in page.text
    assert "Next page" not in page.text


def test_docs_page_renders_markdown_and_loads_nothing_from_elsewhere(browser: TestClient) -> None:
    page = browser.get("/api/docs")
    assert "<code>next</code> of the previous page" in page.text
    assert re.findall(r"(?:src|href)=\"(?:https?:)?//", page.text) == []
    assert "'unsafe" not in page.headers["content-security-policy"]


def test_problem_types_are_pages_for_browsers_and_json_for_programs(browser: TestClient) -> None:
    assert "Choose another name." in browser.get("/api/problems/name-taken").text
    assert "/api/problems/name-taken" in browser.get("/api/problems").text
    assert client.get("/api/problems/name-taken").json()["status"] == 409


def test_html_and_scripts_in_descriptions_are_escaped() -> None:
    html = "<p>&lt;b&gt; [x](javascript:alert)</p>\n"
    assert markdown("<b> [x](javascript:alert)") == html
