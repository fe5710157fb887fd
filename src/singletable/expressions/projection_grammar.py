"""The grammar of projections: paths with commas between them."""

from __future__ import annotations

from singletable.expressions.reader import Reader
from singletable.expressions.written import WrittenProjection


def read_projection(text: str) -> WrittenProjection:
    """The projection that the text writes."""
    reader = Reader(text)
    paths = reader.listed(reader.path)
    reader.finish()
    return paths
