"""Resolve an address into endpoint, credentials, retry policy, TLS and proxy settings.

botocore reads the AWS configuration. Credentials are requested for every request, because those of
a role expire; everything else is resolved once. Nothing else of botocore is used.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from dynamodb_engine.retry import RetryPolicy
from singletable.errors import AddressError, CredentialsError
from singletable.remote.address import ConnectionOptions
from singletable.remote.signature import Credentials, StaticCredentials

if TYPE_CHECKING:
    import ssl

# For servers other than AWS if there are no credentials: they usually accept any.
PLACEHOLDER_CREDENTIALS = StaticCredentials("singletable", "singletable")
DEFAULT_REGION = "us-east-1"
# The AWS SDKs' standard mode for DynamoDB.
MAX_ATTEMPTS = 4
BASE_DELAY, THROTTLED_BASE_DELAY, MAX_DELAY = 0.025, 1.0, 20.0

_AWS_DOMAINS = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws", ".api.amazonwebservices.com.cn")
_DEFAULT_PORTS = {False: 80, True: 443}


@dataclass(frozen=True, slots=True)
class RemoteEndpoint:
    """Host, port and region of a server."""

    host: str
    port: int
    tls: bool
    region: str

    @property
    def is_aws(self) -> bool:
        """Whether this is DynamoDB itself, which lacks the operations that our endpoint adds."""
        return self.host.endswith(_AWS_DOMAINS)

    @property
    def for_streams(self) -> RemoteEndpoint:
        """The server of DynamoDB Streams, which has a host of its own on AWS."""
        if self.is_aws and self.host.startswith("dynamodb"):
            return replace(self, host=f"streams.{self.host}")
        return self

    @property
    def is_local(self) -> bool:
        """Whether the host is this machine."""
        return self.host in ("localhost", "::1") or self.host.startswith("127.")

    @property
    def authority(self) -> str:
        """The value of the Host header: the port is omitted if it is the default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.tls] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.authority}"


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy, with the header that authenticates us there."""

    host: str
    port: int
    header: str = ""

    def __str__(self) -> str:
        return f"the proxy {self.host}:{self.port}"


class ChainCredentials:
    """Credentials from botocore's default chain, which may refresh them."""

    def __init__(self, credentials: Any) -> None:
        self._credentials = credentials  # botocore is untyped

    def get(self) -> Credentials:
        """Return credentials to sign with; this blocks while expired ones are refreshed."""
        try:
            return cast(Credentials, self._credentials.get_frozen_credentials())
        except Exception as error:  # a process, a file or a service may raise anything
            raise CredentialsError(f"Cannot fetch the credentials: {error}") from error

    def needs_refresh(self) -> bool:
        """Return whether `get` would block."""
        refresh_needed = getattr(self._credentials, "refresh_needed", None)
        return refresh_needed is not None and bool(refresh_needed())


class PlaceholderCredentials:
    """Credentials for servers that accept any."""

    def get(self) -> Credentials:
        """Return the placeholder."""
        return PLACEHOLDER_CREDENTIALS

    def needs_refresh(self) -> bool:
        """Return False."""
        return False


@dataclass(frozen=True, slots=True)
class ResolvedConfig:
    """Everything a driver needs to connect."""

    endpoint: RemoteEndpoint
    credentials: ChainCredentials | PlaceholderCredentials
    retry_policy: RetryPolicy
    tls: ssl.SSLContext | None
    proxy: Proxy | None


def resolve_config(options: ConnectionOptions) -> ResolvedConfig:
    """Combine the address with the AWS configuration of the environment."""
    try:
        from botocore.exceptions import BotoCoreError
        from botocore.session import Session
    except ImportError:
        raise AddressError(
            "A 'dynamodb' address needs botocore. Install singletable[remote]."
        ) from None
    try:
        session = Session(profile=options.profile)
        endpoint = _resolve_endpoint(session, options)
        return ResolvedConfig(
            endpoint,
            _resolve_credentials(session, options, endpoint),
            _resolve_retry_policy(session, options),
            _create_tls_context(session) if endpoint.tls else None,
            _find_proxy(endpoint),
        )
    except BotoCoreError as error:
        raise CredentialsError(f"Invalid AWS configuration: {error}") from error


def _resolve_endpoint(session: Any, options: ConnectionOptions) -> RemoteEndpoint:
    region = options.region or session.get_config_variable("region")
    if options.url is not None:
        return _parse_endpoint(options.url, region or DEFAULT_REGION)
    if not region:
        raise AddressError(
            "No region is configured. Add one to the address (dynamodb:eu-west-1), set AWS_REGION, "
            "or add a region to the profile."
        )
    # botocore knows FIPS, dual-stack and configured endpoints.
    client = session.create_client(
        "dynamodb", region_name=region, aws_access_key_id="-", aws_secret_access_key="-"
    )
    return _parse_endpoint(client.meta.endpoint_url, client.meta.region_name)


def _parse_endpoint(url: str, region: str) -> RemoteEndpoint:
    parts = urlsplit(url)
    tls = parts.scheme == "https"
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AddressError(f"The configured endpoint {url!r} has no host or scheme.")
    if parts.path not in ("", "/") or parts.query:
        raise AddressError(f"The configured endpoint {url!r} must not have a path.")
    port = parts.port or _DEFAULT_PORTS[tls]
    return RemoteEndpoint(parts.hostname, port, tls, region)


def _resolve_credentials(
    session: Any, options: ConnectionOptions, endpoint: RemoteEndpoint
) -> ChainCredentials | PlaceholderCredentials:
    if options.url is not None and endpoint.is_local:
        # A local server does not need the machine's role, and looking it up takes seconds.
        session.get_component("credential_provider").remove("iam-role")
    credentials = session.get_credentials()
    if credentials is not None:
        return ChainCredentials(credentials)
    if options.url is not None:
        return PlaceholderCredentials()
    raise CredentialsError(
        f"No credentials were found for {endpoint}: neither in the environment (AWS_ACCESS_KEY_ID "
        "and AWS_SECRET_ACCESS_KEY) nor in a profile (~/.aws, AWS_PROFILE), and the machine has no "
        "role. Set one of these, or name a profile in the address: dynamodb:?profile=NAME."
    )


def _resolve_retry_policy(session: Any, options: ConnectionOptions) -> RetryPolicy:
    try:
        configured = session.get_config_variable("max_attempts")
    except ValueError:
        raise AddressError(
            "AWS_MAX_ATTEMPTS, or max_attempts of the profile, is not an integer."
        ) from None
    return RetryPolicy(
        max_attempts=options.attempts or configured or MAX_ATTEMPTS,
        base_delay=BASE_DELAY,
        max_delay=MAX_DELAY,
        throttled_base_delay=THROTTLED_BASE_DELAY,
    )


def _create_tls_context(session: Any) -> ssl.SSLContext:
    import ssl

    from botocore import httpsession

    default = cast(Any, httpsession).get_cert_path(True)  # botocore is untyped
    bundle = session.get_config_variable("ca_bundle") or default
    try:
        return ssl.create_default_context(cafile=bundle)
    except (OSError, ssl.SSLError) as error:
        raise AddressError(
            f"Cannot load the certificates in {bundle}: {error}. Check AWS_CA_BUNDLE."
        ) from None


def _find_proxy(endpoint: RemoteEndpoint) -> Proxy | None:
    """Return the proxy from HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY excludes the endpoint."""
    if endpoint.is_local or proxy_bypass(endpoint.authority):
        return None
    url = getproxies().get("https" if endpoint.tls else "http")
    return None if not url else _parse_proxy(url)


def _parse_proxy(url: str) -> Proxy:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        port = parts.port or 80
    except ValueError:
        port = 0
    if parts.scheme != "http" or not parts.hostname or not port:
        # The URL may contain a password, so it is not repeated.
        raise AddressError(
            "HTTPS_PROXY or HTTP_PROXY is not supported: only http://HOST:PORT is. Add this host "
            "to NO_PROXY to connect without a proxy."
        )
    header = ""
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        encoded = base64.b64encode(pair.encode()).decode()
        header = f"proxy-authorization: Basic {encoded}\r\n"
    return Proxy(parts.hostname, port, header)
