"""Policy and state: what was done stands in a log beside the history, so that exchanges may go.

An agent that works by one of them keeps that log itself. Here it is made of the exchanges: of each result,
its first line stands for what the agent would have found out.
"""

from ctxlab.errors import Refusal
from ctxlab.messages.openai_chat import ERROR_PREFIX
from ctxlab.messages.spoken import spoken
from ctxlab.reference.groups import groups_of
from ctxlab.reference.policy import CompactionPolicy, Step, compact, fingerprint
from ctxlab.reference.state import SubTask, TaskState, TaskStatus, build_messages
from ctxlab.strategies.strategy import History, Message, Prepare, Run

# The status of a step. Of policy's words only the first one matters.
CONFIRMED, FAILED = "ok", "error"
BRIEF_CHARS = 100
MOST_COMPLETED = 20
GOAL_BELOW = "what the last message asks for"
LOG = "Its log is made of the exchanges: the first line of a result stands for what an agent would note."


class Log:
    """The steps of a run, one for each call with its result, taken from its history as it grows."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._turn = 0

    def add(self, entered: History) -> None:
        """Add the whole exchanges in the messages that have entered the history."""
        for group in groups_of(entered):
            calls = entered[group.start].get("tool_calls")
            if not calls or group.fault:
                continue
            self._turn += 1
            results = {
                message["tool_call_id"]: "\n".join(spoken(message))
                for message in entered[group.start + 1 : group.stop]
            }
            self.steps += [self._step(call, results[call["id"]]) for call in calls]

    def _step(self, call: Message, result: str) -> Step:
        # Chat has no mark for an error; a converted history has the prefix in its place.
        status = FAILED if result.startswith(ERROR_PREFIX) else CONFIRMED
        brief = next((line.strip() for line in result.splitlines() if line.strip()), "")
        return Step(self._turn, _name(call), status, _cut(brief), fingerprint(result))


def _cut(line: str) -> str:
    """Return the beginning of a line. The mark says that it goes on; without one it would pass for all."""
    return line if len(line) <= BRIEF_CHARS else f"{line[: BRIEF_CHARS - 1]}…"


def begin_policy(run: Run) -> Prepare:
    """Trim results, replace old exchanges by their steps, pin conclusions."""
    # It counts characters / 2; so many tokens of its own are the limit.
    window = max(1, int(run.limits.tokens * run.characters_per_token / 2))
    policy = CompactionPolicy(window=window)
    run.note(
        f"It counts characters / 2: its window of {window:,} is the limit, at {run.characters_per_token:.1f} "
        "characters for a token as measured on this history. It starts to work at 60 % of it.",
        f"{LOG} No model rewrites its summary.",
    )
    log = Log()
    known = 0

    def prepare(history: History) -> History:
        nonlocal known
        log.add(history[known:])
        known = len(history)
        candidate, _ = compact(history, log.steps, policy)
        known = len(candidate)
        return candidate

    return prepare


def begin_state(run: Run) -> Prepare:
    """Send the state of the task and the newest groups."""
    run.note(
        f"{LOG} The state holds the goal, the newest question and the last {MOST_COMPLETED} calls.",
        "It sends about the last 10 messages, whatever the limit, and the newest question, as a text, behind "
        "them.",
    )
    log = Log()
    known = 0
    # Its requests are made of the whole history each time: in them the newest question has another place.
    whole: History = []

    def prepare(history: History) -> History:
        nonlocal known
        entered = history[known:]
        log.add(entered)
        whole.extend(entered)
        known = len(history)
        asked = [index for index, message in enumerate(whole) if message["role"] == "user"]
        if not asked:
            raise Refusal("not_a_history", "there is no message of the user, so no question to work on")
        question = "\n\n".join(spoken(whole[asked[-1]]))
        # A goal that is the newest question stands behind the messages, and need not stand there twice.
        is_goal = run.goal and question == run.goal
        state = TaskState(GOAL_BELOW, "") if is_goal else TaskState(run.goal, question)
        numbered = list(enumerate(log.steps, 1))[-MOST_COMPLETED:]
        state.completed_subtasks = [_subtask(number, step) for number, step in numbered]
        candidate = build_messages(state, question, whole[: asked[-1]] + whole[asked[-1] + 1 :])
        known = len(candidate)
        return candidate

    return prepare


def _subtask(number: int, step: Step) -> SubTask:
    status = TaskStatus.COMPLETED if step.status == CONFIRMED else TaskStatus.FAILED
    return SubTask(str(number), "call", status, step.brief, step.tool)


def _name(call: Message) -> str:
    """Return the name of the tool that a call is for."""
    called = call.get("function") or call.get("custom")
    name = called.get("name") if isinstance(called, dict) else None
    return name if isinstance(name, str) and name else "?"
