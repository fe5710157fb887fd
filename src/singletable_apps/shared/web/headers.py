"""Headers that tell browsers to trust answers no further than needed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singletable_apps.shared.web.prefixes import set_for

JSON_POLICY = "default-src 'none'; frame-ancestors 'none'"
# For pages that have their scripts and styles from this server, and no other.
PAGE_POLICY = (
    "default-src 'self'; base-uri 'none'; object-src 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
_TWO_YEARS = "max-age=63072000; includeSubDomains"


class SecurityHeaders:
    """Middleware that adds what an answer does not say itself."""

    def __init__(
        self, app: ASGIApp, page_policies: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.app = app
        self.policies = page_policies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the headers added."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        page_policy = set_for(scope["path"], self.policies)
        added = {
            **_ALWAYS,
            "Content-Security-Policy": page_policy or JSON_POLICY,
            "Cache-Control": "private, no-cache" if page_policy else "no-store",
        }
        if scope.get("scheme") == "https":
            added["Strict-Transport-Security"] = _TWO_YEARS

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in added.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)
