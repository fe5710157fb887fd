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

# The peer is shared by all examples and left empty after each; a slow machine is not a failure.
shared_peer = settings(
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
both_peers = pytest.mark.parametrize("name", ["moto", "dynalite"])
moto_alone = pytest.mark.parametrize("name", ["moto"])
dynalite_alone = pytest.mark.parametrize("name", ["dynalite"])


@st.composite
def cases(
    draw: st.DrawFn, name: str, kinds: Sequence[Requests], *, wrong: bool = False
) -> tuple[Table, list[Any], list[Any]]:
    """Draw a table, its items, and a few requests of these kinds."""
    features = frozenset(COMPARED[name])
    table = draw(tables(features))
    requests = st.one_of([kind(table, features) for kind in kinds])
    if wrong:
        requests = mistaken(requests, table, features)
    items = draw(contents(table, features))
    return table, items, draw(st.lists(requests, min_size=1, max_size=6))


def compare(
    data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str, *kinds: Requests
) -> None:
    table, items, requests = data.draw(cases(name, kinds))
    run_case(peer_named(name), table, items, requests, tally)


# Conditions decide whether a write happens, so an error in one shows in what is stored.
@both_peers
@shared_peer
@given(data=st.data())
def test_puts_and_deletes(
    data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str
) -> None:
    compare(data, peer_named, tally, name, puts, deletes)


@both_peers
@shared_peer
@given(data=st.data())
def test_updates(data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str) -> None:
    compare(data, peer_named, tally, name, updates)


@both_peers
@shared_peer
@given(data=st.data())
def test_gets(data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str) -> None:
    compare(data, peer_named, tally, name, gets, batch_gets)


# Order, pages, counts and projections: most engine errors show here.
@both_peers
@shared_peer
@given(data=st.data())
def test_queries(data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str) -> None:
    compare(data, peer_named, tally, name, queries)


@both_peers
@shared_peer
@given(data=st.data())
def test_scans(data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str) -> None:
    compare(data, peer_named, tally, name, scans)


# Each request sees what the previous one left, which finds errors that single requests do not.
@both_peers
@shared_peer
@given(data=st.data())
def test_sequences(data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str) -> None:
    kinds: list[Requests] = [puts, deletes, updates, gets, queries, scans, batch_gets, batch_writes]
    if Feature.TRANSACTIONS in COMPARED[name]:
        kinds += [transact_gets, transact_writes]
    if Feature.LEGACY_READS in COMPARED[name]:
        kinds += [legacy_reads, legacy_writes]
    compare(data, peer_named, tally, name, *kinds)


@moto_alone
@shared_peer
@given(data=st.data())
def test_transactions(data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str) -> None:
    compare(data, peer_named, tally, name, transact_writes, transact_gets)


@dynalite_alone
@shared_peer
@given(data=st.data())
def test_legacy_parameters(
    data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str
) -> None:
    compare(data, peer_named, tally, name, legacy_writes, legacy_reads)


@dynalite_alone
@shared_peer
@given(data=st.data())
def test_mistakes_in_legacy_parameters(
    data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str
) -> None:
    kinds = [legacy_writes, legacy_reads]
    table, items, requests = data.draw(cases(name, kinds, wrong=True))
    run_case(peer_named(name), table, items, requests, tally)


# Which of several errors is reported, and its wording: programs depend on both.
@dynalite_alone
@shared_peer
@given(data=st.data())
def test_mistakes(data: st.DataObject, peer_named: PeerNamed, tally: Tally, name: str) -> None:
    kinds = [puts, deletes, updates, gets, queries, scans, batch_gets, batch_writes]
    table, items, requests = data.draw(cases(name, kinds, wrong=True))
    run_case(peer_named(name), table, items, requests, tally)
