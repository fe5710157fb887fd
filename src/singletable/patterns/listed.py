"""The catalogs that a module declares, or has from another."""

from __future__ import annotations

from types import ModuleType

from singletable.patterns.catalog import PatternCatalog


def catalogues_in(module: ModuleType) -> list[PatternCatalog]:
    """The catalogs among a module's names, in their order, each once."""
    return [
        *dict.fromkeys(
            value for value in vars(module).values() if isinstance(value, PatternCatalog)
        )
    ]
