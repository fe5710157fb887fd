"""Key files are created once, readable by their owner only, and never replaced."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from singletable_apps.elections.proofs.keys import load_ballot_key, load_signer
from singletable_apps.shared.key_files import KeyFileError


def test_missing_key_is_created_with_owner_permissions(tmp_path: Path) -> None:
    path = tmp_path / "ballots.key"
    created = load_ballot_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert load_ballot_key(path).name == created.name
    assert [file.name for file in tmp_path.iterdir()] == ["ballots.key"]
    assert load_ballot_key(tmp_path / "other.key").name != created.name


def test_signer_is_the_same_after_a_restart(tmp_path: Path) -> None:
    assert load_signer(tmp_path / "k").public_key == load_signer(tmp_path / "k").public_key


# Processes of one service may start at the same time and must use the same key.
def test_concurrent_starts_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(load_ballot_key, [tmp_path / "k"] * 16))
    assert len({key.name for key in keys}) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666, 0o601])
def test_key_that_other_users_can_access_is_rejected(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "k"
    load_ballot_key(path)
    path.chmod(mode)
    with pytest.raises(KeyFileError, match=f"chmod 600 {path}"):
        load_ballot_key(path)


def test_read_only_key_is_accepted(tmp_path: Path) -> None:
    name = load_ballot_key(tmp_path / "k").name
    (tmp_path / "k").chmod(0o400)
    assert load_ballot_key(tmp_path / "k").name == name


@pytest.mark.parametrize("text", [b"", b"ab" * 31, b"ab" * 33, b"zz" * 32, b"\xff" * 64])
def test_file_without_a_key_is_rejected_and_kept(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "k"
    path.write_bytes(text)
    path.chmod(0o600)
    with pytest.raises(KeyFileError, match="64 hex digits"):
        load_signer(path)
    assert path.read_bytes() == text


def test_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="No such file or directory"):
        load_ballot_key(tmp_path / "missing" / "k")


def test_folder_instead_of_a_key_is_rejected(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(KeyFileError, match="Is a directory"):
        load_ballot_key(tmp_path)
