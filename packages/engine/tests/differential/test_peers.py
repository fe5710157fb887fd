"""A peer that hangs, dies or is missing is distinguished from one that responds."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynamodb_engine.errors import ResourceNotFound, TableNotFound
from dynamodb_engine.operations import DescribeTable, GetItem, ListTables, PutItem
from dynamodb_engine.values import Item
from tests.differential.case import Tally, run_case
from tests.differential.differences import PLAIN
from tests.differential.dynalite_peer import Dynalite, PeerMissing
from tests.differential.peer import Peer, PeerFailed, refusal_of, with_bytes, with_text

# Node.js modules that take the place of dynalite.
HANGS = "module.exports = () => require('http').createServer(() => {})"
DIES = "module.exports = () => require('http').createServer(() => process.exit(1))"
BABBLES = "module.exports = () => require('http').createServer((req, res) => res.end('what?'))"
ANSWERS = """
module.exports = () => require('http').createServer((req, res) => {
  req.on('data', () => {}).on('end', () => res.end('{"TableNames": []}'))
})
"""


def served(folder: Path, module: str) -> Dynalite:
    (folder / "index.js").write_text(module)
    return Dynalite(folder, max_wait=1)


@pytest.mark.parametrize(
    ("module", "what"),
    [(HANGS, "hung"), (DIES, "died"), (BABBLES, "died")],
    ids=["hangs", "dies", "babbles"],
)
def test_unresponsive_server_counts_as_failed(tmp_path: Path, module: str, what: str) -> None:
    with served(tmp_path, module) as peer, pytest.raises(PeerFailed, match=f"dynalite {what}"):
        peer.execute(ListTables())


# One failing request must not invalidate the rest of the run.
def test_failed_server_is_replaced(tmp_path: Path) -> None:
    with served(tmp_path, DIES) as peer:
        with pytest.raises(PeerFailed):
            peer.execute(ListTables())
        (tmp_path / "index.js").write_text(ANSWERS)
        assert peer.execute(ListTables()).table_names == []


# The peer failed, not our engine: the case is counted, and nothing is concluded.
def test_peer_failure_is_not_a_difference(tmp_path: Path) -> None:
    tally = Tally()
    with served(tmp_path, DIES) as peer:
        run_case(peer, PLAIN, [], [GetItem("table", {"pk": {"S": "a"}})], tally)
    assert tally.agreed == 0
    assert tally.failures.total() == 1


def test_server_ends_when_stopped(tmp_path: Path) -> None:
    with served(tmp_path, HANGS) as peer:
        process = peer.process
        assert process is not None
        assert process.poll() is None
    assert process.poll() is not None


# Even if the tests are killed: the server ends when its input closes.
def test_server_ends_with_its_parent_process(tmp_path: Path) -> None:
    with served(tmp_path, HANGS) as peer:
        process = peer.process
        assert process is not None
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=10) == 0
        process.stdin = None


# Skipping would hide that nothing was compared.
def test_missing_server_is_named(tmp_path: Path) -> None:
    with pytest.raises(PeerMissing, match="`make test-all` installs Node"):
        Dynalite(tmp_path / "nowhere").start()


def test_missing_node_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PeerMissing, match="There is no Node"):
        Dynalite(tmp_path).start()


def test_module_that_does_not_load_is_reported(tmp_path: Path) -> None:
    with pytest.raises(PeerMissing, match="no such thing"):
        served(tmp_path, "throw new Error('no such thing')").start()


# Peers are drivers, so tests written for a driver run on them.
@pytest.mark.parametrize("name", ["moto", "dynalite"])
def test_peer_is_a_driver(name: str, request: pytest.FixtureRequest) -> None:
    peer: Peer = request.getfixturevalue(name)
    key: Item = {"pk": {"S": "a"}}
    item: Item = {**key, "b": {"B": "AAE="}, "bs": {"BS": ["/w==", "AA=="]}}
    case = Tally()
    run_case(peer, PLAIN, [item], [PutItem("table", item), GetItem("table", key)], case)
    assert case.agreed == 4
    with pytest.raises(ResourceNotFound):
        peer.execute(DescribeTable("table"))


def test_bytes_survive_a_round_trip() -> None:
    item = {"B": {"S": "a name"}, "b": {"B": "AAE="}, "l": {"L": [{"BS": ["/w=="]}]}}
    sent = with_bytes(item)
    assert sent == {"B": {"S": "a name"}, "b": {"B": b"\0\1"}, "l": {"L": [{"BS": [b"\xff"]}]}}
    assert with_text(sent) == item


def test_peer_errors_become_our_errors() -> None:
    refused = refusal_of("ResourceNotFoundException", {"message": "Requested resource not found"})
    assert type(refused) is ResourceNotFound
    assert not isinstance(refused, TableNotFound)
    with pytest.raises(PeerFailed):
        refusal_of("InternalFailure", {})
