"""Remote addresses and the AWS configuration they are resolved with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dynamodb_engine import Settings
from singletable import AddressError, CredentialsError, connect, connect_async
from singletable.remote.address import ConnectionOptions, parse_address
from singletable.remote.config import PLACEHOLDER_CREDENTIALS, resolve_config
from singletable.remote.remote import RemoteClient

KEYS = {"AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "secret"}


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(
    ("address", "options"),
    [
        ("dynamodb:", ConnectionOptions()),
        ("dynamodb:eu-west-1", ConnectionOptions(region="eu-west-1")),
        (
            "dynamodb:?region=eu-west-1&profile=work",
            ConnectionOptions(region="eu-west-1", profile="work"),
        ),
        ("dynamodb+http://localhost:8000", ConnectionOptions(url="http://localhost:8000")),
        ("dynamodb+http://[::1]:8000/", ConnectionOptions(url="http://[::1]:8000/")),
        (
            "dynamodb+https://db.example?timeout=2.5&connect_timeout=1&connections=7&attempts=2",
            ConnectionOptions("https://db.example", None, None, 2.5, 1.0, 7, 2),
        ),
    ],
)
def test_address_is_parsed(address: str, options: ConnectionOptions) -> None:
    assert parse_address(address) == options


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("dynamodb:EU West", "Expected the name of a region"),
        ("dynamodb://eu-west-1", "Expected the name of a region"),
        ("dynamodb:eu-west-1?region=eu-west-2", "two regions"),
        ("dynamodb:?profile=", "the name of a profile"),
        ("dynamodb:?retries=3", "Options are region, profile, timeout"),
        ("dynamodb:?timeout=0", "a number of seconds"),
        ("dynamodb:?timeout=nan", "a number of seconds"),
        ("dynamodb:?connections=many", "an integer"),
        ("dynamodb:?attempts=0", "an integer"),
        ("dynamodb:?attempts=1&attempts=2", "occurs twice"),
        ("dynamodb+http:", "Invalid host"),
        ("dynamodb+http:localhost:8000", "Invalid host"),
        ("dynamodb+http://", "Invalid host"),
        ("dynamodb+http://:8000", "Invalid host"),
        ("dynamodb+http://host:port", "Invalid host"),
        ("dynamodb+http://host:99999", "Invalid host"),
        ("dynamodb+http://[::1", "Invalid host"),
        ("dynamodb+http://a b", "Invalid host"),
        ("dynamodb+http://host/path", "must not have a path"),
        ("dynamodb+http://ada:secret@host", "must not contain credentials"),
    ],
)
@pytest.mark.parametrize("open_driver", [connect, connect_async])
def test_invalid_address_is_rejected(
    open_driver: Callable[[str], object], address: str, message: str
) -> None:
    with pytest.raises(AddressError) as raised:
        open_driver(address)
    assert message in str(raised.value)
    assert "secret" not in str(raised.value)


def test_settings_are_rejected_for_remote_address() -> None:
    with pytest.raises(AddressError, match=r"\?timeout=10"):
        connect("dynamodb+http://localhost:8000", Settings())


def test_missing_region_is_rejected(keys: None) -> None:
    with pytest.raises(AddressError, match=r"No region is configured.*dynamodb:eu-west-1"):
        connect("dynamodb:")


def test_missing_credentials_are_rejected() -> None:
    with pytest.raises(CredentialsError, match=r"No credentials were found.*AWS_ACCESS_KEY_ID"):
        connect("dynamodb:eu-west-1")


def test_unknown_profile_is_rejected() -> None:
    with pytest.raises(CredentialsError, match="nobody"):
        connect("dynamodb:eu-west-1?profile=nobody")


# A local server accepts any credentials, so none need to be configured.
def test_local_server_gets_placeholder_credentials() -> None:
    assert (
        resolve_config(parse_address("dynamodb+http://localhost:8000")).credentials.get()
        == PLACEHOLDER_CREDENTIALS
    )


def test_credentials_come_from_environment(keys: None) -> None:
    for address in ("dynamodb:eu-west-1", "dynamodb+http://localhost:8000"):
        credentials = resolve_config(parse_address(address)).credentials.get()
        assert (credentials.access_key, credentials.secret_key, credentials.token) == (
            "AKIA",
            "secret",
            None,
        )


def test_profile_provides_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "config"
    file.write_text(
        "[profile work]\nregion = eu-north-1\naws_access_key_id = AKIAWORK\n"
        "aws_secret_access_key = s\naws_session_token = t\nmax_attempts = 7\n"
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(file))
    config = resolve_config(parse_address("dynamodb:?profile=work"))
    assert str(config.endpoint) == "https://dynamodb.eu-north-1.amazonaws.com"
    assert config.credentials.get().token == "t"
    assert config.retry_policy.max_attempts == 7


@pytest.mark.parametrize(
    ("name", "value", "endpoint"),
    [
        ("AWS_REGION", "eu-west-2", "https://dynamodb.eu-west-1.amazonaws.com"),
        ("AWS_ENDPOINT_URL", "http://localhost:9000", "http://localhost:9000"),
        ("AWS_ENDPOINT_URL_DYNAMODB", "https://db.example/", "https://db.example"),
        ("AWS_USE_FIPS_ENDPOINT", "true", "https://dynamodb-fips.eu-west-1.amazonaws.com"),
        ("AWS_USE_DUALSTACK_ENDPOINT", "true", "https://dynamodb.eu-west-1.api.aws"),
    ],
)
def test_botocore_resolves_endpoint(
    monkeypatch: pytest.MonkeyPatch, keys: None, name: str, value: str, endpoint: str
) -> None:
    monkeypatch.setenv(name, value)
    config = resolve_config(parse_address("dynamodb:eu-west-1"))
    assert str(config.endpoint) == endpoint
    assert config.endpoint.region == "eu-west-1"


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("dynamodb:eu-west-1", "streams.dynamodb.eu-west-1.amazonaws.com"),
        ("dynamodb+http://localhost:8000", "localhost"),
        ("dynamodb+https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com", None),
    ],
)
def test_streams_have_a_host_of_their_own_on_aws(
    keys: None, address: str, host: str | None
) -> None:
    options = parse_address(address)
    config = resolve_config(options)
    assert config.endpoint.for_streams.host == (host or config.endpoint.host)
    client = RemoteClient(config, options)
    own = client._streams
    assert (None if own is None else own._endpoint.host) == (host if host != "localhost" else None)
    client.close()


@pytest.mark.parametrize("url", ["http://localhost:9000/path", "ftp://localhost"])
def test_invalid_configured_endpoint_is_rejected(
    monkeypatch: pytest.MonkeyPatch, keys: None, url: str
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", url)
    with pytest.raises((AddressError, CredentialsError)):
        resolve_config(parse_address("dynamodb:eu-west-1"))


@pytest.mark.parametrize(("configured", "attempts"), [(None, 4), ("2", 2)])
def test_max_attempts_follow_configuration(
    monkeypatch: pytest.MonkeyPatch, configured: str | None, attempts: int
) -> None:
    if configured is not None:
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", configured)
    assert (
        resolve_config(parse_address("dynamodb+http://localhost:8000")).retry_policy.max_attempts
        == attempts
    )


def test_invalid_max_attempts_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "often")
    with pytest.raises(AddressError, match="AWS_MAX_ATTEMPTS"):
        connect("dynamodb+http://localhost:8000")
