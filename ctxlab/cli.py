"""The command line: list the scenarios, replay one as text, as JSON or as a page, practise, check a file.

What takes long to load is imported where it is used: `--help` answers at once, and Ctrl-C is caught while it
loads.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ctxlab.errors import CtxlabError
from ctxlab.reference import prepare_context, run_loop, split_history, trim_results
from ctxlab.reference.history import MAX_KEEP_RECENT, MIN_BUDGET

if TYPE_CHECKING:
    from ctxlab.exercises.verdict import Verdict

DONE, FAILED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130

EXIT_STATUS = """\
exit status:
  0    done; a refusal that was replayed is a result like any other
  1    the run ended early: replayed, with an exception or at the step limit; practised, without an answer;
       or a check failed
  2    input that cannot be used; one line on standard error says why
  130  interrupted with Ctrl-C
"""

CHECK_DESCRIPTION = """\
Check the functions of FILE that are named as exercises are.
FILE is executed for that: check only code that you would run.

A function that loops for ever, ends the program or raises anything gets its
verdict. Nothing holds back os._exit, which ends the command with any status
and no output; code that switches off the timer, or one call of C code that
never returns; a thread that goes on when the check is over; and code that
replaces parts of ctxlab. The exit status can be trusted only for code that
does not try to deceive it.
"""

PRACTICE_DESCRIPTION = """\
Run the loop for real: a model reads four logs, sends a sub-agent, asks you
before it starts a program, starts it, and compares what it printed. All of it
happens in a new directory, which stays. The models are scripted, and nothing
is sent anywhere, unless you say --live.

One line for each request: who sends it, its number, the bytes of the history
before -> after its preparation, what the preparation did, and its snapshot.
"""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "split": split_history,
    "trim": trim_results,
    "prepare": prepare_context,
    "loop": run_loop,
}

# The options that only some of the functions have a use for.
ONLY_FOR = {"budget": ("prepare", "loop"), "max_chars": ("trim",)}


class UsageError(CtxlabError):
    """Arguments that cannot be used."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage text that argparse puts before them."""

    def print_help(self, file: Any = None) -> None:
        """Print the help, to standard output like any other answer."""
        if file is None:
            _write(self.format_help())
        else:
            super().print_help(file)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message}; see {self.prog} --help")


def main(argv: list[str] | None = None) -> int:
    """Run the command line with `argv` (default: the process's arguments) and return the exit status."""
    try:
        status, text = _answer(argv)
        _write(text)
    except CtxlabError as error:
        _complain(" ".join(["ctxlab:", *str(error).splitlines()]))
        return UNUSABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _answer(argv: list[str] | None) -> tuple[int, str]:
    """Return the exit status, and the text for standard output."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    answer: Callable[[argparse.Namespace], tuple[int, str]] | None = arguments.answer
    if answer is None:
        parser.error("say list, replay, practice or check")
    return answer(arguments)


def _parser() -> Parser:
    parser = Parser(
        prog="ctxlab",
        description="Replay how a conversation's history is made smaller without being broken.",
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version", dest="answer", action="store_const", const=_version, help="print the version"
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_list(commands)
    _add_replay(commands)
    _add_practice(commands)
    _add_check(commands)
    return parser


def _add_list(commands: "argparse._SubParsersAction[Parser]") -> None:
    text = "list the scenarios, each with its promise"
    command = commands.add_parser("list", help=text, description=text, allow_abbrev=False)
    command.add_argument("--json", action="store_true", help="print a JSON list of {name, promise}")
    command.set_defaults(answer=_list)


def _add_replay(commands: "argparse._SubParsersAction[Parser]") -> None:
    text = "run a function on a scenario and print what it decided"
    command = commands.add_parser(
        "replay",
        help=text,
        description=text,
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument(
        "scenario", metavar="SCENARIO", help="the name of a scenario, or a path of a .yaml file"
    )
    command.add_argument("--function", choices=list(FUNCTIONS), default="prepare", help="default: prepare")
    command.add_argument(
        "--budget",
        type=_whole_number(MIN_BUDGET),
        metavar="N",
        help=f"bytes that the history may have, {MIN_BUDGET} or more (prepare, loop)",
    )
    command.add_argument(
        "--keep-recent",
        type=_whole_number(1, MAX_KEEP_RECENT),
        metavar="N",
        help=f"newest exchanges that stay as they are, 1 to {MAX_KEEP_RECENT}",
    )
    command.add_argument(
        "--max-chars",
        type=_whole_number(1),
        metavar="N",
        help="characters that an older result text may have, 1 or more (trim)",
    )
    command.add_argument("--html", metavar="FILE", help="also write a page that replays the run, offline")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the trace as JSON instead")
    form.add_argument(
        "--calls", action="store_true", help="also print the decisions of the functions it called"
    )
    command.set_defaults(answer=_replay)


def _add_practice(commands: "argparse._SubParsersAction[Parser]") -> None:
    command = commands.add_parser(
        "practice",
        help="run the loop on a real task, with a permission that you give or refuse",
        description=PRACTICE_DESCRIPTION,
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument(
        "--decision", choices=["allow", "deny"], help="answer the question about the program beforehand"
    )
    command.add_argument(
        "--summary-limit",
        type=_whole_number(0),
        metavar="N",
        help="summaries that the run may spend (default: 1)",
    )
    command.add_argument(
        "--budget",
        type=_whole_number(MIN_BUDGET),
        metavar="B",
        help=f"bytes that the history may have, {MIN_BUDGET} or more (default: 3200; live 4800)",
    )
    command.add_argument(
        "--live", choices=["anthropic", "openai"], help="ask a provider's model: needs a key, costs money"
    )
    command.add_argument("--model", metavar="NAME", help="the model to ask (with --live)")
    command.add_argument("--yes", action="store_true", help="send without asking first (with --live)")
    command.add_argument(
        "--directory", metavar="DIR", help="a new or empty directory (default: a temporary one)"
    )
    command.add_argument("--json", action="store_true", help="print one JSON object at the end instead")
    command.set_defaults(answer=_practice)


def _add_check(commands: "argparse._SubParsersAction[Parser]") -> None:
    command = commands.add_parser(
        "check",
        help="check the functions of a file as answers to the exercises",
        description=CHECK_DESCRIPTION,
        epilog=EXIT_STATUS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_argument("file", metavar="FILE", help="the path of a Python file")
    command.add_argument(
        "names", metavar="NAME", nargs="*", default=[], help="an exercise to check (default: all in FILE)"
    )
    command.add_argument(
        "--json", action="store_true", help="print a JSON list of {name, kind, passed, lines}"
    )
    command.set_defaults(answer=_check)


def _whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
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


def _version(_arguments: argparse.Namespace) -> tuple[int, str]:
    return DONE, f"ctxlab {version('ctxlab')}\n"


def _list(arguments: argparse.Namespace) -> tuple[int, str]:
    from ctxlab.scenarios import load_scenario, scenario_names

    promises = {name: load_scenario(name).promise for name in scenario_names()}
    if arguments.json:
        return DONE, _json([{"name": name, "promise": promise} for name, promise in promises.items()])
    width = max(map(len, promises), default=0)
    return DONE, "".join(f"{name:{width}}  {promise}\n" for name, promise in promises.items())


def _replay(arguments: argparse.Namespace) -> tuple[int, str]:
    from ctxlab.scenarios import load_scenario
    from ctxlab.tracer.run import trace

    names = ("budget", "keep_recent", "max_chars")
    given = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    for name, functions in ONLY_FOR.items():
        if name in given and arguments.function not in functions:
            option, others = name.replace("_", "-"), " or ".join(functions)
            raise UsageError(
                f"{arguments.function} has no --{option}; leave it out, or say --function {others}"
            )
    scenario = load_scenario(arguments.scenario).with_settings(given)
    run = trace(FUNCTIONS[arguments.function], scenario=scenario)
    if arguments.html is not None:
        run.save_html(arguments.html)
    status = DONE if run.outcome.kind in ("returned", "refused") else FAILED
    return status, _json(run.data) if arguments.json else run.text(arguments.calls)


def _practice(arguments: argparse.Namespace) -> tuple[int, str]:
    from ctxlab.practice.terminal import Options, practise

    options = Options(
        decision=arguments.decision,
        summary_limit=arguments.summary_limit,
        budget=arguments.budget,
        live=arguments.live,
        model=arguments.model,
        directory=arguments.directory,
        yes=arguments.yes,
        json=arguments.json,
    )
    # It writes as it goes: a person answers in the middle of it.
    return DONE if practise(options, _write, _complain) else FAILED, ""


def _check(arguments: argparse.Namespace) -> tuple[int, str]:
    try:
        verdicts = _verdicts(arguments.file, arguments.names)
    except KeyboardInterrupt:
        # The code of the file can raise it too, and then nobody pressed a key.
        _complain(f"ctxlab: {arguments.file} was not checked to the end: Ctrl-C or its own KeyboardInterrupt")
        raise
    passed = sum(verdict.passed for verdict in verdicts)
    status = DONE if passed == len(verdicts) else FAILED
    if arguments.json:
        fields = ("name", "kind", "passed", "lines")
        return status, _json([{field: getattr(verdict, field) for field in fields} for verdict in verdicts])
    texts = [f"{verdict.text()}\n" for verdict in verdicts]
    return status, "\n".join([*texts, f"{passed} of {len(verdicts)} passed\n"])


def _verdicts(file: str, chosen: list[str]) -> list["Verdict"]:
    """Check the functions of a file: those that were chosen, or all that are named as an exercise is."""
    from ctxlab.exercises.checking import check
    from ctxlab.exercises.exercise import exercise, exercise_names
    from ctxlab.exercises.learner_file import definitions

    wanted = [exercise(name).name for name in dict.fromkeys(chosen)]
    names = wanted or exercise_names()
    found = definitions(Path(file))
    for name in wanted:
        if not callable(found.get(name)):
            raise UsageError(f"{file} defines no function {name}; define it, or leave the name out")
    verdicts = [check(name, found[name]) for name in names if callable(found.get(name))]
    if not verdicts:
        raise UsageError(f"{file} defines none of the functions {', '.join(names)}")
    return verdicts


def _complain(line: str) -> None:
    """Write a line to standard error. The exit status speaks for itself where nobody can read it."""
    # Where standard error is closed, print would choose standard output.
    if sys.stderr is not None:
        with suppress(OSError):
            print(line, file=sys.stderr, flush=True)


def _json(value: object) -> str:
    # ASCII, so that it stays JSON whatever the encoding of standard output.
    return json.dumps(value, separators=(",", ":")) + "\n"


def _write(text: str) -> None:
    """Write to standard output, whatever its encoding, and also when nobody reads to the end."""
    if sys.stdout is None:
        raise UsageError("standard output is closed")
    encoding = sys.stdout.encoding
    try:
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        # A reader such as `head` has what it wanted. Python flushes again at its end, and must not fail then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise UsageError(f"standard output cannot be written ({error.strerror})") from error
