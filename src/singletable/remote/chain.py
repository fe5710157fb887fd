"""What botocore finds out: who asks, where DynamoDB is, and what stands between.

It is asked for credentials with each request, because those of a role change; everything else is
found out once. Nothing else of botocore is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from singletable.errors import AddressError, CredentialsError
from singletable.remote.address import Asked
from singletable.remote.place import Place
from singletable.remote.proxy import Proxy, proxy_to
from singletable.remote.signature import Credentials, Known
from singletable.retry import RetryPolicy

if TYPE_CHECKING:
    import ssl

# What a place of one's own is asked with where there are no credentials: it takes any.
ANYBODY = Known("singletable", "singletable")
USUAL_REGION = "us-east-1"
# What AWS's SDKs do for DynamoDB in their standard mode.
ATTEMPTS = 4
FIRST_WAIT, THROTTLED_WAIT, LONGEST_WAIT = 0.025, 1.0, 20.0


class Chain:
    """The credentials of the usual chain, which may change from time to time."""

    def __init__(self, credentials: Any) -> None:
        self._credentials = credentials  # botocore has no types of its own

    def now(self) -> Credentials:
        """The credentials to sign with; fetched anew, which takes a while, if they are old."""
        try:
            return cast(Credentials, self._credentials.get_frozen_credentials())
        except Exception as error:  # whatever a process, a file or a service may come up with
            raise CredentialsError(f"The credentials cannot be fetched: {error}") from error

    def takes_time(self) -> bool:
        """Whether `now` will go and fetch them."""
        refresh_needed = getattr(self._credentials, "refresh_needed", None)
        return refresh_needed is not None and bool(refresh_needed())


class Anybody:
    """The credentials for a place that takes any."""

    def now(self) -> Credentials:
        """Always the same."""
        return ANYBODY

    def takes_time(self) -> bool:
        """They are here."""
        return False


@dataclass(frozen=True, slots=True)
class Found:
    """All that a driver must know."""

    place: Place
    credentials: Chain | Anybody
    patience: RetryPolicy
    tls: ssl.SSLContext | None
    proxy: Proxy | None


def find(asked: Asked) -> Found:
    """What the address and the surroundings say together."""
    try:
        from botocore.exceptions import BotoCoreError
        from botocore.session import Session
    except ImportError:
        raise AddressError(
            "A 'dynamodb' address needs botocore. Install it with: pip install singletable[remote]"
        ) from None
    try:
        session = Session(profile=asked.profile)
        place = _aws(session, asked) if asked.url is None else _own(session, asked)
        return Found(
            place,
            _credentials(session, asked, place),
            _patience(session, asked),
            _tls(session) if place.tls else None,
            proxy_to(place),
        )
    except BotoCoreError as error:
        raise CredentialsError(f"AWS's configuration cannot be used: {error}") from error


def _aws(session: Any, asked: Asked) -> Place:
    region = asked.region or session.get_config_variable("region")
    if not region:
        raise AddressError(
            "There is no region. Write it into the address, dynamodb:eu-west-1 for example, set "
            "AWS_REGION, or give the profile one."
        )
    # botocore knows endpoints: those of FIPS and of two stacks, and those that were configured.
    client = session.create_client(
        "dynamodb", region_name=region, aws_access_key_id="-", aws_secret_access_key="-"
    )
    return _place(client.meta.endpoint_url, client.meta.region_name)


def _own(session: Any, asked: Asked) -> Place:
    region = asked.region or session.get_config_variable("region") or USUAL_REGION
    return _place(asked.url or "", region)


def _place(url: str, region: str) -> Place:
    parts = urlsplit(url)
    tls = parts.scheme == "https"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AddressError(f"The endpoint that is configured, {url!r}, names no host and scheme.")
    if parts.path not in ("", "/") or parts.query:
        raise AddressError(
            f"The endpoint that is configured, {url!r}, has a path. DynamoDB is asked at '/'."
        )
    return Place(parts.hostname, parts.port or (443 if tls else 80), tls, region)


def _credentials(session: Any, asked: Asked, place: Place) -> Chain | Anybody:
    if asked.url is not None and place.is_here:
        # Nothing on this machine needs the role of the machine; asking for it takes seconds.
        session.get_component("credential_provider").remove("iam-role")
    found = session.get_credentials()
    if found is not None:
        return Chain(found)
    if asked.url is not None:
        return Anybody()
    raise CredentialsError(
        f"No credentials were found for {place}: not in the environment (AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY), not in a profile (~/.aws, AWS_PROFILE), and the machine has no "
        "role. Set one of these, or name a profile in the address: dynamodb:?profile=NAME."
    )


def _patience(session: Any, asked: Asked) -> RetryPolicy:
    try:
        configured = session.get_config_variable("max_attempts")
    except ValueError:
        raise AddressError(
            "AWS_MAX_ATTEMPTS, or max_attempts of the profile, is no whole number."
        ) from None
    return RetryPolicy(
        max_attempts=asked.attempts or configured or ATTEMPTS,
        base_delay=FIRST_WAIT,
        max_delay=LONGEST_WAIT,
        throttled_base_delay=THROTTLED_WAIT,
    )


def _tls(session: Any) -> ssl.SSLContext:
    import ssl

    from botocore import httpsession

    usual = cast(Any, httpsession).get_cert_path(True)  # botocore has no types of its own
    bundle = session.get_config_variable("ca_bundle") or usual
    try:
        return ssl.create_default_context(cafile=bundle)
    except (OSError, ssl.SSLError) as error:
        raise AddressError(
            f"The certificates in {bundle} cannot be used: {error}. AWS_CA_BUNDLE names the file."
        ) from None
