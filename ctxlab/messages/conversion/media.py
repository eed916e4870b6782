"""Images and documents in both forms.

Chat Completions hold bytes as a data URL, and demand a file name with a file:
https://github.com/openai/openai-agents-python/pull/1513. Which media types a model takes is for its provider
to say. Anthropic's lists are those of its own SDK: four types of image, PDF, and plain text. OpenAI's guide
lists text files too, while users report that some models take PDF only: provider-dependent.
https://developers.openai.com/api/docs/guides/file-inputs
"""

import base64
import binascii
import re
from typing import Any

from ctxlab.messages.conversion.fields import dict_field
from ctxlab.messages.conversion.leaving import Block, Leavings, Place

IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
PDF = "application/pdf"
PLAIN = "text/plain"

# The name of a file that stands for a document without a title. Back again it is no title.
UNTITLED = {PDF: "untitled.pdf", PLAIN: "untitled.txt"}

SOURCE_FIELDS = ("type", "media_type", "data", "url")

DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,(.*)", re.DOTALL)


def image_part(block: Block, place: Place, left: Leavings) -> Block | None:
    """Return an image block as a part of type image_url, or None, noted, where Chat cannot hold it."""
    source = dict_field(block, "source", place)
    url = source.get("url") if source.get("type") == "url" else _data_url(source)
    if not isinstance(url, str):
        left.add(place, f"an image is left out; {left.other} take one by its URL or its bytes only")
        return None
    left.add_fields(place, block, ("type", "source"))
    left.add_fields(place, source, SOURCE_FIELDS)
    return {"type": "image_url", "image_url": {"url": url}}


def image_block(part: Block, place: Place, left: Leavings) -> Block | None:
    """Return a part of type image_url as an image block, or None, noted, where Anthropic cannot hold it."""
    image = dict_field(part, "image_url", place)
    source = _image_source(image.get("url"))
    if source is None:
        types = ", ".join(IMAGE_TYPES)
        left.add(place, f"an image is left out; {left.other} take one by its web address or as {types}")
        return None
    left.add_fields(place, part, ("type", "image_url"))
    # "auto" asks for nothing.
    left.add_fields(place, image, ("url", "detail") if image.get("detail") == "auto" else ("url",))
    return {"type": "image", "source": source}


def file_part(block: Block, place: Place, left: Leavings) -> Block | None:
    """Return a document block as a part of type file, or None, with nothing noted, where Chat has no such."""
    source = dict_field(block, "source", place)
    if source.get("type") == "text":
        media_type, url = PLAIN, _text_url(source.get("data"))
    else:
        media_type, url = PDF, _data_url(source)
    if url is None:
        return None
    left.add_fields(place, block, ("type", "source", "title"))
    left.add_fields(place, source, SOURCE_FIELDS)
    title = block.get("title")
    name = title if isinstance(title, str) and title else UNTITLED[media_type]
    return {"type": "file", "file": {"filename": name, "file_data": url}}


def document_block(part: Block, place: Place, left: Leavings) -> Block | None:
    """Return a part of type file as a document block, or None, noted, where Anthropic cannot hold it."""
    file = dict_field(part, "file", place)
    source = _document_source(file.get("file_data"))
    if source is None:
        left.add(
            place, f"a file is left out; {left.other} take one by its bytes, as {PDF} or as UTF-8 {PLAIN}"
        )
        return None
    left.add_fields(place, part, ("type", "file"))
    left.add_fields(place, file, ("filename", "file_data"))
    name = file.get("filename")
    titled = isinstance(name, str) and bool(name) and name not in UNTITLED.values()
    return {"type": "document", "source": source} | ({"title": name} if titled else {})


def _data_url(source: dict[str, Any]) -> str | None:
    media_type, data = source.get("media_type"), source.get("data")
    if source.get("type") != "base64" or not isinstance(media_type, str) or not isinstance(data, str):
        return None
    return f"data:{media_type};base64,{data}"


def _text_url(data: Any) -> str | None:
    if not isinstance(data, str):
        return None
    try:
        return f"data:{PLAIN};base64,{base64.b64encode(data.encode()).decode()}"
    except UnicodeEncodeError:  # half a character has no bytes
        return None


def _image_source(url: Any) -> dict[str, Any] | None:
    if not isinstance(url, str):
        return None
    if url.startswith(("https:", "http:")):
        return {"type": "url", "url": url}
    found = DATA_URL.fullmatch(url)
    if found is None or found[1] not in IMAGE_TYPES:
        return None
    return {"type": "base64", "media_type": found[1], "data": found[2]}


def _document_source(url: Any) -> dict[str, Any] | None:
    found = DATA_URL.fullmatch(url) if isinstance(url, str) else None
    if found is None:
        return None
    if found[1] == PDF:
        return {"type": "base64", "media_type": PDF, "data": found[2]}
    if found[1] == PLAIN:
        try:
            text = base64.b64decode(found[2], validate=True).decode()
        except (binascii.Error, ValueError):
            return None
        return {"type": "text", "media_type": PLAIN, "data": text}
    return None
