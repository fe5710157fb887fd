"""A full disk: writes fail and nothing is lost, and deletes work."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from dynamodb_engine.engine.storage.sqlite.disk_reserve import RESERVE, DiskReserve

# The disk is as large as the log and the file may become, twice the reserve.
_SCRIPT = """
import asyncio, random, sys, time
from dynamodb_engine import *
from dynamodb_engine.operations import *
from tools.testing.processes import create_table

expired = {"N": str(int(time.time()) - 60)}
engine, chance, names = Engine.on_file(sys.argv[1]), random.Random(7), []
for table in ("things", "other"):
    engine.execute(create_table(table))
engine.execute(UpdateTimeToLive("things", TimeToLiveSpecification(True, "expires")))

def fill():
    for size in (90_000, 3000, 100):
        try:
            while True:
                name = str(chance.random())
                item = {"pk": {"S": name}, "text": {"S": "x" * size}, "expires": expired}
                engine.execute(PutItem("things", item))
                names.append(name)
        except StorageError:
            pass

def take():
    return {"pk": {"S": names.pop(chance.randrange(len(names)))}}

def delete(count):
    return [WriteRequest(delete_request=DeleteRequest(take())) for _ in range(count)]

fill()
for _ in range(12):
    engine.execute(DeleteItem("things", take()))
    fill()
asyncio.run(engine.execute_async(DeleteItem("things", take())))
fill()
engine.execute(BatchWriteItem({"things": delete(3)}))
fill()
engine.execute(TransactWriteItems([TransactWriteItem(delete=Delete("things", take()))]))
fill()
engine.execute(DeleteTable("other"))
fill()
swept = engine.execute(SweepExpired(limit=3)).removed
print(swept, engine.execute(DescribeTable("things")).table.item_count - len(names))
engine.close()
with Engine.on_file(sys.argv[1]) as engine:
    print(engine.execute(DescribeTable("things")).table.item_count - len(names))
"""


def _may_mount() -> bool:
    """Return whether this process may mount a disk: root may, unless it has no CAP_SYS_ADMIN."""
    status = Path("/proc/self/status")
    capabilities = re.search(r"CapEff:\s*(\w+)", status.read_text()) if status.exists() else None
    return capabilities is not None and bool(int(capabilities[1], 16) >> 21 & 1)


def _run_on_small_disk(folder: Path, script: str) -> str:
    mount = f"mount -t tmpfs -o size={2 * RESERVE} tmpfs {folder}"
    own_mounts = ["unshare", "--mount", "sh", "-c"]
    if not _may_mount():
        # In a namespace of its own a user may, where the system allows it.
        own_mounts.insert(1, "--map-root-user")
        try:
            subprocess.run([*own_mounts, mount], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("only root may mount a small disk here")
    run = f'{mount} && exec "$0" -c "$1" {folder}/things.db'
    command = [*own_mounts, run, sys.executable, script]
    root = Path(__file__).parents[2]
    return subprocess.run(command, check=True, cwd=root, stdout=subprocess.PIPE, text=True).stdout


def test_deletes_work_on_a_full_disk(tmp_path: Path) -> None:
    assert _run_on_small_disk(tmp_path, _SCRIPT).split() == ["3", "-3", "-3"]


def test_reserve_has_no_name_and_is_allocated_again(tmp_path: Path) -> None:
    reserve = DiskReserve(tmp_path)
    with reserve.released():
        assert reserve.size == 0
    assert reserve.size == RESERVE
    assert list(tmp_path.iterdir()) == []
    reserve.close()
    assert reserve.size == 0


# A folder that cannot have it is no reason not to open the database.
def test_missing_reserve_is_not_an_error(tmp_path: Path) -> None:
    reserve = DiskReserve(tmp_path / "missing")
    with reserve.released():
        assert reserve.size == 0
    reserve.close()
