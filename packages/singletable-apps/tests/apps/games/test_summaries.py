"""Summaries of written answers: offline, and by a server with a chat API."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from singletable_apps.games.errors import Busy, InvalidInput
from singletable_apps.games.summaries import (
    ChatSummarizer,
    ExtractiveSummarizer,
    SummaryRequest,
    configured_summarizer,
)

REQUEST = SummaryRequest(
    "What slowed us down?",
    [
        ("Too many meetings", 4),
        ("Meetings without an agenda", 3),
        ("Slow builds", 6),
        ("Slow builds, every day", 0),
    ],
)


def test_offline_summary_quotes_what_people_wrote() -> None:
    text = ExtractiveSummarizer().summarize(REQUEST)
    assert text.startswith("4 answers. Often: builds, meetings, slow.")
    quotes = text.partition("Typical: ")[2].strip("“”").split("” “")
    assert {*quotes} <= {written for written, _ in REQUEST.texts}
    assert len(quotes) == 3
    assert ExtractiveSummarizer().summarize(SummaryRequest("?", [])) == "Nobody has answered."


class _Handler(BaseHTTPRequestHandler):
    seen: list[tuple[str, str | None, Any]]
    reply: bytes

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append((self.path, self.headers["Authorization"], json.loads(body)))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.reply)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture
def model() -> Iterator[tuple[str, type[_Handler]]]:
    """Yield the URL of a server with a chat API, and its handler."""
    reply = json.dumps({"choices": [{"message": {"content": " Builds are slow. "}}]}).encode()
    handler = type("Handler", (_Handler,), {"seen": [], "reply": reply})
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1", handler
        server.shutdown()
        thread.join()


def test_configured_model_is_called(model: tuple[str, type[_Handler]]) -> None:
    url, handler = model
    summarizer = configured_summarizer(
        {"GAMES_SUMMARY_URL": url, "GAMES_SUMMARY_MODEL": "small", "GAMES_SUMMARY_KEY": "k"}
    )
    assert summarizer.summarize(REQUEST) == "Builds are slow."
    ((path, key, body),) = handler.seen
    assert (path, key, body["model"]) == ("/v1/chat/completions", "Bearer k", "small")
    assert "Too many meetings" in body["messages"][0]["content"]
    assert "k" not in repr(summarizer).replace("key", "")[-8:]


@pytest.mark.parametrize("reply", [b"", b"{}", b"[1]", b'{"choices": [{"message": {}}]}'])
def test_useless_reply_of_a_model_is_an_error(
    model: tuple[str, type[_Handler]], reply: bytes
) -> None:
    url, handler = model
    handler.reply = reply
    with pytest.raises(Busy, match="did not answer"):
        ChatSummarizer(url, "small").summarize(REQUEST)


def test_configuration_is_checked() -> None:
    assert isinstance(configured_summarizer({}), ExtractiveSummarizer)
    with pytest.raises(InvalidInput, match="http"):
        configured_summarizer({"GAMES_SUMMARY_URL": "file:///etc/passwd"})
    with pytest.raises(InvalidInput, match="GAMES_SUMMARY_MODEL"):
        configured_summarizer({"GAMES_SUMMARY_URL": "https://model.example/v1"})
