from ctxlab.models.summary import INSTRUCTION, transcript


def test_a_transcript_says_who_said_what_and_what_answers_what() -> None:
    history = [
        {"role": "user", "content": "What is in ü.txt?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "ü.txt"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "Two\nlines.", "is_error": False},
                {"type": "tool_result", "tool_use_id": "b", "content": "no such file", "is_error": True},
            ],
        },
    ]
    assert transcript(history) == (
        "[message 0, user] What is in ü.txt?\n\n"
        "[message 1, assistant] I look.\n\n"
        '[message 1, assistant] calls read_file as a with {"path": "ü.txt"}\n\n'
        "[message 2, user] result of a:\nTwo\nlines.\n\n"
        "[message 2, user] error of b:\nno such file"
    )


def test_the_instruction_names_the_length_that_is_accepted() -> None:
    assert "at most 1000 characters" in INSTRUCTION
