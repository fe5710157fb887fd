"""The tree is the one of RFC 6962, and a proof holds for its leaf, place and size alone."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.elections.proofs import (
    InclusionProof,
    MerkleTree,
    MerkleTreeError,
    is_included,
    merkle_root,
    prove,
)

CODES = st.lists(st.text("abc", min_size=1, max_size=6), unique=True, max_size=40)


def defined(leaves: list[str]) -> bytes:
    """The hash of a tree as section 2.1 of the RFC defines it, by halves."""
    if not leaves:
        return sha256().digest()
    if len(leaves) == 1:
        return sha256(b"\0" + leaves[0].encode()).digest()
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    return sha256(b"\1" + defined(leaves[:left]) + defined(leaves[left:])).digest()


def defined_path(at: int, leaves: list[str]) -> list[str]:
    """The path of a leaf as section 2.1.1 of the RFC defines it."""
    if len(leaves) == 1:
        return []
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    if at < left:
        return [*defined_path(at, leaves[:left]), defined(leaves[left:]).hex()]
    return [*defined_path(at - left, leaves[left:]), defined(leaves[:left]).hex()]


@given(CODES)
def test_root_and_paths_are_those_of_the_definition(codes: list[str]) -> None:
    tree, leaves = MerkleTree(codes), sorted(codes)
    assert tree.root == merkle_root(reversed(codes)) == defined(leaves).hex()
    for at, code in enumerate(leaves):
        proof = tree.prove(code)
        assert proof == InclusionProof(at, len(codes), tuple(defined_path(at, leaves)))
        assert is_included(tree.root, code, proof)


@given(CODES.filter(len), st.data())
def test_a_proof_holds_for_its_own_leaf_and_place_alone(
    codes: list[str], data: st.DataObject
) -> None:
    code = data.draw(st.sampled_from(codes))
    proof, top = prove(codes, code), merkle_root(codes)
    assert not is_included(top, code + "x", proof)
    assert not is_included(merkle_root([*codes, code + "x"]), code, proof)
    for other in range(-1, len(codes) + 1):
        assert is_included(top, code, replace(proof, index=other)) == (other == proof.index)
    assert not is_included(top, code, replace(proof, path=(*proof.path, "0" * 64)))
    for at, node in enumerate(proof.path):
        for changed in (node.upper(), node[:-2], f" {node}", node[::-1], "no hex"):
            if changed != node:
                path = (*proof.path[:at], changed, *proof.path[at + 1 :])
                assert not is_included(top, code, replace(proof, path=path))
        assert not is_included(top, code, replace(proof, path=proof.path[:at]))


def test_no_ballots_have_the_root_of_nothing() -> None:
    assert merkle_root([]) == sha256().hexdigest()
    assert not is_included(merkle_root([]), "", InclusionProof(0, 0, ()))


def test_a_confirmation_is_there_once() -> None:
    with pytest.raises(MerkleTreeError, match="'b' is there twice"):
        merkle_root(["b", "a", "b"])


@pytest.mark.parametrize("code", ["", "a", "bb", "z"])
def test_what_is_not_in_the_tree_has_no_proof(code: str) -> None:
    with pytest.raises(MerkleTreeError, match="is not among the 2 of this tree"):
        prove(["b", "c"], code)
