"""`check` finds all damage that changes the contents of a file, and reads never return it."""

from __future__ import annotations

import os
import random
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from dynamodb_engine import Engine, EngineError, Settings, StorageError
from dynamodb_engine.engine.file_check import check_file
from dynamodb_engine.engine.file_repair import repair_file
from tests.engine.sample_file import MADE, create_sample, read_contents
from tools.testing.processes import put, with_table

PAGE = 4096
COUNT = int(os.environ.get("FUZZ_EXAMPLES", "20"))


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, list[object]]]:
    """Return a file and what is read from it."""
    path = tmp_path_factory.mktemp("sample") / "sample.db"
    create_sample(path)
    # Enough keys for several pages of SQLite's index.
    with with_table(Engine.on_file(path, Settings(clock=lambda: MADE, durable=False))) as engine:
        put(engine, *(f"{number:050}" for number in range(200)))
    return path.read_bytes(), read_contents(path)


MOVED_PAGES = (3, 4)


def mutate(contents: bytes, kind: int, chance: random.Random) -> bytes:
    """Return the file with one damage of the kinds that disks and copies cause."""
    data = bytearray(contents)
    page, other = (PAGE * chance.randrange(len(data) // PAGE) for _ in range(2))
    start = chance.randrange(len(data))
    match kind:
        case 0:
            data[start] ^= 1 << chance.randrange(8)
        case 6:  # the type or the first digits of a number
            number = data.find(b'"N":"', start)
            data[number + chance.randrange(1, 8)] ^= 1 << chance.randrange(8)
        case 1:
            end = start + chance.choice([4, 16, 100])
            data[start:end] = chance.randbytes(len(data[start:end]))
        case 2:
            data[start : start + 512] = bytes(len(data[start : start + 512]))
        case 3:
            data[page : page + PAGE], data[other : other + PAGE] = (
                data[other : other + PAGE],
                data[page : page + PAGE],
            )
        case 4:
            data[page : page + PAGE] = data[other : other + PAGE]
        case _:
            del data[start:]
    return bytes(data)


def is_subsequence(found: list[object], expected: list[object]) -> bool:
    rest = iter(expected)
    return all(each in rest for each in found)


# If an intact page is at the place of another, reads may not notice that a row is missing, but
# `check` does.
@pytest.mark.parametrize("seed", range(COUNT))
def test_damage_is_never_read_as_data_and_always_found(
    sample: tuple[bytes, dict[str, list[object]]], tmp_path: Path, seed: int
) -> None:
    original, intact = sample
    path = tmp_path / "damaged.db"
    chance = random.Random(seed)
    kind = chance.randrange(7)
    path.write_bytes(mutate(original, kind, chance))
    try:
        is_clean = not check_file(path).problems
        repair_file(path, tmp_path / "new.db", tmp_path / "lost.jsonl", accept_items=bool(seed % 2))
        assert not check_file(tmp_path / "new.db").problems
    except StorageError:
        is_clean = False
    try:
        contents = read_contents(path)
    except EngineError:  # TrimmedDataAccess if the oldest changes are missing
        assert not is_clean
        return
    if kind not in MOVED_PAGES:
        assert contents == intact
    for name, found in contents.items():
        assert is_subsequence(found, intact[name]), name
    assert contents == intact or not is_clean


@pytest.mark.parametrize(
    ("old", "new"),
    [("moment REAL", "moment,REAL"), ("position INTEGER", "posituon INTEGER"), ("CREATE", "CREAT")],
)
def test_damaged_schema_is_an_error_that_names_the_file(
    sample: tuple[bytes, dict[str, list[object]]], tmp_path: Path, old: str, new: str
) -> None:
    path = tmp_path / "damaged.db"
    path.write_bytes(sample[0])
    with closing(apsw.Connection(str(path))) as file:
        file.execute("PRAGMA writable_schema = ON")
        file.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'changes'", (old, new)
        )
    with pytest.raises(StorageError, match=f"dynamodb-engine check {path}"):
        read_contents(path)
    assert check_file(path).problems


def test_file_without_its_end_is_an_error_that_names_the_file(
    sample: tuple[bytes, dict[str, list[object]]], tmp_path: Path
) -> None:
    path = tmp_path / "damaged.db"
    path.write_bytes(sample[0][:-PAGE])
    with pytest.raises(StorageError, match=f"dynamodb-engine check {path}"):
        Engine.on_file(path)


def test_file_that_this_process_uses_is_not_checked(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with Engine.on_file(path), pytest.raises(StorageError, match="from another one"):
        check_file(path)
