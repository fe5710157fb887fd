"""A session with the AWS CLI, as one types it: shorthand, files, pages and exit codes."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.endpoint import Endpoint
from tests.clients.installed import PATIENCE, SESSIONS, installed

TABLE = "awscli"
ATTRIBUTES = {"election": "S", "number": "N", "voter": "S"}
KEY = '{"election": {"S": "mayor"}, "number": {"N": "1"}}'


class CommandLine:
    """Runs `aws dynamodb …` against an endpoint."""

    def __init__(self, endpoint: Endpoint, commands: subprocess.Popen[str]) -> None:
        self._endpoint = endpoint
        self._commands = commands

    def __call__(self, *arguments: str) -> Any:
        """What the command answers, which must go well."""
        status, output, errors = self._run(arguments)
        assert status == 0, f"aws dynamodb {' '.join(arguments)}\n{errors}"
        return json.loads(output or "null")

    def refused(self, *arguments: str) -> str:
        """What the command complains of, which must fail."""
        status, output, errors = self._run(arguments)
        assert status in (254, 255), f"aws dynamodb {' '.join(arguments)}\n{output}"
        return errors

    def _run(self, arguments: tuple[str, ...]) -> tuple[int, str, str]:
        assert self._commands.stdin
        assert self._commands.stdout
        typed = ["dynamodb", *arguments, "--endpoint-url", self._endpoint.url]
        self._commands.stdin.write(f"{json.dumps(typed)}\n")
        self._commands.stdin.flush()
        status, output, errors = json.loads(self._commands.stdout.readline())
        return status, output, errors


@pytest.fixture
def aws(endpoint: Endpoint) -> Iterator[CommandLine]:
    """The command line, in a process that ends with the test, or when it hangs."""
    with subprocess.Popen(
        [installed("awscli/bin/python"), SESSIONS / "with_awscli.py"],
        env=endpoint.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as commands:
        hangs = threading.Timer(PATIENCE, commands.kill)
        hangs.start()
        try:
            yield CommandLine(endpoint, commands)
        finally:
            hangs.cancel()


# As one types it: a program that is found by its name.
def test_the_program_asks_the_endpoint(endpoint: Endpoint) -> None:
    ran = subprocess.run(
        [installed("awscli/bin/aws"), "dynamodb", "describe-table", "--table-name", "nowhere"],
        env=endpoint.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ran.returncode in (254, 255), ran.stdout
    assert "ResourceNotFoundException" in ran.stderr


def test_a_session(aws: CommandLine, tmp_path: Path) -> None:
    a_table_is_made(aws)
    an_item_of_every_type_comes_back_as_it_was(aws)
    an_update_is_made_on_a_condition(aws)
    a_batch_is_written_and_read_in_pages(aws, tmp_path)
    a_transaction_is_cancelled(aws)
    tags_and_time_to_live(aws)
    assert "ResourceNotFoundException" in aws.refused("describe-table", "--table-name", "nowhere")
    aws("delete-table", "--table-name", TABLE)


def a_table_is_made(aws: CommandLine) -> None:
    index = (
        "IndexName=by_voter,KeySchema=[{AttributeName=voter,KeyType=HASH}],"
        "Projection={ProjectionType=ALL},"
        "ProvisionedThroughput={ReadCapacityUnits=5,WriteCapacityUnits=5}"
    )
    made = aws(
        "create-table",
        *("--table-name", TABLE, "--attribute-definitions"),
        *(f"AttributeName={name},AttributeType={kind}" for name, kind in ATTRIBUTES.items()),
        *("--key-schema", "AttributeName=election,KeyType=HASH"),
        "AttributeName=number,KeyType=RANGE",
        *("--global-secondary-indexes", index),
        *("--provisioned-throughput", "ReadCapacityUnits=5,WriteCapacityUnits=5"),
    )
    assert made["TableDescription"]["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    aws("wait", "table-exists", "--table-name", TABLE)


def an_item_of_every_type_comes_back_as_it_was(aws: CommandLine) -> None:
    item: dict[str, Any] = {
        **json.loads(KEY),
        "share": {"N": "0.1234567890123456789012345678901234567"},
        "ranking": {"L": [{"S": "lee"}, {"NULL": True}]},
        "ward": {"M": {"name": {"S": "Grünau"}, "open": {"BOOL": True}}},
        "names": {"SS": ["ada", "lovelace"]},
        "years": {"NS": ["1815", "1852"]},
    }
    # Bytes are given as text, and answered as base64.
    typed = json.dumps(item | {"seal": {"B": "wax"}, "marks": {"BS": ["x", "y"]}})
    assert aws("put-item", "--table-name", TABLE, "--item", typed) is None
    got = aws("get-item", "--table-name", TABLE, "--key", KEY, "--consistent-read")
    assert got == {"Item": item | {"seal": {"B": "d2F4"}, "marks": {"BS": ["eA==", "eQ=="]}}}


def an_update_is_made_on_a_condition(aws: CommandLine) -> None:
    vote = (
        *("update-item", "--table-name", TABLE, "--key", KEY, "--return-values", "UPDATED_NEW"),
        *("--update-expression", "SET voter = :ada"),
        *("--condition-expression", "attribute_not_exists(voter)"),
        *("--expression-attribute-values", '{":ada": {"S": "ada"}}'),
    )
    assert aws(*vote) == {"Attributes": {"voter": {"S": "ada"}}}
    said = aws.refused(*vote)
    assert "(ConditionalCheckFailedException) when calling the UpdateItem operation" in said
    assert "The conditional request failed" in said


def a_batch_is_written_and_read_in_pages(aws: CommandLine, folder: Path) -> None:
    ballots = [
        {"election": {"S": "council"}, "number": {"N": str(number)}, "voter": {"S": "lee"}}
        for number in range(25)
    ]
    writes = folder / "ballots.json"
    writes.write_text(json.dumps({TABLE: [{"PutRequest": {"Item": ballot}} for ballot in ballots]}))
    written = aws("batch-write-item", "--request-items", f"file://{writes}")
    assert written == {"UnprocessedItems": {}}
    council = (
        *("query", "--table-name", TABLE, "--key-condition-expression", "election = :council"),
        *("--expression-attribute-values", '{":council": {"S": "council"}}'),
    )
    # The command line walks the pages, and joins them.
    assert aws(*council, "--page-size", "10")["Items"] == ballots
    first = aws(*council, "--max-items", "20")
    rest = aws(*council, "--starting-token", first["NextToken"])
    assert (first["Items"], rest["Items"]) == (ballots[:20], ballots[20:])
    found = aws("scan", "--table-name", TABLE, "--index-name", "by_voter", "--select", "COUNT")
    assert found["Count"] == 26


def a_transaction_is_cancelled(aws: CommandLine) -> None:
    create = {
        "Put": {
            "TableName": TABLE,
            "Item": json.loads(KEY),
            "ConditionExpression": "attribute_not_exists(election)",
        }
    }
    delete = {"Delete": {"TableName": TABLE, "Key": json.loads(KEY.replace('"1"', '"2"'))}}
    writes = json.dumps([delete, create])
    said = aws.refused("transact-write-items", "--transact-items", writes)
    assert "(TransactionCanceledException) when calling the TransactWriteItems operation" in said
    assert "[None, ConditionalCheckFailed]" in said


def tags_and_time_to_live(aws: CommandLine) -> None:
    arn = aws("describe-table", "--table-name", TABLE)["Table"]["TableArn"]
    aws("tag-resource", "--resource-arn", arn, "--tags", "Key=team,Value=votes")
    tags = aws("list-tags-of-resource", "--resource-arn", arn)
    assert tags == {"Tags": [{"Key": "team", "Value": "votes"}]}
    enable = ("--time-to-live-specification", "Enabled=true,AttributeName=expires")
    told = aws("update-time-to-live", "--table-name", TABLE, *enable)
    assert told["TimeToLiveSpecification"] == {"Enabled": True, "AttributeName": "expires"}
