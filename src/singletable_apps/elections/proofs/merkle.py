"""One digest for all ballots, and a short proof that a ballot is among them.

The tree is that of RFC 6962 over the confirmations in the order of their text, which tells
nothing about who cast a ballot or when. A leaf is SHA-256 over 0x00 and the confirmation, an inner
node over 0x01 and its two children, and the root of no leaves SHA-256 over nothing. A node
without a neighbour goes up as it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

from singletable_apps.elections.proofs.errors import MerkleTreeError

_SIZE = 32


@dataclass(frozen=True, slots=True)
class InclusionProof:
    """The neighbours, in hex and from the leaf up, that lead from one leaf to the root."""

    index: int
    size: int
    path: tuple[str, ...]


class MerkleTree:
    """All nodes of a tree, for many proofs: 64 bytes for each confirmation, and its text."""

    def __init__(self, confirmations: Iterable[str]) -> None:
        self._confirmations = sorted(confirmations)
        for one, other in pairwise(self._confirmations):
            if one == other:
                raise MerkleTreeError(
                    f"The confirmation '{one}' is there twice. Each ballot has its own; give each "
                    f"ballot a nonce of its own."
                )
        # The nodes of a level stand side by side: a million objects would take twice the room.
        self._levels = [b"".join(map(_leaf, self._confirmations))]
        while len(self._levels[-1]) > _SIZE:
            self._levels.append(_above(self._levels[-1]))

    def __len__(self) -> int:
        return len(self._confirmations)

    @property
    def root(self) -> str:
        """The digest of the whole, in hex."""
        return self._levels[-1].hex() or sha256().hexdigest()

    def prove(self, confirmation: str) -> InclusionProof:
        """The proof that this confirmation is in the tree."""
        index = bisect_left(self._confirmations, confirmation)
        if self._confirmations[index : index + 1] != [confirmation]:
            raise MerkleTreeError(
                f"The confirmation '{confirmation}' is not among the {len(self):,} of this tree. "
                f"A ballot that was cast again has a new one."
            )
        path: list[str] = []
        at = index
        for level in self._levels[:-1]:
            neighbour = (at ^ 1) * _SIZE
            if neighbour < len(level):
                path.append(level[neighbour : neighbour + _SIZE].hex())
            at >>= 1
        return InclusionProof(index, len(self), tuple(path))


def merkle_root(confirmations: Iterable[str]) -> str:
    """The digest, in hex, of these confirmations, in whatever order they come."""
    return MerkleTree(confirmations).root


def prove(confirmations: Iterable[str], confirmation: str) -> InclusionProof:
    """The proof that one confirmation is among these. For many proofs, keep a Tree."""
    return MerkleTree(confirmations).prove(confirmation)


def is_included(root: str, confirmation: str, proof: InclusionProof) -> bool:
    """Whether the proof leads from this confirmation to this root."""
    if not 0 <= proof.index < proof.size:
        return False
    node = _leaf(confirmation)
    at, last = proof.index, proof.size - 1
    rest = iter(proof.path)
    while last:
        # The last node of an odd level has no neighbour and goes up as it is.
        if at % 2 or at != last:
            neighbour = _bytes(next(rest, ""))
            if neighbour is None:
                return False
            node = _node(neighbour + node if at % 2 else node + neighbour)
        at, last = at >> 1, last >> 1
    return next(rest, None) is None and node.hex() == root


def _above(level: bytes) -> bytes:
    pairs, alone = divmod(len(level), 2 * _SIZE)
    nodes = [_node(level[at : at + 2 * _SIZE]) for at in range(0, pairs * 2 * _SIZE, 2 * _SIZE)]
    return b"".join([*nodes, level[len(level) - alone :]])


def _leaf(confirmation: str) -> bytes:
    return sha256(b"\x00" + confirmation.encode()).digest()


def _node(children: bytes) -> bytes:
    return sha256(b"\x01" + children).digest()


def _bytes(text: str) -> bytes | None:
    try:
        node = bytes.fromhex(text)
    except ValueError:
        return None
    # Capitals and spaces would be other spellings of one proof.
    return node if len(node) == _SIZE and node.hex() == text else None
