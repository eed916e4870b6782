from ctxlab.practice.progress import Progress, way


def test_a_line_names_the_request_its_bytes_and_its_receipt() -> None:
    progress = Progress("parent", 3, 5195, 2995, "trimmed", "context-000000000001.jsonl")
    assert progress.line().split() == "parent 3 5195 -> 2995 bytes trimmed context-000000000001.jsonl".split()
    assert progress.cells() == ("parent", "3", "5195", "2995", "trimmed", "context-000000000001.jsonl")


def test_a_request_that_is_not_sent_has_no_bytes_after() -> None:
    line = Progress("parent", 4, 5468, None, "summaries_spent").line()
    assert line.split() == "parent 4 5468 -> not sent summaries_spent".split()
    assert line == line.rstrip()


def test_the_way_is_the_greatest_loss() -> None:
    assert way(archived=False, summarised=False) == "as is"
    assert way(archived=True, summarised=False) == "trimmed"
    assert way(archived=True, summarised=True) == "summarised"
