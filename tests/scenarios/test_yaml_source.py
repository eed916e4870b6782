import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.errors import ScenarioError
from ctxlab.scenarios.yaml_source import dotted, read_yaml


def refusal(text: str) -> str:
    with pytest.raises(ScenarioError) as caught:
        read_yaml(text, "mine.yaml")
    assert "\n" not in str(caught.value)
    return str(caught.value)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs", "Cc"))),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=("Cs", "Cc"))), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(json_values)
def test_any_json_value_is_read_back(value: Any) -> None:
    text = yaml.safe_dump(value, allow_unicode=True)

    assert read_yaml(text, "mine.yaml").data == value


def test_every_value_has_its_place() -> None:
    source = read_yaml("a: 1\nb:\n  - c: x\n    d: [y, z]\n", "mine.yaml")

    assert source.data == {"a": 1, "b": [{"c": "x", "d": ["y", "z"]}]}
    assert source.places == {
        (): (1, 1),
        ("a",): (1, 1),
        ("b",): (2, 1),
        ("b", 0): (3, 5),
        ("b", 0, "c"): (3, 5),
        ("b", 0, "d"): (4, 5),
        ("b", 0, "d", 0): (4, 9),
        ("b", 0, "d", 1): (4, 12),
    }
    assert str(source.error(("b", 0, "missing", 7), "is gone")) == (
        "mine.yaml, line 3, column 5: b[0].missing[7]: is gone"
    )


BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", ": the file is empty; write its fields, each as NAME: VALUE"),
        ("# only a comment\n", ": the file is empty; write its fields, each as NAME: VALUE"),
        (
            "a: [1\nb: 2\n",
            ", line 2, column 2: not valid YAML: expected ',' or ']', but got ':'",
        ),
        ("a: 'x\n", ", line 2, column 1: not valid YAML: found unexpected end of stream"),
        ("a: b: c\n", ", line 1, column 5: not valid YAML: mapping values are not allowed here"),
        ("\ta: 1\n", ", line 1, column 1: not valid YAML: found character '\\t' that cannot start any token"),
        ("a: 1\n---\na: 2\n", ", line 2, column 1: not valid YAML: but found another document"),
        ("a: *b\n", ", line 1, column 4: not valid YAML: found undefined alias 'b'"),
        ("a: 1\nb: 2\na: 3\n", ", line 3, column 1: a: this key stands twice; keep one of the two"),
        ("a:\n  - {b: 1, b: 2}\n", ", line 2, column 12: a[0].b: this key stands twice; keep one of the two"),
        ("1600: x\n", ", line 1, column 1: has a key that is no text; put the key in quotes"),
        ("a: {? [x] : y}\n", ", line 1, column 7: a: has a key that is no text; put the key in quotes"),
        (BOMB, ", line 2, column 1: b[0]: repeats an anchor"),
        ("a: &a [*a]\n", ", line 1, column 1: a[0]: repeats an anchor"),
        ("a: &a {b: 1}\nc: {<<: *a}\n", ", line 2, column 5: c: has a key that is no text"),
        (
            "a: 2024-05-01\n",
            ", line 1, column 1: a: YAML reads this as timestamp, which a history cannot hold",
        ),
        (
            "a: 2024-99-99\n",
            ", line 1, column 1: a: YAML reads this as timestamp, which a history cannot hold",
        ),
        (
            "a: !!binary aGk=\n",
            ", line 1, column 1: a: YAML reads this as binary, which a history cannot hold",
        ),
        ("a: !!set {x}\n", ", line 1, column 1: a: YAML reads this as set, which a history cannot hold"),
        (
            "a: !!python/object:os.system x\n",
            ", line 1, column 1: a: YAML reads this as python/object:os.system",
        ),
        ("a: !own x\n", ", line 1, column 1: a: YAML reads this as !own, which a history cannot hold"),
        ("a: .nan\n", ", line 1, column 1: a: .nan is no number in JSON; put it in quotes if it is text"),
        ("a: -.inf\n", ", line 1, column 1: a: -.inf is no number in JSON; put it in quotes if it is text"),
        ("a: !!int x\n", ", line 1, column 1: a: YAML cannot read this as int: "),
        ("a: !!int ''\n", ", line 1, column 1: a: YAML cannot read this as int: "),
        ("a: !!bool maybe\n", ", line 1, column 1: a: YAML cannot read this as bool: "),
        (f"a: {'9' * 5000}\n", ", line 1, column 1: a: YAML cannot read this as int: "),
        ('a: "\\ud800"\n', ", line 1, column 1: a: holds half a surrogate pair; write the character itself"),
        ('"\\ud800": a\n', ", line 1, column 1: holds half a surrogate pair; write the character itself"),
        ("a: \x07\n", ": not valid YAML: unacceptable character #x0007: special characters are not allowed"),
        ("[" * 5000, ": the values are nested too deeply; write the file flatter"),
        ("- " * 5000, ": the values are nested too deeply; write the file flatter"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text: str, problem: str) -> None:
    assert refusal(text).startswith(f"mine.yaml{problem}")


def test_a_bomb_is_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 100)]

    assert "line 2, column 1: a1[0]: repeats an anchor" in refusal("\n".join(lines))


@given(st.text(max_size=60) | st.text(alphabet="a-:{}[]&*!'\"|>?, \n1.<~", max_size=60))
def test_any_text_is_data_or_a_scenario_error(text: str) -> None:
    try:
        source = read_yaml(text, "mine.yaml")
    except ScenarioError as caught:
        assert str(caught).startswith("mine.yaml")  # noqa: PT017 - either outcome is right
    else:
        assert json.loads(json.dumps(source.data)) == source.data


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("messages", 0, "calls", 1, "id"), "messages[0].calls[1].id"),
        ((0, "a"), "[0].a"),
        (("a b", "c\nd"), "['a b']['c\\nd']"),
    ],
)
def test_paths_are_written_as_a_reader_would(path: tuple[str | int, ...], text: str) -> None:
    assert dotted(path) == text


def test_a_long_key_is_cut_short() -> None:
    assert len(dotted(("a " * 1000,))) < 80
