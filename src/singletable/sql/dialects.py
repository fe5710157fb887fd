"""How SQLite, PostgreSQL and MariaDB read items, which are stored as DynamoDB JSON.

`SCALARS` has the type of each kind of column and how it is read; `Dialect` has how JSON is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

DialectName: TypeAlias = Literal["sqlite", "postgresql", "mariadb"]
# The names and types that lead to a value in an item, such as ("email", "S").
Path: TypeAlias = tuple[str, ...]
# A text, or characters: which ("" is any), and how many (None: one or more, 0: any number).
Token: TypeAlias = str | tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The type of a column in one dialect, and its expression, with {0} for the stored text."""

    name: str
    expression: str = "{0}"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A kind of column: the Python types that have it, and the DynamoDB type of the values."""

    python: str
    tag: str
    sqlite: ColumnType
    postgresql: ColumnType
    mariadb: ColumnType


# PostgreSQL rejects a whole query if one text is not a date, so other texts become NULL.
_LEAP_DAY = r"([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29"
_DAY = (
    r"((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|"
    r"02-(0[1-9]|1[0-9]|2[0-8]))"
)
_DATE = rf"((?!0000)[0-9]{{4}}-{_DAY}|(?!0000){_LEAP_DAY})"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})"


def _if_match(pattern: str, type_: str) -> str:
    text = pattern.replace("{", "{{").replace("}", "}}")
    return f"CASE WHEN {{0}} ~ '^{text}$' THEN CAST({{0}} AS {type_}) END"


def _from_epoch(units: int) -> str:
    """Return PostgreSQL's expression for a time in units of a second, in the years 1 to 9999."""
    first, end = -62135596800 * units, 253402300800 * units
    number = "CAST({0} AS numeric)"
    return (
        f"CASE WHEN {number} >= {first} AND {number} < {end} THEN timestamptz 'epoch' "
        f"+ div({number}, {units}) * interval '1 second' "
        f"+ mod({number}, {units}) / {units} * interval '1 second' END"
    )


_EPOCH = "CAST('1970-01-01 00:00:00' AS DATETIME(6))"
# Of the largest numbers, MariaDB would return the largest that fits.
_FITS = "CASE WHEN ABS(CAST({{0}} AS DOUBLE)) < 1e{0} THEN CAST({{0}} AS DECIMAL({1})) END"

SCALARS: dict[str, Scalar] = {
    "text": Scalar(
        "`str`, `UUID`, Enum and Literal of `str`",
        "S",
        ColumnType("TEXT"),
        ColumnType("text"),
        # Texts that differ in case or in spaces at the end are different, as in DynamoDB.
        ColumnType("LONGTEXT", "({0} COLLATE utf8mb4_nopad_bin)"),
    ),
    "integer": Scalar(
        "`int`, Enum and Literal of `int`",
        "N",
        ColumnType("INTEGER", "CAST({0} AS NUMERIC)"),
        ColumnType("numeric", "CAST({0} AS numeric)"),
        ColumnType("DECIMAL(65,0)", _FITS.format(65, "65,0")),
    ),
    "decimal": Scalar(
        "`Decimal`",
        "N",
        ColumnType("NUMERIC", "CAST({0} AS NUMERIC)"),
        ColumnType("numeric", "CAST({0} AS numeric)"),
        ColumnType("DECIMAL(65,30)", _FITS.format(35, "65,30")),
    ),
    "float": Scalar(
        "`float`",
        "N",
        ColumnType("REAL", "CAST({0} AS REAL)"),
        ColumnType("double precision", "CAST({0} AS double precision)"),
        ColumnType("DOUBLE", "CAST({0} AS DOUBLE)"),
    ),
    "boolean": Scalar(
        "`bool`",
        "BOOL",
        ColumnType("INTEGER, 0 or 1"),
        ColumnType("boolean", "CAST({0} AS boolean)"),
        ColumnType("INT, 0 or 1", "CAST({0} AS INT)"),
    ),
    "bytes": Scalar(
        "`bytes`",
        "B",
        ColumnType("TEXT, in base64"),
        ColumnType("bytea", "decode({0}, 'base64')"),
        ColumnType("LONGBLOB", "FROM_BASE64({0})"),
    ),
    "datetime": Scalar(
        "`datetime`",
        "S",
        ColumnType("TEXT, such as `2026-11-15T05:00:00.000000Z`"),
        ColumnType("timestamptz", _if_match(f"{_DATE}T{_TIME}", "timestamptz")),
        ColumnType(
            "DATETIME(6), in UTC",
            "CASE WHEN {0} LIKE '%Z' THEN CAST(LEFT({0}, CHAR_LENGTH({0}) - 1) AS DATETIME(6)) "
            "ELSE CONVERT_TZ(CAST(LEFT({0}, CHAR_LENGTH({0}) - 6) AS DATETIME(6)), RIGHT({0}, 6), "
            "'+00:00') END",
        ),
    ),
    "epoch_seconds": Scalar(
        "`datetime` as `EPOCH_SECONDS`",
        "N",
        ColumnType(
            "TEXT, such as `2026-11-15T05:00:00Z`",
            "strftime('%Y-%m-%dT%H:%M:%SZ', CAST({0} AS NUMERIC), 'unixepoch')",
        ),
        ColumnType("timestamptz", _from_epoch(1)),
        ColumnType(
            "DATETIME(6), in UTC",
            f"TIMESTAMPADD(MICROSECOND, CAST({{0}} AS DECIMAL(30,6)) * 1000000, {_EPOCH})",
        ),
    ),
    "epoch_milliseconds": Scalar(
        "`datetime` as `EPOCH_MILLISECONDS`",
        "N",
        ColumnType(
            "TEXT, such as `2026-11-15T05:00:00.000Z`",
            "strftime('%Y-%m-%dT%H:%M:%fZ', {0} / 1000.0, 'unixepoch')",
        ),
        ColumnType("timestamptz", _from_epoch(1000)),
        ColumnType(
            "DATETIME(6), in UTC",
            f"TIMESTAMPADD(MICROSECOND, CAST({{0}} AS DECIMAL(30,6)) * 1000, {_EPOCH})",
        ),
    ),
    "date": Scalar(
        "`date`",
        "S",
        ColumnType("TEXT, such as `2026-11-15`"),
        ColumnType("date", _if_match(_DATE, "date")),
        ColumnType("DATE", "CAST({0} AS DATE)"),
    ),
    "duration": Scalar(
        "`timedelta`, in seconds",
        "N",
        ColumnType("NUMERIC", "CAST({0} AS NUMERIC)"),
        ColumnType("numeric", "CAST({0} AS numeric)"),
        ColumnType("DECIMAL(65,30)", _FITS.format(35, "65,30")),
    ),
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one database reads JSON: its expressions.

    In these, {json} is a document, {path} leads to a value in it, {array} to all members of an
    array, and {alias} names a source.
    """

    name: DialectName
    title: str
    identifier_quote: str
    # The items of a table: a source with one column, `item`.
    source: str
    # A string or boolean; JSON; JSON of an expression that is JSON, but that is not known to be it.
    text: str
    document: str
    json: str
    number: str
    object: str
    # A source of the members of a list, their numbers from 1, their JSON, and the JSON of them all.
    # A member of a set is a string, which {json} is replaced by in `member_text`.
    members: tuple[str, str, str, str]
    member_text: str
    # A source of the members of a map, their names, their JSON, and the JSON of them all.
    map_members: tuple[str, str, str, str]
    # One of the parts of {text} that are separated by #.
    segment: str
    match: str
    now: str
    json_type: str

    def quote(self, name: str) -> str:
        """Return a quoted identifier."""
        quote = self.identifier_quote
        return f"{quote}{name.replace(quote, quote * 2)}{quote}"

    def literal(self, text: str) -> str:
        """Return a quoted text."""
        quoted = text.replace("'", "''")
        if "\\" not in text or self.name == "sqlite":
            return f"'{quoted}'"
        escaped = quoted.replace("\\", "\\\\")
        return f"E'{escaped}'" if self.name == "postgresql" else f"'{escaped}'"

    def path(self, path: Path) -> str:
        """Return a path to a value as a text."""
        steps = [step if self.name == "sqlite" else _escape(step) for step in path]
        if self.name == "postgresql":
            return self.literal("{%s}" % ",".join(f'"{step}"' for step in steps))
        return self.literal("$" + "".join(f'."{step}"' for step in steps))

    def text_at(self, json: str, path: Path) -> str:
        """Return the string or boolean at a path, or NULL."""
        return self.text.format(json=json, path=self.path(path))

    def json_at(self, json: str, path: Path) -> str:
        """Return the JSON at a path, or NULL."""
        return self.document.format(json=json, path=self.path(path))

    def matches(self, text: str, pattern: Iterable[Token]) -> str:
        """Return the condition that a text has this pattern."""
        write = _glob if self.name == "sqlite" else _regular_expression
        return self.match.format(text=text, pattern=self.literal(write(pattern)))


def _escape(step: str) -> str:
    return step.replace("\\", "\\\\").replace('"', '\\"')


def _glob(pattern: Iterable[Token]) -> str:
    special = {ord(one): f"[{one}]" for one in "*?["}
    parts: list[str] = []
    for token in pattern:
        if isinstance(token, str):
            parts.append(token.translate(special))
        else:
            one = f"[{token[0]}]" if token[0] else "?"
            parts.append(f"{one}*" if token[1] is None else one * token[1] or "*")
    return "".join(parts)


def _regular_expression(pattern: Iterable[Token]) -> str:
    parts: list[str] = []
    for token in pattern:
        if isinstance(token, str):
            parts.append(re.sub(r"(\W)", r"\\\1", token, flags=re.ASCII))
        else:
            one = f"[{token[0]}]" if token[0] else "."
            count = {None: "+", 0: "*"}.get(token[1], f"{{{token[1]}}}")
            parts.append(one + count)
    return f"(?s)^{''.join(parts)}$"


SQLITE = Dialect(
    name="sqlite",
    title="SQLite",
    identifier_quote='"',
    source="(SELECT CAST(item AS TEXT) AS item FROM {rows}) AS stored",
    text="json_extract({json}, {path})",
    document="{json} -> {path}",
    json="json({json})",
    number="json({text})",
    object="json_object({members})",
    members=(
        "json_each({json}, {path}) AS {alias}",
        "{alias}.key + 1",
        "{alias}.value",
        "json_group_array({member})",
    ),
    member_text="{json}",
    map_members=(
        "json_each({json}, {path}) AS {alias}",
        "{alias}.key",
        "{alias}.value",
        "json_group_object({name}, {member})",
    ),
    segment="""json_extract('[' || replace(json_quote({text}), '#', '","') || ']', """
    "'$[' || ({number} - 1) || ']')",
    match="{text} GLOB {pattern}",
    now="CAST(strftime('%s', 'now') AS INTEGER)",
    json_type="TEXT, JSON",
)
# PostgreSQL's JSON cannot contain U+0000, which U+FFFD replaces: an escape after an even number of
# backslashes. OFFSET 0 keeps it from parsing the JSON again for each column.
POSTGRESQL = Dialect(
    name="postgresql",
    title="PostgreSQL",
    identifier_quote='"',
    source="(SELECT CAST(CASE WHEN strpos(convert_from(item, 'UTF8'), E'\\\\u0000') > 0 "
    "THEN regexp_replace(convert_from(item, 'UTF8'), "
    "E'(?<!\\\\)((\\\\\\\\)*)\\\\u0000', E'\\\\1\\\\\\\\ufffd', 'g') "
    "ELSE convert_from(item, 'UTF8') END AS jsonb) AS item FROM {rows} OFFSET 0) AS stored",
    text="({json} #>> {path})",
    document="({json} #> {path})",
    json="{json}",
    number="to_jsonb(CAST({text} AS numeric))",
    object="jsonb_build_object({members})",
    members=(
        "jsonb_array_elements({json} #> {path}) WITH ORDINALITY AS {alias}(member, position)",
        "{alias}.position",
        "{alias}.member",
        "coalesce(jsonb_agg({member} ORDER BY {position}), '[]')",
    ),
    member_text="({json} #>> '{{}}')",
    map_members=(
        "jsonb_each({json} #> {path}) AS {alias}(name, member)",
        "{alias}.name",
        "{alias}.member",
        "coalesce(jsonb_object_agg({name}, {member}), '{{}}')",
    ),
    segment="split_part({text}, '#', {number})",
    match="{text} ~ {pattern}",
    now="extract(epoch FROM now())",
    json_type="jsonb",
)
MARIADB = Dialect(
    name="mariadb",
    title="MariaDB",
    identifier_quote="`",
    source="(SELECT CONVERT(item USING utf8mb4) AS item FROM {rows}) AS stored",
    text="JSON_VALUE({json}, {path})",
    document="JSON_EXTRACT({json}, {path})",
    json="JSON_COMPACT({json})",
    number="JSON_COMPACT({text})",
    object="JSON_OBJECT({members})",
    members=(
        "JSON_TABLE({json}, {array} "
        "COLUMNS (position FOR ORDINALITY, member JSON PATH '$')) AS {alias}",
        "{alias}.position",
        "{alias}.member",
        "COALESCE(JSON_ARRAYAGG({member} ORDER BY {position}), '[]')",
    ),
    member_text="JSON_VALUE({json}, '$')",
    map_members=(
        "JSON_TABLE(JSON_KEYS({json}, {path}), '$[*]' COLUMNS (name LONGTEXT PATH '$')) AS {alias}",
        "{alias}.name",
        "JSON_EXTRACT({json}, CONCAT({path}, '.', JSON_QUOTE({alias}.name)))",
        "COALESCE(JSON_OBJECTAGG({name}, {member}), '{{}}')",
    ),
    segment="SUBSTRING_INDEX(SUBSTRING_INDEX({text}, '#', {number}), '#', -1)",
    match="{text} REGEXP {pattern}",
    now="UNIX_TIMESTAMP()",
    json_type="LONGTEXT, JSON",
)
