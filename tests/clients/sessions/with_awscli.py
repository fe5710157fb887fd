"""Commands of the AWS CLI, each in a child of one process: loading it takes longer than to run it.

A line of standard input has the arguments of a command, as JSON; a line of standard output its
status, and what it wrote to its own standard output and standard error.
"""

# The AWS CLI is installed where this program runs, which is not where it is checked.
# mypy: disable-error-code="import-not-found"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import os
import sys
from tempfile import TemporaryFile

from awscli.clidriver import create_clidriver, main


def run(arguments: list[str]) -> tuple[int, str, str]:
    """What a command came to."""
    with TemporaryFile("w+b") as output, TemporaryFile("w+b") as errors:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(errors.fileno(), 2)
            sys.argv[1:] = arguments
            sys.exit(main())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        errors.seek(0)
        return status, output.read().decode(), errors.read().decode()


create_clidriver()  # what it loads when a command comes, every child has then
for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
