"""A process that folds a session in a SQLite file, and meets its end, or the end of the disk, while saving.

Usage: folding_child.py commit|saved|full PATH. `commit` kills it just before the fold is committed, `saved`
between the save and the change of the memory; `full` lets no file grow beyond the size of the database.
"""

import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

from folds import GOOD, Model, caps_for, runs, summary
from sqlalchemy import event

from ctxlab.reference import folding
from ctxlab.reference.session import load_session
from ctxlab.reference.store import open_store


def die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(how: str, path: Path) -> None:
    db = open_store(path)
    session = load_session("task", runs(0), db=db)
    caps = caps_for(session, 90)
    persist = folding.persist_fold

    def persist_and_die(*args: Any, **more: Any) -> None:
        if how == "commit":
            event.listen(db, "commit", die)
        persist(*args, **more)
        if how == "saved":
            die()

    folding.persist_fold = persist_and_die
    if how == "full":
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, path.stat().st_size))
    model = Model(summary(*map(str, range(900))) if how == "full" else GOOD)
    folding.maybe_fold(session, model, caps, db=db, user_id="ida", emit=print)
    print("messages", len(session.messages))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
