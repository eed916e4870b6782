"""Fair times on a noisy machine: what is compared runs in turn, and each ratio is taken within one round.

Seconds are processor time of this process, so that other programs on the machine count for little.
"""

import gc
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

ROUNDS = 9

Times = dict[str, list[float]]


def seconds(function: Callable[[], Any], *, repeat: int = 1, collector: bool = False) -> float:
    """Return how long one call takes: the mean of `repeat` calls, with or without the garbage collector."""
    gc.collect()
    if not collector:
        gc.disable()
    try:
        start = time.process_time()
        for _ in range(repeat):
            function()
        return (time.process_time() - start) / repeat
    finally:
        gc.enable()


def in_turn(
    cases: Mapping[str, Callable[[], Any]], *, rounds: int = ROUNDS, repeat: int = 1, collector: bool = False
) -> Times:
    """Run each case once per round. Returns the seconds of every round by case."""
    times: Times = {name: [] for name in cases}
    for function in cases.values():
        function()  # what is only done once is not measured
    for _ in range(rounds):
        for name, function in cases.items():
            times[name].append(seconds(function, repeat=repeat, collector=collector))
    return times


def ratio(times: Times, name: str, base: str) -> float:
    """Return the median, over the rounds, of one case's time divided by another's."""
    return median(own / other for own, other in zip(times[name], times[base], strict=True))


def milliseconds(times: Times, name: str) -> float:
    return median(times[name]) * 1000
