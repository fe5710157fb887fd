"""A Merkle tree over all tracking codes: one root, and a short proof that a code is included.

The tree is that of RFC 6962 over the sorted codes, an order that says nothing about who cast a
ballot or when. A leaf is SHA-256 over 0x00 and the code, an inner node SHA-256 over 0x01 and its
two children, and the root of an empty tree SHA-256 over nothing. The last node of a level with an
odd number of nodes moves up unchanged.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from hashlib import sha256
from itertools import pairwise

from typing_extensions import TypedDict

from singletable_apps.elections.proofs.checker import hash_leaf, hash_node
from singletable_apps.elections.proofs.errors import MerkleTreeError

_NODE_SIZE = 32


class InclusionProof(TypedDict):
    """The sibling nodes on the path from a tracking code up to the signed root, in hex."""

    index: int
    size: int
    path: list[str]


class MerkleTree:
    """A tree with all nodes, to create many proofs. Each code takes 64 bytes and its text."""

    def __init__(self, confirmations: Iterable[str]) -> None:
        self._confirmations = sorted(confirmations)
        for code, following in pairwise(self._confirmations):
            if code == following:
                raise MerkleTreeError(
                    f"The tracking code '{code}' appears twice. Use a new nonce for each ballot."
                )
        # A level is one bytes object: a million objects would take twice the memory.
        self._levels = [b"".join(map(hash_leaf, self._confirmations))]
        while len(self._levels[-1]) > _NODE_SIZE:
            self._levels.append(_parents(self._levels[-1]))

    def __len__(self) -> int:
        return len(self._confirmations)

    def __contains__(self, confirmation: str) -> bool:
        index = bisect_left(self._confirmations, confirmation)
        return self._confirmations[index : index + 1] == [confirmation]

    @property
    def root(self) -> str:
        """Return the root in hex."""
        return self._levels[-1].hex() or sha256().hexdigest()

    def prove(self, confirmation: str) -> InclusionProof:
        """Return the proof that this code is in the tree."""
        if confirmation not in self:
            raise MerkleTreeError(
                f"The tracking code '{confirmation}' is not among these {len(self):,}. A ballot "
                "that was changed has a new one."
            )
        path: list[str] = []
        index = position = bisect_left(self._confirmations, confirmation)
        for level in self._levels[:-1]:
            sibling = (position ^ 1) * _NODE_SIZE
            if sibling < len(level):
                path.append(level[sibling : sibling + _NODE_SIZE].hex())
            position >>= 1
        return {"index": index, "size": len(self), "path": path}


def _parents(level: bytes) -> bytes:
    pairs, rest = divmod(len(level), 2 * _NODE_SIZE)
    starts = range(0, pairs * 2 * _NODE_SIZE, 2 * _NODE_SIZE)
    nodes = [hash_node(level[start : start + 2 * _NODE_SIZE]) for start in starts]
    return b"".join([*nodes, level[len(level) - rest :]])
