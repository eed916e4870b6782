"""Workers killed with SIGKILL at random moments: see `killing`, which checks what each of them left."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

KILLING = Path(__file__).with_name("killing.py")
KILLS = 250


def counts_of(mode: str, directory: Path) -> dict[str, int]:
    seed = random.randrange(10**6)
    print(f"seed {seed}")  # pytest shows it beside a failure
    command = [sys.executable, str(KILLING), mode, str(directory), str(seed), str(KILLS)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    counts: dict[str, int] = json.loads(ended.stdout)
    print(counts)
    assert sum(counts.values()) == KILLS
    return counts


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    counts = counts_of("saves", tmp_path)
    # Both must have come up: else the moments were not those in the middle of a save.
    assert counts["old"] > 5
    assert counts["new"] > 5


@pytest.mark.slow
def test_a_kill_at_any_moment_lets_no_side_effect_happen_twice(tmp_path: Path) -> None:
    counts = counts_of("effects", tmp_path)
    assert counts["unknown, happened"] > 5
    assert counts["between effects"] > 5
