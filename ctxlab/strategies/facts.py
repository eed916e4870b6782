"""Facts that a smaller history should still say: found in a history, or named in a file.

What is found is a sample, to see what is lost where nobody has said what matters. Rules are sentences of the
user or the system that forbid or demand something. Ids, paths and figures are single words, found by their
form alone. No part of a secret is a fact.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import yaml

from ctxlab.errors import CtxlabError, Refusal
from ctxlab.messages.masking import MASK, Mask
from ctxlab.messages.secrets import masked
from ctxlab.messages.spoken import spoken
from ctxlab.messages.text_files import read_text
from ctxlab.messages.wording import shown, type_words, visible

KINDS = ("rule", "permission", "id", "path", "figure", "other")
# So many of each kind are taken from a history, spread evenly over it.
MOST_FOUND = {"rule": 12, "id": 8, "path": 8, "figure": 8}
MOST_IN_FILE = 200
MAX_FILE_BYTES = 200_000

RULE_ROLES = ("system", "developer", "user")
# Up to a mark before a space: the dot in the name of a file ends nothing.
SENTENCE = re.compile(r"[^\n]+?(?:[.!?](?=\s)|[。！？]|$)", re.MULTILINE)
LIST_MARKS = "-*•# "
DEMAND = re.compile(
    r"\b(must|never|always|do not|don't|ask (me )?(before|first)|before you|only (if|after|when)|make sure)\b"
    "|必须|不要|不得|请勿|禁止|务必|してはいけない|必ず",
    re.IGNORECASE,
)
RULE_CHARS = (6, 300)

# Only what may stand in an id, a path or a figure. So a script without spaces does not hide them.
WORD = re.compile(r"[A-Za-z0-9_~./@#$€£%+:,-]{3,}")
MOST_WORD_CHARS = 200
# Stands for a secret: it is part of no word, and no sentence with it is a rule.
GAP = "\0"
PATH = re.compile(r"(?:~|\.{1,2})?(?:/[\w.@+~-]+)+/?|[\w.@+-]+(?:/[\w.@+-]+)+\.[A-Za-z]\w{0,7}", re.ASCII)
FILE = re.compile(
    r"[\w-]+\.(?:c|cfg|conf|cpp|cs|css|csv|db|go|h|html|ini|ipynb|java|js|json|jsonl|lock|log|md|pdf|php|py|rb"
    r"|rs|sh|sql|toml|ts|tsx|txt|xml|ya?ml)",
    re.ASCII,
)
ID = re.compile(
    r"#\d{2,}|[0-9a-f]{7,64}|[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+|[0-9a-f]+(?:-[0-9a-f]+){4}"
)
FIGURE = re.compile(r"[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:%|[kKMG]?i?B|ms|s|[€£])?|\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Fact:
    """Something that a smaller history should still say: an exact part of one text of the history.

    `kind` is one of `KINDS`.
    """

    kind: str
    text: str

    def stands_in(self, texts: Iterable[str]) -> bool:
        """Say whether one of the texts says it."""
        return any(self.text in text for text in texts)


def found_facts(messages: list[dict[str, Any]], mask: Mask | None = None) -> list[Fact]:
    """Return some facts that a history in Chat form states: rules, ids, paths and figures, by kind.

    At most so many of each kind as `MOST_FOUND` says, spread evenly over the history. `mask` knows the
    secrets in it, by default those that `messages` show: what overlaps one of them is no fact.
    """
    mask = mask or Mask([messages])
    found: dict[str, dict[str, None]] = {kind: {} for kind in MOST_FOUND}
    seen: set[str] = set()
    for message in messages:
        for text in (MASK.sub(GAP, mask.text(spoken_text)) for spoken_text in spoken(message)):
            if message.get("role") in RULE_ROLES:
                found["rule"].update(dict.fromkeys(_rules(text)))
            for word in dict.fromkeys(WORD.findall(text)):
                if word in seen or len(word) > MOST_WORD_CHARS:
                    continue
                seen.add(word)
                stripped = word.strip(".,:-")
                kind = _kind_of(stripped)
                if kind:
                    found[kind][stripped] = None
    return [Fact(kind, text) for kind, texts in found.items() for text in _spread([*texts], MOST_FOUND[kind])]


def read_facts(path: str | PathLike[str]) -> list[Fact]:
    """Return the facts in a file: a JSON or YAML list of {kind, text}.

    Raises CtxlabError, which names the file, the item and the remedy.
    """
    name = visible(str(path))
    text = read_text(
        Path(path),
        CtxlabError,
        kind=".json or .yaml",
        most=MAX_FILE_BYTES,
        missing=lambda: "check the path",
        too_large="keep the facts that matter most",
    )
    try:
        items = _json_or_yaml(text)
    except (yaml.YAMLError, ValueError, ArithmeticError, RecursionError) as error:
        # PyYAML names a file that there is not.
        reason = visible(" ".join(str(error).split()).replace('in "<unicode string>", ', "at "))
        raise CtxlabError(
            f"{name} is neither JSON nor YAML: {masked(reason)}; write a list of kind and text"
        ) from error
    if not isinstance(items, list) or not items:
        raise CtxlabError(f"{name} holds no list of 1 to {MOST_IN_FILE} facts; write each as kind and text")
    if len(items) > MOST_IN_FILE:
        raise CtxlabError(f"{name} holds {len(items):,} facts; keep the {MOST_IN_FILE} that matter most")
    return list(dict.fromkeys(fact_of(item, f"{name}: fact {number}") for number, item in enumerate(items)))


def _json_or_yaml(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        for token in yaml.scan(text):
            # With aliases, a small file can stand for any amount of data.
            if isinstance(token, yaml.AliasToken):
                raise ValueError("an alias (*) stands in it; write the text itself") from None
            # PyYAML fails in any way on a tag whose value is of another kind.
            if isinstance(token, yaml.TagToken):
                raise ValueError("a tag (!) stands in it; write the text itself, in quotes") from None
        return yaml.safe_load(text)


def fact_of(item: Any, place: str) -> Fact:
    """Return the fact that a dict of kind and text names. Raises CtxlabError, which begins with `place`."""
    if not isinstance(item, dict) or set(item) != {"kind", "text"}:
        raise CtxlabError(f"{place} is {_quoted(item)}; write it as {{kind: KIND, text: TEXT}}")
    kind, text = item["kind"], item["text"]
    if kind not in KINDS:
        raise CtxlabError(f"{place} has the kind {_quoted(kind)}; use {', '.join(KINDS[:-1])} or {KINDS[-1]}")
    if not isinstance(text, str) or not text.strip():
        given = "a blank text" if isinstance(text, str) else f"{type_words(text)} as its text"
        raise CtxlabError(f"{place} has {given}; write the exact text, in quotes")
    return Fact(kind, text)


def _quoted(value: Any) -> str:
    try:
        return shown(masked(value))
    except Refusal:  # it is nested too deeply
        return type_words(value)


def _rules(text: str) -> Iterator[str]:
    if not DEMAND.search(text):
        return
    for match in SENTENCE.finditer(text):
        sentence = match[0].strip().lstrip(LIST_MARKS)
        if GAP in sentence:
            continue
        if RULE_CHARS[0] <= len(sentence) <= RULE_CHARS[1] and DEMAND.search(sentence):
            yield sentence


def _kind_of(word: str) -> str:
    """Return what a word is by its form, "" for a plain one."""
    digits = sum(map(str.isdigit, word))
    if PATH.fullmatch(word) or FILE.fullmatch(word):
        return "path" if len(word) > 3 else ""
    if digits and FIGURE.fullmatch(word):
        # A small number is everywhere: it would be found again by chance.
        return "figure" if digits > 3 or len(word) > max(digits, 3) else ""
    if digits > 1 and ID.fullmatch(word):
        return "id"
    return ""


def _spread(texts: list[str], most: int) -> list[str]:
    if len(texts) <= most:
        return texts
    return [texts[number * len(texts) // most] for number in range(most)]
