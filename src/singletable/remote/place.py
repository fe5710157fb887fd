"""Where requests go."""

from __future__ import annotations

from dataclasses import dataclass

_OF_AWS = (".amazonaws.com", ".amazonaws.com.cn", ".api.aws", ".api.amazonwebservices.com.cn")
_USUAL_PORTS = {False: 80, True: 443}


@dataclass(frozen=True, slots=True)
class Place:
    """A host and its port, and the region that the tables there are in."""

    host: str
    port: int
    tls: bool
    region: str

    @property
    def is_aws(self) -> bool:
        """Whether DynamoDB itself is there, which lacks what our own endpoint adds."""
        return self.host.endswith(_OF_AWS)

    @property
    def is_here(self) -> bool:
        """Whether it is on this machine."""
        return self.host in ("localhost", "::1") or self.host.startswith("127.")

    @property
    def authority(self) -> str:
        """The host as requests name it: with its port, unless that is the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _USUAL_PORTS[self.tls] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.authority}"
