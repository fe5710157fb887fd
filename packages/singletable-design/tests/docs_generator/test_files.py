"""Documentation files are written, updated and checked for staleness."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable.errors import DeclarationError, StaleDocs, StorageError
from singletable_design.docs_generator import check_docs, write_docs
from tests.docs_generator import special_names, test_document
from tools.testing.designs import election_catalog

NAMES = [
    "README.md",
    "members.svg",
    "vote_data-by_person.svg",
    "vote_data-keys_only.svg",
    "vote_data.svg",
]


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_folder_gets_a_document_and_its_diagrams(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "elections"
    assert sorted(path.name for path in write_docs(election_catalog, folder)) == NAMES
    assert _names(folder) == NAMES
    text = (folder / "README.md").read_text()
    assert all(f"]({name})" in text for name in NAMES[1:])
    check_docs(election_catalog, folder)


def test_unchanged_files_are_not_written_again(tmp_path: Path) -> None:
    write_docs(election_catalog, tmp_path)
    assert write_docs(election_catalog, tmp_path) == []


# Several documents may share a folder, so diagrams have the name of their document.
def test_md_file_gets_its_diagrams_beside_it(tmp_path: Path) -> None:
    write_docs(election_catalog, tmp_path / "votes.md")
    write_docs(special_names, tmp_path / "odd.md")
    check_docs(election_catalog, tmp_path / "votes.md")
    check_docs(special_names, tmp_path / "odd.md")
    assert "votes-vote_data.svg" in _names(tmp_path)
    assert "odd-odd.things-by.time.svg" in _names(tmp_path)


def test_check_docs_reports_stale_files_and_the_command(tmp_path: Path) -> None:
    write_docs(election_catalog, tmp_path)
    (tmp_path / "README.md").write_text("Elections, as I remember them")
    (tmp_path / "members.svg").unlink()
    gone = tmp_path / "vote_data-gone.svg"
    gone.write_text((tmp_path / "vote_data.svg").read_text())
    with pytest.raises(StaleDocs) as stale:
        check_docs(election_catalog, str(tmp_path))
    assert str(stale.value) == (
        f"The documentation of {election_catalog.__name__} is stale: {tmp_path / 'README.md'} "
        f"differs; {tmp_path / 'members.svg'} is missing; {gone} is no longer needed. Update it "
        f"with: singletable docs {election_catalog.__name__} --output {tmp_path}"
    )
    write_docs(election_catalog, tmp_path)
    check_docs(election_catalog, tmp_path)
    assert _names(tmp_path) == NAMES


# Files that we did not generate are never removed.
def test_other_files_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "logo.svg").write_text("<svg/>")
    (tmp_path / "photo.svg").write_bytes(b"\xff\xfe")
    write_docs(election_catalog, tmp_path)
    check_docs(election_catalog, tmp_path)
    assert (tmp_path / "logo.svg").read_text() == "<svg/>"


def test_module_without_a_catalog_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="declares no access patterns"):
        check_docs(test_document, tmp_path)


def test_unwritable_path_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written: Not a directory"):
        write_docs(election_catalog, tmp_path / "file" / "below")
    with pytest.raises(StorageError, match=r"is a file\. Documentation is written"):
        write_docs(election_catalog, tmp_path / "file")
