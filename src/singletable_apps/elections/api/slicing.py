"""Pages of a list that the service gives as a whole."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from typing import TypeVar

from singletable_apps.elections.api.asking import Api
from singletable_apps.shared.web import PageRequest, SealedOffsets

T = TypeVar("T")


def sliced(page: PageRequest, items: Sequence[T], api: Api) -> tuple[Sequence[T], str | None]:
    """The items of a page, and the cursor of the next."""
    secret = api.elections.office.keys.secret
    offsets = SealedOffsets(hmac.digest(secret, b"positions in lists", "sha256"))
    position = offsets.open(page)
    begin = position if isinstance(position, int) else 0
    end = begin + page.limit
    return items[begin:end], offsets.seal(page, end) if end < len(items) else None
