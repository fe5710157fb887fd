"""To close while others read and write: they finish, or are told; nobody is left hanging."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable import DescribeTable, Engine, EngineClosed, Settings
from tests.engine.other_process import count, make, put


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    """Python turns from thread to thread often, so that they meet."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.parametrize("attempt", range(6))
def test_readers_and_writers_are_told_that_the_engine_is_closed(
    tmp_path: Path, attempt: int
) -> None:
    path = tmp_path / "things.db"
    engine = make(Engine.on_file(path, Settings(durable=False)))
    put(engine, *map(str, range(200)))
    acknowledged: list[str] = []
    surprises: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(1_000_000):
                if number % 2:
                    put(engine, f"{number}-{turn}")
                    acknowledged.append(f"{number}-{turn}")
                else:
                    count(engine)
        except EngineClosed:
            return
        except BaseException as error:
            surprises.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    while len(acknowledged) < 20:
        time.sleep(0.001)
    engine.close()
    for thread in threads:
        thread.join(10)
    assert surprises == []
    assert not any(thread.is_alive() for thread in threads)
    with Engine.on_file(path) as again:
        table = again.execute(DescribeTable("things")).table
        assert table.item_count == 200 + len(acknowledged)
