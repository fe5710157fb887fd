"""Proofs of elections: what a voter can check about a ballot, without a word of ours."""

from __future__ import annotations

from singletable_apps.elections.proofs.canonical import canonical, digest
from singletable_apps.elections.proofs.check_closing import Finding
from singletable_apps.elections.proofs.checking import check, check_published
from singletable_apps.elections.proofs.closing import Statement, rankings_digest, statement
from singletable_apps.elections.proofs.codes import parse_code, readable
from singletable_apps.elections.proofs.confirmation import (
    Definition,
    Level,
    confirmation,
    definition,
    definition_digest,
)
from singletable_apps.elections.proofs.errors import (
    CodeRefused,
    NotCanonical,
    ProofsError,
    SealBroken,
    StatementRefused,
    TreeRefused,
)
from singletable_apps.elections.proofs.loading import load_key, load_signer
from singletable_apps.elections.proofs.merkle import Proof, Tree, is_included, prove, root
from singletable_apps.elections.proofs.published import Published, PublishedBallot, publish
from singletable_apps.elections.proofs.receipt import Closing, Inclusion, Receipt, closed, receipt
from singletable_apps.elections.proofs.sealing import BallotKey, SealedBallot, width_for
from singletable_apps.elections.proofs.signing import Signer, fingerprint, is_signed
from singletable_apps.elections.proofs.take_along import checker_source
from singletable_apps.elections.proofs.tie_break import commitment, seed

__all__ = [
    "BallotKey",
    "Closing",
    "CodeRefused",
    "Definition",
    "Finding",
    "Inclusion",
    "Level",
    "NotCanonical",
    "Proof",
    "ProofsError",
    "Published",
    "PublishedBallot",
    "Receipt",
    "SealBroken",
    "SealedBallot",
    "Signer",
    "Statement",
    "StatementRefused",
    "Tree",
    "TreeRefused",
    "canonical",
    "check",
    "check_published",
    "checker_source",
    "closed",
    "commitment",
    "confirmation",
    "definition",
    "definition_digest",
    "digest",
    "fingerprint",
    "is_included",
    "is_signed",
    "load_key",
    "load_signer",
    "parse_code",
    "prove",
    "publish",
    "rankings_digest",
    "readable",
    "receipt",
    "root",
    "seed",
    "statement",
    "width_for",
]
