"""Every operation responds as its description says, also to requests that it does not allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import schemathesis

from singletable import Engine
from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import ManagedPoll, Voter
from tests.apps.polls.api.client import OPTIONS, make_server
from tests.apps.polls.support.harness import changed
from tests.apps.support.api_fuzzing import Fuzzer, few_examples, load_schema


def busy() -> tuple[Engine, list[ManagedPoll]]:
    """Create open and closed polls of every kind, with votes."""
    engine = Engine.in_memory()
    polls = make_server(driver=engine).polls
    made: list[ManagedPoll] = []
    for protection, results in zip(Protection, ResultsVisibility, strict=True):
        managed = polls.lifecycle.create(
            changed(PollDraft("Best?", OPTIONS), protection=protection, results=results)
        )
        codes = polls.codes.issue(managed.poll.id, managed.admin_key, 3)
        for code in codes:
            polls.voting.cast(managed.poll.id, ["Go", "Rust"], Voter(code=code))
        made.append(managed)
    polls.lifecycle.close(made[0].poll.id, made[0].admin_key)
    made.append(polls.lifecycle.create(PollDraft("New?", OPTIONS)))
    return engine, made


ENGINE, MADE = busy()


class PollFuzzer(Fuzzer):
    """Sends the key of the poll in the path."""

    def __init__(self) -> None:
        # After a deletion, there is nothing left to repeat with a wrong key.
        super().__init__(restore, {}, repeated=("get", "post", "patch"))
        self._managed, self._polls = MADE[0], cycle(MADE)

    def names_for(self, case: schemathesis.Case[Any]) -> Mapping[str, Sequence[str]]:
        self._managed = next(self._polls)
        return {"poll_id": [self._managed.poll.id] * 2}

    def next_token(self) -> str:
        return self._managed.admin_key


def restore() -> Sequence[str]:
    """Serve a copy of the polls."""
    make_server(driver=ENGINE.copy()).activate()
    return [""]


# A poll that does not exist (404) or is closed (409), a wrong code (403), two equal options (422).
STATUSES = (400, 401, 403, 404, 409, 412, 422)
schema = load_schema(make_server().app, "/api/polls/openapi.json", STATUSES, coverage=True)
fuzzer = PollFuzzer()


@schema.parametrize()  # type: ignore[untyped-decorator]
@few_examples
def test_every_operation_responds_as_described(case: schemathesis.Case[Any]) -> None:
    fuzzer.send(case)
