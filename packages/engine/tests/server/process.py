"""Run the endpoint as a process: started by its command and stopped by a signal."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Timer
from typing import Any

from msgspec import json

from tools.testing.app_client import CONTENT_TYPE, VOTES

COMMAND = [str(Path(sys.executable).with_name("dynamodb-engine")), "serve"]
# A process that takes longer hangs; it is killed so that the test fails instead of hanging too.
TIMEOUT = 60.0


class Endpoint:
    """A running endpoint."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._watchdog = Timer(TIMEOUT, self.process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()
        output = self.process.stderr if "-" in options else self.process.stdout
        assert output is not None
        self.greeting = ""
        for line in output:
            self.greeting += line
            if at := re.search(r"--endpoint-url (https?://(.+):(\d+))", line):
                self.url, self.host, self.port = at[1], at[2].strip("[]"), int(at[3])
                break
        else:
            raise AssertionError(f"the endpoint exited: {self.stop()}")

    def connect(self) -> HTTPConnection:
        """Return a new connection."""
        return HTTPConnection(self.host, self.port, timeout=TIMEOUT)

    def call(self, operation: str, body: object) -> Any:
        """Return the output of an operation, which must succeed."""
        connection = self.connect()
        response = send(connection, operation, json.encode(body))
        output = response.read()
        connection.close()
        assert response.status == 200, output
        return json.decode(output)

    def get(self, target: str) -> str:
        """Return the body at a target."""
        connection = self.connect()
        connection.request("GET", target)
        page = connection.getresponse().read().decode()
        connection.close()
        return page

    def stop(self, by: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal; return the exit status and what was printed after the greeting."""
        self.process.send_signal(by)
        out, err = self.process.communicate()
        self._watchdog.cancel()
        return self.process.returncode, out, err


@contextmanager
def endpoint(*options: str) -> Generator[Endpoint]:
    """Yield an endpoint that has the table `votes`; kill it when the block ends."""
    running = Endpoint(*options)
    try:
        running.call("CreateTable", VOTES)
        yield running
    finally:
        if running.process.poll() is None:
            running.stop(signal.SIGKILL)


def send(connection: HTTPConnection, operation: str, body: bytes, **headers: str) -> HTTPResponse:
    """Return the response, its body not read yet; in header names, _ stands for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    target = {"x-amz-target": f"DynamoDB_20120810.{operation}", "content-type": CONTENT_TYPE}
    connection.request("POST", "/", body, target | named)
    return connection.getresponse()


def startup_error(*options: str) -> str:
    """Return the paragraph in which the command says why it does not start."""
    completed = subprocess.run(
        [*COMMAND, *options], capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert (completed.returncode, completed.stdout) == (2, "")
    assert completed.stderr.startswith("dynamodb-engine: ")
    assert "Traceback" not in completed.stderr
    assert "\n\n" not in completed.stderr.strip()
    return completed.stderr
