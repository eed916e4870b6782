"""Any file: the format is told by the content, faults are named, and hostile bytes are survived."""

import gzip
import json
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxlab.errors import HistoryError
from ctxlab.messages.diagnosis.examining import diagnose
from ctxlab.messages.readers import reading
from ctxlab.messages.readers.reading import read_transcript
from ctxlab.messages.readers.transcript import Transcript

DATA = Path(__file__).parents[2] / "data"
SAMPLES = sorted(path for path in (DATA / "transcripts").iterdir() if path.suffix != ".sql")
CASE = json.loads((DATA / "cases" / "38-torn-checkpoint-line.json").read_text("utf-8"))

KEYS = st.sampled_from(
    "role content type message messages input uuid parentUuid isSidechain payload data lc kwargs id tools "
    "system compactMetadata preservedSegment headUuid anchorUuid tailUuid subtype num_turns tool_calls "
    "replacement_history tool_call_id text body sessionId".split()
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
TYPES = st.sampled_from(
    "user assistant system session_meta response_item compacted event_msg human ai tool constructor message "
    "function_call tool_use tool_result thread_rolled_back compact_boundary".split()
)
RECORDS = st.dictionaries(KEYS, JSON | TYPES | st.fixed_dictionaries({"type": TYPES}), max_size=6).flatmap(
    lambda found: TYPES.map(lambda kind: {**found, "type": kind})
)


def outcome(path: Path) -> Transcript | HistoryError:
    try:
        return read_transcript(path)
    except HistoryError as error:
        return error


def check_outcome(found: Transcript | HistoryError, path: Path) -> None:
    """Check that a file was refused by its name, or that each of its messages has a place."""
    if isinstance(found, HistoryError):
        assert str(path) in str(found)
    else:
        assert len(found.origin) == len(found.messages) > 0
        assert all(finding.code == "torn_record" for finding in found.findings)


def file(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_the_torn_checkpoint_of_the_cases_is_reported(tmp_path: Path) -> None:
    found = read_transcript(file(tmp_path, "\n".join(CASE["setup"]["raw_lines"]) + "\n"))
    assert [(finding.code, finding.message, finding.block) for finding in found.findings] == [
        ("torn_record", 2, None)
    ]
    assert found.findings[0].text.startswith("message 2 (line 3): a record breaks off")
    assert "do not run it again" in found.findings[0].fix
    assert found.messages[2]["content"] == CASE["messages"][2]["content"][0]["text"]
    assert [(one.code, one.message) for one in diagnose(found.messages, found.api)] == [
        (one["code"], one["message"]) for one in CASE["findings"]
    ]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_the_name_of_the_file_does_not_matter(sample: Path, tmp_path: Path) -> None:
    expected = read_transcript(sample)
    assert read_transcript(file(tmp_path, sample.read_bytes())) == expected
    assert len(expected.origin) == len(expected.messages) > 0


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_mark_at_the_start_and_other_line_ends_change_nothing(sample: Path, tmp_path: Path) -> None:
    changed = b"\xef\xbb\xbf" + sample.read_bytes().replace(b"\n", b"\r\n")
    assert read_transcript(file(tmp_path, changed)) == read_transcript(sample)


def test_the_first_line_may_be_torn(tmp_path: Path, samples: Path) -> None:
    whole = (samples / "lines.jsonl").read_bytes()
    for start in (1, 3, 20):
        found = read_transcript(file(tmp_path, whole[start:]))
        assert [origin.lines for origin in found.origin] == [(2,), (3,), (4,)]
        assert [finding.text[:7] for finding in found.findings] == ["line 1:"]
    first, rest = whole.split(b"\n", 1)
    found = read_transcript(file(tmp_path, first[:-4] + b"\n" + rest))
    assert [origin.lines for origin in found.origin] == [(2,), (3,), (4,)]


def test_a_list_with_a_message_a_line_is_no_lines(tmp_path: Path) -> None:
    text = '{"messages": [\n{"role": "user", "content": "a"},\n{"role": "user", "content": "b"}\n]}'
    found = read_transcript(file(tmp_path, text))
    assert [origin.lines for origin in found.origin] == [(2,), (3,)]
    assert found.findings == []
    with pytest.raises(
        HistoryError, match=r"line 3, column 1: not JSON: Expecting ',' delimiter; correct it"
    ):
        read_transcript(file(tmp_path, text.replace("},\n{", "}\n{")))


def test_a_list_that_is_cut_is_read_up_to_there(tmp_path: Path, samples: Path) -> None:
    whole = (samples / "anthropic_request.json").read_bytes()
    found = read_transcript(file(tmp_path, whole[:-100]))
    assert len(found.messages) == 3
    assert [(one.code, one.message) for one in found.findings] == [("torn_record", None)]
    assert found.findings[0].text.startswith("line ")
    on_one_line = json.dumps(json.loads(whole))[:-100]
    assert [one.message for one in read_transcript(file(tmp_path, on_one_line)).findings] == [None]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "file is empty; a transcript holds one JSON record a line"),
        ("\n \n", "no messages in it"),
        ("[]", "no known|no messages"),
        ("{}", "is no record of a known format"),
        ('"only a text"', "line 1: 'only a text' is no record of a known format"),
        ("plain prose, not JSON\n", "line 1: the record breaks off or is not JSON"),
        ('{"role": "user"}\n{"role"\n{"x\n', "line 2: the record breaks off or is not JSON"),
        ('[{"role": "user"},\n{"role": }]', "line 2, column 10: not JSON"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff\xfe[\x00", "UTF-16 or UTF-32; save the file as UTF-8"),
        ("[\n]".encode("utf-16-le"), "UTF-16"),
        ('{"role": "user"}'.encode("utf-16-be"), "UTF-16"),
        ("[]".encode("utf-32"), "UTF-32"),
        (b"\0" * 50, "begins with zero bytes"),
        (b'[{"role": "user",\n"content": "\xfc"}]', "line 2: not UTF-8"),
        (gzip.compress(b'{"role": "user"}'), "packed with gzip; unpack it first"),
        (b"PK\x03\x04 and more", "a zip archive; unpack it"),
        (b"\x89PNG\r\n\x1a\n", "no text but an image"),
        (b"%PDF-1.7\n", "no text but a PDF document"),
        ('[{"role": "us', "breaks off before one message is whole .* take another copy"),
        ('[{"role": "user"}]\n[1]', "line 2, column 1: not JSON: Extra data; .* put all into one list"),
        ("[{'role': 'user'}]", "how Python prints a value, so write the file with json.dump"),
        (
            '{"kind": 1}\n{"kind": 2}\n',
            r"line 1: an object with \['kind'\] is no record of a known format; those are: Claude",
        ),
    ],
)
def test_what_is_no_transcript_is_named_with_its_place(
    tmp_path: Path, text: str | bytes, problem: str
) -> None:
    path = file(tmp_path, text)
    with pytest.raises(HistoryError, match=problem) as caught:
        read_transcript(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, problem in (
        ("missing", "there is no file .*missing; check the path"),
        (".", "is a directory"),
        ("pipe", "is not a regular file"),
        ("a\0b", "cannot be read"),
    ):
        with pytest.raises(HistoryError, match=problem):
            read_transcript(tmp_path / name)


def test_a_file_over_a_limit_is_refused(
    tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_WHOLE_BYTES", 200)
    with pytest.raises(HistoryError, match="over 200 bytes; write it as JSON lines"):
        read_transcript(samples / "list.json")
    monkeypatch.setattr(reading, "MAX_LINES_BYTES", 100)
    with pytest.raises(HistoryError, match="over 100 bytes"):
        read_transcript(samples / "lines.jsonl")


def test_lines_are_streamed(tmp_path: Path) -> None:
    event = json.dumps({"type": "event_msg", "payload": {"type": "token_count", "info": "x" * 2000}}) + "\n"
    item = {"type": "message", "role": "user", "content": "u"}
    path = tmp_path / "long.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for _ in range(100):
            stream.writelines([event] * 50 + [json.dumps({"type": "response_item", "payload": item}) + "\n"])
    tracemalloc.start()
    try:
        found = read_transcript(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(found.messages) == 100
    assert found.skipped == {"event_msg/token_count": 5000}
    # Ten megabytes were read, and no more than some lines of them were in memory at a time.
    assert path.stat().st_size > 10_000_000
    assert peak < 1_000_000


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_sample_that_is_cut_or_changed_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    whole = bytearray(data.draw(st.sampled_from(SAMPLES)).read_bytes())
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at : at + data.draw(st.integers(0, 40))] = data.draw(st.binary(max_size=3))
    path = file(tmp_path, bytes(whole[: data.draw(st.integers(0, len(whole)))]))
    check_outcome(outcome(path), path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=st.lists(JSON | RECORDS, max_size=5), as_lines=st.booleans())
def test_records_of_any_form_are_read_or_refused(
    tmp_path: Path, records: list[object], as_lines: bool
) -> None:
    written = [json.dumps(record) for record in records]
    text = "\n".join(written) if as_lines else f"[{','.join(written)}]"
    path = file(tmp_path, text)
    found = outcome(path)
    check_outcome(found, path)
    assert isinstance(found, HistoryError) or found.findings == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=60))
def test_bytes_of_any_kind_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    for start in (b"", b"{", b"[", b"SQLite format 3\0", b'{"role": "user"}\n'):
        path = file(tmp_path, start + content)
        check_outcome(outcome(path), path)


@pytest.mark.parametrize("name", ["claude_code.jsonl", "codex.jsonl", "langchain_dumpd.jsonl"])
def test_a_torn_first_line_hides_no_format(name: str, tmp_path: Path, samples: Path) -> None:
    for line in samples.joinpath(name).read_bytes().splitlines(keepends=True)[:4]:
        path = file(tmp_path, line[30:] + samples.joinpath(name).read_bytes())
        assert read_transcript(path).format == read_transcript(samples / name).format
        assert read_transcript(path).messages == read_transcript(samples / name).messages


def test_a_list_inside_an_object_is_read_up_to_a_cut(tmp_path: Path, samples: Path) -> None:
    whole = (samples / "langgraph_state.json").read_bytes()
    found = read_transcript(file(tmp_path, whole[: whole.index(b'"artifact"')]))
    assert [message["role"] for message in found.messages] == ["user", "assistant"]
    assert [one.code for one in found.findings] == ["torn_record"]
    assert [len(origin.lines) for origin in found.origin] == [1, 1]
