"""Replace personal data by fakes, so that a copy of production data is safe on a laptop.

A fake depends on the value and a secret alone: equal values have equal fakes, in all items and
tables, so references and unique values stay consistent. Different values have different fakes.

A value is replaced in its attribute, and wherever else its text occurs in the same item: in keys
such as USER#ada@example.org, and in other texts, unless letters or digits precede or follow it.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b32encode, b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from dynamodb_engine.values import AttributeValue, Item
from singletable.errors import InvalidValue
from singletable.schema.key_template import escape

MIN_SECRET_LENGTH = 8

_GIVEN = "Alex Ari Blake Cameron Charlie Dana Drew Eli Frances Jamie Jordan Kim Lee Max Robin Sam"
_FAMILY = (
    "Adler Berg Costa Dubois Evans Fischer Garcia Haas Ito Jansen Keller Lopez Moreau Novak Okafor "
    "Park"
)
_GIVEN_NAMES, _FAMILY_NAMES = _GIVEN.split(), _FAMILY.split()
_FEISTEL_ROUNDS = 8


class Anonymizer:
    """Replaces the values of some attributes: `kinds` tells the kind of fake for each name.

    The kinds are email, name, phone (each digit is replaced), hash, and remove. A number becomes
    another with as many digits, whatever its kind. Attributes are found at the top of an item and
    in its maps. If two of them have the same value, the first one in `kinds` decides how the value
    is replaced elsewhere in the item.
    """

    def __init__(self, kinds: Mapping[str, str], secret: str) -> None:
        for attribute, kind in kinds.items():
            if kind not in KINDS:
                raise InvalidValue(
                    f"There is no kind of fake {kind!r} (for {attribute!r}). Kinds: "
                    f"{', '.join(KINDS)}."
                )
        if len(secret) < MIN_SECRET_LENGTH:
            raise InvalidValue(
                f"The secret has {len(secret)} characters. At least {MIN_SECRET_LENGTH} are "
                "needed, or the values could be found by trying."
            )
        self.kinds = dict(kinds)
        self._secret = secret.encode()

    @property
    def fingerprint(self) -> str:
        """A text that is different for other kinds and other secrets."""
        kinds = ",".join(f"{name}={kind}" for name, kind in sorted(self.kinds.items()))
        return f"{kinds} {self._digest('fingerprint', '').hex()[:16]}"

    def replacements(self, item: Item) -> dict[str, str]:
        """Return the values of an item that are replaced, as texts, and their fakes."""
        found = {(name, text): is_number for name, text, is_number in self._found({"M": item})}
        replaced: dict[str, str] = {}
        for wanted, kind in self.kinds.items():
            for (name, text), is_number in found.items():
                if name == wanted and kind != "remove":
                    replaced.setdefault(text, self._fake(kind, text, is_number=is_number))
        return replaced

    def apply(self, item: Item, replacements: Mapping[str, str], found: Counter[str]) -> Item:
        """Return the item with these values replaced, and count the attributes in `found`."""
        texts: dict[str, str] = {}
        for value, fake in replacements.items():
            # A key may have a value in lower case (casefold), or escaped.
            for write in _WRITTEN:
                texts.setdefault(write(value), write(fake))
                texts.setdefault(write(value.casefold()), write(fake.casefold()))
        texts.pop("", None)
        pattern = None
        if texts:
            longest_first = sorted(texts, key=len, reverse=True)
            any_text = "|".join(map(re.escape, longest_first))
            pattern = re.compile(rf"(?<![^\W_])(?:{any_text})(?![^\W_])")
        return self._map(item, texts, pattern, found)

    def _map(
        self,
        members: Mapping[str, AttributeValue],
        texts: Mapping[str, str],
        pattern: re.Pattern[str] | None,
        found: Counter[str],
    ) -> dict[str, AttributeValue]:
        result: dict[str, AttributeValue] = {}
        for name, value in members.items():
            kind = self.kinds.get(name)
            if kind is not None:
                found[name] += 1
            if kind != "remove":
                result[name] = self._replace(value, texts, pattern, found, kind)
        return result

    def _replace(
        self,
        value: AttributeValue,
        texts: Mapping[str, str],
        pattern: re.Pattern[str] | None,
        found: Counter[str],
        kind: str | None,
    ) -> AttributeValue:
        def replace_text(text: str) -> str:
            if kind is not None:
                return self._fake(kind, text, is_number=False)
            if pattern is None:
                return text
            return pattern.sub(lambda match: texts[match[0]], text)

        def replace_number(text: str) -> str:
            return text if kind is None else self._fake(kind, text, is_number=True)

        match value:
            case {"S": text}:
                return {"S": replace_text(text)}
            case {"SS": members}:
                return {"SS": [replace_text(one) for one in members]}
            case {"N": text}:
                return {"N": replace_number(text)}
            case {"NS": members}:
                return {"NS": [replace_number(one) for one in members]}
            case {"B": text} if kind is not None:
                return {"B": self._bytes(text)}
            case {"BS": members} if kind is not None:
                return {"BS": [self._bytes(one) for one in members]}
            case {"L": elements}:
                return {"L": [self._replace(one, texts, pattern, found, kind) for one in elements]}
            case {"M": entries}:
                return {"M": self._map(entries, texts, pattern, found)}
            case _:
                return value

    def _found(self, value: AttributeValue, name: str = "") -> Iterator[tuple[str, str, bool]]:
        """Yield the attribute and the text of each value to replace, and if it is a number."""
        match value:
            case {"M": entries}:
                for inner, one in entries.items():
                    yield from self._found(one, inner)
            case {"L": elements}:
                for one in elements:
                    yield from self._found(one, name)
            case {"S": text} | {"N": text} if name in self.kinds:
                yield name, text, "N" in value
            case {"SS": members} | {"NS": members} if name in self.kinds:
                for text in members:
                    yield name, text, "NS" in value
            case _:
                return

    def _fake(self, kind: str, text: str, *, is_number: bool) -> str:
        if is_number:
            return self._number(text)
        return KINDS[kind](self, text) if text else ""

    def _digest(self, kind: str, text: str) -> bytes:
        return hmac.digest(self._secret, f"{kind}\0{text}".encode(), hashlib.sha256)

    def _bytes(self, text: str) -> str:
        return b64encode(self._digest("bytes", text)[:16]).decode()

    def _name_parts(self, text: str) -> tuple[str, str, str]:
        digest = self._digest("name", text)
        given, family = _GIVEN_NAMES[digest[0] % 16], _FAMILY_NAMES[digest[1] % 16]
        # Names alone would soon be equal for different people.
        return given, family, b32encode(digest[2:7]).decode().lower()

    def _email(self, text: str) -> str:
        return f"{'.'.join(self._name_parts(text)).lower()}@example.com"

    def _name(self, text: str) -> str:
        return " ".join(self._name_parts(text))

    def _hash(self, text: str) -> str:
        return self._digest("hash", text).hex()[:20]

    def _phone(self, text: str) -> str:
        digits = iter(self._permute("".join(filter(_is_digit, text))))
        return "".join(next(digits) if _is_digit(one) else one for one in text)

    def _number(self, text: str) -> str:
        """Return a number with as many digits; the first one stays different from zero."""
        digits = "".join(filter(_is_digit, text))
        if not digits.strip("0"):
            return text
        has_zero = digits[0] == "0"
        while True:
            digits = self._permute(digits)
            if digits[0] != "0" or has_zero:
                break
        replaced = iter(digits)
        return "".join(next(replaced) if _is_digit(one) else one for one in text)

    def _permute(self, digits: str) -> str:
        """Return as many digits; different digits stay different (a Feistel network)."""
        half = len(digits) // 2
        left, right = digits[:half], digits[half:]
        for turn in range(_FEISTEL_ROUNDS):
            # The halves have different lengths if the number of digits is odd.
            source, changed = (right, left) if turn % 2 == 0 else (left, right)
            mask = int.from_bytes(self._digest(f"digits {turn} {len(digits)}", source), "big")
            size = 10 ** len(changed)
            changed = f"{(int(changed or '0') + mask) % size:0{len(changed)}d}" if changed else ""
            left, right = (changed, right) if turn % 2 == 0 else (left, changed)
        return left + right


def _is_digit(character: str) -> bool:
    return "0" <= character <= "9"


KINDS: Mapping[str, Callable[[Anonymizer, str], str]] = {
    "email": Anonymizer._email,
    "name": Anonymizer._name,
    "phone": Anonymizer._phone,
    "hash": Anonymizer._hash,
    "remove": lambda _, text: text,
}

_WRITTEN: tuple[Callable[[str], str], ...] = (
    str,
    lambda text: escape(text, last=False),
    lambda text: escape(text, last=True),
)
