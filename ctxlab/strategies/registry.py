"""The strategies by name. One is added by one entry."""

from ctxlab.strategies.folds import begin_fold
from ctxlab.strategies.newest import begin_pack, begin_window
from ctxlab.strategies.own_exchanges import begin_prepare, begin_trim
from ctxlab.strategies.results import begin_shrink
from ctxlab.strategies.steps import begin_policy, begin_state
from ctxlab.strategies.strategy import History, Prepare, Run, Strategy


def _begin_none(_run: Run) -> Prepare:
    def prepare(history: History) -> History:
        return history

    return prepare


STRATEGIES = {
    strategy.name: strategy
    for strategy in (
        Strategy("none", "keep everything", _begin_none),
        Strategy("trim", "over the limit: long old results become one-line markers", begin_trim),
        Strategy("prepare", "over the limit: archive, trim, then summarise older exchanges", begin_prepare),
        Strategy("window", "over the limit: the oldest groups go to an archive", begin_window),
        Strategy("pack", "over the limit: system text, goal, and the newest groups that fit", begin_pack),
        Strategy("shrink", "cut the middle out of each long result as it enters", begin_shrink),
        Strategy("fold", "near the limit: the middle of the session becomes a summary", begin_fold),
        Strategy("policy", "near the limit: old exchanges become a log; pin conclusions", begin_policy),
        Strategy("state", "always: the state of the task, and about the last 10 messages", begin_state),
    )
}
