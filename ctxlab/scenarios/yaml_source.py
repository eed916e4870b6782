"""YAML text read as plain data, with the place of every value.

Only what JSON can say is accepted, and each key once. Repeated anchors are refused: with them a small file
can stand for any amount of data.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.constructor import SafeConstructor

from ctxlab.errors import ScenarioError

Path = tuple[str | int, ...]

CORE = "tag:yaml.org,2002:"
MAX_SHOWN_CHARS = 60

SCALARS = {CORE + kind for kind in ("str", "int", "float", "bool", "null")}


@dataclass
class YamlSource:
    """The data of one YAML text.

    `places` maps the path of each value to its (line, column), counted from 1.
    """

    file: str
    data: Any = None
    places: dict[Path, tuple[int, int]] = field(default_factory=dict)

    def error(self, path: Path, problem: str) -> ScenarioError:
        """Return the error for the value at `path`, or for the nearest value around it that has a place."""
        known = path
        while known and known not in self.places:
            known = known[:-1]
        line, column = self.places.get(known, (1, 1))
        named = f"{dotted(path)}: " if path else ""
        return ScenarioError(f"{self.file}, line {line}, column {column}: {named}{problem}")


def read_yaml(text: str, file: str) -> YamlSource:
    """Return the data of `text`. `file` is the name for errors. Raises ScenarioError."""
    source = YamlSource(file)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        source.data = _value(node, (), source, set())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ScenarioError(f"{file}{where}: not valid YAML: {error.problem or error.context}") from error
    except yaml.YAMLError as error:  # a character that YAML does not allow
        raise ScenarioError(f"{file}: not valid YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise ScenarioError(f"{file}: the values are nested too deeply; write the file flatter") from error
    return source


def dotted(path: Path) -> str:
    """Return `path` as a reader would write it: messages[0].calls[1].id."""
    parts = []
    for part in path:
        plain = isinstance(part, str) and part.isidentifier()
        parts.append(f".{part}" if plain else f"[{shown(part)}]")
    return "".join(parts).removeprefix(".")


def shown(value: Any) -> str:
    """Return `value` in one line that is not too long for the text of an error."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:MAX_SHOWN_CHARS]}..."


def _value(node: yaml.Node | None, path: Path, source: YamlSource, seen: set[int]) -> Any:
    if node is None:
        raise ScenarioError(f"{source.file}: the file is empty; write its fields, each as NAME: VALUE")
    # The node of a repetition is that of the anchor, so its place would mislead: leave it out.
    if id(node) in seen:
        raise source.error(
            path, "repeats an anchor; write the value out, or use {repeat: STRING, times: NUMBER}"
        )
    seen.add(id(node))
    source.places.setdefault(path, (node.start_mark.line + 1, node.start_mark.column + 1))
    if isinstance(node, yaml.MappingNode) and node.tag == CORE + "map":
        return _mapping(node, path, source, seen)
    if isinstance(node, yaml.SequenceNode) and node.tag == CORE + "seq":
        return [_value(item, (*path, index), source, seen) for index, item in enumerate(node.value)]
    if isinstance(node, yaml.ScalarNode) and node.tag in SCALARS:
        return _scalar(node, path, source)
    kind = node.tag.removeprefix(CORE)
    raise source.error(path, f"YAML reads this as {kind}, which a history cannot hold; put it in quotes")


def _mapping(node: yaml.MappingNode, path: Path, source: YamlSource, seen: set[int]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        place = (key_node.start_mark.line + 1, key_node.start_mark.column + 1)
        if key_node.tag != CORE + "str":
            source.places[path] = place
            raise source.error(path, "has a key that is no text; put the key in quotes")
        key = _scalar(key_node, path, source)
        source.places[*path, key] = place
        if key in mapping:
            raise source.error((*path, key), "this key stands twice; keep one of the two")
        mapping[key] = _value(value_node, (*path, key), source, seen)
    return mapping


def _scalar(node: yaml.ScalarNode, path: Path, source: YamlSource) -> Any:
    try:
        value = SafeConstructor().construct_object(node)
    except (ValueError, KeyError, IndexError) as error:
        kind = node.tag.removeprefix(CORE)
        raise source.error(path, f"YAML cannot read this as {kind}: {error}; put it in quotes") from error
    if isinstance(value, float) and not math.isfinite(value):
        raise source.error(path, f"{node.value} is no number in JSON; put it in quotes if it is text")
    if isinstance(value, str) and not _is_unicode(value):
        raise source.error(path, "holds half a surrogate pair; write the character itself")
    return value


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
