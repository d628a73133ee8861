"""The same supervised children inside the tasks of a Dask cluster.

Dask moves chunks and survives the loss of a worker; blame, limits and second attempts are those of
a slot. What comes back from a task is JSON. A chunk that is lost with its worker is sent again in
halves; a trial that has been lost three times gets the row `crashed`, "worker lost". A scheduler
that is lost, or silent, or has no worker for long stops the run: what is finished is kept.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import queue
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ogive.canonical import digest
from ogive.errors import RunStopped
from ogive.runner import _wire
from ogive.runner._child import fold, unfold
from ogive.runner._cluster import Dask, Entrance
from ogive.runner._plan import Agenda, Chunk, Limits, Missing
from ogive.runner._slot import Running, Slot
from ogive.runner._source import Job
from ogive.runner._trial import Row
from ogive.store import versions_here, versions_name

log = logging.getLogger("ogive")

AIM = 3.0  # seconds of compute in a chunk
LOSSES = 3
LOOK = 1.0  # seconds between looks at how many workers there are
SILENCE = 60.0  # seconds after which a scheduler that says nothing is given up
TELL = 2.0  # seconds between words on a trial that takes long
KEPT = "trials that are finished are kept, and the same call goes on"
IDLE = 180.0  # seconds after which a child is ended that nobody has asked for: its driver may be dead


@dataclass(slots=True)
class _Sent:
    chunk: Chunk
    losses: int = 0


class DaskEngine:
    """Runs an agenda on a cluster."""

    def __init__(self, dask: Dask, job: Job, todo: Sequence[Missing], limits: Limits, fixed: int | None) -> None:
        self._dask, self._limits = dask, limits
        self._agenda = Agenda(todo, seconds=AIM, fixed=fixed, workers=dask.n_workers or 1)
        self._payload = (json.dumps(job.header), job.body, json.dumps([limits.wall, limits.cpu, limits.memory]))
        self._again: list[_Sent] = []
        self._killed = False
        self._topic = f"ogive-{secrets.token_hex(8)}"
        self._heard: dict[tuple[tuple[str, str], int], tuple[float, float]] = {}

    def running(self) -> list[Running]:
        """The trials that have run for some seconds, as far as workers tell."""
        now = time.monotonic()
        self._heard = {key: one for key, one in self._heard.items() if now - one[0] < 3 * TELL}
        return [Running(names, trial, took + now - at) for (names, trial), (at, took) in self._heard.items()]

    def _hear(self, event: Any) -> None:
        """What a worker told of a trial that runs; events come as (time, message)."""
        algorithm, task, trial, seconds = event[-1]
        self._heard = {**self._heard, ((algorithm, task), trial): (time.monotonic(), seconds)}

    def stop(self) -> None:
        """Send nothing more."""
        self._agenda.stop()

    def kill(self) -> None:
        """Leave what is under way."""
        self._agenda.stop()
        self._killed = True

    def deliveries(self) -> Iterator[tuple[tuple[str, str], _wire.Batch] | None]:
        """Rows of cells as tasks end."""
        with contextlib.ExitStack() as stack:
            entrance = Entrance(self._dask)
            pulse: _Pulse | None = None
            stack.callback(lambda: entrance.close(gone=pulse is not None and pulse.lost is not None))
            while (client := entrance.client(0.1)) is None:
                if self._agenda.stopped:
                    return
                yield None
            pulse = stack.enter_context(_Pulse(client, self._dask))
            client.subscribe_topic(self._topic, self._hear)
            job = client.submit(_hold, self._payload, pure=False)
            done: queue.Queue[Any] = queue.Queue()
            sent: dict[Any, _Sent] = {}
            stack.callback(self._leave, client, sent, pulse)
            while not self._killed:
                pulse.check(job)
                self._submit(client, job, sent, done, 2 * max(1, pulse.places))
                if not sent or (self._agenda.stopped and not pulse.places):  # nobody will finish what is under way
                    return
                try:
                    future = done.get(timeout=0.1)
                except queue.Empty:
                    yield None
                    continue
                pulse.check(job)  # what was cancelled with its scheduler is not the loss of a worker
                yield from self._ended(future, sent, done)

    def _leave(self, client: Any, sent: dict[Any, _Sent], pulse: _Pulse) -> None:
        if self._dask.where is None or pulse.lost is not None:  # with the cluster its children end, too
            return
        with contextlib.suppress(Exception):
            client.cancel(list(sent), force=True)
            client.run(close_slots, on_error="ignore")

    def _submit(self, client: Any, job: Any, sent: dict[Any, _Sent], done: queue.Queue[Any], most: int) -> None:
        while len(sent) < most:
            one = self._again.pop() if self._again else None
            if one is None:
                chunk = self._agenda.take()
                if chunk is None:
                    return
                one = _Sent(chunk)
            future = client.submit(
                run_chunk, job, list(one.chunk.names), fold(one.chunk.trials), self._topic, pure=False
            )
            sent[future] = one
            future.add_done_callback(done.put)

    def _ended(
        self, future: Any, sent: dict[Any, _Sent], done: queue.Queue[Any]
    ) -> Iterator[tuple[tuple[str, str], _wire.Batch]]:
        one, error = sent.pop(future), None
        if future.status == "finished":
            try:
                answer = json.loads(future.result(timeout=SILENCE / 4))
            except TimeoutError:  # the worker that held it was lost, and another makes it again
                sent[future] = one
                done.put(future)
                return
            except Exception as lost:
                error = lost
            else:
                if "stopped" in answer:
                    raise RunStopped(answer["stopped"])
                self._agenda.learn(one.chunk, len(one.chunk.trials), answer["seconds"])
                yield from self._rows(one.chunk, answer)
                return
        elif future.status == "error":
            error = future.exception()
        if error is not None and not _lost(error):
            raise RunStopped(_failure(error))
        yield from self._lose(one)

    def _rows(self, chunk: Chunk, answer: dict[str, Any]) -> Iterator[tuple[tuple[str, str], _wire.Batch]]:
        attempts = dict(zip(chunk.trials, chunk.attempts, strict=True)) if chunk.attempts is not None else None
        origin = self._origin(answer)
        seen: list[int] = []
        for content in answer["batches"]:
            batch = _wire.decode(content, content["trials"])
            seen += batch.trials
            batch.origin = origin
            batch.attempts = None if attempts is None else [attempts[trial] for trial in batch.trials]
            yield chunk.names, batch
        if sorted(seen) != sorted(chunk.trials):
            raise RunStopped("a Dask task returned rows of other trials than it was asked for.")

    def _origin(self, answer: dict[str, Any]) -> _wire.Origin:
        """What the rows of an answer were made under: a worker may imply a memory limit, and has its own libraries."""
        libraries = {str(name): str(version) for name, version in answer["libraries"].items()}
        limits = Limits(wall=self._limits.wall, cpu=self._limits.cpu, memory=answer["memory"])
        return _wire.Origin(limits.record(), versions_name(libraries), libraries)

    def _lose(self, one: _Sent) -> Iterator[tuple[tuple[str, str], _wire.Batch]]:
        chunk, losses = one.chunk, one.losses + 1
        n = len(chunk.trials)
        if n > 1:
            self._again += [_Sent(chunk.part(n // 2, None), losses), _Sent(chunk.part(0, n // 2), losses)]
        elif losses < LOSSES:
            self._again.append(_Sent(chunk, losses))
        else:
            batch = _wire.batch_of([Row(chunk.trials[0], "crashed", "worker lost")])
            batch.attempts = chunk.attempts
            yield chunk.names, batch


def _lost(error: BaseException) -> bool:
    """Whether a task ended because its worker did."""
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    return isinstance(error, (KilledWorker, CommClosedError, TimeoutError)) or "Cancelled" in type(error).__name__


def _failure(error: BaseException) -> str:
    """Why a task could not even begin."""
    text = " ".join(f"{type(error).__name__}: {error}".split())[:300].rstrip(".")
    if "No module named 'ogive" in str(error) or "No module named 'ogive" in str(error.__cause__):
        return f"a worker of the Dask cluster has no ogive; install it there ({text})."
    return f"a Dask task failed: {text}."


class _Pulse:
    """Looks after a cluster from a thread of its own: a call that is never answered must not hold up the driver."""

    def __init__(self, client: Any, dask: Dask) -> None:
        self._client, self._dask = client, dask
        self.places = 1
        self.lost: str | None = None
        self._heard = self._manned = time.monotonic()
        self._warned = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True, name="ogive-dask-pulse")

    def __enter__(self) -> _Pulse:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def _look(self) -> None:
        while not self._over.is_set():
            # A call of a client that is being closed, or whose scheduler has died, fails in many ways;
            # `check` sees what has become of it.
            with contextlib.suppress(Exception):
                self.places = sum(self._client.nthreads().values())
                self._heard = time.monotonic()
                if self.places:
                    self._manned, self._warned = self._heard, False
            self._over.wait(LOOK)

    def check(self, job: Any) -> None:
        """Stop the run when the scheduler is lost or silent, or has had no worker for too long."""
        now, where = time.monotonic(), self._dask.where or "127.0.0.1"
        # A job that is "lost" was held by a worker that is, and is made again; a cancelled one never.
        if self._client.status != "running" or job.status == "cancelled":
            self.lost = f"the connection to the Dask scheduler at {where} was lost; {KEPT}."
        elif now - self._heard > SILENCE:
            self.lost = f"the Dask scheduler at {where} has said nothing for {SILENCE:.0f} s; {KEPT}."
        if self.lost is not None:
            raise RunStopped(self.lost)
        if self.places:
            return
        waited = now - self._manned
        if waited > self._dask.patience:
            raise RunStopped(
                f"the Dask cluster at {where} has had no worker for {self._dask.patience:g} s (one without ogive leaves as "
                f"soon as it gets a task: its log says so); {KEPT}."
            )
        if waited > 2 * LOOK and not self._warned:
            self._warned = True
            log.warning("the Dask cluster at %s has no worker; waiting up to %g s for one", where, self._dask.patience)


def _hold(payload: tuple[str, bytes, str]) -> tuple[str, bytes, str]:
    """The study on the cluster; a task, so that it is made again when the worker that held it is lost."""
    return payload


_slots: dict[str, list[tuple[float, Slot]]] = {}  # idle ones, and since when
_lock = threading.Lock()
_sweeping = False


def run_chunk(payload: tuple[str, bytes, str], names: list[str], trials: Any, topic: str | None = None) -> bytes:
    """In a Dask worker: the rows of a chunk as JSON; who listens to the topic hears of trials that take long."""
    key = digest(repr((payload[0], payload[2])).encode() + payload[1])
    slot = _borrow(key, payload)
    batches: list[dict[str, Any]] = []
    chunks = [Chunk(0, (names[0], names[1]), unfold(trials))]
    total = 0.0

    def deliver(chunk: Chunk, batch: _wire.Batch, seconds: float | None) -> None:
        nonlocal total
        total += seconds or 0.0
        if len(batch):
            batches.append(_wire.encode(batch))

    slot.tell = None if topic is None else _Teller(topic)
    try:
        slot.work(lambda waiting: chunks.pop() if chunks else None, deliver)
    except RunStopped as error:
        return _wire.dumps({"stopped": str(error)})
    _give_back(key, slot)
    about = {"memory": slot.limits.memory, "libraries": versions_here()[1]}
    return _wire.dumps({"batches": batches, "seconds": total, **about})


class _Teller:
    """Says now and then which trial runs, once it has run for some seconds."""

    def __init__(self, topic: str) -> None:
        self._topic, self._last = topic, 0.0

    def __call__(self, running: Running) -> None:
        now = time.monotonic()
        if running.seconds < TELL or now - self._last < TELL:
            return
        self._last = now
        from distributed import get_worker

        with contextlib.suppress(ValueError, AttributeError):  # no worker of Dask's, or one that is leaving
            get_worker().log_event(self._topic, [*running.names, running.trial, running.seconds])


def _borrow(key: str, payload: tuple[str, bytes, str]) -> Slot:
    with _lock:
        idle = _slots.pop(key, [])
        if len(idle) > 1:
            _slots[key] = idle[:-1]
        if idle:
            return idle[-1][1]
    header, limits = json.loads(payload[0]), json.loads(payload[2])
    memory = limits[2] if limits[2] is not None else _share_of_memory()
    job = Job({**header, "elsewhere": True}, payload[1])
    return Slot(job, Limits(wall=limits[0], cpu=limits[1], memory=memory))


def _give_back(key: str, slot: Slot) -> None:
    """Keep a slot for the next chunk of the same study, for some minutes."""
    global _sweeping
    with _lock:
        _slots.setdefault(key, []).append((time.monotonic(), slot))
        begin, _sweeping = not _sweeping, True
    if begin:
        threading.Thread(target=_sweep, daemon=True, name="ogive-sweeper").start()


def _sweep() -> None:
    """End children that nobody asks for any more, until none is idle."""
    global _sweeping
    while True:
        time.sleep(IDLE / 4)
        close_slots(idle_for=IDLE)
        with _lock:
            if not _slots:
                _sweeping = False
                return


def _share_of_memory() -> int | None:
    """What the worker may use, divided by its threads: its nanny does not see the child's memory."""
    from distributed import get_worker

    with contextlib.suppress(ValueError, AttributeError):
        worker = get_worker()
        limit = worker.memory_manager.memory_limit
        return int(limit / max(1, worker.state.nthreads)) if limit else None
    return None


@atexit.register
def close_slots(idle_for: float = 0.0) -> None:
    """End the children of this process that have been idle for so many seconds."""
    before = time.monotonic() - idle_for
    with _lock:
        old = [slot for slots in _slots.values() for since, slot in slots if since <= before]
        young = {key: [one for one in slots if one[0] > before] for key, slots in _slots.items()}
        _slots.clear()
        _slots.update({key: slots for key, slots in young.items() if slots})
    for slot in old:
        slot.close(kill=True)
