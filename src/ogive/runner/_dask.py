"""The same supervised children inside the tasks of a Dask cluster; the only file that knows Dask.

Dask moves chunks and survives the loss of a worker; blame, limits and second attempts are those of
a slot. What comes back from a task is JSON. A chunk that is lost with its worker is sent again in
halves; a trial that has been lost three times gets the row `crashed`, "worker lost".
"""

from __future__ import annotations

import atexit
import contextlib
import ipaddress
import json
import logging
import queue
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from ogive.canonical import digest
from ogive.errors import InputError, MissingDependency, RunStopped
from ogive.runner import _wire
from ogive.runner._child import fold, unfold
from ogive.runner._limits import Limits, whole
from ogive.runner._plan import Agenda, Missing
from ogive.runner._slot import Chunk, Slot
from ogive.runner._source import Job
from ogive.runner._trial import Row
from ogive.store._versions import versions_here, versions_name

AIM = 3.0  # seconds of compute in a chunk
LOSSES = 3
LOOK = 1.0  # seconds between looks at how many workers there are
IDLE = 180.0  # seconds after which a child is ended that nobody has asked for: its driver may be dead


@dataclass(frozen=True, slots=True)
class Dask:
    """Where a Dask cluster is.

    Parameters
    ----------
    address : str or cluster, optional
        Of a scheduler ("tls://10.0.0.5:8786"), or an object with `scheduler_address`. Left out, a
        cluster of `n_workers` processes is started on this machine, bound to 127.0.0.1.
    security : distributed.security.Security, optional
        For TLS.
    insecure_network : bool
        Whether to talk without TLS to other machines: everyone on that network could then run
        code here and there.
    n_workers : int, optional
        Processes of the cluster that is started when there is no address; `workers` of the run where
        left out.
    """

    address: Any = None
    security: Any = None
    insecure_network: bool = False
    n_workers: int | None = None

    def __post_init__(self) -> None:
        if self.n_workers is not None:
            whole("n_workers", self.n_workers, 1)
        where = self.where
        if where is not None and not self.insecure_network and not _private(where):
            raise InputError(
                f"`address` {where!r} leaves this machine without TLS, so that others on the network could run code; use "
                "tls:// with security=, or say insecure_network=True (--insecure-network)."
            )

    @property
    def where(self) -> str | None:
        """The scheduler's address; None for a cluster of our own."""
        if self.address is None or isinstance(self.address, str):
            return self.address
        found = getattr(self.address, "scheduler_address", None)
        if not isinstance(found, str):
            raise InputError(f"`address` must be text or a Dask cluster; got {type(self.address).__name__}.")
        return found


def sized(dask: Dask, workers: int | None, cores: int) -> Dask:
    """The cluster with the number of workers that was asked for; refused where that cannot be."""
    if workers == 0:
        raise InputError("`workers` 0 runs in this process, not on a Dask cluster; leave out `workers` or `engine`.")
    if workers is not None and dask.address is not None:
        raise InputError(
            f"`workers` must be left out, since the Dask cluster at {dask.where!r} has its own; got {workers}."
        )
    if workers is not None and dask.n_workers not in (None, workers):
        raise InputError(
            f"`workers` is {workers} and `n_workers` of the Dask cluster {dask.n_workers}; say one of them."
        )
    return replace(dask, n_workers=dask.n_workers or workers or cores)


def _private(address: str) -> bool:
    """Whether nobody else can listen: TLS, or this machine."""
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if parts.scheme in ("tls", "wss", "inproc"):
        return True
    host = parts.hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
            client = stack.enter_context(_client(self._dask))
            job = client.submit(_hold, self._payload, pure=False)
            done: queue.Queue[Any] = queue.Queue()
            sent: dict[Any, _Sent] = {}
            places, looked = 1, 0.0
            stack.callback(self._leave, client, sent)
            while not self._killed:
                if time.monotonic() - looked > LOOK:
                    places, looked = max(1, sum(client.nthreads().values())), time.monotonic()
                self._submit(client, job, sent, done, 2 * places)
                if not sent:
                    return
                try:
                    future = done.get(timeout=0.1)
                except queue.Empty:
                    yield None
                    continue
                yield from self._ended(future, sent.pop(future))

    def _leave(self, client: Any, sent: dict[Any, _Sent]) -> None:
        if self._dask.where is None:  # the whole cluster ends, and its children with it
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
            future = client.submit(run_chunk, job, list(one.chunk.names), fold(one.chunk.trials), pure=False)
            sent[future] = one
            future.add_done_callback(done.put)

    def _ended(self, future: Any, one: _Sent) -> Iterator[tuple[tuple[str, str], _wire.Batch]]:
        if future.status == "finished":
            answer = json.loads(future.result())
            if "stopped" in answer:
                raise RunStopped(answer["stopped"])
            self._agenda.learn(one.chunk, len(one.chunk.trials), answer["seconds"])
            yield from self._rows(one.chunk, answer)
            return
        if future.status == "error" and not _lost(error := future.exception()):
            raise RunStopped(f"a Dask task failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}.")
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


@contextlib.contextmanager
def _client(dask: Dask) -> Iterator[Any]:
    """A client of the cluster, which is started here when there is none."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingDependency("`engine` 'dask' needs dask.distributed; install ogive[dask].") from None
    with contextlib.ExitStack() as stack:
        n_workers = dask.n_workers or 1
        address = dask.where or stack.enter_context(_own_cluster(n_workers)).scheduler_address
        try:
            client = Client(address, security=dask.security, timeout=30, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise RunStopped(f"no Dask scheduler answers at {address}: {' '.join(str(error).split())[:200]}.") from None
        stack.callback(client.close)
        if dask.where is None:
            client.wait_for_workers(n_workers, timeout=120)
        yield client


def _own_cluster(n_workers: int) -> Any:
    """Processes on this machine, one thread each, reachable from this machine only, without a dashboard.

    The scheduler lives in this process; workers are started by exec, so a script without a main
    guard works, and in sessions of their own, so that Ctrl-C does not reach them.
    """
    import asyncio

    from distributed import Scheduler
    from distributed.deploy.spec import SpecCluster
    from distributed.deploy.subprocess import SubprocessWorker

    class Worker(SubprocessWorker):  # type: ignore[misc]
        async def _start(self) -> None:
            spec = json.dumps({"cls": self.worker_class, "opts": self.worker_kwargs})
            command = [sys.executable, "-m", "dask", "spec", self.scheduler, "--spec", spec]
            self.process = await asyncio.create_subprocess_exec(
                *command, start_new_session=True, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
            )

    options = {
        "host": "127.0.0.1",
        "nthreads": 1,
        "dashboard": False,
        "silence_logs": logging.ERROR,
        "death_timeout": 60,
    }
    worker = {"cls": Worker, "options": {"worker_class": "distributed.Nanny", "worker_kwargs": options}}
    scheduler = {
        "cls": Scheduler,
        "options": {"host": "127.0.0.1", "port": 0, "dashboard": False, "dashboard_address": "127.0.0.1:0"},
    }
    return SpecCluster(
        workers=dict.fromkeys(range(n_workers), worker), scheduler=scheduler, worker=worker, silence_logs=logging.ERROR
    )


def _hold(payload: tuple[str, bytes, str]) -> tuple[str, bytes, str]:
    """The study on the cluster; a task, so that it is made again when the worker that held it is lost."""
    return payload


_slots: dict[str, list[tuple[float, Slot]]] = {}  # idle ones, and since when
_lock = threading.Lock()
_sweeping = False


def run_chunk(payload: tuple[str, bytes, str], names: list[str], trials: Any) -> bytes:
    """In a Dask worker: the rows of a chunk as JSON."""
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

    try:
        slot.work(lambda waiting: chunks.pop() if chunks else None, deliver)
    except RunStopped as error:
        return _wire.dumps({"stopped": str(error)})
    _give_back(key, slot)
    about = {"memory": slot.limits.memory, "libraries": versions_here()[1]}
    return _wire.dumps({"batches": batches, "seconds": total, **about})


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
