"""The checker needs only Python, and agrees with the service about every file."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from ranked_ballots import Ranking, TieBreak
from singletable_apps.elections.proofs import checker
from singletable_apps.elections.proofs.documents import (
    BallotDefinition,
    PublicationLevel,
    compute_tie_seed,
    create_publication,
    hash_definition,
)
from singletable_apps.elections.proofs.encoding import format_code
from singletable_apps.elections.proofs.keys import Signer, fingerprint
from singletable_apps.elections.proofs.verification import checker_source
from tests.apps.elections.proofs.factories import (
    CANDIDATES,
    INVALID_RANKINGS,
    NAME,
    SECRET,
    SIGNER,
    cast_ballot,
    changes,
    close_election,
    forge_receipt,
    make_earlier_receipt,
    make_sample,
)

LEVELS: tuple[PublicationLevel, ...] = get_args(PublicationLevel)
KEY = fingerprint(SIGNER.public_key)
SAMPLE = make_sample("confirmations")


def accepts(file: Any, path: Path, *published: Any) -> bool:
    """Return whether the checker finds nothing wrong in a file, or in a receipt and a list."""
    path.write_text(json.dumps(file), encoding="utf-8")
    listed = path.with_name("list.json")
    for each in published:
        listed.write_text(json.dumps(each), encoding="utf-8")
    try:
        findings = checker.check(str(path), str(listed) if published else None, None)
        return all(finding.ok for finding in findings)
    except (ValueError, RecursionError):
        return False


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Run the checker in a folder of its own, like someone who downloaded it."""
    (tmp_path / "checker.py").write_text(checker_source(), encoding="utf-8")

    def start(*arguments: str, stdin: str = "", **files: Any) -> subprocess.CompletedProcess[str]:
        for name, value in files.items():
            text = value if isinstance(value, str) else json.dumps(value)
            (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
        command = [sys.executable, "-I", "checker.py", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, input=stdin, capture_output=True, encoding="utf-8", check=False
        )

    return start


def test_checker_imports_only_the_standard_library_and_parses_on_python_3_8() -> None:
    tree = ast.parse(checker_source(), feature_version=(3, 8))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {
        name
        for node in imported
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [each.name for each in node.names]
        )
    }
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_checker_runs_alone_on_a_receipt_and_a_publication(run: Any) -> None:
    arguments = ["r.json", "--list", "p.json", "--key", format_code(KEY).upper()]
    ran = run(*arguments, r=SAMPLE.receipt, p=SAMPLE.published)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Ada > Ben > Cy = Zoë" in ran.stdout
    by = compute_tie_seed(SAMPLE.closing["statement"]["root"], SECRET)
    order = ", ".join(TieBreak.from_seed(CANDIDATES, by).order)
    assert (
        f"with method: Schulze, strength: winning. Break ties in this order: {order}." in ran.stdout
    )
    assert ran.stdout.endswith("All checks passed.\n")


def test_checker_reads_standard_input_and_escapes_control_characters(run: Any) -> None:
    renamed = {**SAMPLE.receipt, "name": "Treasurer\x1b[2K\u202e"}
    ran = run(stdin=json.dumps(renamed))
    assert ran.returncode == 1
    assert "FAILED The election that closed" in ran.stdout
    assert not set("\x1b\u202e") & set(ran.stdout)


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        ((), "", "This is not a receipt"),
        ((), "[" * 100_000, "This is not a receipt"),
        ((), '{"a": 1, "a": 2}', "a name appears twice"),
        (("missing.json",), "", "No such file"),
        (("--key", "abc"), "{}", "a fingerprint has 52"),
    ],
)
def test_checker_exits_with_2_if_there_is_nothing_to_check(
    run: Any, arguments: tuple[str, ...], text: str, message: str
) -> None:
    ran = run(*arguments, stdin=text)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr


def test_checker_detects_any_change_of_a_receipt(tmp_path: Path) -> None:
    assert accepts(SAMPLE.receipt, tmp_path / "r.json")
    for place, changed in changes(SAMPLE.receipt):
        assert not accepts(changed, tmp_path / "r.json"), place


# Elections can be renamed until the close, so the name is not proved before.
def test_checker_detects_any_change_of_an_open_receipt_but_its_name(tmp_path: Path) -> None:
    for place, changed in changes(SAMPLE.open_receipt):
        is_name = place.startswith(("name = '", 'name = "'))
        assert accepts(changed, tmp_path / "r.json") == is_name, place


# Someone who votes with a personal link has no other receipt.
@pytest.mark.parametrize(
    "level", ["confirmations", *(pytest.param(one, marks=pytest.mark.rest) for one in LEVELS[:-1])]
)
def test_checker_detects_any_change_of_an_open_receipt_in_a_list(
    level: PublicationLevel, tmp_path: Path
) -> None:
    sample = make_sample(level)
    assert accepts(sample.open_receipt, tmp_path / "r.json", sample.published)
    for place, changed in changes(sample.open_receipt):
        assert not accepts(changed, tmp_path / "r.json", sample.published), place
    for place, changed in changes(sample.published):
        assert not accepts(sample.open_receipt, tmp_path / "r.json", changed), place


def test_checker_detects_any_change_of_a_final_receipt_in_a_list(tmp_path: Path) -> None:
    for place, changed in changes(SAMPLE.receipt):
        assert not accepts(changed, tmp_path / "r.json", SAMPLE.published), place


def test_checker_accepts_only_names_that_the_election_had(tmp_path: Path) -> None:
    closing = close_election(SAMPLE.definition, SAMPLE.ballots, earlier_names=("Chair", "Boss"))
    published = create_publication(closing, SAMPLE.ballots)
    receipt = SAMPLE.open_receipt
    for name in (NAME, "Chair", "Boss"):
        assert accepts({**receipt, "name": name}, tmp_path / "r.json", published)
    assert not accepts({**receipt, "name": "Head"}, tmp_path / "r.json", published)
    assert not accepts({**receipt, "name": "Boss"}, tmp_path / "r.json", SAMPLE.published)
    for place, changed in changes(published):
        assert not accepts(receipt, tmp_path / "r.json", changed), place


def test_checker_accepts_ballots_from_before_a_change_of_candidates(tmp_path: Path) -> None:
    assert accepts(make_earlier_receipt(listed=True), tmp_path / "r.json")
    assert not accepts(make_earlier_receipt(listed=False), tmp_path / "r.json")


@pytest.mark.parametrize("ranking", INVALID_RANKINGS)
def test_checker_rejects_invalid_rankings(ranking: list[list[str]], tmp_path: Path) -> None:
    assert not accepts(forge_receipt(ranking), tmp_path / "r.json")


@pytest.mark.parametrize(
    "level", ["confirmations", *(pytest.param(one, marks=pytest.mark.rest) for one in LEVELS[:-1])]
)
def test_checker_detects_any_change_of_a_publication(
    level: PublicationLevel, tmp_path: Path
) -> None:
    published = make_sample(level).published
    assert accepts(published, tmp_path / "p.json")
    for place, changed in changes(published):
        assert not accepts(changed, tmp_path / "p.json"), place


def test_checker_says_only_what_failed(run: Any) -> None:
    fewer = create_publication(SAMPLE.closing, SAMPLE.ballots[:-1])
    ran = run("p.json", p={**fewer, "rankings": [[["Zoë"]], [["Ada"]]]})
    assert ran.returncode == 1
    assert [line for line in ran.stdout.splitlines() if line.startswith("FAILED")] == [
        "FAILED The tracking codes do not match the signed result.",
        "FAILED What is published is not what was promised before voting started: confirmations.",
        "FAILED The rankings are not sorted, so their order could show who cast them.",
        "FAILED The rankings do not match the signed result.",
    ]
    ballots: Any = SAMPLE.published["ballots"]
    swapped = {**fewer, "ballots": ballots[::-1]}
    assert "FAILED Some published ballots do not match" in run("p.json", p=swapped).stdout


def test_checker_accepts_published_ballots_of_a_listed_definition_only(tmp_path: Path) -> None:
    before = SAMPLE.definition
    after: BallotDefinition = {**before, "candidates": before["candidates"][:-1]}
    ballots = [
        cast_ballot(before, 1, Ranking.from_levels(["Zoë"])),
        cast_ballot(after, 2, Ranking()),
        cast_ballot(after, 3, Ranking()),
    ]
    listed = close_election(after, ballots, (hash_definition(before),))
    assert accepts(create_publication(listed, ballots), tmp_path / "p.json")
    unlisted = close_election(after, ballots)
    assert not accepts(create_publication(unlisted, ballots), tmp_path / "p.json")


def test_checker_finds_a_receipt_only_in_its_own_publication(tmp_path: Path) -> None:
    (tmp_path / "r").write_text(json.dumps(SAMPLE.receipt))
    (tmp_path / "o").write_text(json.dumps(SAMPLE.open_receipt))
    (tmp_path / "p").write_text(json.dumps(SAMPLE.published))
    (tmp_path / "q").write_text(json.dumps(make_sample("totals").published))

    def failed(one: str, other: str, key: str | None = None) -> list[str]:
        found = checker.check(str(tmp_path / one), str(tmp_path / other), key)
        return [finding.claim for finding in found if not finding.ok]

    assert failed("r", "p", KEY) == []
    assert len(failed("r", "q")) == 2
    assert failed("o", "p", KEY) == []
    assert len(failed("o", "q")) == 2
    assert len(failed("r", "p", fingerprint(Signer(bytes(32)).public_key))) == 2
    for pair in (("p", "p"), ("p", "r"), ("r", "r")):
        with pytest.raises(checker.InvalidFile, match="--list"):
            failed(*pair)


# RFC 8032, section 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
        "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
]


@pytest.mark.parametrize(("key", "message", "signature"), VECTORS)
def test_checker_accepts_the_signatures_of_rfc_8032(key: str, message: str, signature: str) -> None:
    given = bytes.fromhex(message), bytes.fromhex(signature), bytes.fromhex(key)
    assert checker.is_signed(*given)
    for broken in broken_signatures(*given):
        assert not checker.is_signed(*broken)


def broken_signatures(
    message: bytes, signature: bytes, key: bytes
) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield the signature with another message, s, R or key, or with s + ORDER."""
    s = int.from_bytes(signature[32:], "little")
    yield message + b"\0", signature, key
    yield message, signature[:32] + (s + checker.ORDER).to_bytes(32, "little"), key
    yield message, signature[:32] + (s ^ 1).to_bytes(32, "little"), key
    yield message, bytes([signature[0] ^ 1]) + signature[1:], key
    yield message, signature, bytes([key[0] ^ 1]) + key[1:]


# A y of P or more is another spelling of a smaller one, and x = 0 has no sign.
@pytest.mark.parametrize(
    "number", [checker.P, checker.P + 1, 2**255 - 1, 1 + 2**255, 2, 2**256 - 1]
)
def test_decode_point_rejects_other_numbers(number: int) -> None:
    assert checker.decode_point(number.to_bytes(32, "little")) is None


def test_points_can_be_decoded_and_encoded() -> None:
    for key, _, _ in VECTORS:
        point = checker.decode_point(bytes.fromhex(key))
        assert point is not None
        assert checker.encode_point(point).hex() == key
