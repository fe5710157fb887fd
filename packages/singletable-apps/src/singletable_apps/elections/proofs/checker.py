"""Check the receipt of your ballot, or what was published about an election, on your own computer.

    python3 checker.py RECEIPT
    python3 checker.py RECEIPT --key FINGERPRINT
    python3 checker.py RECEIPT --list PUBLICATION --key FINGERPRINT
    python3 checker.py PUBLICATION --key FINGERPRINT

RECEIPT and PUBLICATION are the files that you downloaded. FINGERPRINT identifies the key of the
people who run the election: get it from them in another way than this file or the receipt, for
example from a poster or the minutes of a meeting.

A receipt from before the close says what you cast. It proves that your ballot was counted together
with PUBLICATION; a receipt from after the close proves that alone.

You need Python 3.8 or later and nothing else: this program uses no network and no other file. With
`-`, or without a file, it reads standard input. The exit code is 0 if all checks pass, 1 if one
fails, and 2 if the file is not a receipt or a publication.

This program cannot know whether everyone who voted was allowed to. It does not count: if rankings
are published, it says by which rules anyone can, and what they have to be counted with.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

# --- Digests. Every value has one form in bytes: JSON with sorted keys and without spaces. The
# --- domain, such as "definition", separates digests for different purposes.


def domain_prefix(domain: str) -> bytes:
    """Return the bytes that precede everything hashed or signed for this purpose."""
    return ("singletable elections 1: " + domain + "\0").encode()


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def canonical_json(value: Any) -> bytes:
    """Return the one form of a value in bytes."""
    return _ENCODER.encode(value).encode()


def digest(value: Any, domain: str) -> str:
    """Return SHA-256 in hex."""
    return hashlib.sha256(domain_prefix(domain) + canonical_json(value)).hexdigest()


def encode_code(hex_digest: str) -> str:
    """Return 256 bits as 52 letters and digits that people can type."""
    return base64.b32encode(bytes.fromhex(hex_digest)).decode().rstrip("=").lower()


def format_code(code: str) -> str:
    """Return a code in groups of four, for people to read."""
    return "-".join(code[start : start + 4] for start in range(0, len(code), 4))


# --- The Merkle tree of all tracking codes, as in RFC 6962. Leaves start with 0, nodes with 1.


def hash_leaf(code: str) -> bytes:
    """Return the leaf of a tracking code."""
    return hashlib.sha256(b"\x00" + code.encode()).digest()


def hash_node(nodes: bytes) -> bytes:
    """Return the node above two nodes."""
    return hashlib.sha256(b"\x01" + nodes).digest()


def merkle_root(codes: list[str]) -> str:
    """Return the root of the tree of these codes."""
    level = [hash_leaf(code) for code in codes]
    while len(level) > 1:
        pairs = [hash_node(level[at] + level[at + 1]) for at in range(0, len(level) - 1, 2)]
        level = pairs + level[-1:] if len(level) % 2 else pairs
    return level[0].hex() if level else hashlib.sha256().hexdigest()


def is_included(root: str, code: str, index: int, size: int, path: list[str]) -> bool:
    """Return whether the path leads from this code to the root."""
    node, last, siblings = hash_leaf(code), size - 1, [bytes.fromhex(each) for each in path]
    while last > 0 and 0 <= index <= last:
        if index % 2 or index < last:  # else it is the last of an odd level, and moves up unchanged
            if not siblings:
                return False
            sibling = siblings.pop(0)
            node = hash_node(sibling + node if index % 2 else node + sibling)
        index, last = index // 2, last // 2
    return index == last == 0 and not siblings and node.hex() == root


# --- Ed25519 signatures, as in RFC 8032. A point (x, y) is stored as X/Z, Y/Z and T/Z = x·y.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


class Point(NamedTuple):
    """A point of the curve."""

    x: int
    y: int
    z: int
    t: int


def add_points(one: Point, other: Point) -> Point:
    """Return the sum of two points."""
    a = (one.y - one.x) * (other.y - other.x) % P
    b = (one.y + one.x) * (other.y + other.x) % P
    c = 2 * one.t * other.t * D % P
    d = 2 * one.z * other.z % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return Point(e * f % P, g * h % P, f * g % P, e * h % P)


def multiply_point(number: int, point: Point) -> Point:
    """Return the point added to itself this number of times."""
    result = Point(0, 1, 1, 0)
    while number:
        result = add_points(result, point) if number % 2 else result
        point, number = add_points(point, point), number // 2
    return result


def decode_point(data: bytes) -> Point | None:
    """Return the point that 32 bytes encode: y, and the sign of x in the top bit."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number % 2**255
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    x = x if x % 2 == sign else P - x
    return Point(x, y, 1, x * y % P)


def encode_point(point: Point) -> bytes:
    """Return the 32 bytes that encode a point."""
    inverse = pow(point.z, P - 2, P)
    x, y = point.x * inverse % P, point.y * inverse % P
    return (y + (x % 2 << 255)).to_bytes(32, "little")


def is_signed(message: bytes, signature: bytes, public_key: bytes) -> bool:
    """Return whether s·B - h·A is the R of the signature."""
    base = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    key, s = decode_point(public_key), int.from_bytes(signature[32:], "little")
    # Without the check of s, both s and s + ORDER would be signatures of one message.
    if base is None or key is None or s >= ORDER:
        return False
    hashed = hashlib.sha512(signature[:32] + public_key + message).digest()
    minus_key = Point(P - key.x, key.y, 1, P - key.t)
    h = int.from_bytes(hashed, "little") % ORDER
    r = add_points(multiply_point(s, base), multiply_point(h, minus_key))
    return encode_point(r) == signature[:32]


# --- The format of files. Unknown fields are rejected: what nobody checks could claim anything.


class InvalidFile(ValueError):
    """The file is not a receipt or a publication."""


def require(is_valid: bool, value: Any, where: str) -> None:
    """Raise InvalidFile with the place of an invalid value."""
    if not is_valid:
        shown = json.dumps(value, ensure_ascii=False)
        raise InvalidFile(f"{where} is {shown[:60]}{'…' if len(shown) > 60 else ''}")


def test(is_valid: Callable[[Any], bool]) -> Callable[[Any, str], None]:
    """Return a check for a value."""
    return lambda value, where: require(is_valid(value), value, where)


def matching(pattern: str) -> Callable[[Any, str], None]:
    """Return a check for text that matches a pattern."""
    return test(lambda value: type(value) is str and re.fullmatch(pattern, value) is not None)


text = test(lambda value: type(value) is str)
boolean = test(lambda value: type(value) is bool)
# An integer that every JSON parser reads exactly. True is an int in Python only.
integer = test(lambda value: type(value) is int and abs(value) < 2**53)
positive = test(lambda value: type(value) is int and 0 < value < 2**53)
# What is false is left out.
true = test(lambda value: value is True)


def list_of(check_item: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    """Return a check for a list."""

    def check_list(value: Any, where: str) -> None:
        require(type(value) is list, value, where)
        for item in value:
            check_item(item, where)

    return check_list


def object_of(*optional: str, **fields: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    """Return a check for an object with exactly these fields, some of them optional."""

    def check_object(value: Any, where: str) -> None:
        require(type(value) is dict, value, where)
        for name in set(value) - set(fields):
            raise InvalidFile(f"{where} has unknown fields, such as {json.dumps(name)[:60]}")
        is_complete = set(fields) - set(optional) <= set(value)
        require(is_complete, sorted(value), f"the list of fields of {where}")
        for name in value:
            fields[name](value[name], f"{where}.{name}")

    return check_object


def rules(value: Any, where: str) -> None:
    """Check for an object with any fields, all of them text."""
    require(type(value) is dict, value, where)
    list_of(text)(list(value.values()), where)


def or_null(check_value: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    """Return a check that also accepts null."""
    return lambda value, where: None if value is None else check_value(value, where)


HASH, NONCE, SIGNATURE = (matching(f"[0-9a-f]{{{2 * size}}}") for size in (32, 16, 64))
CODE = matching("[a-z2-7]{51}[aq]")
RANKING = list_of(list_of(text))  # levels, best first; the names of a level are sorted
# A definition is `weighted` if ballots count more than once; then each ballot has a `weight`, and
# the statement has their sum. Its `rules` are in those of the statement, too; if there is a quorum,
# the statement says how many people were `eligible`; if it was renamed while people voted, the
# `earlier_names`, which receipts from before have.
DEFINITION = object_of(
    "weighted",
    "rules",
    election_id=integer,
    candidates=list_of(text),
    secret=boolean,
    level=matching("totals|anonymous|confirmations"),
    commitment=HASH,
    weighted=true,
    rules=rules,
)
STATEMENT = object_of(
    "weight",
    "eligible",
    "earlier_names",
    format=matching("singletable election closing 1"),
    name=text,
    definition=DEFINITION,
    earlier=list_of(HASH),  # definitions that ballots were cast under before candidates changed
    ballots=integer,
    root=HASH,
    rankings=or_null(HASH),
    secret=HASH,
    rules=rules,
    closed_at=text,
    weight=integer,
    eligible=integer,
    earlier_names=list_of(text),
)
CLOSING = object_of(statement=STATEMENT, signature=SIGNATURE, public_key=HASH)
RECEIPT = object_of(
    "weight",
    format=matching("singletable election receipt 1"),
    name=text,
    definition=DEFINITION,
    nonce=NONCE,
    ranking=RANKING,
    confirmation=CODE,  # the tracking code
    closing=or_null(CLOSING),
    proof=or_null(object_of(index=integer, size=integer, path=list_of(HASH))),
    weight=positive,
)
PUBLICATION = object_of(
    format=matching("singletable election publication 1"),
    closing=CLOSING,
    confirmations=list_of(CODE),
    rankings=or_null(list_of(RANKING)),
    ballots=or_null(
        list_of(
            object_of("weight", confirmation=CODE, nonce=NONCE, ranking=RANKING, weight=positive)
        )
    ),
)


def reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Reject duplicate names: JSON parsers differ on which one counts."""
    if len(dict(pairs)) != len(pairs):
        raise InvalidFile("a name appears twice in one object")
    return dict(pairs)


def read_file(path: str) -> Any:
    """Return the receipt or publication in a file."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    value: Any = json.loads(data.decode("utf-8-sig"), object_pairs_hook=reject_duplicates)
    require(type(value) is dict, value, "the file")
    if "confirmations" in value:
        PUBLICATION(value, "publication")
    else:
        RECEIPT(value, "receipt")
    canonical_json(value)  # fails for invalid text, such as half a surrogate pair
    return value


# --- The checks.


class Finding(NamedTuple):
    """Whether a check passed, and what it found."""

    ok: bool
    claim: str


def find(ok: bool, claim: str, problem: str) -> Finding:
    """Return the claim if the check passed, otherwise the problem."""
    return Finding(ok, claim if ok else problem)


def definition_digests(statement: Any) -> list[str]:
    """Return the digests of all definitions that ballots were cast under."""
    return [digest(statement["definition"], "definition"), *statement["earlier"]]


def is_weighted(definition: Any) -> bool:
    """Return whether ballots under this definition have weights."""
    return "weighted" in definition


def tracking_code(ballot: Any, election_id: int, definition: str) -> str:
    """Return the tracking code of a ballot under the definition with this digest."""
    names = ("nonce", "ranking", "weight")
    cast = {name: ballot[name] for name in names if name in ballot}
    whole = {**cast, "election_id": election_id, "definition": definition}
    return encode_code(digest(whole, "confirmation"))


def tie_seed(root: str, secret: str) -> str:
    """Return the seed for breaking ties. Ties go by SHA-256 over the seed and the name."""
    return digest({"root": root, "secret": secret}, "tie-break seed")


def matches_code(ballot: Any, election_id: int, definitions: list[str]) -> bool:
    """Return whether a ballot under one of these definitions has its tracking code."""
    names = [name for level in ballot["ranking"] for name in level]
    if len(names) != len(set(names)):
        return False
    if any(not level or level != sorted(level) for level in ballot["ranking"]):
        return False
    codes = [tracking_code(ballot, election_id, each) for each in definitions]
    return ballot["confirmation"] in codes


def check_closing(closing: Any, key: str | None) -> Iterator[Finding]:
    """Check the signature, its key, and the secret for breaking ties."""
    statement, public_key = closing["statement"], bytes.fromhex(closing["public_key"])
    message = domain_prefix("closing") + canonical_json(statement)
    signature = bytes.fromhex(closing["signature"])
    fingerprint = encode_code(digest(closing["public_key"], "public key"))
    what = (
        f"The closing statement of “{statement['name']}” of {moment(statement['closed_at'])} "
        f"(ballots: {statement['ballots']})"
    )
    yield find(
        is_signed(message, signature, public_key),
        f"{what} is signed with the key {format_code(fingerprint)}.",
        f"{what} is not signed with the key {format_code(fingerprint)}.",
    )
    if key is not None:
        yield find(
            key == fingerprint,
            "This is the key that you expect.",
            "This is not the key that you expect.",
        )
    yield find(
        digest(statement["secret"], "tie-break commitment") == statement["definition"]["commitment"]
        and ("weight" in statement) == is_weighted(statement["definition"]),
        "The secret for breaking ties was fixed before voting started.",
        "The secret for breaking ties is not the one that was fixed before voting started.",
    )
    agreed = statement["definition"].get("rules", {})
    if agreed:
        yield find(
            agreed.items() <= statement["rules"].items()
            and ("quorum" in agreed) == ("eligible" in statement),
            f"The rules were fixed before voting started: {list_rules(agreed)}.",
            f"The rules are not those from before voting started: {list_rules(agreed)}.",
        )


def moment(text: str) -> str:
    """Return 15 November 2026, 12:00 UTC; a file can contain any text in place of a time."""
    try:
        at = datetime.fromisoformat(text).astimezone(timezone.utc)  # noqa: UP017
    except (ValueError, OverflowError):
        return f"“{text}”"
    return f"{at.day} {at:%B %Y, %H:%M} UTC"


def list_rules(rules: Any) -> str:
    """Return rules for people to read."""
    return ", ".join(f"{name}: {choice}" for name, choice in sorted(rules.items()))


def check_receipt(receipt: Any, key: str | None, published: Any = None) -> Iterator[Finding]:
    """Check the ballot, and after the close, that it was counted.

    A receipt from before the close is counted if its code is in what was published.
    """
    definition, closing, proof = receipt["definition"], receipt["closing"], receipt["proof"]
    mine = digest(definition, "definition")
    names = [name for level in receipt["ranking"] for name in level]
    ballot = " > ".join(" = ".join(level) for level in receipt["ranking"]) or "(blank)"
    weight = f" (weight {receipt['weight']})" if "weight" in receipt else ""
    code = format_code(receipt["confirmation"])
    yield find(
        all(name in definition["candidates"] for name in names)
        and ("weight" in receipt) == is_weighted(definition)
        and matches_code(receipt, definition["election_id"], [mine]),
        f"Your ballot {ballot}{weight} matches the tracking code {code}.",
        f"The ballot {ballot}{weight} does not match the tracking code {code}.",
    )
    if closing is None and proof is None:
        yield check_open_receipt(receipt, mine, key, published)
        return
    if closing is None or proof is None:
        yield Finding(False, "The signature or the proof that the ballot was counted is missing.")
        return
    statement = closing["statement"]
    yield from check_closing(closing, key)
    yield find(
        receipt["name"] == statement["name"] and mine in definition_digests(statement),
        "The election that closed is the one that you voted in.",
        "The election that closed is not the one that you voted in.",
    )
    yield find(
        proof["size"] == statement["ballots"]
        and is_included(statement["root"], receipt["confirmation"], **proof),
        f"Your ballot was counted: its tracking code is in the signed result (ballots: "
        f"{statement['ballots']}).",
        "This receipt does not prove that its tracking code is in the signed result (ballots: "
        f"{statement['ballots']}).",
    )


def check_open_receipt(receipt: Any, mine: str, key: str | None, published: Any) -> Finding:
    """Check the election of a receipt from before the close."""
    if published is None:
        return find(
            key is None,
            "This receipt is from before the close, so there is no signature to check.",
            "This receipt is from before the close, so there is no signature to check with --key. "
            "After the close, add the published data with --list, or get your final receipt "
            "on the page “Check your ballot”.",
        )
    statement = published["closing"]["statement"]
    names = [statement["name"], *statement.get("earlier_names", [])]
    return find(
        receipt["name"] in names and mine in definition_digests(statement),
        "The election that closed is the one that you voted in. This receipt is from before the "
        "close; the published data shows whether your ballot was counted.",
        "The election that closed is not the one that you voted in, or it had another name.",
    )


def check_publication(published: Any, key: str | None) -> Iterator[Finding]:
    """Check all tracking codes, and the rankings if they are published."""
    statement, codes = published["closing"]["statement"], published["confirmations"]
    rankings, ballots = published["rankings"], published["ballots"]
    level = statement["definition"]["level"]
    yield from check_closing(published["closing"], key)
    yield find(
        codes == sorted(set(codes))
        and len(codes) == statement["ballots"]
        and merkle_root(codes) == statement["root"],
        "The tracking codes match the signed result: none is missing and none was added.",
        "The tracking codes do not match the signed result.",
    )
    yield find(
        (rankings is not None, ballots is not None)
        == (level == "anonymous", level == "confirmations"),
        f"As much is published as was promised before voting started: {level}.",
        f"What is published is not what was promised before voting started: {level}.",
    )
    if rankings is not None:
        yield find(
            rankings == sorted(rankings, key=canonical_json),
            "The rankings are sorted, so that their order does not show who cast them.",
            "The rankings are not sorted, so their order could show who cast them.",
        )
    if ballots is not None:
        election_id = statement["definition"]["election_id"]
        definitions = definition_digests(statement)
        yield find(
            [ballot["confirmation"] for ballot in ballots] == codes
            and all(matches_code(ballot, election_id, definitions) for ballot in ballots),
            "Every published ballot matches its tracking code.",
            "Some published ballots do not match their tracking codes.",
        )
        if is_weighted(statement["definition"]):
            total = sum(ballot.get("weight", 0) for ballot in ballots)
            yield find(
                all("weight" in ballot for ballot in ballots) and total == statement["weight"],
                f"The weights of the ballots match the signed result (sum: {total}).",
                f"The weights of the ballots do not match the signed result (sum: {total}).",
            )
        rankings = [ballot["ranking"] for ballot in ballots]
    if rankings is not None:
        is_same = digest(sorted(rankings, key=canonical_json), "rankings") == statement["rankings"]
        yield find(
            is_same and len(rankings) == statement["ballots"],
            f"The rankings match the signed result. {explain_recount(statement)}",
            "The rankings do not match the signed result.",
        )


def explain_recount(statement: Any) -> str:
    """Return how to count again."""
    seed = tie_seed(statement["root"], statement["secret"])
    names = statement["definition"]["candidates"]
    order = sorted(names, key=lambda name: hashlib.sha256((seed + name).encode()).digest())
    voters = f" {statement['eligible']} people could vote." if "eligible" in statement else ""
    return (
        f"You can recount them with {list_rules(statement['rules'])}. Break ties in this order: "
        f"{', '.join(order)}.{voters}"
    )


def check_listed(receipt: Any, published: Any) -> Iterator[Finding]:
    """Check that the publication contains the ballot of the receipt."""
    closing, statement = receipt["closing"], published["closing"]["statement"]
    if closing is not None:
        yield find(
            closing["statement"] == statement,
            "The receipt and the publication are from the same close.",
            "The receipt and the publication are not from the same close.",
        )
    yield find(
        receipt["confirmation"] in published["confirmations"],
        "Your ballot was counted: its tracking code is in the publication.",
        "The tracking code of the receipt is not in the publication: the ballot was replaced, "
        "withdrawn or not counted.",
    )


def check(path: str, publication_path: str | None, key: str | None) -> Iterator[Finding]:
    """Check a receipt, a publication, or both."""
    document = read_file(path)
    is_receipt = "confirmation" in document
    published = None if publication_path is None else read_file(publication_path)
    if published is not None and not (is_receipt and "confirmations" in published):
        raise InvalidFile("with --list, the first file must be a receipt, the second a publication")
    if is_receipt:
        yield from check_receipt(document, key, published)
    else:
        yield from check_publication(document, key)
    if published is not None:
        yield from check_publication(published, key)
        yield from check_listed(document, published)


# --- The command.


def parse_fingerprint(typed: str) -> str:
    """Return a fingerprint without the spaces, dashes and capitals that someone typed."""
    code = re.sub(r"[\s-]", "", typed).lower()
    if not re.fullmatch("[a-z2-7]{51}[aq]", code):
        raise argparse.ArgumentTypeError("a fingerprint has 52 letters and digits (a-z, 2-7)")
    return code


def printable(words: str) -> str:
    """Return text that every terminal shows as it is, without control characters."""
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in words)
    encoding = sys.stdout.encoding or "ascii"
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def main() -> int:
    """Print one line for each check, and return the exit code."""
    parser = argparse.ArgumentParser(
        description="Check the receipt of your ballot, or what was published about an election."
    )
    parser.add_argument("file", nargs="?", default="-", help="your receipt, or a publication")
    parser.add_argument("--list", help="a publication that should contain your ballot")
    parser.add_argument("--key", type=parse_fingerprint, help="the fingerprint that you were told")
    arguments = parser.parse_args()
    try:
        findings = list(check(arguments.file, arguments.list, arguments.key))
    except OSError as error:
        print(printable(f"Cannot read the file: {error}"), file=sys.stderr)
        return 2
    except (ValueError, RecursionError) as error:
        problem = f"This is not a receipt or a publication: {error}"
        print(printable(problem), file=sys.stderr)
        return 2
    for finding in findings:
        print("passed" if finding.ok else "FAILED", printable(finding.claim))
    failed = sum(not finding.ok for finding in findings)
    print(f"{failed} of {len(findings)} checks failed." if failed else "All checks passed.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
