"""The endpoint as a process of its own, started by its command and stopped by a signal."""

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

from tests.server.asking import KIND, VOTES

COMMAND = [str(Path(sys.executable).with_name("singletable")), "dynamodb"]
# Whoever takes so long hangs, and is ended, so that the test fails rather than hangs as well.
PATIENCE = 60.0


class Endpoint:
    """A process that listens."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._watchdog = Timer(PATIENCE, self.process.kill)
        self._watchdog.daemon = True
        self._watchdog.start()
        greeting = self.process.stderr if "-" in options else self.process.stdout
        assert greeting is not None
        self.greeting = ""
        for line in greeting:
            self.greeting += line
            if at := re.search(r"--endpoint-url (http://(.+):(\d+))", line):
                self.url, self.host, self.port = at[1], at[2].strip("[]"), int(at[3])
                break
        else:
            raise AssertionError(f"it ended with {self.stop()}")

    def connect(self) -> HTTPConnection:
        """A connection of its own."""
        return HTTPConnection(self.host, self.port, timeout=PATIENCE)

    def ask(self, operation: str, body: object) -> Any:
        """What an operation that succeeds is answered with."""
        connection = self.connect()
        response = send(connection, operation, json.encode(body))
        answer = response.read()
        connection.close()
        assert response.status == 200, answer
        return json.decode(answer)

    def get(self, target: str) -> str:
        """The page at a target."""
        connection = self.connect()
        connection.request("GET", target)
        page = connection.getresponse().read().decode()
        connection.close()
        return page

    def stop(self, by: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal; the status, and what was said after the greeting."""
        self.process.send_signal(by)
        out, err = self.process.communicate()
        self._watchdog.cancel()
        return self.process.returncode, out, err


@contextmanager
def endpoint(*options: str) -> Generator[Endpoint]:
    """A process that has the table `votes`, and is ended at the latest when the block ends."""
    running = Endpoint(*options)
    try:
        running.ask("CreateTable", VOTES)
        yield running
    finally:
        if running.process.poll() is None:
            running.stop(signal.SIGKILL)


def send(connection: HTTPConnection, operation: str, body: bytes, **headers: str) -> HTTPResponse:
    """The response to an operation, its body not read yet; header names have _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    target = {"x-amz-target": f"DynamoDB_20120810.{operation}", "content-type": KIND}
    connection.request("POST", "/", body, target | named)
    return connection.getresponse()


def refusal(*options: str) -> str:
    """The one paragraph in which the command says why it does not start."""
    ran = subprocess.run(
        [*COMMAND, *options], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("singletable: ")
    assert "Traceback" not in ran.stderr
    assert "\n\n" not in ran.stderr.strip()
    return ran.stderr
