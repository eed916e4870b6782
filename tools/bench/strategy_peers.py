"""The nearest public peer of each strategy, on the same history in its own message classes."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .peers import cleared
from .workload import SUMMARY, History

Message = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One preparation by a peer: `prepare` is timed, `in_chat` turns what it returns back into Chat form."""

    prepare: Callable[[], list[Any]]
    in_chat: Callable[[list[Any]], History]


Begin = Callable[[History, int], Case]


@dataclass(frozen=True)
class Peer:
    """What a strategy is compared with. `differs` says in a sentence where the two are not alike.

    `begin(history, limit)` makes a case of a history in Chat form and a limit in tokens. Raises ImportError
    where the peer is not installed.
    """

    name: str
    differs: str
    begin: Begin


def apart(begin: Begin) -> Begin:
    """Keep the system text out of the messages, as the peer's own agents do, and before what comes back."""

    def with_system(history: History, limit: int) -> Case:
        case = begin(history[1:], limit)
        return Case(case.prepare, lambda kept: [history[0], *case.in_chat(kept)])

    return with_system


def in_langchain(run: Callable[[list[Any], int], list[Any]]) -> Begin:
    """Return a `begin` for a function of langchain's messages and a limit."""

    def begin(history: History, limit: int) -> Case:
        core = import_module("langchain_core.messages")
        messages = core.convert_to_messages(history)
        return Case(lambda: run(messages, limit), core.convert_to_openai_messages)

    return begin


def trimmed(**options: Any) -> Begin:
    """Use langchain's `trim_messages`, with further options."""

    def run(messages: list[Any], limit: int) -> list[Any]:
        utils = import_module("langchain_core.messages.utils")
        count = utils.count_tokens_approximately
        found: list[Any] = utils.trim_messages(
            messages, max_tokens=limit, strategy="last", token_counter=count, **options
        )
        return found

    return in_langchain(run)


def results_cleared(history: History, limit: int) -> Case:
    """Use langchain's `ClearToolUsesEdit`, which keeps the last 3 results unless it is told otherwise."""
    return in_langchain(lambda messages, trigger: cleared(messages, trigger, 3))(history, limit)


def summarised(history: History, limit: int) -> Case:
    """Use langchain's `SummarizationMiddleware`, with a model that always gives the same summary."""
    core = import_module("langchain_core.messages")
    model = import_module("langchain_core.language_models").FakeListChatModel(responses=[SUMMARY])
    middleware = import_module("langchain.agents.middleware").SummarizationMiddleware(
        model, trigger=("tokens", limit), keep=("messages", 20)
    )
    messages = core.convert_to_messages(history)

    def prepare() -> list[Any]:
        update = middleware.before_model({"messages": messages}, None)
        # The first message of an update only says that all others are to go.
        found: list[Any] = messages if update is None else update["messages"][1:]
        return found

    return Case(prepare, core.convert_to_openai_messages)


def memory_buffer(history: History, limit: int) -> Case:
    """Use LlamaIndex's `ChatMemoryBuffer`, filled beforehand."""
    memory = import_module("llama_index.core.memory").ChatMemoryBuffer
    classes = import_module("llama_index.core.llms")
    extra = ("tool_calls", "tool_call_id")
    messages = [
        classes.ChatMessage(
            role=message["role"],
            content=message["content"],
            additional_kwargs={key: message[key] for key in extra if key in message},
        )
        for message in history
    ]
    filled = memory.from_defaults(
        chat_history=messages, token_limit=limit, tokenizer_fn=lambda text: range(-(-len(text) // 4))
    )
    return Case(
        filled.get,
        lambda kept: [
            {"role": message.role.value, "content": message.content, **message.additional_kwargs}
            for message in kept
        ],
    )


def last_sliced(history: History, _limit: int) -> Case:
    """Slice pydantic-ai's messages, as its manual shows it."""
    messages = in_pydantic_ai(history)
    last = len(messages) // 2
    return Case(lambda: messages[-last:], from_pydantic_ai)


def last_in_agent(last: int | None = None) -> Begin:
    """Use the same slice as a processor of an agent, whose model gets what is left; by default half."""

    def begin(history: History, _limit: int) -> Case:
        package = import_module("pydantic_ai")
        messages = in_pydantic_ai(history)
        kept = last or len(messages) // 2
        sent: list[Any] = []

        async def keep_recent(found: list[Any]) -> list[Any]:
            return found[-kept:] if len(found) > kept else found

        def model(found: list[Any], _info: Any) -> Any:
            sent[:] = found
            return package.ModelResponse(parts=[package.TextPart(SUMMARY)])

        agent = package.Agent(
            import_module("pydantic_ai.models.function").FunctionModel(model),
            capabilities=[import_module("pydantic_ai.capabilities").ProcessHistory(keep_recent)],
        )

        def prepare() -> list[Any]:
            agent.run_sync(message_history=messages)
            return sent

        return Case(prepare, from_pydantic_ai)

    return begin


def in_pydantic_ai(history: History) -> list[Any]:
    """Return the history in pydantic-ai's classes: one request for all that stands between two answers."""
    package = import_module("pydantic_ai")
    found: list[Any] = []
    names: dict[str, str] = {}
    for message in history:
        text = message["content"]
        if message["role"] == "assistant":
            parts = [package.TextPart(text)] if text is not None else []
            for call in message.get("tool_calls", []):
                names[call["id"]] = name = call["function"]["name"]
                parts.append(package.ToolCallPart(name, call["function"]["arguments"], call["id"]))
            found.append(package.ModelResponse(parts=parts))
            continue
        if message["role"] == "tool":
            answered = message["tool_call_id"]
            part = package.ToolReturnPart(names[answered], text, answered)
        else:
            part = {"system": package.SystemPromptPart, "user": package.UserPromptPart}[message["role"]](text)
        if not found or found[-1].kind == "response":
            found.append(package.ModelRequest(parts=[]))
        found[-1].parts.append(part)
    return found


def from_pydantic_ai(messages: list[Any]) -> History:
    """Return messages of pydantic-ai in Chat form."""
    roles = {"system-prompt": "system", "user-prompt": "user", "tool-return": "tool"}
    found: History = []
    for message in messages:
        if message.kind == "response":
            found.append(_assistant(message.parts))
            continue
        for part in message.parts:
            made: Message = {"role": roles[part.part_kind], "content": part.content}
            if part.part_kind == "tool-return":
                made["tool_call_id"] = part.tool_call_id
            found.append(made)
    return found


def _assistant(parts: list[Any]) -> Message:
    texts = [part.content for part in parts if part.part_kind == "text"]
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {
                "name": part.tool_name,
                "arguments": part.args if isinstance(part.args, str) else json.dumps(part.args),
            },
        }
        for part in parts
        if part.part_kind == "tool-call"
    ]
    said = {"role": "assistant", "content": "\n\n".join(texts) if texts else None}
    return said | {"tool_calls": calls} if calls else said


PLAIN_TRIM = Peer(
    'langchain-core trim_messages with strategy="last"',
    "The peer copies and checks nothing.",
    trimmed(),
)
CAREFUL_TRIM = Peer(
    "langchain-core trim_messages with start_on, end_on and include_system as well",
    "The peer copies and checks nothing.",
    trimmed(start_on="human", end_on=("human", "tool"), include_system=True),
)
CLEAR = Peer(
    "langchain ClearToolUsesEdit with the deep copy of its middleware",
    "The peer clears each result but the last 3, and checks nothing; the limit only says when it begins.",
    apart(results_cleared),
)
SUMMARISE = Peer(
    "langchain SummarizationMiddleware, keeping 20 messages",
    "The peer copies, stores and checks nothing, and gives its model, a stand-in too, at most 4,000 tokens. "
    "Its summary may take the place of the question; what a real model would keep of that is not known.",
    apart(summarised),
)
BUFFER = Peer(
    "llama-index-core ChatMemoryBuffer",
    "The peer is filled beforehand, and copies and checks nothing. It counts all that is left again for each "
    "question that it drops.",
    apart(memory_buffer),
)
SLICE = Peer(
    "pydantic-ai, the slice messages[-n:] of a processor in its manual",
    "A slice of half of them and nothing else: it counts no tokens, and copies and checks nothing.",
    apart(last_sliced),
)
AGENT = Peer(
    "pydantic-ai, the same slice as ProcessHistory of an agent",
    "A whole run of an agent with a stand-in for its model is timed. It counts no tokens, and repairs what "
    "the slice tore.",
    apart(last_in_agent()),
)
LAST_TEN = Peer(
    "pydantic-ai, messages[-10:] as ProcessHistory of an agent",
    "A whole run of an agent with a stand-in for its model is timed, repairs included. Nothing tells the "
    "model what was done before.",
    apart(last_in_agent(10)),
)
