"""Blocks and histories that are larger than the budget, by estimates that need no tokenizer."""

import math
import re
from collections.abc import Iterator

from ctxlab.messages.diagnosis.context import Context
from ctxlab.messages.diagnosis.finding import Finding, at_part
from ctxlab.messages.parts import Part
from ctxlab.messages.spoken import spoken
from ctxlab.messages.view import View

# Thai, Lao, Burmese, Khmer, Hangul, kana, Chinese characters and the forms of full width.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff00-\uffef\U00020000-\U0003ffff]"
)
# The least that was measured for Chinese in o200k_base was 0.60 (Yeachan-Heo/gajae-code#2041). It is taken
# for the other scripts without spaces too.
TOKENS_PER_UNSPACED = 0.6
CHARACTERS_PER_TOKEN = 4


def size_findings(view: View, context: Context, unreadable: set[int]) -> Iterator[Finding]:
    """Yield the blocks that are over the budget alone, or the block where an estimate goes wrong most.

    Both need a budget. Images and documents are not counted. Reports: openclaw/openclaw#113701 and
    ai-ecoverse/slicc#2011 for large results, openclaw/openclaw#103930 for the estimate.
    """
    budget = context.budget_tokens
    if budget is None:
        return
    sizes = [(part, *_lengths(part)) for part in view.parts if part.message not in unreadable]
    total = sum(_tokens(characters, unspaced) for _, characters, unspaced in sizes)
    naive = sum(characters for _, characters, _ in sizes) / CHARACTERS_PER_TOKEN
    if naive <= budget < total:
        worst = max(sizes, key=lambda size: size[2])[0]
        words = (
            f"is undercounted most: by characters / 4 the history has {int(naive)} tokens and fits the "
            f"budget of {budget}, but its script without spaces makes them about {math.ceil(total)}"
        )
        yield at_part("undercount", worst, words)
        return
    for part, characters, unspaced in sizes:
        tokens = _tokens(characters, unspaced)
        if tokens > budget:
            yield at_part("oversize_block", part, _oversize(part, characters, tokens, budget, context))


def _tokens(characters: int, unspaced: int) -> float:
    return unspaced * TOKENS_PER_UNSPACED + (characters - unspaced) / CHARACTERS_PER_TOKEN


def _oversize(part: Part, characters: int, tokens: float, budget: int, context: Context) -> str:
    words = f"has {characters} characters, about {math.ceil(tokens)} tokens, and the budget is {budget}"
    if context.protected_from is not None and part.message >= context.protected_from:
        return f"{words}; it is in the protected tail, so no fold will ever reach it"
    return words


def _lengths(part: Part) -> tuple[int, int]:
    """Return how many characters the part says, and how many of them are of a script without spaces."""
    characters = unspaced = 0
    for text in _said(part):
        characters += len(text)
        if not text.isascii():
            unspaced += len(UNSPACED.findall(text))
    return characters, unspaced


def _said(part: Part) -> Iterator[str]:
    if isinstance(part.value, str):
        yield part.value
    elif part.kind == "call" and part.family == "tool" and part.type != "tool_use":
        # An entry of tool_calls says nothing outside a message.
        yield from spoken({"tool_calls": [part.value]})
    else:
        yield from spoken(part.value)
