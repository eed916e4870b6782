"""The exit statuses, and what the help says of them."""

DONE, FAILED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130


def exit_status(done: str, failed: str) -> str:
    """Return the end of a help text: what 0 means, and 1 ("" where a command never ends with it)."""
    meanings = {
        DONE: done,
        FAILED: failed,
        UNUSABLE: "input that cannot be used; a line on standard error says why",
        INTERRUPTED: "interrupted with Ctrl-C",
    }
    return "exit status:\n" + "".join(f"  {status:<3}  {text}\n" for status, text in meanings.items() if text)
