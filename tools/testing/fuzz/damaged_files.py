"""Files with damage that keeps most of their structure: JSON trees, words, members of zip files."""

from __future__ import annotations

import json
import re
import warnings
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO

from hypothesis import strategies as st

from tools.testing.fuzz import samples
from tools.testing.fuzz.json_tree import Tree, encode, walk
from tools.testing.fuzz.mutations import ROUGH_MUTATIONS, pick

# Characters and words with a meaning in the formats, and edge cases that readers may forget.
WORDS = [
    *("", " ", "\n", "\r", "\x00", "\ufeff", "\u2028", "\ud7ff", "é", "\U0001f600", "\t"),
    *(",", ";", ":", "::", "|", '"', '""', "'", "\\", "~", "=", ">", "/", "#", "//", "{", "}"),
    *("<a>", "&amp;", "&x;", "<!DOCTYPE a [<!ENTITY x 'y'>]>", "=1+1", "../", "!!python/none"),
    *("0", "-1", "1e9", "1e999", "9" * 400, "0.5", "NaN", "true", "null", "2026-02-30", "T"),
    "x" * 20_000,
]
_PIECE = re.compile(r"\w+|\s+|[^\w\s]")
_ODD_NAMES = ["../x", "/etc/x", "a\\b", "", "x" * 300, "CON", "xl/workbook.xml", ".x", "a\x00b"]


@dataclass(frozen=True)
class ValidFiles:
    """Files to damage; Hypothesis would print a plain list in full."""

    files: Sequence[bytes] = field(repr=False)


@st.composite
def damaged(draw: st.DrawFn, valid: ValidFiles) -> bytes:
    """Draw one of the files and damage it: mostly in its structure, sometimes in its bytes."""
    data = _damage(draw, pick(draw, valid.files))
    return _damage_bytes(draw, data) if draw(st.integers(0, 4)) == 0 else data


def _damage(draw: st.DrawFn, data: bytes) -> bytes:
    if data.startswith(b"PK\x03\x04"):
        return _damage_zip(draw, data)
    try:
        tree = json.loads(data)
    except ValueError:
        return _damage_text(draw, data)
    return _damage_tree(draw, tree)


def _damage_tree(draw: st.DrawFn, tree: Tree) -> bytes:
    for _ in range(draw(st.integers(1, 3))):
        locations = list(walk(tree))
        if locations:
            location = pick(draw, locations)
            if draw(st.booleans()):
                location.value = pick(draw, [*samples.JSON_NUMBERS, *WORDS, None, [], {}])
            else:
                pick(draw, ROUGH_MUTATIONS)(draw, tree, location)
    return encode(tree)


def _damage_text(draw: st.DrawFn, data: bytes) -> bytes:
    pieces = _PIECE.findall(data.decode("utf-8", "replace"))
    for _ in range(draw(st.integers(1, 4))):
        at, size = draw(st.integers(0, len(pieces))), draw(st.integers(1, 30))
        match draw(st.integers(0, 4)):
            case 0:
                del pieces[at : at + size]
            case 1:
                pieces[at:at] = pieces[at : at + size] * pick(draw, [1, 2, 50])
            case 2:
                other = draw(st.integers(0, len(pieces)))
                pieces[at:at] = pieces[other : other + size]
            case 3:
                pieces[at : at + 1] = [pick(draw, WORDS)]
            case _:
                pieces[at:at] = [pick(draw, WORDS)] * pick(draw, [1, 2, 200])
    return "".join(pieces).encode("utf-8", "replace")


def _damage_zip(draw: st.DrawFn, data: bytes) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    at = draw(st.integers(0, len(members) - 1))
    name, content = members[at]
    match draw(st.integers(0, 5)):
        case 0:
            del members[at]
        case 1:
            members[at] = (pick(draw, _ODD_NAMES), content)
        case 2:
            members.append((name, _damage(draw, content)))
        case _:
            members[at] = (name, _damage(draw, content))
    target = BytesIO()
    compression = pick(draw, [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    # Python warns of a repeated name.
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(target, "w") as out:
        for each, body in members:
            out.writestr(zipfile.ZipInfo(each or "x"), body, compression)
    return target.getvalue()


def _damage_bytes(draw: st.DrawFn, data: bytes) -> bytes:
    at, size = draw(st.integers(0, len(data))), draw(st.integers(1, 40))
    return (
        data[:at] + draw(st.binary(max_size=size)) + data[at + pick(draw, [0, size, len(data)]) :]
    )
