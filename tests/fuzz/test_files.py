"""Files that people upload or keep: readers return their content or raise their own error."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import singletable_apps
from dynamodb_engine.server.guard.credentials import read_credentials
from dynamodb_engine.server.guard.policy_document import PolicyError, read_policy
from ranked_ballots.errors import CountingError
from ranked_ballots.formats.files import read_ballots
from singletable.errors import (
    CredentialsError,
    InvalidValue,
    MigrationError,
    SingleTableError,
)
from singletable.migration.schema_diff.snapshot import read_lock
from singletable.prices import load_prices
from singletable_apps.elections.proofs import checker
from singletable_apps.elections.proofs.verification import verify_receipt
from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats import FORMATS, read_set, write_set
from singletable_apps.games.set_library import load_templates
from singletable_apps.shared.archives import ArchiveError, read_zip, write_zip
from singletable_apps.shared.front_matter import InvalidFrontMatter, read_front_matter
from singletable_apps.shared.spreadsheets import Cell, SpreadsheetError, read_table, write_table
from singletable_design.planning.plan_report import parse_report
from tests.apps.elections.proofs.factories import make_sample
from tests.fuzz.call_budget import limit_calls
from tests.fuzz.damaged_files import ValidFiles, damaged
from tests.server.guard.policies import CONTEXT, GAMES, policy, statement

BALLOTS = Path(__file__).parents[2] / "packages/ranked-ballots/tests/data/ballots"
POSTS = Path(singletable_apps.__path__[0]) / "portfolio" / "sample" / "posts"


@dataclass(frozen=True)
class Reader:
    """A function that reads files, valid ones, and the only error it may raise."""

    name: str
    read: Callable[[bytes], object]
    error: type[Exception]
    files: list[bytes]

    def __repr__(self) -> str:
        return self.name


def _spreadsheets() -> list[bytes]:
    rows: list[list[Cell]] = [["Ann", "=1+1", 3], ["Bo", "é\n", 0.5]]
    return [
        b"".join(write_table(["Name", "Note", "Level"], rows, kind)) for kind in ("csv", "xlsx")
    ]


def _archive() -> bytes:
    target = BytesIO()
    write_zip([(path.name, path.read_bytes()) for path in sorted(POSTS.iterdir())[:3]], target)
    return target.getvalue()


def _read_posts(data: bytes) -> None:
    for content in read_zip(data).values():
        try:
            read_front_matter(content.decode("utf-8", "replace"))
        except InvalidFrontMatter as error:
            raise ArchiveError(str(error)) from error


def _json(document: object) -> bytes:
    return json.dumps(document).encode()


READERS = [
    Reader(
        "ballots", read_ballots, CountingError, [each.read_bytes() for each in BALLOTS.iterdir()]
    ),
    Reader("spreadsheet", read_table, SpreadsheetError, _spreadsheets()),
    Reader(
        "question set",
        lambda data: read_set(data, "quiz.txt"),
        InvalidInput,
        [write_set(load_templates()["trivia-night"], kind) for kind in FORMATS],
    ),
    Reader("archive of posts", _read_posts, ArchiveError, [_archive()]),
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@given(data=st.data())
def test_damaged_file_is_read_or_rejected(reader: Reader, data: st.DataObject) -> None:
    file = data.draw(damaged(ValidFiles(reader.files)))
    with suppress(reader.error), limit_calls(len(file)):
        reader.read(file)


POLICIES = [
    policy(
        statement(Action=["dynamodb:GetItem", "dynamodb:Batch*"], Resource=[GAMES, GAMES + "/*"]),
        statement(Effect="Deny", NotAction="dynamodb:Get*", NotResource=GAMES),
        statement(
            Condition={
                "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]},
                "StringLikeIfExists": {"aws:PrincipalTag/team": "r*"},
                "Null": {"dynamodb:Attributes": "false"},
            }
        ),
    )
]


@given(text=damaged(ValidFiles([_json(each) for each in POLICIES])))
def test_damaged_policy_decides_or_is_rejected(text: bytes) -> None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return
    with suppress(PolicyError), limit_calls(len(text)):
        parsed = read_policy(document, CONTEXT)
        parsed.decide("dynamodb:GetItem", GAMES, lambda _key: ("ada",))


SAMPLE = make_sample("confirmations")
RECEIPTS = [SAMPLE.receipt, SAMPLE.open_receipt, make_sample("anonymous").receipt]
PUBLICATIONS = [SAMPLE.published, make_sample("anonymous").published]


@given(text=damaged(ValidFiles([_json(each) for each in [*RECEIPTS, *PUBLICATIONS]])))
def test_damaged_receipt_proves_nothing_new(
    tmp_path_factory: pytest.TempPathFactory, text: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "document.json"
    path.write_bytes(text)
    try:
        findings = list(checker.check(str(path), None, None))
    except (ValueError, RecursionError):
        return  # the command prints it as its result
    document = json.loads(text.decode("utf-8-sig"))
    passed = all(finding.ok for finding in findings)
    if "confirmations" not in document:
        assert passed == all(finding.ok for finding in verify_receipt(document))
    # With our signature, only the documents we made pass.
    known = document in [*RECEIPTS, *PUBLICATIONS]
    signed = document.get("closing") is not None
    assert known or not (passed and signed and document["closing"] == SAMPLE.closing)


# Where a document may be nested; `…` is replaced.
POLICY_PLACES = [
    "…",
    '{"Version": …}',
    '{"Version": "2012-10-17", "Statement": …}',
    '{"Version": "2012-10-17", "Statement": {"Effect": …}}',
    '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Condition": …}}',
]


@pytest.mark.parametrize("place", POLICY_PLACES)
@pytest.mark.parametrize("depth", [300, 20_000])
def test_deeply_nested_policy_is_rejected(tmp_path: Path, place: str, depth: int) -> None:
    file = tmp_path / "credentials.toml"
    policy = place.replace("…", '{"L":[' * depth + "]}" * depth)
    file.write_text(
        "[[credential]]\nname = 'ada'\naccess_key_id = 'ADA'\nsecret_access_key = 'secret'\n"
        f"policy = '{policy}'\n"
    )
    file.chmod(0o600)
    with pytest.raises(CredentialsError), limit_calls(10_000):
        read_credentials(file, region="us-east-1", account="123456789012")


def _read_file(read: Callable[[Path], object], content: bytes) -> None:
    with NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        read(Path(file.name))


NESTED_READERS: dict[str, tuple[Callable[[bytes], object], type[SingleTableError]]] = {
    "plan": (lambda content: parse_report(content, "plan.json"), InvalidValue),
    "prices": (partial(_read_file, load_prices), InvalidValue),
    "schema lock": (partial(_read_file, read_lock), MigrationError),
}


@pytest.mark.parametrize(("read", "error"), NESTED_READERS.values(), ids=NESTED_READERS)
def test_deeply_nested_json_is_rejected(
    read: Callable[[bytes], object], error: type[SingleTableError]
) -> None:
    levels = b"[" * 10_000 + b"]" * 10_000
    with pytest.raises(error), limit_calls(len(levels)):
        read(b'{"ModelName": "deep", "ModelMetadata": ' + levels + b"}")
