"""A run with a provider's model: what it needs, and what a person is told before anything is sent."""

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass

from ctxlab.errors import CtxlabError
from ctxlab.models import AnthropicModel, Model, OpenAIModel
from ctxlab.practice.briefs import SYSTEM
from ctxlab.practice.run import MAX_REQUESTS
from ctxlab.practice.script import Models
from ctxlab.practice.sub_agent import MAX_REQUESTS as MAX_REQUESTS_OF_SUB_AGENT
from ctxlab.practice.tools import MAX_DELEGATIONS, SPECS
from ctxlab.practice.workspace import TASK

# More than in a scripted run: the ids, the words and the summaries of a real model are longer.
BUDGET = 4800
MAX_TOKENS = 1024  # of each answer
MAX_RETRIES = 4
BYTES_PER_TOKEN = 4  # a rule of thumb for English


@dataclass(frozen=True)
class Provider:
    """A provider, the environment variables that its SDK reads, and its models."""

    name: str
    key: str
    address: str
    model: Callable[..., Model]


PROVIDERS = {
    "anthropic": Provider("Anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", AnthropicModel),
    "openai": Provider("OpenAI", "OPENAI_API_KEY", "OPENAI_BASE_URL", OpenAIModel),
}


def live_models(provider: str, name: str | None) -> Models:
    """Return the models of a live run: one model in three places. Raises CtxlabError for what is missing."""
    chosen = PROVIDERS[provider]
    if not os.environ.get(chosen.key, "").strip():
        raise CtxlabError(
            f"--live {provider} needs a key in the environment variable {chosen.key}; "
            "without --live no key is needed"
        )
    if not name:
        raise CtxlabError(
            f"--live {provider} needs --model NAME; see which models your key may use at {chosen.name}"
        )
    model = chosen.model(name, max_tokens=MAX_TOKENS, max_retries=MAX_RETRIES)
    return Models(model, model, model)


def consent(provider: str, name: str, budget: int, summary_limit: int) -> str:
    """Return what a person is told before anything is sent: what, to whom, how much at most."""
    chosen = PROVIDERS[provider]
    address = os.environ.get(chosen.address)
    receiver = f"{chosen.name}, by way of {address} ({chosen.address})" if address else chosen.name
    requests, tokens_in, tokens_out = most(budget, summary_limit)
    return (
        f"This run sends requests for the model {name} to {receiver}.\n"
        "They hold the teaching files made for the run, what main.py prints, and what the model writes;\n"
        "nothing else of this machine.\n"
        f"At most {requests} requests, with about {tokens_in:,} tokens in and {tokens_out:,} out; "
        "mostly far fewer.\n"
        f"One that fails may be sent again, up to {MAX_RETRIES} times. The price depends on the model.\n"
    )


def most(budget: int, summary_limit: int) -> tuple[int, int, int]:
    """Return how many requests, tokens in and tokens out the limits of a run allow, about."""
    sub_agents = MAX_DELEGATIONS * MAX_REQUESTS_OF_SUB_AGENT
    brief = len(SYSTEM) + len(json.dumps([asdict(spec) for spec in SPECS]))
    files = sum(path.stat().st_size for path in TASK.rglob("*") if path.is_file())
    bytes_in = (
        MAX_REQUESTS * (budget + brief)
        + sub_agents * (files + brief)  # as if the sub-agent read every file at once
        + summary_limit * 2 * budget
    )
    requests = MAX_REQUESTS + sub_agents + summary_limit
    tokens_in = math.ceil(bytes_in / BYTES_PER_TOKEN / 1000) * 1000
    return requests, tokens_in, requests * MAX_TOKENS
