"""A catalog as Markdown: what is declared is there, in words that a reader has."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from singletable.documents import text_alone
from tests.documents import odd
from tests.house.sources import ROOT
from tests.patterns import election_catalog

ELECTIONS = text_alone(election_catalog)
ODD = text_alone(odd)


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
        "| `ends` | `TTL` | `datetime \\| None` | N | time to live: never seen after it |",
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
        "| `PK = ELECTION#{name}`<br>`SK = METADATA` | together |",
        "| **AP20** | All ballots<br>`export` | Scan Ballot |  | everything: the nightly copy "
        "| eventual |",
        "| **AP21** | What was cast<br>`follow` | GetRecords |  | the stream |  |",
        # What they cost.
        "| **AP1** | 1 | 600 | 1 |  | 20&nbsp;a&nbsp;second | 20 |  |",
        "| **AP3** | 600 | ~600–1,024 | ~75 |  |  |  |  |",
        "| **AP10** | 1 | ~600–1,024 |  | ≤ ~6 |  |  |  |",
        "| **all** |  |  |  |  |  | **20.1** |  |",
    ],
)
def test_what_is_declared_is_told(row: str) -> None:
    assert f"\n{row}\n" in ELECTIONS


@pytest.mark.parametrize(
    "said",
    [
        "- The global index `by-level` holds keys and `level`.",
        "- The local index `by<time>` holds keys alone.",
        "- 1,000 read and 5 write units a second are provisioned.",
        "No pattern reads `by<time>`: an \\*old\\* \\| report.",
        "`kind` is `THING` in each item.",
        "| entity | `id\\|key` | `sort` | `by-level`: area, level / score, name |",
        "`{area}`, `{level}` / `{score}`, `{name}` (`ranked`)",
        '`ALL#{0…3}` / `{at}` (`shared`)<br>only if `level = "high"`',
        '| `level` | `level` | `"low" \\| "high"` | S | key `ranked`<br>default `\'low\'` |',
        "| `colour` | `colour` | `Colour \\| None` | S |  |",
        "unique together with `area` (`one_name`); a value once taken stays taken",
        "Things \\| of a \\<level\\>, \\`sorted\\` by \\[score\\](x)",
        "| Query Thing, in each of 4 shards | `spread` | `spread = ALL#{0…3}` | eventual |",
        # A note lies among the things, and is read with them.
        "| `id\\|key = A<B>#{area}`<br>`` sort begins with `# `` | eventual, past others |",
    ],
)
def test_names_and_choices_stand_as_they_are(said: str) -> None:
    assert said in ODD


# A bar in a cell, or a missing one, would move everything behind it into another column.
@pytest.mark.parametrize("text", [ELECTIONS, ODD], ids=["elections", "odd"])
def test_every_row_has_as_many_cells_as_its_table(text: str) -> None:
    for block in text.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1


# Sets and hashes differ from process to process, and a document must not.
def test_the_text_is_the_same_in_another_process() -> None:
    code = (
        "from singletable.documents import text_alone; from tests.documents import odd; "
        "import sys; sys.stdout.buffer.write(text_alone(odd).encode())"
    )
    other = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, timeout=60
    )
    assert other.stdout.decode() == ODD
