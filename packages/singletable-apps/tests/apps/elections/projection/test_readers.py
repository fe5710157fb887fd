"""Readers see the state of the log between two events, never in the middle of one."""

from __future__ import annotations

from copy import deepcopy
from threading import Event, Thread

import pytest

from singletable_apps.elections.entities import Electorate, UserId
from singletable_apps.elections.log_state import CaseInsensitiveDict
from singletable_apps.elections.service import ElectionSettings
from tests.apps.support.elections.world import World, ballot

# Long enough for a reader that nothing stops; a reader that waits for the event needs it all.
PAUSE = 0.2


# The old name is gone then, and the new one is not there yet.
def test_reader_waits_until_a_rename_is_complete(
    memory: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ada,) = memory.register("Ada")
    book, seen, is_read = memory.service.context.book, list[str](), Event()

    def read() -> None:
        seen.append(book.user_name(UserId(ada.user_id)))
        seen.extend(name for name in ("Ada", "Augusta") if book.find_user(name) is not None)
        is_read.set()

    reader = Thread(target=read)
    set_item = CaseInsensitiveDict.__setitem__

    def set_while_read(names: CaseInsensitiveDict[object], name: str, value: object) -> None:
        if name == "Augusta" and not reader.ident:
            reader.start()
            is_read.wait(PAUSE)
        set_item(names, name, value)

    monkeypatch.setattr(CaseInsensitiveDict, "__setitem__", set_while_read)
    memory.service.people.rename(ada, "Ada", "Augusta")
    reader.join()
    assert seen == ["Augusta", "Augusta"]


# A reader may still hold an answer when the next event arrives.
def test_answers_do_not_change_with_later_events(memory: World) -> None:
    ada, ben = memory.register("Ada", "Ben")
    lifecycle = memory.service.lifecycle
    lifecycle.create(ada, "E", ElectionSettings(electorate=Electorate.ACCOUNTS))
    lifecycle.set_candidates(ada, "E", ["Red", "Green"])
    book = memory.service.context.read
    election = book.get_election("E")
    answers = [
        election,
        book.get_user("Ada"),
        book.find_user_by_email("ada@example.org"),
        book.find_user_by_id(ada.user_id),
        book.find_election_by_id(election.election_id),
        book.record(election),
        book.records(),
        book.questions(election),
        book.candidates(election),
        book.voters(election),
        book.emails(election),
        book.counts(),
    ]
    before = deepcopy(answers)
    lifecycle.describe(ada, "E", "Which?", "One.")
    lifecycle.set_candidates(ada, "E", ["Blue", "Red"])
    lifecycle.set_voters(ada, "E", ["Ada", "Ben"])
    lifecycle.add_question(ada, "E", "F")
    lifecycle.set_candidates(ada, "F", ["Yes", "No"])
    lifecycle.launch(ada, "E", allow_edit=True)
    memory.service.voting.cast(ben, "E", ballot("Red"), "1")
    memory.service.people.rename(ada, "Ada", "Augusta")
    assert answers == before
