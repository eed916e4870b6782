"""A server on 127.0.0.1 that answers as both providers do, for tests with their real SDKs.

with ProviderServer([Reply(body=anthropic_reply([text("Done.")]))]) as server:
    AnthropicModel(MODEL, api_key=KEY, base_url=server.base_urls["anthropic"])

`answers` is a list of replies, given out in order, or a function `answer(provider, request)` that returns a
Reply or (status, body), where the request is the decoded JSON. A request that the provider would not accept
gets its 400 and never reaches the answers. `server.requests` holds every HTTP request that came in,
`server.faults` what was wrong with some.
"""

import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "test-key"
MODEL = "test-model"
PATHS = {"/v1/messages": "anthropic", "/v1/chat/completions": "openai"}
REQUEST_IDS = {"anthropic": "request-id", "openai": "x-request-id"}
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


@dataclass(frozen=True)
class Reply:
    """What the server sends: `body` as JSON, or as it is where it is bytes.

    `delay` is the seconds before it is sent, `pause` those after each byte of its body. With `reset` the
    connection is reset, and nothing is sent.
    """

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0
    pause: float = 0
    reset: bool = False


@dataclass(frozen=True)
class Received:
    """One HTTP request. The names of `headers` are in lower case."""

    provider: str
    headers: dict[str, str]
    body: Any


class UnacceptableError(Exception):
    """What a provider answers with a status in the 400s."""

    def __init__(self, text: str, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


# What a model answers


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def anthropic_reply(blocks: list[dict[str, Any]], stop_reason: str | None = None) -> dict[str, Any]:
    """The body of an Anthropic answer with these text and tool_use blocks."""
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": blocks,
        "stop_reason": stop_reason or ("tool_use" if calls else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def openai_reply(
    blocks: list[dict[str, Any]], finish_reason: str | None = None, refusal: str | None = None
) -> dict[str, Any]:
    """The body of an OpenAI answer that says the same as these blocks.

    An `input` that is a text is sent as it is, for arguments that are not JSON.
    """
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    calls = [block for block in blocks if block["type"] == "tool_use"]
    message: dict[str, Any] = {"role": "assistant", "content": "".join(texts) or None, "refusal": refusal}
    if calls:
        message["tool_calls"] = [
            {
                "id": block["id"],
                "type": "function",
                "function": {"name": block["name"], "arguments": _arguments(block["input"])},
            }
            for block in calls
        ]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": finish_reason or ("tool_calls" if calls else "stop"),
                "logprobs": None,
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }


REPLIES: dict[str, Callable[..., dict[str, Any]]] = {"anthropic": anthropic_reply, "openai": openai_reply}


def error_reply(provider: str, status: int, message: str, **headers: str) -> Reply:
    """A provider's error, in its own form. `headers` are named with _ for -."""
    error = {"type": ERROR_TYPES.get(status, "api_error"), "message": message}
    body: dict[str, Any] = {"type": "error", "error": error, "request_id": "req_test"}
    if provider == "openai":
        body = {"error": error | {"param": None, "code": None}}
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def _arguments(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


# The server

Answer = Callable[[str, dict[str, Any]], Reply | tuple[int, Any]]


class ProviderServer:
    """Runs from the start of its `with` block to the end of it."""

    def __init__(self, answers: Answer | Iterable[Reply]) -> None:
        self.requests: list[Received] = []
        self.faults: list[str] = []
        self._answer = answers if callable(answers) else _in_order(answers)
        self._one_at_a_time = threading.Lock()
        self._closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02})

    @property
    def base_urls(self) -> dict[str, str]:
        """The base_url to give to each provider's SDK."""
        root = f"http://127.0.0.1:{self._http.server_port}"
        return {"anthropic": root, "openai": f"{root}/v1"}

    def __enter__(self) -> "ProviderServer":
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def reply_to(self, provider: str, headers: dict[str, str], body: bytes) -> Reply:
        request = json.loads(body)
        with self._one_at_a_time:
            self.requests.append(Received(provider, headers, request))
            try:
                _check_key(headers)
                CHECKS[provider](request)
            except UnacceptableError as problem:
                self.faults.append(f"{provider}: {problem}")
                return error_reply(provider, problem.status, str(problem))
            try:
                reply = self._answer(provider, request)
            except Exception as problem:
                self.faults.append(f"the test's own answer: {problem!r}")
                return error_reply(provider, 500, repr(problem), x_should_retry="false")
            return reply if isinstance(reply, Reply) else Reply(*reply)

    def wait(self, seconds: float) -> None:
        """Wait, but no longer than the server runs."""
        self._closing.wait(seconds)


def _in_order(replies: Iterable[Reply]) -> Answer:
    waiting = iter(list(replies))

    def answer(provider: str, request: dict[str, Any]) -> Reply:
        none_left = error_reply(provider, 500, "no reply is left", x_should_retry="false")
        return next(waiting, none_left)

    return answer


def _handler(server: ProviderServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            provider = PATHS.get(self.path)
            if provider is None:
                self.send_error(404)
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.reply_to(provider, headers, body)
            if reply.delay:
                server.wait(reply.delay)
            if reply.reset:
                # Closed with a linger time of 0, a connection is reset.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            self.send(provider, reply)

        def send(self, provider: str, reply: Reply) -> None:
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            headers = {"content-type": "application/json", REQUEST_IDS[provider]: "req_test"}
            try:
                self.send_response(reply.status)
                for name, value in (headers | dict(reply.headers)).items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                pieces = [body[at : at + 1] for at in range(len(body))] if reply.pause else [body]
                for piece in pieces:
                    self.wfile.write(piece)
                    server.wait(reply.pause)
            except ConnectionError:
                pass  # a client that gave up has gone

        def log_message(self, *_arguments: object) -> None:
            pass

    return Handler


# What a provider accepts


def _check_key(headers: dict[str, str]) -> None:
    given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    require(given == KEY, f"the key {given} is not valid", 401)


def require(condition: Any, text: str, status: int = 400) -> None:
    if not condition:
        raise UnacceptableError(text, status)


def check_anthropic(request: dict[str, Any]) -> None:
    """Raise UnacceptableError for what the Messages API does not accept, or this project never sends."""
    require(request.keys() >= {"model", "max_tokens", "messages"}, "a required field is missing")
    unknown = request.keys() - {"model", "max_tokens", "messages", "system", "tools", "thinking"}
    require(not unknown, f"unknown fields: {unknown}")
    require(request["model"] == MODEL, f"model: {request['model']}", 404)
    require(isinstance(request["max_tokens"], int) and request["max_tokens"] > 0, "max_tokens: not positive")
    for block in request.get("system", []):
        require(block.keys() == {"type", "text"} and block["text"].strip(), "system: not a block of text")
    tools = _anthropic_tools(request)
    messages = request["messages"]
    require(messages, "messages: at least one message is required")
    called: list[str] = []
    for index, message in enumerate(messages):
        role = "assistant" if index % 2 else "user"
        require(message.keys() == {"role", "content"}, f"messages.{index}: extra or missing fields")
        require(message["role"] == role, f"messages.{index}: the role is not {role}")
        blocks = message["content"]
        blocks = [text(blocks)] if isinstance(blocks, str) else blocks
        require(blocks, f"messages.{index}: empty content")
        for number, block in enumerate(blocks):
            _check_block(block, f"messages.{index}.content.{number}", role, tools)
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        require(sorted(answered) == sorted(called), f"messages.{index}: results {answered}, calls {called}")
        called = [block["id"] for block in blocks if block["type"] == "tool_use"]
        require(len(called) == len(set(called)), f"messages.{index}: `tool_use` ids must be unique")
    require(messages[-1]["role"] == "user", "messages: the last one is not the user's")


def _anthropic_tools(request: dict[str, Any]) -> list[str]:
    tools = request.get("tools", [])
    require("tools" not in request or tools, "tools: empty")
    for tool in tools:
        require(tool.keys() == {"name", "description", "input_schema"}, "tools: extra or missing fields")
        _check_tool(tool["name"], tool["description"], tool["input_schema"])
    return [tool["name"] for tool in tools]


def _check_tool(name: Any, description: Any, schema: Any) -> None:
    require(isinstance(name, str) and re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name), f"tools: name {name!r}")
    require(isinstance(description, str), f"tools: the description of {name} is not a text")
    require(isinstance(schema, dict) and schema.get("type") == "object", f"tools: the schema of {name}")


BLOCKS = {
    "user": {"text": ({"text"}, set()), "tool_result": ({"tool_use_id", "content"}, {"is_error"})},
    "assistant": {"text": ({"text"}, set()), "tool_use": ({"id", "name", "input"}, set())},
}


def _check_block(block: dict[str, Any], place: str, role: str, tools: list[str]) -> None:
    require(block.get("type") in BLOCKS[role], f"{place}: a {block.get('type')} block of the {role}")
    needed, possible = BLOCKS[role][block["type"]]
    require(needed <= block.keys() - {"type"} <= needed | possible, f"{place}: extra or missing fields")
    if block["type"] == "text":
        require(block["text"].strip(), f"{place}: text content blocks must be non-empty")
    elif block["type"] == "tool_use":
        require(isinstance(block["input"], dict), f"{place}: input is not a dictionary")
        require(block["name"] in tools, f"{place}: {block['name']} is not among the tools")
    else:
        require(isinstance(block["content"], str), f"{place}: content is not a text")
        require(isinstance(block.get("is_error", False), bool), f"{place}: is_error is not a boolean")


def check_openai(request: dict[str, Any]) -> None:
    """Raise UnacceptableError for what Chat Completions do not accept, or this project never sends."""
    require(request.keys() >= {"model", "messages"}, "a required field is missing")
    unknown = request.keys() - {"model", "messages", "tools", "max_completion_tokens"}
    require(not unknown, f"unknown fields: {unknown}")
    require(request["model"] == MODEL, f"the model {request['model']} does not exist", 404)
    tools = _openai_tools(request)
    require(request["messages"], "messages: empty")
    roles = [message.get("role") for message in request["messages"]]
    leading = next((index for index, role in enumerate(roles) if role != "system"), len(roles))
    require("system" not in roles[leading:], "messages: a system message inside the history")
    require(roles[leading : leading + 1] == ["user"], "messages: the first one is not the user's")
    require(roles[-1] in ("user", "tool"), "messages: the last one is not the user's or a tool's")
    open_calls: set[str] = set()
    for index, message in enumerate(request["messages"]):
        role = message["role"]
        if role == "tool":
            require(message.keys() == {"role", "tool_call_id", "content"}, f"messages[{index}]: fields")
            require(message["tool_call_id"] in open_calls, f"messages[{index}]: answers no open call")
            require(isinstance(message["content"], str), f"messages[{index}]: content is not a text")
            open_calls.remove(message["tool_call_id"])
            continue
        require(not open_calls, f"messages[{index}]: no tool message answers {open_calls}")
        two_of_the_user = role == "user" and roles[:index][-1:] == ["user"]
        require(not two_of_the_user, f"messages[{index}]: two of the user in a row")
        if role == "assistant":
            open_calls = _check_assistant(message, f"messages[{index}]", tools)
        else:
            require(message.keys() == {"role", "content"}, f"messages[{index}]: fields")
            _check_parts(message["content"], f"messages[{index}]")
    require(not open_calls, f"messages: no tool message answers {open_calls}")


def _openai_tools(request: dict[str, Any]) -> list[str]:
    tools = request.get("tools", [])
    require("tools" not in request or tools, "tools: empty")
    for tool in tools:
        require(tool.keys() == {"type", "function"} and tool["type"] == "function", "tools: not a function")
        function = tool["function"]
        require(function.keys() == {"name", "description", "parameters"}, "tools: extra or missing fields")
        _check_tool(function["name"], function["description"], function["parameters"])
    return [tool["function"]["name"] for tool in tools]


def _check_parts(content: Any, place: str) -> None:
    parts = [text(content)] if isinstance(content, str) else content
    require(parts, f"{place}: empty content")
    for part in parts:
        require(part.keys() == {"type", "text"} and part["text"].strip(), f"{place}: not a part of text")


def _check_assistant(message: dict[str, Any], place: str, tools: list[str]) -> set[str]:
    require(message.keys() <= {"role", "content", "tool_calls"}, f"{place}: unknown fields")
    if "tool_calls" not in message:
        require(isinstance(message.get("content"), str), f"{place}: neither text nor calls")
        return set()
    calls = message["tool_calls"]
    require(calls, f"{place}: tool_calls is empty")
    require(isinstance(message["content"], str | None), f"{place}: content is not a text")
    for one in calls:
        require(
            one.keys() == {"id", "type", "function"} and one["type"] == "function", f"{place}: tool_calls"
        )
        function = one["function"]
        require(function.keys() == {"name", "arguments"}, f"{place}: function")
        require(function["name"] in tools, f"{place}: {function['name']} is not among the tools")
        try:
            json.loads(function["arguments"])
        except (TypeError, ValueError):
            raise UnacceptableError(f"{place}: the arguments are not JSON") from None
    ids = {one["id"] for one in calls}
    require(len(ids) == len(calls), f"{place}: two calls with one id")
    return ids


CHECKS = {"anthropic": check_anthropic, "openai": check_openai}
