"""Parsing arguments: the parser of a command, and the kinds of values that options take."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from ctxlab.cli.output import UsageError, write

# What a command does: it returns the exit status, and the text for standard output.
Answer = Callable[[argparse.Namespace], tuple[int, str]]


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage text that argparse puts before them."""

    def print_help(self, file: Any = None) -> None:
        """Print the help, to standard output like any other answer."""
        if file is None:
            write(self.format_help())
        else:
            super().print_help(file)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message}; see {self.prog} --help")


def added_command(
    commands: "argparse._SubParsersAction[Parser]",
    name: str,
    text: str,
    answer: Answer,
    statuses: str,
    description: str = "",
) -> Parser:
    """Add a command and return its parser.

    `text` is its line in the list of commands, `statuses` what `exit_status` says of it.
    """
    command = commands.add_parser(
        name,
        help=text,
        description=description or text,
        epilog=statuses,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(answer=answer)
    return command


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a reader of numbers in this range. The limits are those of the functions themselves."""
    allowed = f"from {least} to {most}" if most else f"of {least} or more"

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most and number > most):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {allowed}")
        return number

    return read
