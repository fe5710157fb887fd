"""Random requests get the same responses from our engine as from others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.differential.case import Tally, run_case
from tests.differential.features import COMPARED, Feature
from tests.differential.peer import Peer
from tests.differential.strategies.batches import (
    batch_gets,
    batch_writes,
    transact_gets,
    transact_writes,
)
from tests.differential.strategies.legacy import legacy_reads, legacy_writes
from tests.differential.strategies.mistakes import mistaken
from tests.differential.strategies.reads import gets, queries, scans
from tests.differential.strategies.tables import Table, contents, tables
from tests.differential.strategies.universe import Features
from tests.differential.strategies.writes import deletes, puts, updates

Requests: TypeAlias = Callable[[Table, Features], st.SearchStrategy[Any]]
PeerNamed: TypeAlias = Callable[[str], Peer]

SINGLE: list[Requests] = [puts, deletes, updates, gets, queries, scans, batch_gets, batch_writes]
TRANSACTIONS: list[Requests] = [transact_writes, transact_gets]
LEGACY: list[Requests] = [legacy_writes, legacy_reads]
BOTH = ("moto", "dynalite")
# Each kind of requests, and the peers that support them.
KINDS: dict[str, tuple[Sequence[str], list[Requests]]] = {
    # Conditions decide whether a write happens, so an error in one shows in what is stored.
    "puts and deletes": (BOTH, [puts, deletes]),
    "updates": (BOTH, [updates]),
    "gets": (BOTH, [gets, batch_gets]),
    # Order, pages, counts and projections: most engine errors show here.
    "queries": (BOTH, [queries]),
    "scans": (BOTH, [scans]),
    "transactions": (["moto"], TRANSACTIONS),
    "legacy parameters": (["dynalite"], LEGACY),
}
# Which of several errors is reported, and its wording: programs depend on both.
MISTAKES: dict[str, list[Requests]] = {"single": SINGLE, "legacy": LEGACY}
# The peer is shared by all examples and left empty after each; a slow machine is not a failure.
shared_peer = settings(
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)


@st.composite
def cases(
    draw: st.DrawFn, peer: str, kinds: Sequence[Requests], *, wrong: bool
) -> tuple[Table, list[Any], list[Any]]:
    """Draw a table, its items, and a few requests of these kinds."""
    features = frozenset(COMPARED[peer])
    table = draw(tables(features))
    requests = st.one_of([kind(table, features) for kind in kinds])
    if wrong:
        requests = mistaken(requests, table, features)
    items = draw(contents(table, features))
    return table, items, draw(st.lists(requests, min_size=1, max_size=6))


def compare(
    data: st.DataObject, peer: Peer, tally: Tally, kinds: Sequence[Requests], *, wrong: bool = False
) -> None:
    table, items, requests = data.draw(cases(peer.name, kinds, wrong=wrong))
    run_case(peer, table, items, requests, tally)


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for kind, (peers, _) in KINDS.items() for name in peers]
)
@shared_peer
@given(data=st.data())
def test_valid_requests(
    data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str, kind: str
) -> None:
    compare(data, peer_named(name), tally, KINDS[kind][1])


# Each request sees what the previous one left, which finds errors that single requests do not.
@pytest.mark.parametrize("name", BOTH)
@shared_peer
@given(data=st.data())
def test_sequences(data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str) -> None:
    more = TRANSACTIONS if Feature.TRANSACTIONS in COMPARED[name] else []
    legacy = LEGACY if Feature.LEGACY_READS in COMPARED[name] else []
    compare(data, peer_named(name), tally, [*SINGLE, *more, *legacy])


@pytest.mark.parametrize("kind", MISTAKES)
@pytest.mark.parametrize("name", ["dynalite"])
@shared_peer
@given(data=st.data())
def test_mistakes(
    data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str, kind: str
) -> None:
    compare(data, peer_named(name), tally, MISTAKES[kind], wrong=True)
