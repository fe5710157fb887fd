"""The tree is that of RFC 6962, and a proof is valid for one leaf, place and size only."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.elections.proofs import checker
from singletable_apps.elections.proofs.errors import MerkleTreeError
from singletable_apps.elections.proofs.merkle import InclusionProof, MerkleTree

CODES = st.lists(st.text("abc", min_size=1, max_size=6), unique=True, max_size=40)


def is_included(root: str, code: str, proof: InclusionProof) -> bool:
    """Return whether the checker finds the code in the tree with this root."""
    return checker.is_included(root, code, **proof)


def expected_root(leaves: list[str]) -> bytes:
    """Return the root as section 2.1 of the RFC defines it, recursively."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0].encode()).digest()
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    return sha256(b"\1" + expected_root(leaves[:left]) + expected_root(leaves[left:])).digest()


def expected_path(at: int, leaves: list[str]) -> list[str]:
    """Return the path of a leaf as section 2.1.1 of the RFC defines it."""
    if len(leaves) == 1:
        return []
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    if at < left:
        return [*expected_path(at, leaves[:left]), expected_root(leaves[left:]).hex()]
    return [*expected_path(at - left, leaves[left:]), expected_root(leaves[:left]).hex()]


@given(CODES)
def test_root_and_proofs_match_the_rfc(codes: list[str]) -> None:
    tree, leaves = MerkleTree(codes), sorted(codes)
    assert tree.root == MerkleTree(reversed(codes)).root == expected_root(leaves).hex()
    for at, code in enumerate(leaves):
        proof = tree.prove(code)
        assert proof == InclusionProof(
            index=at, size=len(codes), path=list(expected_path(at, leaves))
        )
        assert is_included(tree.root, code, proof)


@given(CODES.filter(len), st.data())
def test_proof_is_only_valid_for_its_leaf_and_place(codes: list[str], data: st.DataObject) -> None:
    code = data.draw(st.sampled_from(codes))
    proof, top = MerkleTree(codes).prove(code), MerkleTree(codes).root
    assert not is_included(top, code + "x", proof)
    assert not is_included(MerkleTree([*codes, code + "x"]).root, code, proof)
    for other in range(-1, len(codes) + 1):
        assert is_included(top, code, {**proof, "index": other}) == (other == proof["index"])
    assert not is_included(top, code, {**proof, "path": [*proof["path"], "0" * 64]})
    for at, node in enumerate(proof["path"]):
        for changed in (node[:-2], node[::-1]):
            if changed != node:
                path = [*proof["path"][:at], changed, *proof["path"][at + 1 :]]
                assert not is_included(top, code, {**proof, "path": path})
        assert not is_included(top, code, {**proof, "path": proof["path"][:at]})


def test_empty_tree_has_the_root_of_nothing() -> None:
    assert MerkleTree([]).root == sha256().hexdigest()
    assert not is_included(MerkleTree([]).root, "", InclusionProof(index=0, size=0, path=[]))


def test_tree_rejects_duplicate_codes() -> None:
    with pytest.raises(MerkleTreeError, match="'b' appears twice"):
        MerkleTree(["b", "a", "b"])


@pytest.mark.parametrize("code", ["", "a", "bb", "z"])
def test_tree_has_no_proof_for_unknown_codes(code: str) -> None:
    with pytest.raises(MerkleTreeError, match="not among these 2"):
        MerkleTree(["b", "c"]).prove(code)
