"""A session with the AWS CLI: shorthand syntax, files, pages and exit codes."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.endpoint import Endpoint
from tools.testing.programs import SESSION_TIMEOUT, SESSIONS, installed

TABLE = "awscli"
ATTRIBUTES = {"election": "S", "number": "N", "voter": "S"}
KEY = '{"election": {"S": "mayor"}, "number": {"N": "1"}}'


class CommandLine:
    """Runs `aws dynamodb …` against an endpoint."""

    def __init__(self, endpoint: Endpoint, commands: subprocess.Popen[str]) -> None:
        self._endpoint = endpoint
        self._commands = commands

    def __call__(self, *arguments: str) -> Any:
        """Return the output of a command, which must succeed."""
        status, output, errors = self._run(arguments)
        assert status == 0, f"aws dynamodb {' '.join(arguments)}\n{errors}"
        return json.loads(output or "null")

    def error(self, *arguments: str) -> str:
        """Return the error output of a command, which must fail."""
        status, output, errors = self._run(arguments)
        assert status in (254, 255), f"aws dynamodb {' '.join(arguments)}\n{output}"
        return errors

    def _run(self, arguments: tuple[str, ...]) -> tuple[int, str, str]:
        assert self._commands.stdin
        assert self._commands.stdout
        command = ["dynamodb", *arguments, "--endpoint-url", self._endpoint.url]
        self._commands.stdin.write(f"{json.dumps(command)}\n")
        self._commands.stdin.flush()
        status, output, errors = json.loads(self._commands.stdout.readline())
        return status, output, errors


@pytest.fixture
def aws(endpoint: Endpoint) -> Iterator[CommandLine]:
    """Yield a command line; its process is killed if it hangs."""
    with subprocess.Popen(
        [installed("awscli/bin/python"), SESSIONS / "with_awscli.py"],
        env=endpoint.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as commands:
        watchdog = threading.Timer(SESSION_TIMEOUT, commands.kill)
        watchdog.start()
        try:
            yield CommandLine(endpoint, commands)
        finally:
            watchdog.cancel()


def test_aws_command_uses_the_endpoint(endpoint: Endpoint) -> None:
    completed = subprocess.run(
        [installed("awscli/bin/aws"), "dynamodb", "describe-table", "--table-name", "nowhere"],
        env=endpoint.environment,
        capture_output=True,
        text=True,
        timeout=SESSION_TIMEOUT,
        check=False,
    )
    assert completed.returncode in (254, 255), completed.stdout
    assert "ResourceNotFoundException" in completed.stderr


def test_awscli_session(aws: CommandLine, tmp_path: Path) -> None:
    check_create_table(aws)
    check_item_of_every_type(aws)
    check_conditional_update(aws)
    check_batch_and_pages(aws, tmp_path)
    check_canceled_transaction(aws)
    check_tags_and_ttl(aws)
    assert "ResourceNotFoundException" in aws.error("describe-table", "--table-name", "nowhere")
    aws("delete-table", "--table-name", TABLE)


def check_create_table(aws: CommandLine) -> None:
    index = (
        "IndexName=by_voter,KeySchema=[{AttributeName=voter,KeyType=HASH}],"
        "Projection={ProjectionType=ALL},"
        "ProvisionedThroughput={ReadCapacityUnits=5,WriteCapacityUnits=5}"
    )
    created = aws(
        "create-table",
        *("--table-name", TABLE, "--attribute-definitions"),
        *(f"AttributeName={name},AttributeType={kind}" for name, kind in ATTRIBUTES.items()),
        *("--key-schema", "AttributeName=election,KeyType=HASH"),
        "AttributeName=number,KeyType=RANGE",
        *("--global-secondary-indexes", index),
        *("--provisioned-throughput", "ReadCapacityUnits=5,WriteCapacityUnits=5"),
    )
    assert created["TableDescription"]["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    aws("wait", "table-exists", "--table-name", TABLE)


def check_item_of_every_type(aws: CommandLine) -> None:
    item: dict[str, Any] = {
        **json.loads(KEY),
        "share": {"N": "0.1234567890123456789012345678901234567"},
        "ranking": {"L": [{"S": "lee"}, {"NULL": True}]},
        "ward": {"M": {"name": {"S": "Grünau"}, "open": {"BOOL": True}}},
        "names": {"SS": ["ada", "lovelace"]},
        "years": {"NS": ["1815", "1852"]},
    }
    # Bytes are passed as text, and returned as base64.
    arguments = json.dumps(item | {"seal": {"B": "wax"}, "marks": {"BS": ["x", "y"]}})
    assert aws("put-item", "--table-name", TABLE, "--item", arguments) is None
    got = aws("get-item", "--table-name", TABLE, "--key", KEY, "--consistent-read")
    assert got == {"Item": item | {"seal": {"B": "d2F4"}, "marks": {"BS": ["eA==", "eQ=="]}}}


def check_conditional_update(aws: CommandLine) -> None:
    vote = (
        *("update-item", "--table-name", TABLE, "--key", KEY, "--return-values", "UPDATED_NEW"),
        *("--update-expression", "SET voter = :ada"),
        *("--condition-expression", "attribute_not_exists(voter)"),
        *("--expression-attribute-values", '{":ada": {"S": "ada"}}'),
    )
    assert aws(*vote) == {"Attributes": {"voter": {"S": "ada"}}}
    error = aws.error(*vote)
    assert "(ConditionalCheckFailedException) when calling the UpdateItem operation" in error
    assert "The conditional request failed" in error


def check_batch_and_pages(aws: CommandLine, folder: Path) -> None:
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
    # The AWS CLI fetches all pages and joins them.
    assert aws(*council, "--page-size", "10")["Items"] == ballots
    first = aws(*council, "--max-items", "20")
    rest = aws(*council, "--starting-token", first["NextToken"])
    assert (first["Items"], rest["Items"]) == (ballots[:20], ballots[20:])
    scan = aws("scan", "--table-name", TABLE, "--index-name", "by_voter", "--select", "COUNT")
    assert scan["Count"] == 26


def check_canceled_transaction(aws: CommandLine) -> None:
    create = {
        "Put": {
            "TableName": TABLE,
            "Item": json.loads(KEY),
            "ConditionExpression": "attribute_not_exists(election)",
        }
    }
    delete = {"Delete": {"TableName": TABLE, "Key": json.loads(KEY.replace('"1"', '"2"'))}}
    writes = json.dumps([delete, create])
    error = aws.error("transact-write-items", "--transact-items", writes)
    assert "(TransactionCanceledException) when calling the TransactWriteItems operation" in error
    assert "[None, ConditionalCheckFailed]" in error


def check_tags_and_ttl(aws: CommandLine) -> None:
    arn = aws("describe-table", "--table-name", TABLE)["Table"]["TableArn"]
    aws("tag-resource", "--resource-arn", arn, "--tags", "Key=team,Value=votes")
    tags = aws("list-tags-of-resource", "--resource-arn", arn)
    assert tags == {"Tags": [{"Key": "team", "Value": "votes"}]}
    enable = ("--time-to-live-specification", "Enabled=true,AttributeName=expires")
    output = aws("update-time-to-live", "--table-name", TABLE, *enable)
    assert output["TimeToLiveSpecification"] == {"Enabled": True, "AttributeName": "expires"}
