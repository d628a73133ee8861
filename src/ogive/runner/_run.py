"""The deep function: check, plan, run, keep, return the table."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, TypeAlias

from ogive.errors import InputError, RunStopped, StoreConflict
from ogive.notes import Note, NoteKind
from ogive.runner._child import INSIDE, warm_up
from ogive.runner._cluster import Dask, sized
from ogive.runner._dask import DaskEngine
from ogive.runner._gather import Gatherer
from ogive.runner._local import AIM as LOCAL_AIM
from ogive.runner._local import InlineEngine, LocalEngine
from ogive.runner._plan import Agenda, Limits, Missing, as_bytes, check_retry, check_shard, missing, whole
from ogive.runner._progress import Progress, Watcher, announce, shower, statistic_interval
from ogive.runner._source import Job, file_job, loading, pickled_job, split_name
from ogive.store import Store, StoreError, place_for
from ogive.study import Study
from ogive.trials import Trials

log = logging.getLogger("ogive")


class Interrupts:
    """Counts interruptions while a run is going on, and gives the old handlers back afterwards.

    Signals reach only the main thread of a process; a run in another thread leaves them alone.
    """

    def __init__(self, first: Callable[[], None], *, second_raises: bool = False) -> None:
        self._first, self._second_raises = first, second_raises
        self._before: dict[int, Any] = {}
        self.count = 0

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._heard)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        if self.count == 1:
            log.warning("stopping when the trials under way are finished and kept; once more ends them at once")
            self._first()
        elif self._second_raises:
            raise KeyboardInterrupt


MOST_TRIALS, MOST_WORKERS = 10**9, 10_000  # a resumed run holds a byte for each trial that is planned
log = logging.getLogger("ogive")
COMPACT_AT_END = 20  # parts; fewer are read as fast as one


def run(
    study: Study | str | Path,
    n_trials: int = 100,
    store: str | Path | Store | None = None,
    *,
    workers: int | None = None,
    engine: Dask | str | None = None,
    progress: bool | Callable[[Progress], None] = True,
    wall_limit: float | None = None,
    cpu_limit: float | None = None,
    memory_limit: float | str | None = None,
    retry: str | Collection[str] = (),
    shard: str | Sequence[int] | None = None,
    chunk: int | None = None,
    accept_change: bool = False,
    statistic: str = "mean",
    gpus: str | Sequence[str] | None = None,
) -> Trials:
    """Run the trials of a study that a store does not hold yet, and return all of them.

    Parameters
    ----------
    study : Study, or path
        A path names a Python file with a Study at its top level, "FILE.py" or "FILE.py:NAME" where it has several. Its
        text goes to the children, so that nothing need be pickled.
    n_trials : int
        Of each algorithm on each task; raising it later runs only the new ones.
    store : path, optional
        A directory that keeps finished trials; the same call goes on where an interrupted one
        stopped. Left out, trials are kept only in the table that is returned.
    workers : int, optional
        Child processes; as many as there are cores where left out. 0 runs in this process, without
        limits, so that breakpoints work. The order of a set of text is then that of this process
        (PYTHONHASHSEED), and the same in all children; a note says so where the two differ.
    engine : Dask or "dask", optional
        Where children run, if not on this machine alone; "dask" starts a cluster of `workers` here.
    progress : bool or callable
        Whether to show how far the run is, or what to call with a `Progress`.
    wall_limit, cpu_limit : float, optional
        Seconds of one trial; it then has the status `timeout`. A wall limit depends on load, a CPU
        limit does not.
    memory_limit : int or str, optional
        Bytes of one trial ("2GB"); it then has the status `memory`.
    retry : statuses
        Failed trials to run once more, for example ("timeout", "crashed").
    shard : (i, n) or "i/n", optional
        Only the trials i − 1, i − 1 + n, …, for several machines that write into one directory.
    chunk : int, optional
        Fixes how many trials are handed out at once; never changes a number.
    accept_change : bool
        Whether to go on although the store holds another definition of the study.
    statistic : str
        Whose interval is shown meanwhile: mean, median, q0.1, worst_0.1.
    gpus : str, optional
        Such as "0,1": each worker sees one of them.

    Raises
    ------
    KeyboardInterrupt
        After the first Ctrl-C or SIGTERM, when the chunks under way are finished and kept.
    """
    settings = Settings.checked(
        n_trials=n_trials, workers=workers, engine=engine, limits=Limits(wall=wall_limit, cpu=cpu_limit, memory=as_bytes(memory_limit)),
        retry=check_retry(retry), shard=check_shard(shard), chunk=chunk, gpus=gpus, statistic=statistic,
    )  # fmt: skip
    job, found = file_job(*split_name(str(study))) if isinstance(study, (str, Path)) else (None, study)
    if job is not None and progress is True:
        announce(split_name(str(study))[0], found, settings.n_trials, store if isinstance(store, (str, Path)) else None)
    with place_for(store) as place:
        trials = execute(found, place, settings, tell=shower(progress), accept_change=accept_change, job=job)
        return trials.with_series() if store is None else trials


def study_in(path: str | Path) -> Study:
    """The study of a Python file, "FILE.py" or "FILE.py:NAME" where it has several."""
    found = file_job(*split_name(str(path)))[1]
    assert isinstance(found, Study)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to run, checked; nothing here can change a number except by a limit."""

    n_trials: int
    workers: int
    engine: Dask | None
    limits: Limits
    retry: tuple[str, ...] = ()
    shard: tuple[int, int] | None = None
    chunk: int | None = None
    gpus: tuple[str, ...] = ()
    statistic: str = "mean"

    @classmethod
    def checked(cls, *, workers: int | None, engine: Dask | str | None, gpus: Any, **rest: Any) -> Settings:
        """Settings from what a user gave."""
        if loading.get() is not None:
            raise InputError(
                'the file calls `run` itself; put that call under `if __name__ == "__main__":`, which `ogive run` leaves out.'
            )
        if INSIDE in os.environ:
            raise InputError(
                "`run` was called inside a worker process of another run; call it once, outside of algorithms and "
                'tasks, and in a study file under `if __name__ == "__main__":`.'
            )
        rest["n_trials"] = whole("n_trials", rest["n_trials"], 1, MOST_TRIALS)
        rest["chunk"] = None if rest["chunk"] is None else whole("chunk", rest["chunk"], 1, MOST_TRIALS)
        workers = None if workers is None else whole("workers", workers, 0, MOST_WORKERS)
        statistic_interval(rest["statistic"])
        chosen = _engine(engine, workers)
        if os.name == "nt" and (workers != 0 or chosen is not None):
            raise InputError("worker processes need Linux or macOS; on Windows use workers=0, or run under WSL.")
        if workers == 0 and chosen is None and any(v is not None for v in (rest["limits"].record() or {}).values()):
            raise InputError("limits need worker processes; use workers=1 or more, or leave the limits out.")
        if _gpus(gpus) and (workers == 0 or chosen is not None):
            raise InputError(
                "`gpus` are given to worker processes of this machine; leave it out with workers=0, and on Dask start "
                "each worker with its own CUDA_VISIBLE_DEVICES."
            )
        return cls(workers=cores() if workers is None else workers, engine=chosen, gpus=_gpus(gpus), **rest)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _engine(engine: Dask | str | None, workers: int | None) -> Dask | None:
    if engine is None or engine == "local":
        return None
    if engine == "dask" or isinstance(engine, Dask):
        return sized(engine if isinstance(engine, Dask) else Dask(), workers, cores())
    raise InputError(f"`engine` must be 'local', 'dask' or ogive.Dask(…); got {engine!r}.")


def _gpus(gpus: Any) -> tuple[str, ...]:
    given = gpus.split(",") if isinstance(gpus, str) else list(gpus or ())
    names = tuple(str(name).strip() for name in given)
    if not all(names):
        raise InputError(f"`gpus` must be names with commas between them, for example 0,1; got {gpus!r}.")
    return names


Engine: TypeAlias = LocalEngine | InlineEngine | DaskEngine


def execute(
    study: Study,
    store: Store,
    settings: Settings,
    *,
    tell: Callable[[Progress], None] | None = None,
    accept_change: bool = False,
    job: Job | None = None,
) -> Trials:
    """Run what is missing; `job` says how children get the study, if not pickled."""
    if not isinstance(study, Study):
        raise InputError(f"`study` must be an ogive.Study, or a file that holds one; got {type(study).__name__}.")
    store.create(study.record(), accept_change=accept_change)
    names = [(algorithm.name, task.name) for algorithm in study.algorithms for task in study.tasks]
    finished = store.finished()
    todo = missing(names, settings.n_trials, finished, retry=settings.retry, shard=settings.shard)
    batches = {algorithm.name: algorithm.batch for algorithm in study.algorithms}
    for cell in todo:
        cell.batch = batches[cell.names[0]]
    notes = study.notes
    if any(len(cell) for cell in todo):
        store.clear_leftovers()
        store.note_plan(names, settings.n_trials)
        if not settings.workers and settings.engine is None and sys.flags.hash_randomization:
            # The one thing in which trials of this process may differ from those of children.
            notes = (*notes, Note(NoteKind.ORDER_OF_SETS))
        warm_up(study)
        with _engine_for(study, settings, todo, job) as engine:
            try:
                _drive(engine, study, store, settings, todo, tell, resumed=bool(finished))
            except StoreConflict:  # another study got in meanwhile: the place was a wrong choice
                raise
            except StoreError as error:  # the place was a good one when the run began
                raise RunStopped(f"the run stopped: {error}") from error
    else:
        with contextlib.suppress(StoreError):  # a directory that can only be read still gives its table
            store.note_plan(names, settings.n_trials)
    parts = store.path / "trials"
    if parts.is_dir() and sum(1 for _ in parts.glob("*.parquet")) > COMPACT_AT_END:
        store.compact()
    trials = store.trials().with_notes(*notes)
    for note in trials.notes:  # as `read` does: the command line prints those that are doubtful
        log.info("%s: %s", study.name, note)
    return trials


@contextlib.contextmanager
def _engine_for(study: Study, settings: Settings, todo: list[Missing], job: Job | None) -> Iterator[Engine]:
    if settings.engine is not None:
        yield DaskEngine(settings.engine, job or pickled_job(study, share=False), todo, settings.limits, settings.chunk)
        return
    agenda = Agenda(todo, seconds=LOCAL_AIM, fixed=settings.chunk, workers=settings.workers)
    if settings.workers == 0:
        yield InlineEngine(study, agenda)
        return
    job = job or pickled_job(study)
    workers = min(settings.workers, max(1, agenda.left))
    try:
        yield LocalEngine(job, agenda, settings.limits, workers=workers, gpus=settings.gpus)
    finally:
        job.close()


def _drive(
    engine: Engine,
    study: Study,
    store: Store,
    settings: Settings,
    todo: list[Missing],
    tell: Callable[[Progress], None] | None,
    *,
    resumed: bool,
) -> None:
    """Take rows from an engine and write them, until it is done or was interrupted; only what is kept is shown."""
    gatherer = Gatherer(store, settings.limits.record(), study.group)
    # Given no name: the table of a long study would stay in memory until the end of the run.
    watcher = Watcher(
        [(c.names, c.trials) for c in todo], study.metrics, settings.statistic, tell,
        earlier=store.trials() if tell is not None and resumed else None,
        # Where a limit ends them nobody needs to be told.
        running=engine.running if settings.limits.wall is None else None,
    )  # fmt: skip
    inline = isinstance(engine, InlineEngine)
    with Interrupts(engine.stop, second_raises=inline) as interrupts:
        try:
            with contextlib.closing(engine.deliveries()) as deliveries:  # type: ignore[type-var]
                for delivery in deliveries:
                    if delivery is not None:
                        gatherer.add(*delivery)
                    watcher.add(gatherer.due())
                    watcher.look()
                    if interrupts.count > 1:
                        engine.kill()
        finally:
            try:
                watcher.add(gatherer.write())
            finally:
                watcher.look(last=True)
    if interrupts.count and watcher.done < watcher.total:
        raise KeyboardInterrupt(
            f"stopped after {watcher.done} of {watcher.total} trials; what is finished is kept in {store.path}, and the same call goes on."
        )
