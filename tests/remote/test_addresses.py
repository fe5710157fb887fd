"""Addresses that lead elsewhere: what they mean, and how wrong ones are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from singletable import AddressError, CredentialsError, Settings, connect, connect_async
from singletable.remote.address import Asked, read_address
from singletable.remote.chain import ANYBODY, find

KEYS = {"AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "secret"}


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("dynamodb:", Asked()),
        ("dynamodb:eu-west-1", Asked(region="eu-west-1")),
        ("dynamodb:?region=eu-west-1&profile=work", Asked(region="eu-west-1", profile="work")),
        ("dynamodb+http://localhost:8000", Asked(url="http://localhost:8000")),
        ("dynamodb+http://[::1]:8000/", Asked(url="http://[::1]:8000/")),
        (
            "dynamodb+https://db.example?timeout=2.5&connect_timeout=1&connections=7&attempts=2",
            Asked("https://db.example", None, None, 2.5, 1.0, 7, 2),
        ),
    ],
)
def test_an_address_says_what_is_asked_for(address: str, asked: Asked) -> None:
    assert read_address(address) == asked


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("dynamodb:EU West", "followed by the name of a region"),
        ("dynamodb://eu-west-1", "followed by the name of a region"),
        ("dynamodb:eu-west-1?region=eu-west-2", "twice"),
        ("dynamodb:?profile=", "the name of a profile"),
        ("dynamodb:?retries=3", "There are region, profile, timeout"),
        ("dynamodb:?timeout=0", "a number of seconds"),
        ("dynamodb:?timeout=nan", "a number of seconds"),
        ("dynamodb:?connections=many", "a whole number"),
        ("dynamodb:?attempts=0", "a whole number"),
        ("dynamodb:?attempts=1&attempts=2", "given twice"),
        ("dynamodb+http:", "names a host"),
        ("dynamodb+http:localhost:8000", "names a host"),
        ("dynamodb+http://", "names a host"),
        ("dynamodb+http://:8000", "names a host"),
        ("dynamodb+http://host:port", "names a host"),
        ("dynamodb+http://host:99999", "names a host"),
        ("dynamodb+http://[::1", "names a host"),
        ("dynamodb+http://a b", "names a host"),
        ("dynamodb+http://host/path", "a path follows"),
        ("dynamodb+http://ada:secret@host", "holds no keys"),
    ],
)
@pytest.mark.parametrize("opening", [connect, connect_async])
def test_a_wrong_address_is_refused_with_the_way_out(
    opening: Callable[[str], object], address: str, says: str
) -> None:
    with pytest.raises(AddressError) as refused:
        opening(address)
    assert says in str(refused.value)
    assert "secret" not in str(refused.value)


def test_settings_are_for_the_engine_in_this_process() -> None:
    with pytest.raises(AddressError, match=r"\?timeout=10"):
        connect("dynamodb+http://localhost:8000", Settings())


def test_without_a_region_nothing_is_guessed(keys: None) -> None:
    with pytest.raises(AddressError, match=r"There is no region.*dynamodb:eu-west-1"):
        connect("dynamodb:")


def test_without_credentials_nothing_is_sent() -> None:
    with pytest.raises(CredentialsError, match=r"No credentials were found.*AWS_ACCESS_KEY_ID"):
        connect("dynamodb:eu-west-1")


def test_a_profile_that_is_not_there_is_told() -> None:
    with pytest.raises(CredentialsError, match="nobody"):
        connect("dynamodb:eu-west-1?profile=nobody")


# A local engine takes any: nobody should have to make some up.
def test_a_place_of_ones_own_is_asked_as_anybody() -> None:
    assert find(read_address("dynamodb+http://localhost:8000")).credentials.now() == ANYBODY


def test_credentials_of_the_environment_are_found(keys: None) -> None:
    for address in ("dynamodb:eu-west-1", "dynamodb+http://localhost:8000"):
        found = find(read_address(address)).credentials.now()
        assert (found.access_key, found.secret_key, found.token) == ("AKIA", "secret", None)


def test_a_profile_has_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(
        "[profile work]\nregion = eu-north-1\naws_access_key_id = AKIAWORK\n"
        "aws_secret_access_key = s\naws_session_token = t\nmax_attempts = 7\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(file))
    found = find(read_address("dynamodb:?profile=work"))
    assert str(found.place) == "https://dynamodb.eu-north-1.amazonaws.com"
    assert found.credentials.now().token == "t"
    assert found.patience.max_attempts == 7


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("AWS_REGION", "eu-west-2", "https://dynamodb.eu-west-1.amazonaws.com"),
        ("AWS_ENDPOINT_URL", "http://localhost:9000", "http://localhost:9000"),
        ("AWS_ENDPOINT_URL_DYNAMODB", "https://db.example/", "https://db.example"),
        ("AWS_USE_FIPS_ENDPOINT", "true", "https://dynamodb-fips.eu-west-1.amazonaws.com"),
        ("AWS_USE_DUALSTACK_ENDPOINT", "true", "https://dynamodb.eu-west-1.api.aws"),
    ],
)
def test_botocore_says_where_dynamodb_is(
    monkeypatch: pytest.MonkeyPatch, keys: None, name: str, value: str, place: str
) -> None:
    monkeypatch.setenv(name, value)
    found = find(read_address("dynamodb:eu-west-1"))
    assert str(found.place) == place
    assert found.place.region == "eu-west-1"


@pytest.mark.parametrize("url", ["http://localhost:9000/path", "ftp://localhost"])
def test_an_endpoint_that_cannot_be_is_refused(
    monkeypatch: pytest.MonkeyPatch, keys: None, url: str
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    with pytest.raises((AddressError, CredentialsError)):
        find(read_address("dynamodb:eu-west-1"))


@pytest.mark.parametrize(("configured", "attempts"), [(None, 4), ("2", 2)])
def test_patience_is_that_of_the_sdks_unless_it_is_configured(
    monkeypatch: pytest.MonkeyPatch, configured: str | None, attempts: int
) -> None:
    if configured is not None:
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", configured)
    assert find(read_address("dynamodb+http://localhost:8000")).patience.max_attempts == attempts


def test_attempts_that_are_no_number_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "often")
    with pytest.raises(AddressError, match="AWS_MAX_ATTEMPTS"):
        connect("dynamodb+http://localhost:8000")
