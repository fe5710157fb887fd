"""What may happen on the way, told so that one knows what to do."""

from __future__ import annotations

import errno
import socket
import ssl
from typing import Any

from singletable.errors import CertificateError, ConnectionFailed
from singletable.operations import Operation
from singletable.remote.place import Place
from singletable.retry import is_idempotent


class Lost(Exception):
    """A connection ended before the answer did.

    `arrived`: the request may have arrived. `begun`: some of the answer came.
    """

    def __init__(self, why: str, *, arrived: bool, begun: bool = False, late: bool = False) -> None:
        super().__init__(why)
        self.arrived = arrived
        self.begun = begun
        self.late = late


def may_go_again(operation: Operation[Any], lost: Lost, *, kept: bool) -> bool:
    """Whether a request goes out once more at once, on a connection of its own.

    A connection that was kept may have been closed at the other end while the request was on its
    way. That is nobody's fault, and no reason to wait.
    """
    if not kept or lost.begun or lost.late:
        return False
    return not lost.arrived or is_idempotent(operation)


def not_answered(place: Place, operation: Operation[Any], lost: Lost) -> ConnectionFailed:
    """What the caller is told when a connection was lost."""
    text = f"{type(operation).__name__} at {place} got no answer: {lost}."
    if lost.arrived and not is_idempotent(operation):
        text += " The write may or may not have been applied: read the item to find out."
    if lost.late:
        text += " Give it more time with the option 'timeout' of the address."
    return ConnectionFailed(text, may_have_arrived=lost.arrived)


def not_connected(place: Place, by: object, error: Exception) -> ConnectionFailed:
    """What the caller is told when no connection could be made, `by` way of a proxy if so."""
    where = f"{place}" if by is None else f"{place} by way of {by}"
    match error:
        case ssl.SSLCertVerificationError():
            return CertificateError(
                f"{where} has a certificate that is not trusted: {error.verify_message}. If it is "
                "signed by an authority of your own, name its certificates in AWS_CA_BUNDLE."
            )
        case ssl.SSLError():
            return ConnectionFailed(
                f"{where} cannot agree on encryption: {error.reason or error}. If it does not "
                "encrypt, its address begins with dynamodb+http://."
            )
        case socket.gaierror():
            return ConnectionFailed(
                f"No host has the name in {where}: {error.strerror}. Is it spelled so?"
            )
        # An event loop that has tried several addresses of a host tells of all in one text.
        case OSError() if f"[Errno {errno.ECONNREFUSED}]" in str(error):
            return ConnectionFailed(
                f"Nothing listens at {where}. Is it running, and is that its port?"
            )
        case TimeoutError():
            return ConnectionFailed(
                f"{where} does not react. Is there a way to it from this network? The option "
                "'connect_timeout' of the address gives it more time."
            )
        case _:
            return ConnectionFailed(f"{where} cannot be reached: {error}.")
