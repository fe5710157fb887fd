"""The libraries that an adapter speaks to, each an extra of the package."""

from __future__ import annotations

import importlib


def check_installed(module: str, extra: str, who: str) -> None:
    """Say what to install if a library is not there."""
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{who} speaks to {module}, which is not installed. "
            f"Install it with pip install 'singletable[{extra}]'.",
            name=error.name,
        ) from None
