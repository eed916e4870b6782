"""Histories from Anthropic's Messages and OpenAI's Responses to Chat Completions, and from there to Messages.

What both forms can say is kept. What the other form cannot say is left out, or said in plain words, and
reported: nothing goes missing silently. Nothing is mended either: a history with a fault comes out with its
fault, so diagnose it before it is sent.
"""

from ctxlab.messages.conversion.in_chat import in_chat as in_chat
from ctxlab.messages.conversion.leaving import Conversion as Conversion
from ctxlab.messages.conversion.leaving import Left as Left
from ctxlab.messages.conversion.responses_to_chat import responses_to_chat as responses_to_chat
from ctxlab.messages.conversion.to_anthropic import chat_to_anthropic as chat_to_anthropic
from ctxlab.messages.conversion.to_chat import anthropic_to_chat as anthropic_to_chat

__all__ = ["Conversion", "Left", "anthropic_to_chat", "chat_to_anthropic", "in_chat", "responses_to_chat"]
