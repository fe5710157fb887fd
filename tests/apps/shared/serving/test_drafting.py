"""A new folder is there whole, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable_apps.shared.serve import FileError, new_folder


def test_a_folder_is_there_once_it_is_whole(tmp_path: Path) -> None:
    kept = tmp_path / "data" / "polls"
    with new_folder(kept) as draft:
        (draft / "polls.db").touch()
        assert not kept.exists()
    assert [one.relative_to(tmp_path).as_posix() for one in tmp_path.rglob("*")] == [
        "data",
        "data/polls",
        "data/polls/polls.db",
    ]


def test_what_is_broken_off_leaves_nothing(tmp_path: Path) -> None:
    drafting = new_folder(tmp_path / "polls")
    (drafting.__enter__() / "polls.db").touch()
    stopped = KeyboardInterrupt()
    assert not drafting.__exit__(KeyboardInterrupt, stopped, None)
    assert list(tmp_path.iterdir()) == []


# A process that was killed could not clear up; the next does, and begins with nothing.
def test_what_was_left_half_done_is_begun_anew(tmp_path: Path) -> None:
    left = tmp_path / "polls.new"
    left.mkdir()
    (left / "half").touch()
    with new_folder(tmp_path / "polls") as draft:
        assert draft == left
        assert list(draft.iterdir()) == []
    assert [one.name for one in tmp_path.iterdir()] == ["polls"]


def test_where_nothing_can_be_made_it_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="Cannot use"), new_folder(tmp_path / "file" / "polls"):
        pass
