"""Check the receipt of a ballot, or what was published of an election, and trust nobody.

    python3 checker.py receipt.json
    python3 checker.py receipt.json --list published.json --key FINGERPRINT
    python3 checker.py published.json

This file needs Python 3.8 or later and nothing else: no network and no other file. `-`, or no name,
reads from standard input. It ends with 0 if everything holds, 1 if something does not, and 2 if
what came is no receipt and no publication.

What it cannot know: whether FINGERPRINT is the key of those who run the election (get it from
them by another way than the receipt), and whether everybody who voted was allowed to.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

# --- Digests. JSON with sorted keys and without spaces is the one form of a value, and a domain in
# --- front keeps a digest for one purpose from being taken for another.


def domain_of(name: str) -> bytes:
    """What stands before everything that is hashed or signed for this purpose."""
    return ("singletable elections 1: " + name + "\0").encode()


def canonical(value: Any) -> bytes:
    """The one form of a value."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def digest(value: Any, domain: str) -> str:
    """SHA-256, in hex."""
    return hashlib.sha256(domain_of(domain) + canonical(value)).hexdigest()


def code_of(hex_digest: str) -> str:
    """256 bits as 52 letters and digits that people can type."""
    return base64.b32encode(bytes.fromhex(hex_digest)).decode().rstrip("=").lower()


def grouped(code: str) -> str:
    """A code as people read it."""
    return "-".join(code[at : at + 4] for at in range(0, len(code), 4))


# --- The tree of all confirmations, as in RFC 6962: leaves begin with 0, nodes with 1.


def leaf(code: str) -> bytes:
    """The node of one confirmation."""
    return hashlib.sha256(b"\x00" + code.encode()).digest()


def node(left: bytes, right: bytes) -> bytes:
    """The node above two."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(codes: list[str]) -> str:
    """The digest of all confirmations."""
    level = [leaf(code) for code in codes]
    while len(level) > 1:
        pairs = [node(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        level = pairs + level[-1:] if len(level) % 2 else pairs
    return level[0].hex() if level else hashlib.sha256().hexdigest()


def leads_to(root: str, code: str, index: int, size: int, path: list[str]) -> bool:
    """Whether the neighbours in the path lead from this confirmation to the root."""
    here, last, rest = leaf(code), size - 1, [bytes.fromhex(each) for each in path]
    while last > 0 and 0 <= index <= last:
        if index % 2 or index < last:  # else it is the last of an odd level, and goes up as it is
            if not rest:
                return False
            here = node(rest.pop(0), here) if index % 2 else node(here, rest.pop(0))
        index, last = index // 2, last // 2
    return index == last == 0 and not rest and here.hex() == root


# --- Ed25519, as in RFC 8032. A point (x, y) is kept as X/Z, Y/Z, with T/Z for x·y.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


class Point(NamedTuple):
    """A point of the curve."""

    x: int
    y: int
    z: int
    t: int


def plus(one: Point, other: Point) -> Point:
    """The sum of two points."""
    a = (one.y - one.x) * (other.y - other.x) % P
    b = (one.y + one.x) * (other.y + other.x) % P
    c = 2 * one.t * other.t * D % P
    d = 2 * one.z * other.z % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return Point(e * f % P, g * h % P, f * g % P, e * h % P)


def times(number: int, point: Point) -> Point:
    """The point added to itself so many times."""
    result = Point(0, 1, 1, 0)
    while number:
        result = plus(result, point) if number % 2 else result
        point, number = plus(point, point), number // 2
    return result


def point_of(data: bytes) -> Point | None:
    """The point that 32 bytes stand for: y, and in the top bit the sign of x."""
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


def bytes_of(point: Point) -> bytes:
    """The 32 bytes that stand for a point."""
    inverse = pow(point.z, P - 2, P)
    x, y = point.x * inverse % P, point.y * inverse % P
    return (y + (x % 2 << 255)).to_bytes(32, "little")


def is_signed(message: bytes, signature: bytes, public_key: bytes) -> bool:
    """Whether s·B − h·A is the R of the signature."""
    base = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    key, s = point_of(public_key), int.from_bytes(signature[32:], "little")
    # Without the test of s, s and s + ORDER would be two signatures of one message.
    if base is None or key is None or s >= ORDER:
        return False
    hashed = hashlib.sha512(signature[:32] + public_key + message).digest()
    minus_key = Point(P - key.x, key.y, 1, P - key.t)
    h = int.from_bytes(hashed, "little") % ORDER
    return bytes_of(plus(times(s, base), times(h, minus_key))) == signature[:32]


# --- The form of files. A field too many is refused too: what nobody checks could say anything.


class Unreadable(ValueError):
    """What came is no receipt and no publication."""


def demand(holds: bool, value: Any, where: str) -> None:
    """Refuse a value that is not what stands there in a receipt or a publication."""
    if not holds:
        raise Unreadable(f"{where} is {value!r}")


def text(value: Any, where: str) -> None:
    """Any text."""
    demand(type(value) is str, value, where)


def truth(value: Any, where: str) -> None:
    """True or false."""
    demand(type(value) is bool, value, where)


def whole(value: Any, where: str) -> None:
    """A whole number that every reader of JSON keeps exactly. True is one to Python, not here."""
    demand(type(value) is int and abs(value) < 2**53, value, where)


def matching(pattern: str) -> Callable[[Any, str], None]:
    """Text that is all of this pattern."""
    return lambda value, where: demand(
        type(value) is str and re.fullmatch(pattern, value) is not None, value, where
    )


def list_of(shape: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    """A list in which everything has this shape."""

    def check_list(value: Any, where: str) -> None:
        demand(type(value) is list, value, where)
        for each in value:
            shape(each, where)

    return check_list


def object_of(**shapes: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    """An object with just these fields."""

    def check_object(value: Any, where: str) -> None:
        demand(type(value) is dict and set(value) == set(shapes), value, where)
        for name, shape in shapes.items():
            shape(value[name], f"{where}.{name}")

    return check_object


def rules(value: Any, where: str) -> None:
    """An object with any fields, all of text."""
    demand(type(value) is dict, value, where)
    list_of(text)(list(value.values()), where)


def or_null(shape: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    """This shape, or null."""
    return lambda value, where: None if value is None else shape(value, where)


HASH, NONCE, SIGNATURE = (matching(f"[0-9a-f]{{{2 * size}}}") for size in (32, 16, 64))
CODE = matching("[a-z2-7]{51}[aq]")
RANKING = list_of(list_of(text))  # levels, the best first; names on one level are sorted
DEFINITION = object_of(
    election_id=whole,
    candidates=list_of(text),
    secret=truth,
    level=matching("totals|anonymous|confirmations"),
    commitment=HASH,
)
STATEMENT = object_of(
    format=matching("singletable election closing 1"),
    name=text,
    definition=DEFINITION,
    earlier=list_of(HASH),  # definitions that ballots were cast under before candidates changed
    ballots=whole,
    root=HASH,
    rankings=or_null(HASH),
    secret=HASH,
    rules=rules,
    closed_at=text,
)
CLOSING = object_of(statement=STATEMENT, signature=SIGNATURE, public_key=HASH)
RECEIPT = object_of(
    format=matching("singletable election receipt 1"),
    name=text,
    definition=DEFINITION,
    nonce=NONCE,
    ranking=RANKING,
    confirmation=CODE,
    closing=or_null(CLOSING),
    proof=or_null(object_of(index=whole, size=whole, path=list_of(HASH))),
)
PUBLICATION = object_of(
    format=matching("singletable election publication 1"),
    closing=CLOSING,
    confirmations=list_of(CODE),
    rankings=or_null(list_of(RANKING)),
    ballots=or_null(list_of(object_of(confirmation=CODE, nonce=NONCE, ranking=RANKING))),
)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are there once: readers of JSON differ on which of two counts."""
    if len(dict(pairs)) != len(pairs):
        raise Unreadable("a name is there twice in one object")
    return dict(pairs)


def read(path: str) -> Any:
    """The receipt or the publication in a file."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    value: Any = json.loads(data.decode("utf-8-sig"), object_pairs_hook=once)
    demand(type(value) is dict, value, "the file")
    if "confirmations" in value:
        PUBLICATION(value, "publication")
    else:
        RECEIPT(value, "receipt")
    canonical(value)  # refuses text that is none, such as half a surrogate pair
    return value


# --- What is checked.


class Finding(NamedTuple):
    """A claim, and whether it holds."""

    holds: bool
    claim: str


def definitions_of(said: Any) -> list[str]:
    """The digests of all definitions that ballots were cast under."""
    return [digest(said["definition"], "definition"), *said["earlier"]]


def gives(ballot: Any, election_id: int, definitions: list[str]) -> bool:
    """Whether a ballot, cast under one of these definitions, gives its confirmation."""
    names = [name for level in ballot["ranking"] for name in level]
    if len(names) != len(set(names)):
        return False
    if any(not level or level != sorted(level) for level in ballot["ranking"]):
        return False
    cast = {"election_id": election_id, "nonce": ballot["nonce"], "ranking": ballot["ranking"]}
    codes = [digest({**cast, "definition": each}, "confirmation") for each in definitions]
    return ballot["confirmation"] in [code_of(each) for each in codes]


def check_closing(closing: Any, key: str | None) -> Iterator[Finding]:
    """The signature, whose it is, and the secret that ties are broken with."""
    said, public_key = closing["statement"], bytes.fromhex(closing["public_key"])
    message, signature = domain_of("closing") + canonical(said), bytes.fromhex(closing["signature"])
    whose = code_of(digest(closing["public_key"], "public key"))
    yield Finding(
        is_signed(message, signature, public_key),
        f"The close of '{said['name']}' ({said['closed_at']}, ballots: {said['ballots']}) is "
        f"signed by the key {grouped(whose)}.",
    )
    if key is not None:
        yield Finding(key == whose, "This is the key that you expect.")
    yield Finding(
        digest(said["secret"], "tie-break commitment") == said["definition"]["commitment"],
        "The secret that breaks ties is the one that was promised before the first ballot.",
    )


def check_receipt(receipt: Any, key: str | None) -> Iterator[Finding]:
    """The ballot, and after the close that it is among those that were signed."""
    asked, closing, proof = receipt["definition"], receipt["closing"], receipt["proof"]
    mine = digest(asked, "definition")
    known = all(name in asked["candidates"] for level in receipt["ranking"] for name in level)
    ballot = " > ".join(" = ".join(level) for level in receipt["ranking"]) or "(blank)"
    yield Finding(
        known and gives(receipt, asked["election_id"], [mine]),
        f"The ballot {ballot} gives the confirmation {grouped(receipt['confirmation'])}.",
    )
    if closing is None or proof is None:
        claim = "Nothing was signed when this receipt was made: fetch it again after the close."
        yield Finding(closing is proof and key is None, claim)
        return
    said = closing["statement"]
    yield from check_closing(closing, key)
    yield Finding(
        receipt["name"] == said["name"] and mine in definitions_of(said),
        "The election that was closed is the one that this ballot was cast in.",
    )
    yield Finding(
        proof["size"] == said["ballots"]
        and leads_to(said["root"], receipt["confirmation"], **proof),
        f"The confirmation is among those that were signed (ballots: {said['ballots']}).",
    )


def check_published(published: Any, key: str | None) -> Iterator[Finding]:
    """All confirmations, and the rankings as far as they are published."""
    said, codes = published["closing"]["statement"], published["confirmations"]
    rankings, ballots = published["rankings"], published["ballots"]
    level = said["definition"]["level"]
    yield from check_closing(published["closing"], key)
    yield Finding(
        codes == sorted(set(codes))
        and len(codes) == said["ballots"]
        and root_of(codes) == said["root"],
        "The confirmations are those that were signed: none is missing and none was added.",
    )
    shown = (rankings is not None, ballots is not None)
    yield Finding(
        shown == (level == "anonymous", level == "confirmations"),
        f"What is published is what was promised before the first ballot: {level}.",
    )
    if rankings is not None:
        claim = "The rankings are sorted, so that their order does not tell who cast them."
        yield Finding(rankings == sorted(rankings, key=canonical), claim)
    if ballots is not None:
        election_id, definitions = said["definition"]["election_id"], definitions_of(said)
        yield Finding(
            [ballot["confirmation"] for ballot in ballots] == codes
            and all(gives(ballot, election_id, definitions) for ballot in ballots),
            "Every published ballot gives its confirmation.",
        )
        rankings = [ballot["ranking"] for ballot in ballots]
    if rankings is not None:
        same = digest(sorted(rankings, key=canonical), "rankings") == said["rankings"]
        claim = f"The rankings are those that were signed. {recount(said)}"
        yield Finding(same and len(rankings) == said["ballots"], claim)


def recount(said: Any) -> str:
    """How to count again: ties go by SHA-256 over a seed that nobody knew, and the name."""
    seed = digest({"root": said["root"], "secret": said["secret"]}, "tie-break seed")
    names = said["definition"]["candidates"]
    order = sorted(names, key=lambda name: hashlib.sha256((seed + name).encode()).digest())
    by = ", ".join(f"{name}: {choice}" for name, choice in sorted(said["rules"].items()))
    return f"Count them again by {by}; break ties in the order {', '.join(order)}."


def check_both(receipt: Any, published: Any) -> Iterator[Finding]:
    """Whether the publication is the one that the receipt speaks of."""
    closing, said = receipt["closing"], published["closing"]["statement"]
    same = closing is not None and closing["statement"] == said
    yield Finding(same, "The receipt and the publication are of the same close.")
    listed = receipt["confirmation"] in published["confirmations"]
    yield Finding(listed, "The confirmation of the receipt is published.")


def check(path: str, beside: str | None, key: str | None) -> Iterator[Finding]:
    """Everything about a receipt, a publication, or both."""
    file = read(path)
    is_receipt = "confirmation" in file
    yield from check_receipt(file, key) if is_receipt else check_published(file, key)
    if beside is not None:
        published = read(beside)
        if not is_receipt or "confirmations" not in published:
            raise Unreadable("--list compares a receipt with a publication")
        yield from check_published(published, key)
        yield from check_both(file, published)


# --- The command.


def fingerprint(typed: str) -> str:
    """A fingerprint as somebody typed it."""
    code = re.sub(r"[\s-]", "", typed).lower()
    if not re.fullmatch("[a-z2-7]{51}[aq]", code):
        raise argparse.ArgumentTypeError("a fingerprint has 52 letters and digits (a-z, 2-7)")
    return code


def plain(words: str) -> str:
    """Text that any terminal shows, and that moves no cursor and turns no direction."""
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in words)
    encoding = sys.stdout.encoding or "ascii"
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def main() -> int:
    """Print every finding on a line of its own."""
    parser = argparse.ArgumentParser(description="Check the receipt of a ballot.")
    parser.add_argument("file", nargs="?", default="-", help="a receipt or a publication")
    parser.add_argument("--list", help="a publication to find the receipt in")
    parser.add_argument("--key", type=fingerprint, help="the fingerprint that you were told")
    given = parser.parse_args()
    try:
        findings = list(check(given.file, given.list, given.key))
    except (OSError, ValueError, RecursionError) as error:
        print(plain(f"This is no receipt and no publication: {error}"), file=sys.stderr)
        return 2
    for finding in findings:
        print("holds" if finding.holds else "FAILS", plain(finding.claim))
    failed = sum(not finding.holds for finding in findings)
    print(
        "Everything that was claimed holds."
        if not failed
        else f"Failed: {failed} of {len(findings)}."
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
