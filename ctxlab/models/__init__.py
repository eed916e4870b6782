"""The models that can be asked: a scripted one without a network, and two providers through their own SDKs.

Importing this package imports no SDK: each is imported when a model of its provider is made.
"""

from ctxlab.models.anthropic import AnthropicModel
from ctxlab.models.chat_form import chat_asker, text_asker
from ctxlab.models.interface import Brief, History, Message, Model, ModelError, ToolSpec
from ctxlab.models.openai import OpenAIModel
from ctxlab.models.scripted import ScriptedModel

__all__ = [
    "AnthropicModel",
    "Brief",
    "History",
    "Message",
    "Model",
    "ModelError",
    "OpenAIModel",
    "ScriptedModel",
    "ToolSpec",
    "chat_asker",
    "text_asker",
]
