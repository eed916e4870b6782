"""Images and documents, there and back, as blocks of a user's message."""

from typing import Any

import pytest

from ctxlab.messages.conversion import Conversion, anthropic_to_chat, chat_to_anthropic

QUESTION = {"type": "text", "text": "See."}


def to_chat(block: Any) -> Conversion:
    return anthropic_to_chat([{"role": "user", "content": [QUESTION, block]}])


def to_anthropic(part: Any) -> Conversion:
    return chat_to_anthropic([{"role": "user", "content": [QUESTION, part]}])


def image(source: Any) -> dict[str, Any]:
    return {"type": "image", "source": source}


def image_url(url: Any, **more: Any) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url} | more}


def document(media_type: str, data: str, **more: Any) -> dict[str, Any]:
    kind = "text" if media_type == "text/plain" else "base64"
    return {"type": "document", "source": {"type": kind, "media_type": media_type, "data": data}} | more


def file(**fields: Any) -> dict[str, Any]:
    return {"type": "file", "file": fields}


PDF = "application/pdf"
PAIRS = [
    (image({"type": "url", "url": "https://example.org/a.png"}), image_url("https://example.org/a.png")),
    *(
        (image({"type": "base64", "media_type": kind, "data": "AA=="}), image_url(f"data:{kind};base64,AA=="))
        for kind in ("image/jpeg", "image/png", "image/gif", "image/webp")
    ),
    (
        document(PDF, "JVBE", title="bill.pdf"),
        file(filename="bill.pdf", file_data="data:application/pdf;base64,JVBE"),
    ),
    (document(PDF, "JVBE"), file(filename="untitled.pdf", file_data="data:application/pdf;base64,JVBE")),
    (
        document("text/plain", "é\n", title="a.txt"),
        file(filename="a.txt", file_data="data:text/plain;base64,w6kK"),
    ),
    (document("text/plain", ""), file(filename="untitled.txt", file_data="data:text/plain;base64,")),
]


@pytest.mark.parametrize(("block", "part"), PAIRS)
def test_both_forms_can_say_it(block: Any, part: Any) -> None:
    there, back = to_chat(block), to_anthropic(part)
    assert there.messages == [{"role": "user", "content": [QUESTION, part]}]
    assert back.messages == [{"role": "user", "content": [QUESTION, block]}]
    assert there.left == back.left == []


@pytest.mark.parametrize(
    "block",
    [
        image({"type": "file", "file_id": "f"}),
        image({"type": "base64", "media_type": "image/png"}),
        image({"type": "url", "url": None}),
        {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}},
        {"type": "document", "source": {"type": "file", "file_id": "f"}},
        {"type": "document", "source": {"type": "base64", "media_type": PDF}},
        {"type": "document", "source": {"type": "text", "data": 7}},
        {"type": "document", "source": {"type": ["text"]}},
    ],
)
def test_chat_cannot_hold_it(block: Any) -> None:
    converted = to_chat(block)
    assert converted.messages == [{"role": "user", "content": "See."}]
    assert [(left.message, left.block) for left in converted.left] == [(0, 1)]
    assert "left out" in converted.left[0].text


def test_half_a_character_has_no_bytes_and_stays_a_text() -> None:
    converted = to_chat(document("text/plain", "a\ud800"))
    assert converted.messages[0]["content"] == [QUESTION, {"type": "text", "text": "a\ud800"}]
    assert "only the text is kept" in converted.left[0].text


@pytest.mark.parametrize(
    "part",
    [
        image_url("data:image/svg+xml;base64,AA=="),
        image_url("data:image/png,AA"),
        image_url("file:///a.png"),
        image_url(None),
        file(file_id="f"),
        file(filename="a.docx", file_data="data:application/msword;base64,AA=="),
        file(filename="a.txt", file_data="data:text/plain;base64,/w=="),
        file(filename="a.txt", file_data="data:text/plain;base64,???"),
        file(filename="a.pdf", file_data="JVBE"),
    ],
)
def test_anthropic_cannot_hold_it(part: Any) -> None:
    converted = to_anthropic(part)
    assert converted.messages == [{"role": "user", "content": "See."}]
    assert [(left.message, left.block) for left in converted.left] == [(0, 1)]
    assert "left out" in converted.left[0].text


def test_the_level_of_detail_is_reported_where_it_asks_for_something() -> None:
    url = "https://example.org/a.png"
    assert "left out: 'detail'" in to_anthropic(image_url(url, detail="low")).left[0].text
    assert to_anthropic(image_url(url, detail="auto")).left == []


def test_an_id_beside_the_bytes_is_reported() -> None:
    part = file(filename="a.pdf", file_data="data:application/pdf;base64,JVBE", file_id="f")
    assert "left out: 'file_id'" in to_anthropic(part).left[0].text
