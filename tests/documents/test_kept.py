"""Documents are written where one says, and a check fails when they are stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import StaleDocs, check_docs
from singletable.documents import write_documents
from singletable.errors import DeclarationError, StorageError
from tests.documents import odd, test_document
from tests.patterns import election_catalog

NAMES = [
    "README.md",
    "members.svg",
    "vote_data-by_person.svg",
    "vote_data-keys_only.svg",
    "vote_data.svg",
]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_folder_gets_a_document_and_its_pictures(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "elections"
    assert sorted(path.name for path in write_documents(election_catalog, folder)) == NAMES
    assert _names(folder) == NAMES
    text = (folder / "README.md").read_text()
    assert all(f"]({name})" in text for name in NAMES[1:])
    check_docs(election_catalog, folder)


def test_what_is_as_it_should_be_is_not_written_again(tmp_path: Path) -> None:
    write_documents(election_catalog, tmp_path)
    assert write_documents(election_catalog, tmp_path) == []


# Several documents may share a folder, so the pictures of each have its name.
def test_a_file_has_its_pictures_beside_it(tmp_path: Path) -> None:
    write_documents(election_catalog, tmp_path / "votes.md")
    write_documents(odd, tmp_path / "odd.md")
    check_docs(election_catalog, tmp_path / "votes.md")
    check_docs(odd, tmp_path / "odd.md")
    assert "votes-vote_data.svg" in _names(tmp_path)
    assert "odd-odd.things-by-time-.svg" in _names(tmp_path)


def test_each_stale_file_is_told_with_the_command_that_mends_it(tmp_path: Path) -> None:
    write_documents(election_catalog, tmp_path)
    (tmp_path / "README.md").write_text("Elections, as I remember them")
    (tmp_path / "members.svg").unlink()
    gone = tmp_path / "vote_data-gone.svg"
    gone.write_text((tmp_path / "vote_data.svg").read_text())
    with pytest.raises(StaleDocs) as stale:
        check_docs(election_catalog, str(tmp_path))
    assert str(stale.value) == (
        f"The documents of tests.patterns.election_catalog are stale: {tmp_path / 'README.md'} "
        f"says something else; {tmp_path / 'members.svg'} is not there; {gone} shows what is no "
        "longer declared. Write them with: singletable docs tests.patterns.election_catalog --out "
        f"{tmp_path}"
    )
    write_documents(election_catalog, tmp_path)
    check_docs(election_catalog, tmp_path)
    assert _names(tmp_path) == NAMES


# A folder may hold other things; a picture of somebody else is not ours to remove.
def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "logo.svg").write_text("<svg/>")
    (tmp_path / "photo.svg").write_bytes(b"\xff\xfe")
    write_documents(election_catalog, tmp_path)
    check_docs(election_catalog, tmp_path)
    assert (tmp_path / "logo.svg").read_text() == "<svg/>"


def test_a_module_without_a_catalogue_is_told(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="declares no catalog of access patterns"):
        check_docs(test_document, tmp_path)


def test_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written: Not a directory"):
        write_documents(election_catalog, tmp_path / "file" / "below")
    with pytest.raises(StorageError, match=r"is a file\. Documents are written into a folder"):
        write_documents(election_catalog, tmp_path / "file")
