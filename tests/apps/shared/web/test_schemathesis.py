"""Whatever the description allows is answered as it says, and so is what it does not allow."""

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
            # RFC 6585 has a status of its own for the one header that most edits require.
            "missing_required_header": {"expected-statuses": [400, 401, 428]},
            # Nobody can make up a cursor, nor the tag of a note that others edit.
            "positive_data_acceptance": {"expected-statuses": ["2xx", 304, 400, 404, 409, 412]},
        },
    }
)
store = empty_store()
schema = schemathesis.openapi.from_asgi("/api/openapi.json", make_notes(store), config=CONFIG)


@schema.parametrize()
@settings(max_examples=5, deadline=None)
def test_every_operation_answers_as_described(case: schemathesis.Case[Any]) -> None:
    case.call_and_validate()


def test_what_one_operation_makes_another_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes that are made are read, edited and thrown away, in whatever order."""
    machine = schema.as_state_machine()
    monkeypatch.setattr(machine, "setup", lambda _: empty(), raising=False)
    machine.run(settings=settings(max_examples=4, stateful_step_count=5, deadline=None))


def empty() -> None:
    """Let each course of events begin with no notes, whatever others left behind."""
    names = [note.name for note in store.query(Note.key.partition())]
    for name in names:
        labels = [Label.key(name, label.word) for label in store.query(Label.key.partition(name))]
        store.delete_many([Note.key(name), *labels])
