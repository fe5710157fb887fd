"""How SQLite, PostgreSQL and MariaDB read items, which are stored as DynamoDB JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from singletable.errors import DeclarationError

# The names and types that lead to a value in an item, such as ("email", "S").
Path: TypeAlias = tuple[str, ...]

# The kinds of columns: the Python types, and the DynamoDB type of the stored values.
SCALARS: dict[str, tuple[str, str]] = {
    "text": ("`str`, `UUID`, Enum and Literal of `str`", "S"),
    "integer": ("`int`, Enum and Literal of `int`", "N"),
    "decimal": ("`Decimal`, and `timedelta` in seconds", "N"),
    "float": ("`float`", "N"),
    "boolean": ("`bool`", "BOOL"),
    "bytes": ("`bytes`", "B"),
    "date": ("`date`", "S"),
    "datetime": ("`datetime`", "S"),
    "seconds": ("`datetime` as `EPOCH_SECONDS`", "N"),
    "milliseconds": ("`datetime` as `EPOCH_MILLISECONDS`", "N"),
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The expressions of one database.

    In these, {json} is a document, {path} leads to a value in it, {array} to all members of an
    array, and {alias} names a source.
    """

    name: Literal["sqlite", "postgresql", "mariadb"]
    title: str
    # The type of each kind of column, and its expression, where {0} is the stored text.
    scalars: dict[str, tuple[str, str]]
    json_type: str
    identifier_quote: str
    # The items of a table: a source with one column, `item`.
    source: str
    # A string or boolean; JSON; an expression as JSON; a text of digits as JSON; an object.
    text: str
    document: str
    json: str
    number: str
    object: str
    # A source of the members of a list, their numbers from 1, their JSON, and the JSON of all. The
    # members of a set are strings: `member_text` returns one.
    members: tuple[str, str, str, str]
    member_text: str
    # A source of the members of a map, their names, their JSON, and the JSON of all.
    map_members: tuple[str, str, str, str]
    # One of the parts of {text} that are separated by #.
    segment: str
    # The condition that {text} is a number without a sign and an exponent.
    unsigned: str
    # The seconds since 1970, which no setting of a session changes.
    now: str
    # The statement that creates the view {name} of the query {select}, or replaces it. It is a
    # barrier: conditions of a query are evaluated for rows of the view only.
    create_view: str
    # The longest name of a view or column, and its unit; None if there is no limit.
    longest_name: tuple[int, Literal["bytes", "characters"]] | None = None

    def scalar(self, kind: str, text: str) -> str:
        """Return a stored text with the type of its column."""
        return self.scalars[kind][1].format(text)

    def quote(self, name: str) -> str:
        """Return a quoted identifier."""
        quote = self.identifier_quote
        return f"{quote}{name.replace(quote, quote * 2)}{quote}"

    def create(self, name: str, select: str) -> str:
        """Return the statement that creates or replaces a view."""
        return self.create_view.format(name=self.quote(name), select=select)

    def check_name(self, name: str, kind: str, advice: str) -> None:
        """Raise DeclarationError if a name is too long; PostgreSQL would cut it off."""
        if self.longest_name is None:
            return
        limit, unit = self.longest_name
        if (length := len(name.encode() if unit == "bytes" else name)) > limit:
            raise DeclarationError(
                f"The {kind} '{name}' has {length} {unit}, but names in {self.title} have at most "
                f"{limit}. {advice}"
            )

    def literal(self, text: str) -> str:
        """Return a quoted text."""
        quoted = text.replace("'", "''")
        if "\\" not in text or self.name == "sqlite":
            return f"'{quoted}'"
        escaped = quoted.replace("\\", "\\\\")
        return f"E'{escaped}'" if self.name == "postgresql" else f"'{escaped}'"

    def path(self, path: Path) -> str:
        """Return a path to a value as a text."""
        escape = str.maketrans({} if self.name == "sqlite" else {"\\": r"\\", '"': r"\""})
        steps = [f'"{step.translate(escape)}"' for step in path]
        if self.name == "postgresql":
            return self.literal(f"{{{','.join(steps)}}}")
        return self.literal(".".join(["$", *steps]))

    def like(self, text: str, pattern: str) -> str:
        """Return the condition that a text has a pattern, in which ! escapes."""
        return f"{text} LIKE {self.literal(pattern)} ESCAPE '!'"

    def text_at(self, json: str, path: Path) -> str:
        """Return the string or boolean at a path, or NULL."""
        return self.text.format(json=json, path=self.path(path))

    def json_at(self, json: str, path: Path) -> str:
        """Return the JSON at a path, or NULL."""
        return self.document.format(json=json, path=self.path(path))


SQLITE = Dialect(
    name="sqlite",
    title="SQLite",
    scalars={
        "text": ("TEXT", "{0}"),
        "integer": ("INTEGER", "CAST({0} AS NUMERIC)"),
        "decimal": ("NUMERIC", "CAST({0} AS NUMERIC)"),
        "float": ("REAL", "CAST({0} AS REAL)"),
        "boolean": ("INTEGER, 0 or 1", "{0}"),
        "bytes": ("TEXT, in base64", "{0}"),
        "date": ("TEXT, `2026-11-15`", "{0}"),
        "datetime": ("TEXT, `2026-11-15T05:00:00.000000Z`", "{0}"),
        "seconds": (
            "TEXT, `2026-11-15T05:00:00Z`",
            "strftime('%Y-%m-%dT%H:%M:%SZ', CAST({0} AS NUMERIC), 'unixepoch')",
        ),
        "milliseconds": (
            "TEXT, `2026-11-15T05:00:00.000Z`",
            "strftime('%Y-%m-%dT%H:%M:%fZ', {0} / 1000.0, 'unixepoch')",
        ),
    },
    json_type="TEXT, JSON",
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
    unsigned="({text} <> '' AND {text} NOT GLOB '*[^0-9.]*')",
    now="CAST(strftime('%s', 'now') AS INTEGER)",
    # No barrier: everyone who reads the file reads all of it.
    create_view="DROP VIEW IF EXISTS {name}; CREATE VIEW {name} AS {select}",
)

# PostgreSQL rejects a whole query if one text is not a date, so other texts become NULL.
_DAY = (
    "((?!0000)[0-9]{{4}}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|"
    "(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))|"
    "([0-9]{{2}}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)(?<!0000)-02-29)"
)
_TIME = "([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]+)?(Z|[+-][01][0-9]:[0-5][0-9])"
_EPOCH = (
    "CASE WHEN CAST({{0}} AS numeric) / {0} BETWEEN -62135596800 AND 253402300799.999999 "
    "THEN timestamptz 'epoch' + div(CAST({{0}} AS numeric), {0}) * interval '1 second' "
    "+ mod(CAST({{0}} AS numeric), {0}) / {0} * interval '1 second' END"
)
# Its JSON cannot contain U+0000, which U+FFFD replaces: an escape after an even number of
# backslashes. OFFSET 0 keeps it from parsing the JSON again for each column.
POSTGRESQL = Dialect(
    name="postgresql",
    title="PostgreSQL",
    scalars={
        "text": ("text", "{0}"),
        "integer": ("numeric", "CAST({0} AS numeric)"),
        "decimal": ("numeric", "CAST({0} AS numeric)"),
        "float": ("double precision", "CAST({0} AS double precision)"),
        "boolean": ("boolean", "CAST({0} AS boolean)"),
        "bytes": ("bytea", "decode({0}, 'base64')"),
        "date": ("date", f"CASE WHEN {{0}} ~ '^{_DAY}$' THEN CAST({{0}} AS date) END"),
        "datetime": (
            "timestamptz",
            f"CASE WHEN {{0}} ~ '^{_DAY}T{_TIME}$' THEN CAST({{0}} AS timestamptz) END",
        ),
        "seconds": ("timestamptz", _EPOCH.format(1)),
        "milliseconds": ("timestamptz", _EPOCH.format(1000)),
    },
    json_type="jsonb",
    identifier_quote='"',
    source=r"(SELECT CAST(CASE WHEN strpos(convert_from(item, 'UTF8'), E'\\u0000') > 0 "
    r"THEN regexp_replace(convert_from(item, 'UTF8'), E'(?<!\\\\)((\\\\\\\\)*)\\\\u0000', "
    r"E'\\1\\\\ufffd', 'g') ELSE convert_from(item, 'UTF8') END AS jsonb) AS item "
    "FROM {rows} OFFSET 0) AS stored",
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
    unsigned="({text} ~ '^[0-9]+([.][0-9]+)?$')",
    now="extract(epoch FROM now())",
    # Leakproof conditions, such as IS NULL, are still evaluated early. So no column may raise an
    # error for any item, because the error would repeat the value.
    create_view="CREATE OR REPLACE VIEW {name} WITH (security_barrier) AS {select}",
    longest_name=(63, "bytes"),
)

# Of a number that is too large, MariaDB would return the largest that fits.
_FITS = "CASE WHEN ABS(CAST({{0}} AS DOUBLE)) < 1e{0} THEN CAST({{0}} AS DECIMAL({1})) END"
_SINCE = (
    "TIMESTAMPADD(MICROSECOND, CAST({{0}} AS DECIMAL(30,6)) * {0}, "
    "CAST('1970-01-01 00:00:00' AS DATETIME(6)))"
)
MARIADB = Dialect(
    name="mariadb",
    title="MariaDB",
    scalars={
        # Texts that differ in case or in spaces at the end are different, as in DynamoDB.
        "text": ("LONGTEXT", "({0} COLLATE utf8mb4_nopad_bin)"),
        "integer": ("DECIMAL(65,0)", _FITS.format(65, "65,0")),
        "decimal": ("DECIMAL(65,30)", _FITS.format(35, "65,30")),
        "float": ("DOUBLE", "CAST({0} AS DOUBLE)"),
        "boolean": ("INT, 0 or 1", "CAST({0} AS INT)"),
        "bytes": ("LONGBLOB", "FROM_BASE64({0})"),
        "date": ("DATE", "CAST({0} AS DATE)"),
        "datetime": (
            "DATETIME(6), in UTC",
            "CASE WHEN {0} LIKE '%Z' THEN CAST(LEFT({0}, CHAR_LENGTH({0}) - 1) AS DATETIME(6)) "
            "ELSE CONVERT_TZ(CAST(LEFT({0}, CHAR_LENGTH({0}) - 6) AS DATETIME(6)), "
            "RIGHT({0}, 6), '+00:00') END",
        ),
        "seconds": ("DATETIME(6), in UTC", _SINCE.format(1_000_000)),
        "milliseconds": ("DATETIME(6), in UTC", _SINCE.format(1000)),
    },
    json_type="LONGTEXT, JSON",
    identifier_quote="`",
    source="(SELECT CONVERT(item USING utf8mb4) AS item FROM {rows}) AS stored",
    text="JSON_VALUE({json}, {path})",
    document="JSON_EXTRACT({json}, {path})",
    json="JSON_COMPACT({json})",
    number="JSON_COMPACT({text})",
    object="JSON_OBJECT({members})",
    members=(
        "JSON_TABLE({json}, {array} COLUMNS (position FOR ORDINALITY, member JSON PATH '$')) "
        "AS {alias}",
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
    unsigned="({text} REGEXP '^[0-9]+([.][0-9]+)?$')",
    # Unlike UNIX_TIMESTAMP() alone, it ignores SET timestamp.
    now="UNIX_TIMESTAMP(SYSDATE())",
    # TEMPTABLE keeps the view from being merged into a query, but conditions would still be pushed
    # down into it: not into a view with a LIMIT, which is the largest number here.
    create_view="CREATE OR REPLACE ALGORITHM=TEMPTABLE VIEW {name} AS {select} "
    "LIMIT 18446744073709551615",
    longest_name=(64, "characters"),
)
