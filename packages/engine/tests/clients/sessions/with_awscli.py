"""Run AWS CLI commands, each in a fork of one process, because loading the CLI is slow.

Each line of standard input is a JSON list of arguments. Each line of standard output has the exit
status, standard output and standard error of the command.
"""

# The AWS CLI is installed in an environment of its own, so type checkers do not find it.
# mypy: disable-error-code="import-not-found"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import os
import sys
from tempfile import TemporaryFile

from awscli.clidriver import create_clidriver, main


def run(arguments: list[str]) -> tuple[int, str, str]:
    """Return the exit status, standard output and standard error of a command."""
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


create_clidriver()  # loads its modules before the first fork
for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
