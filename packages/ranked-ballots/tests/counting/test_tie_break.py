"""The tie-break order comes from a published seed and can be verified."""

from __future__ import annotations

from hashlib import sha256

from ranked_ballots import TieBreak


def test_order_is_sorted_by_digest() -> None:
    ties = TieBreak.from_seed(["Ada", "Ben", "Zoë"], "2026-11-15 root")
    for name, digest in zip(ties.order, ties.digests, strict=True):
        assert digest == sha256(b"2026-11-15 root" + name.encode()).hexdigest()
    assert list(ties.digests) == sorted(ties.digests)
    assert ties.first(["Ada", "Ben", "Zoë"]) == ties.order[0]
    assert ties.last(["Ada", "Ben", "Zoë"]) == ties.order[-1]


def test_order_does_not_depend_on_the_order_of_candidates() -> None:
    assert TieBreak.from_seed(["Ada", "Ben", "Cy"], "s") == TieBreak.from_seed(
        ["Cy", "Ada", "Ben"], "s"
    )


def test_different_seeds_give_different_orders() -> None:
    names = [f"c{number}" for number in range(20)]
    assert TieBreak.from_seed(names, "a").order != TieBreak.from_seed(names, "b").order
