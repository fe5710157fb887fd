"""Random requests made from the OpenAPI document get responses that conform to it."""

from __future__ import annotations

# Much of schemathesis is without types.
# pyright: reportUnknownMemberType=false, reportUntypedFunctionDecorator=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
from typing import Any

import pytest
import schemathesis
from hypothesis import settings
from schemathesis.config import SchemathesisConfig

from tests.apps.shared.web.notes import TOKEN, Label, Note, empty_store, make_notes

CONFIG = SchemathesisConfig.from_dict(
    {
        "auth": {"openapi": {"HTTPBearer": {"bearer": TOKEN}}},
        "checks": {
            # RFC 6585 defines a status for a missing If-Match.
            "missing_required_header": {"expected-statuses": [400, 401, 428]},
            # Schemathesis cannot invent cursors, nor the ETag of a note.
            "positive_data_acceptance": {"expected-statuses": ["2xx", 304, 400, 404, 409, 412]},
        },
    }
)
store = empty_store()
schema = schemathesis.openapi.from_asgi("/api/openapi.json", make_notes(store), config=CONFIG)


@schema.parametrize()
@settings(max_examples=5, deadline=None)
def test_operations_conform_to_the_openapi_document(case: schemathesis.Case[Any]) -> None:
    case.call_and_validate()


def test_created_resources_are_found_by_other_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Create, read, edit and delete notes in any order."""
    machine = schema.as_state_machine()
    monkeypatch.setattr(machine, "setup", lambda _: empty(), raising=False)
    machine.run(settings=settings(max_examples=4, stateful_step_count=5, deadline=None))


def empty() -> None:
    """Start every run without notes."""
    names = [note.name for note in store.query(Note.key.partition())]
    for name in names:
        labels = [Label.key(name, label.word) for label in store.query(Label.key.partition(name))]
        store.delete_many([Note.key(name), *labels])
