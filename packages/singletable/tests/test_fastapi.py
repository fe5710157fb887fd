"""Errors of a store as HTTP responses."""

from __future__ import annotations

import re

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable import errors
from singletable.fastapi import IfMatch, ProblemDetails, add_error_handlers, problem_details
from tools.testing.sources import ROOT

ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs/guide/http.md").read_text().splitlines()
    if re.match(r"\| `[A-Z]", line)
]
SERVER_FAULTS = {
    "AccessDenied", "AddressError", "BackupTableNotFound", "CertificateError",
    "ContinuousBackupsUnavailable", "CredentialsError", "DeclarationError", "DecryptionFailed",
    "DuplicateItem", "ExpiredIterator", "ExpiredToken", "FaultsError", "IncompleteSignature",
    "InvalidSignature", "ItemMismatch", "LimitExceeded", "MigrationError", "MigrationLocked",
    "MissingAuthenticationToken", "OperationError", "ResourceInUse", "ResourceNotFound",
    "SerializationError", "SingleTableError", "StaleDocs", "StorageError", "TableNotFound",
    "TransactionCanceled", "TransformFailed", "TrimmedDataAccess", "UnexpectedResponse",
    "UnknownOperation", "UnrecognizedClient", "UnsupportedPattern",
}  # fmt: skip


def raised(name: str) -> Exception:
    """Return an error of this type, with the arguments that it needs."""
    match name:
        case "AlreadyExists":
            return errors.AlreadyExists("Issue.key('7') already exists.", ["number"])
        case "TransactionCanceled":
            return errors.TransactionCanceled([])
        case "ReadLimitReached":
            return errors.ReadLimitReached(100, "cursor")
        case "ValidationError":
            return errors.ValidationError("Item size has exceeded the maximum allowed size")
        case "OutOfScope":
            return errors.OutOfScope("Issue.key", key={"PK": {"S": "ORG#other"}})
        case "ConnectionFailed":
            return errors.ConnectionFailed("no answer", may_have_arrived=True)
        case _:
            error: Exception = getattr(errors, name)("Issue.key(7)")
            return error


def answer_to(
    error: Exception, headers: dict[str, str] | None = None
) -> tuple[int, ProblemDetails, str | None]:
    """Return the status, the problem and the Retry-After of the response to an error."""
    app = FastAPI()
    add_error_handlers(app)

    @app.get("/")
    def fail() -> None:
        raise error

    response = TestClient(app).get("/", headers=headers)
    assert response.headers["content-type"] == "application/problem+json"
    problem = ProblemDetails.model_validate_json(response.content)
    assert problem.status == response.status_code
    return response.status_code, problem, response.headers.get("Retry-After")


def documented() -> list[tuple[str, int, str, bool]]:
    """Return each error in the guide's table with its status, its code, and whether to retry."""
    return [
        (name, int(status[:3]), code.strip("`"), "Retry-After: 1" in status)
        for names, status, code, *_ in ROWS
        for name in re.findall(r"`(\w+)`", names)
    ]


@pytest.mark.parametrize(("name", "status", "code", "retried"), documented(), ids=str)
def test_response_is_the_documented_one(name: str, status: int, code: str, retried: bool) -> None:
    answered, problem, retry_after = answer_to(raised(name))
    assert (answered, problem.code) == (status, code)
    assert retry_after == ("1" if retried else None)
    assert "Issue.key" not in problem.detail  # names of classes are not for clients


# A new error needs a decision: what is a client told about it?
def test_every_public_error_is_documented_or_a_fault_of_the_server() -> None:
    public = {
        name
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.SingleTableError)
        if name != "EngineError"  # the engine's name of SingleTableError
    }
    assert public - SERVER_FAULTS == {name for name, *_ in documented()}


@pytest.mark.parametrize("name", sorted(SERVER_FAULTS))
def test_faults_of_the_server_stay_errors(name: str) -> None:
    assert problem_details(raised(name)) is None


def test_other_rejected_requests_stay_errors() -> None:
    with pytest.raises(errors.ValidationError):
        answer_to(errors.ValidationError("The provided key element does not match the schema"))


def test_a_request_that_was_not_sent_changed_nothing() -> None:
    _, sent, _ = answer_to(errors.ConnectionFailed("no answer", may_have_arrived=True))
    _, unsent, _ = answer_to(errors.ConnectionFailed("no route"))
    assert sent.detail != unsent.detail
    assert "nothing was changed" in unsent.detail


def test_version_conflict_of_a_conditional_request_is_412() -> None:
    conflict = errors.VersionConflict("Issue.key(7)")
    assert answer_to(conflict)[0] == 409
    assert answer_to(conflict, {"If-Match": '"7"'})[0] == 412


def test_invalid_value_says_where() -> None:
    _, problem, _ = answer_to(errors.InvalidValue("expected an integer.", "Poll.ranks[2]"))
    assert [(one.field, one.detail) for one in problem.errors] == [
        ("ranks[2]", "expected an integer.")
    ]


# RFC 9110: an ETag that is not ours cannot match, and a weak one never does.
@pytest.mark.parametrize(
    ("header", "status", "seen"),
    [
        (None, 200, None),
        ("*", 200, None),
        ('"7"', 200, 7),
        ('W/"7"', 412, None),
        ('"abc"', 412, None),
        (f'"{"9" * 40}"', 412, None),
        ("7", 400, None),
        ('"7", "8"', 400, None),
        ("", 400, None),
    ],
)
def test_if_match_is_a_version(header: str | None, status: int, seen: int | None) -> None:
    app = FastAPI()
    add_error_handlers(app)

    @app.get("/")
    def version(seen: IfMatch) -> int | None:
        return seen

    response = TestClient(app).get("/", headers={} if header is None else {"If-Match": header})
    assert response.status_code == status
    assert status != 200 or response.json() == seen


# A scan in a scoped store is a mistake in the program, and must not look like a missing item.
def test_call_that_no_scope_allows_is_a_server_fault() -> None:
    assert problem_details(errors.OutOfScope("Scan cannot be restricted")) is None
