"""Readers see the state of the log between two events, never in the middle of one."""

from __future__ import annotations

from threading import Event, Thread

import pytest

from singletable_apps.elections.entities import UserId
from singletable_apps.elections.log_state import CaseInsensitiveDict
from tests.apps.support.elections.world import World

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
