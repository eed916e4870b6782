from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import CtxlabError
from ctxlab.messages.masking import Mask
from ctxlab.strategies.facts import MOST_FOUND, Fact, found_facts, read_facts


def said(role: str, text: Any) -> dict[str, Any]:
    return {"role": role, "content": text}


def found(*messages: dict[str, Any]) -> dict[str, list[str]]:
    kinds: dict[str, list[str]] = {}
    for fact in found_facts(list(messages)):
        kinds.setdefault(fact.kind, []).append(fact.text)
    return kinds


class TestFound:
    def test_each_kind_by_its_form(self) -> None:
        text = (
            "Look at ORD-2231, (#4711) and 0f1e61174a26; see /etc/app/x.conf, src/main.py: and notes.txt. It "
            "cost $1,250.00, or 4.25% of 86400, in 250ms on 2024-05-01. 3f2504e0-4f89-11d3-9a0c-0305e82c3301!"
        )
        assert found(said("tool", text)) == {
            "id": ["ORD-2231", "#4711", "0f1e61174a26", "3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
            "path": ["/etc/app/x.conf", "src/main.py", "notes.txt"],
            "figure": ["$1,250.00", "4.25%", "86400", "250ms", "2024-05-01"],
        }

    def test_plain_words_and_small_numbers_are_none(self) -> None:
        assert (
            found(said("user", "It is 3 of 17, 1.2 or 404: and/or utf-8, e.g. well-known, i.e. / and ..."))
            == {}
        )

    def test_rules_are_those_of_the_user_and_the_system(self) -> None:
        rules = (
            "Hello! You must ask before you run main.py. So it is.\n- Never delete logs\n请勿删除文件。谢谢。"
        )
        expected = ["You must ask before you run main.py.", "Never delete logs", "请勿删除文件。"]
        assert found(said("user", rules))["rule"] == found(said("system", rules))["rule"] == expected
        assert "rule" not in found(said("tool", rules), said("assistant", rules))

    def test_calls_and_parts_are_searched_and_chinese_hides_nothing(self) -> None:
        call = {
            "id": "a",
            "type": "function",
            "function": {"name": "read", "arguments": '{"path":"a/b.txt"}'},
        }
        kinds = found(
            said("user", [{"type": "text", "text": "文件在/var/log/app里，单号ORD-99。"}]),
            {"role": "assistant", "content": None, "tool_calls": [call]},
        )
        assert kinds == {"path": ["/var/log/app", "a/b.txt"], "id": ["ORD-99"]}

    def test_of_many_some_from_all_over_the_history(self) -> None:
        messages = [said("tool", f"see part{number:03}.txt") for number in range(100)]
        paths = found(*messages)["path"]
        assert len(paths) == MOST_FOUND["path"]
        assert (paths[0], paths[-1]) == ("part000.txt", "part087.txt")

    @pytest.mark.parametrize(
        "text",
        [
            '{"password": "ab!Tr0ub4dor-x77qzk-99!zz"}',
            "DB_PASSWORD='p4ss&w0rd-77-xyz-9'\n",
            "You must never show password=hunter2!secret-77-abc to anyone.",
            "token sk-ant-api03-" + "Ab1_" * 80 + "-AA",
            "You must use -----BEGIN PRIVATE KEY-----\n" + "Ab1/" * 16 + "\n-----END PRIVATE KEY-----",
        ],
        ids=["mark in it", "in quotes", "rule", "longer than a word", "over lines"],
    )
    def test_no_part_of_a_secret(self, text: str) -> None:
        assert found(said("user", text)) == {}
        assert found(said("user", f"See ORD-2231.\n{text}\nSee a/b.txt")) == {
            "id": ["ORD-2231"],
            "path": ["a/b.txt"],
        }

    def test_no_part_of_a_secret_that_shows_elsewhere(self) -> None:
        password = "Tr0ub4dor-x77qzk-"
        call = {"id": "a", "function": {"name": "login", "arguments": f'{{"password": "{password}"}}'}}
        messages = [
            said("tool", f"You said {password} and ORD-22."),
            {"role": "assistant", "tool_calls": [call]},
        ]
        assert found(*messages) == {"id": ["ORD-22"]}
        # The tools, which are not among the messages, may show it too.
        mask = Mask([{"password": password}])
        assert found_facts(messages[:1], mask) == [Fact("id", "ORD-22")]

    def test_each_fact_stands_in_its_history(self) -> None:
        text = "  * You must not touch   /srv/x.\tAlways log to #12345.\n"
        facts = found_facts([said("user", text)])
        assert len(facts) == 4
        assert all(fact.stands_in([text]) for fact in facts)


class TestFile:
    @pytest.mark.parametrize(
        "text",
        [
            '[{"kind": "rule", "text": "Ask\\tfirst"}, {"kind": "id", "text": "42"}]',
            '- {kind: rule, text: "Ask\\tfirst"}\n- kind: id\n  text: "42"\n- {kind: id, text: "42"}\n',
        ],
    )
    def test_json_and_yaml(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "facts"
        path.write_text(text, encoding="utf-8")
        assert read_facts(path) == [Fact("rule", "Ask\tfirst"), Fact("id", "42")]

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("{}", "holds no list of 1 to 200 facts"),
            ("[]", "holds no list of 1 to 200 facts"),
            ("- [", "is neither JSON nor YAML"),
            ("- &a {kind: id, text: x}\n- *a", "an alias (*) stands in it; write the text itself"),
            ("- {kind: id}", "fact 0 is {'kind': 'id'}; write it as {kind: KIND, text: TEXT}"),
            ("- {kind: rules, text: x}", "fact 0 has the kind 'rules'; use rule, permission, id,"),
            ("- {kind: [], text: x}", "fact 0 has the kind []; use rule, permission, id,"),
            ("- {kind: id, text: x}\n- {kind: id, text: 42}", "fact 1 has an int as its text"),
            ("- {kind: id, text: '  '}", "fact 0 has a blank text; write the exact text, in quotes"),
            ("- {kind: id, text: x}\n" * 201, "holds 201 facts; keep the 200 that matter most"),
            ("- !!timestamp z", "a tag (!) stands in it; write the text itself, in quotes"),
            ("- !!bool zz", "a tag (!) stands in it"),
            ('- !!int ""', "a tag (!) stands in it"),
            ("- 2024-99-99", "is neither JSON nor YAML: month must be in"),
            ("- [", "but found '<stream end>' at line 1, column 4: "),
            (
                "- {password: hunter2-77-abc}",
                "fact 0 is {'password': '[named secret masked, 14 characters]'}",
            ),
        ],
    )
    def test_what_is_no_list_of_facts(self, tmp_path: Path, text: str, told: str) -> None:
        path = tmp_path / "facts.yaml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(CtxlabError) as error:
            read_facts(path)
        assert told in str(error.value)
        assert str(path) in str(error.value)
        assert "unicode string" not in str(error.value)

    def test_a_path_that_steers_the_terminal(self, tmp_path: Path) -> None:
        path = tmp_path / "e\x1b[31mx.json"
        path.write_text("[]", encoding="utf-8")
        with pytest.raises(CtxlabError) as error:
            read_facts(path)
        assert "e\\u001b[31mx.json holds no list" in str(error.value)

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(CtxlabError, match=r"there is no file .*; check the path"):
            read_facts(tmp_path / "none.json")
