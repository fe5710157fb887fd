"""All e-mails go through the outbox, which limits them and sends them in the background."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tools.testing.sources import PACKAGES, SOURCES, name_of, tree_of

APPS = next(path for path in PACKAGES if path.name == "singletable_apps")
OUTBOX, SERVERS = "singletable_apps/shared/outbox.py", "singletable_apps/shared/mail.py"


def direct_sends(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that use `transmit` of a mail server."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Attribute) and node.attr == "transmit":
            yield node.lineno
        if isinstance(node, ast.Constant) and node.value == "transmit":
            yield node.lineno
        yield from direct_sends(node)


def smtp_imports(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that import the SMTP library."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and any(each.name == "smtplib" for each in node.names):
            yield node.lineno
        if isinstance(node, ast.ImportFrom) and node.module == "smtplib":
            yield node.lineno


# An answer that waits for the mail server tells by its time whether there is an account, and an
# e-mail that is not counted is one more that a stranger can send.
def test_only_the_outbox_calls_a_mail_server() -> None:
    paths = [path for path in SOURCES if APPS in path.parents]
    trees = {name_of(path): tree_of(path) for path in paths}
    assert [name for name, tree in trees.items() if [*direct_sends(tree)]] == [OUTBOX]
    assert [name for name, tree in trees.items() if [*smtp_imports(tree)]] == [SERVERS]


@pytest.mark.parametrize(
    "text",
    [
        "self._context.mail._emails.server.transmit(email, now)",
        "send = server.transmit",
        "def handler(): Smtp(host).transmit(email, now)",
        "class Handler:\n    def post(self): getattr(server, 'transmit')(email, now)",
    ],
)
def test_direct_sends_are_found(text: str) -> None:
    assert [*direct_sends(ast.parse(text))]
