"""Addresses: only those of this machine are served without credentials."""

from __future__ import annotations

import pytest

from singletable.errors import AddressError
from singletable.server import check_address

OTHERS = ["0.0.0.0", "::", "192.0.2.1", "10.0.0.1", "::ffff:10.0.0.1", "example.com", "", "127.1"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_this_machine_is_served(host: str) -> None:
    check_address(host, guarded=False)


# A name may lead anywhere, today or tomorrow.
@pytest.mark.parametrize("host", OTHERS)
def test_other_machines_are_served_with_credentials_alone(host: str) -> None:
    check_address(host, guarded=True)
    with pytest.raises(AddressError, match="--credentials"):
        check_address(host, guarded=False)
