"""Generated Markdown contains every declaration, escaped and in stable order."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from singletable_design.docs_generator import render_text
from tests.docs_generator import special_names
from tools.testing.designs import election_catalog

ELECTIONS = render_text(election_catalog)
SPECIAL_NAMES = render_text(special_names)


@pytest.mark.parametrize(
    "row",
    [
        # Entities with their keys, markers, keys in indexes.
        "| **Ballot** | `ELECTION#{election}` | `BALLOT#{voter}` "
        "| `VOTER#{voter}` / `{when_cast}#{election}` (`by_voter`) "
        "| `CHOICE#{election}#{choice}` / `{voter}` (`by_choice`) |",
        "| marker of `Member.one_email` | `EMAIL#{email}` | `EMAIL` |",
        # Fields.
        "| `voter` | `voter` | `str` | S | primary key<br>key `by_voter`<br>key `by_choice` |",
        "| `ends` | `TTL` | `datetime \\| None` | N | TTL: expired items are not returned |",
        "| `email` | `email` | `str \\| None` | S | unique (`one_email`) |",
        "| `tags` | `tags` | `set[str]` | SS |  |",
        # Patterns: one request a row.
        "| **AP2** | Ballots of an election<br>`ballots(election: str)` | Query Ballot |  "
        "| `PK = ELECTION#{election}`<br>`SK begins with BALLOT#` | eventual |",
        "| **AP3** | An election with all that is in it<br>`file(name: str) → File` | Query File "
        "|  | `PK = ELECTION#{name}` | eventual |",
        "| **AP5** | Ballots of a voter since a time<br>`since(voter: str, when: datetime)` "
        "| Query Ballot | `by_person` | `GSI1PK = VOTER#{voter}`<br>`GSI1SK ≥ {when_cast}` "
        "| eventual |",
        "|  |  | ConditionCheckItem Election |  "
        "| `PK = ELECTION#{name}`<br>`SK = METADATA` | transaction |",
        "| **AP20** | All ballots<br>`export` | Scan Ballot |  | everything: the nightly copy "
        "| eventual |",
        "| **AP21** | What was cast<br>`follow` | GetRecords |  | the stream |  |",
        # Cost.
        "| **AP1** | 1 | 600 | 1 |  | 20&nbsp;a&nbsp;second | 20 |  |",
        "| **AP3** | 600 | ~600–1,024 | ~59.5 (≤&nbsp;75) |  |  |  |  |",
        "| **AP10** | 1 | ~600–1,024 |  | ~6 |  |  |  |",
        "| **all** |  |  |  |  |  | **20.1** |  |",
    ],
)
def test_document_has_a_row_for_each_declaration(row: str) -> None:
    assert f"\n{row}\n" in ELECTIONS


@pytest.mark.parametrize(
    "text",
    [
        "- The global index `by-level` projects keys and `level`.",
        "- The local index `by.time` projects only keys.",
        "- 1,000 read and 5 write units a second are provisioned.",
        "No pattern reads `by.time`: an \\*old\\* \\| report.",
        "Type tag: `kind` = `THING`.",
        "| entity | `id\\|key` | `sort` | `by-level`: area, level / score, name |",
        "`{area}`, `{level}` / `{score}`, `{name}` (`ranked`)",
        '`ALL#{0…3}` / `{at}` (`shared`)<br>only if `level = "high"`',
        '| `level` | `level` | `"low" \\| "high"` | S | key `ranked`<br>default `\'low\'` |',
        "| `color` | `color` | `Color \\| None` | S |  |",
        "unique together with `area` (`one_name`)",
        "Things \\| of a \\<level\\>, \\`sorted\\` by \\[score\\](x)",
        "| Query Thing, in each of 4 shards | `spread` | `spread = ALL#{0…3}` | eventual |",
        # A note is in the range of the things and is read with them.
        "| `id\\|key = A<B>#{area}`<br>`` sort begins with `# `` | eventual, skips others |",
    ],
)
def test_special_characters_are_escaped(text: str) -> None:
    assert text in SPECIAL_NAMES


# An unescaped bar in a cell would shift the remaining cells into other columns.
@pytest.mark.parametrize("text", [ELECTIONS, SPECIAL_NAMES], ids=["elections", "special names"])
def test_all_rows_of_a_table_have_the_same_number_of_cells(text: str) -> None:
    for block in text.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1


# Hashes, and so the order of sets, differ between processes; documents must not.
def test_document_is_the_same_in_another_process() -> None:
    code = (
        "from singletable_design.docs_generator import render_text; "
        "from tests.docs_generator import special_names; import sys; "
        "sys.stdout.buffer.write(render_text(special_names).encode())"
    )
    other = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert other.stdout.decode() == SPECIAL_NAMES
