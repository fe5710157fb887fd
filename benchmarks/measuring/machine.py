"""The machine that was measured on, without its name."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

import apsw


def machine() -> str:
    """Processor, cores, memory and versions, in one line."""
    parts = [
        f"{_processor()}, {os.cpu_count()} cores",
        f"{_memory() / 2**30:.0f} GiB of memory",
        f"Linux {platform.release().partition('-')[0]}",
        f"Python {platform.python_version()}",
        f"SQLite {apsw.sqlite_lib_version()}",
    ]
    return ", ".join(parts)


def _processor() -> str:
    """The model, as `lscpu` names it."""
    if shutil.which("lscpu") is not None:
        said = subprocess.run(["lscpu"], capture_output=True, text=True, check=True).stdout
        for line in said.splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "Model name":
                return f"{value.strip()} ({platform.machine()})"
    return platform.machine()


def _memory() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) * 1024
    raise ValueError("/proc/meminfo has no line that begins with MemTotal:")
