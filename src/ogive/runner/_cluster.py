"""The way to a Dask cluster, and who else may go it.

A cluster that is started here takes nobody but its driver: scheduler, nannies and workers speak TLS
with a certificate that is made for this cluster, is never written to a command line or an
environment, and ends with it. To a cluster of somebody's own one comes with `tls_ca`, `tls_cert` and
`tls_key`, with `security`, or with what Dask's configuration says (`distributed.comm.tls`).

Whoever can connect to a Dask scheduler can run code on its workers, and whoever a client connects
to can run code in the client: that is why an address beyond this machine without TLS is refused.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import logging
import re
import socket
import ssl
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ogive.errors import InputError, MissingDependency, OgiveError, RunStopped
from ogive.runner._plan import whole

log = logging.getLogger("ogive")

ANSWER = 30.0  # seconds in which a scheduler must answer
START = 150.0  # seconds in which a cluster of our own must stand
LEAVE = 10.0  # seconds for a good-bye
SCHEMES = ("tcp", "tls", "ws", "wss", "ucx")
EXAMPLE = "tls://10.0.0.5:8786"
WAYS = (
    "give tls_ca, tls_cert and tls_key (--tls-ca, --tls-cert, --tls-key), or set distributed.comm.tls in Dask's "
    "configuration"
)


@dataclass(frozen=True, slots=True)
class Dask:
    """Where a Dask cluster is, and how one gets in.

    Parameters
    ----------
    address : str or cluster, optional
        Of a scheduler ("tls://10.0.0.5:8786"), or an object with `scheduler_address`. Left out, a
        cluster of `n_workers` processes is started on this machine, bound to 127.0.0.1, which takes
        nobody else.
    security : distributed.security.Security, optional
        For TLS; where it is left out, that of the cluster object, or Dask's configuration.
    insecure_network : bool
        Whether to talk without TLS to other machines: everyone on that network could then run
        code here and there.
    n_workers : int, optional
        Processes of the cluster that is started when there is no address; `workers` of the run where
        left out.
    tls_ca, tls_cert, tls_key : path, optional
        Files in PEM form, instead of `security`: the authority that signed the cluster's
        certificates, and a certificate with its key for us (the key may stand in the certificate's file).
    patience : float
        Seconds to wait for a worker while the cluster has none; then the run stops, and what is
        finished is kept.
    """

    address: Any = None
    security: Any = None
    insecure_network: bool = False
    n_workers: int | None = None
    tls_ca: str | Path | None = None
    tls_cert: str | Path | None = None
    tls_key: str | Path | None = None
    patience: float = 300.0

    def __post_init__(self) -> None:
        if self.n_workers is not None:
            whole("n_workers", self.n_workers, 1, 10_000)
        if isinstance(self.patience, bool) or not isinstance(self.patience, int | float) or not self.patience > 0:
            raise InputError(f"`patience` must be a number of seconds above 0; got {self.patience!r}.")
        where = self.where
        self._check_files(where)
        if where is None:
            return
        if not self.insecure_network and not _private(where):
            raise InputError(
                f"`address` {where!r} leaves this machine without TLS, so that others on the network could run code; use "
                "tls:// with security=, or say insecure_network=True (--insecure-network)."
            )
        if _encrypted(where):
            _check_certificates(self.credentials(), where)

    @property
    def where(self) -> str | None:
        """The scheduler's address; None for a cluster of our own."""
        if self.address is None:
            return None
        if isinstance(self.address, str):
            return _checked(self.address)
        found = getattr(self.address, "scheduler_address", None)
        if not isinstance(found, str):
            raise InputError(f"`address` must be text or a Dask cluster; got {type(self.address).__name__}.")
        return found

    def credentials(self) -> Any:
        """What a client shows and asks for: `security`, the files, the cluster's own, or Dask's configuration."""
        if self.security is not None:
            return self.security
        if self.tls_ca is not None:
            return _security()(
                require_encryption=True, tls_ca_file=str(self.tls_ca), tls_client_cert=str(self.tls_cert),
                tls_client_key=None if self.tls_key is None else str(self.tls_key),
            )  # fmt: skip
        return getattr(self.address, "security", None) or _security()()

    def _check_files(self, where: str | None) -> None:
        given = [name for name in ("tls_ca", "tls_cert", "tls_key") if getattr(self, name) is not None]
        if not given:
            return
        if where is None:
            raise InputError(
                f"`{given[0]}` belongs to an `address`: the cluster that is started here makes its own certificates."
            )
        if self.security is not None:
            raise InputError(f"`{given[0]}` and `security` say the same thing; leave out one of them.")
        if not _encrypted(where):
            raise InputError(f"`{given[0]}` belongs to a tls:// address; got {where!r}.")
        for name in ("tls_ca", "tls_cert"):
            if getattr(self, name) is None:
                raise InputError(f"`{name}` (--{name.replace('_', '-')}) is missing beside `{given[0]}`; {WAYS}.")


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


def _checked(address: str) -> str:
    """An address that Dask reads as we do: a scheme that it knows, a host, a port, and nothing else."""
    scheme, found, rest = address.rpartition("://")
    with contextlib.suppress(ValueError):
        parts = urlsplit(f"//{rest}")
        plain = address.isprintable() and not set(address) & set(" @?#\\%")
        if (scheme in SCHEMES or not found) and plain and parts.hostname and parts.port and not parts.path.strip("/"):
            return address
    raise InputError(f"`address` must be a scheduler's, with host and port, such as {EXAMPLE}; got {address!r}.")


def _encrypted(address: str) -> bool:
    return address.startswith(("tls://", "wss://"))


def _private(address: str) -> bool:
    """Whether nobody else can listen: TLS, or this machine."""
    if _encrypted(address) or address.startswith("inproc://"):
        return True
    host = urlsplit(address if "://" in address else f"tcp://{address}").hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _security() -> Any:
    try:
        from distributed.security import Security
    except ImportError:
        raise MissingDependency("`engine` 'dask' needs dask.distributed; install ogive[dask].") from None
    return Security


class _HasPassword(Exception):
    """A key that nobody can open without asking."""


def _check_certificates(security: Any, where: str) -> None:
    """Refuse certificates that cannot be used, before anything is run.

    Dask loads them late, as a TypeError where there are none, and asks for the password of an
    encrypted key at the terminal, where nobody may sit.
    """
    try:
        files = security.get_tls_config_for_role("client")
    except AttributeError:
        raise InputError(
            f"`security` must be a distributed.security.Security; got {type(security).__name__}."
        ) from None
    authority, certificate, key = files["ca_file"], files["cert"], files["key"]
    if not authority or not certificate:
        raise InputError(f"`address` {where!r} speaks TLS, and there are no certificates for it; {WAYS}.")
    named = (("tls_ca", authority), ("tls_cert", certificate), ("tls_key", key))
    for name, file in named:
        if file and "\n" not in file:
            try:
                Path(file).read_bytes()
            except (OSError, ValueError) as error:
                raise InputError(f"`{name}` {file!r} cannot be read: {_words(error)}.") from None
    if any("\n" in file for _, file in named if file):
        return  # in memory, as Security.temporary makes them
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cafile=authority)
    except ssl.SSLError:
        raise InputError(f"`tls_ca` {authority!r} holds no certificate in PEM form.") from None
    try:
        context.load_cert_chain(certificate, key or None, password=_refuse_password)
    except _HasPassword:
        raise InputError(
            f"the key in {key or certificate!r} is encrypted, and nobody is asked for passwords; give a key without one "
            "that only you can read."
        ) from None
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise InputError(f"`tls_key` {key!r} does not belong to the certificate {certificate!r}.") from None
        raise InputError(
            f"`tls_cert` {certificate!r}"
            + (f" with `tls_key` {key!r} is" if key else " holds")
            + " no certificate with its key in PEM form."
        ) from None


def _refuse_password() -> str:
    raise _HasPassword


class Entrance:
    """A client of a cluster, which is started here when there is none.

    It is made in a thread of its own: Dask waits without an end for a listener that takes a
    connection and says nothing, and a driver that waits must still hear Ctrl-C and show progress.
    """

    def __init__(self, dask: Dask) -> None:
        self._dask = dask
        self._client: Any = None
        self._error: BaseException | None = None
        self._stack = contextlib.ExitStack()
        self._lock, self._left, self._gone = threading.Lock(), False, False
        self._began, self._warned = time.monotonic(), False
        self._thread = threading.Thread(target=self._enter, daemon=True, name="ogive-dask")
        self._thread.start()

    def client(self, wait: float) -> Any:
        """The client, or None where there is none yet."""
        self._thread.join(wait)
        if self._thread.is_alive():
            waited, own = time.monotonic() - self._began, self._dask.address is None
            if waited < (START if own else ANSWER + LEAVE):
                if waited > 2.0 and not own and not self._warned:
                    self._warned = True
                    log.warning("waiting up to %.0f s for the Dask scheduler at %s", ANSWER, self._dask.where)
                return None
            if own:
                raise RunStopped(f"the Dask cluster of this run did not start within {START:.0f} s.")
            raise RunStopped(
                f"something listens at {self._dask.where}, but does not answer as a Dask scheduler does; look at the address."
            )
        if self._error is not None:
            raise self._error
        return self._client

    def close(self, *, gone: bool = False) -> None:
        """Say good-bye, and end what was started here; `gone`: the other side does not hear it."""
        self._gone = gone
        if self._dask.address is None:
            self._thread.join(START)
        with self._lock:
            self._left = True
            if self._thread.is_alive():
                return  # it leaves by itself as soon as it can
        self._leave()

    def _enter(self) -> None:
        try:
            self._client = self._stack.enter_context(_client(self._dask))
        except BaseException as error:
            self._error = error
        with self._lock:
            if not self._left:
                return
        self._leave()

    def _leave(self) -> None:
        """In a thread where the other side may be dead: Dask's own good-bye waits a minute for it."""
        if self._dask.address is None:
            self._stack.close()
            return
        leaving = threading.Thread(target=self._say_good_bye, daemon=True, name="ogive-dask-leaves")
        leaving.start()
        leaving.join(0.5 if self._gone else LEAVE)

    def _say_good_bye(self) -> None:
        """Nothing waits for it any more: what a dead scheduler makes Dask raise here is told to whoever listens."""
        try:
            self._stack.close()
        except Exception as error:
            log.info("the good-bye to the Dask scheduler failed: %s", _words(error))


@contextlib.contextmanager
def _client(dask: Dask) -> Iterator[Any]:
    security = _security()
    from distributed import Client
    from distributed.utils import silence_logging_cmgr

    with contextlib.ExitStack() as stack:
        # Dask logs the loss of a scheduler with tracebacks, beside the error that is turned into a sentence here.
        stack.enter_context(silence_logging_cmgr(logging.CRITICAL + 1))
        if dask.address is None:
            cluster = stack.enter_context(own_cluster(dask.n_workers or 1))
            address, security = cluster.scheduler_address, cluster.security
        else:
            address, security = dask.where, dask.credentials()
        try:
            client = Client(address, security=security, timeout=ANSWER, set_as_default=False)
        except Exception as error:
            raise RunStopped(f"no Dask scheduler lets us in at {address}: {_reason(error, address)}.") from None
        stack.callback(client.close)
        try:
            if dask.address is None:
                client.wait_for_workers(dask.n_workers or 1, timeout=120)
            else:
                _look_around(client, str(address))
        except OgiveError:
            raise
        except Exception as error:
            raise RunStopped(f"the Dask cluster at {address} does not answer: {_words(error)}.") from None
        yield client


def _look_around(client: Any, address: str) -> None:
    """Refuse a cluster on which no chunk could run: without Ogive, or with another Python.

    Functions of notebooks and scripts travel as byte code, which is that of one minor version.
    """
    there = client.get_versions(packages=["ogive"])
    places = {f"its scheduler at {address}": there["scheduler"]}
    places |= {f"its worker at {name}": found for name, found in there["workers"].items()}
    ours = {**there["client"]["packages"], "python": _minor(there["client"])}
    for place, found in places.items():
        if found is None or "packages" not in found:
            continue  # one that is about to leave
        if not found["packages"].get("ogive"):
            raise RunStopped(f"the Dask cluster cannot run this study: {place} has no ogive; install it there.")
        if _minor(found) != ours["python"]:
            raise RunStopped(
                f"the Dask cluster cannot run this study: {place} has Python {_minor(found)}, and this is Python "
                f"{ours['python']}; use the same everywhere."
            )


def _minor(versions: Any) -> str:
    return ".".join(str(versions["packages"].get("python") or "").split(".")[:2])


def own_cluster(n_workers: int) -> Any:
    """Processes on this machine, one thread each, that take nobody without this cluster's certificate.

    Bound to 127.0.0.1, without a dashboard and without the pages that Dask serves beside it (a
    list of tasks, a proxy to other ports). The scheduler lives in this process; workers are
    started by exec, so a script without a main guard works, and in sessions of their own, so that
    Ctrl-C does not reach them. Their key comes through a pipe: command lines can be read by every
    user of the machine, and environments are handed on to the children that run a study.
    """
    import asyncio

    import dask
    from distributed import Scheduler
    from distributed.deploy.spec import SpecCluster
    from distributed.deploy.subprocess import SubprocessWorker

    class Worker(SubprocessWorker):  # type: ignore[misc]
        async def _start(self) -> None:
            spec = json.dumps({"cls": self.worker_class, "opts": self.worker_kwargs})
            command = [sys.executable, "-m", "dask", "spec", self.scheduler, "--spec-file", "/dev/stdin"]
            nowhere = asyncio.subprocess.DEVNULL
            self.process = await asyncio.create_subprocess_exec(
                *command, start_new_session=True, stdin=asyncio.subprocess.PIPE, stdout=nowhere, stderr=nowhere
            )
            pipe = self.process.stdin
            assert pipe is not None
            pipe.write(spec.encode())
            pipe.write_eof()

    security = _temporary()
    theirs = ("require_encryption", "tls_ca_file", "tls_worker_cert", "tls_worker_key")
    options = {
        "host": "127.0.0.1",
        "nthreads": 1,
        "dashboard": False,
        "silence_logs": logging.ERROR,
        "death_timeout": 60,
        "security": {name: getattr(security, name) for name in theirs},
        "config": {"distributed.worker.http.routes": []},
    }
    worker = {"cls": Worker, "options": {"worker_class": "distributed.Nanny", "worker_kwargs": options}}
    scheduler = {
        "cls": Scheduler,
        "options": {
            "host": "127.0.0.1", "port": 0, "protocol": "tls://", "security": security, "dashboard": False,
            "dashboard_address": "127.0.0.1:0",
        },
    }  # fmt: skip
    with dask.config.set({"distributed.scheduler.http.routes": []}):
        return SpecCluster(
            workers=dict.fromkeys(range(n_workers), worker), scheduler=scheduler, worker=worker, security=security,
            silence_logs=logging.ERROR,
        )  # fmt: skip


def _temporary() -> Any:
    security = _security()
    try:
        return security.temporary()
    except ImportError:
        raise MissingDependency(
            "a Dask cluster of our own takes nobody else by TLS, and its certificate needs the package cryptography; "
            "install ogive[dask]."
        ) from None


def _reason(error: BaseException, address: str | None) -> str:
    """Why a client could not connect, in words; Dask's error may be empty, with the reason behind it."""
    chain, at = [], error
    while at is not None and at not in chain:
        chain.append(at)
        at = at.__cause__ or at.__context__  # type: ignore[assignment]
    for one in chain:
        if isinstance(one, ssl.SSLCertVerificationError):
            return f"its certificate is not one that tls_ca (--tls-ca) vouches for ({one.verify_message})"
        if isinstance(one, ssl.SSLError) or "SSLError" in str(one):
            how = "it does not take our certificate" if "ALERT" in str(one) else "TLS failed"
            return f"{how} ({_words(one)}); both sides must speak TLS, with certificates of one authority"
        if isinstance(one, ConnectionRefusedError):
            return "nothing listens there"
        if isinstance(one, socket.gaierror):
            return "there is no machine of that name"
    words = _words(error)
    if isinstance(error, OSError) and not _encrypted(address or ""):
        words += "; a scheduler with TLS has an address that begins with tls://"
    return words


def _words(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    text = re.sub(r"in <[^>]*>: ", "", " ".join(str(text).split()))  # Dask names the socket, which helps nobody
    return text.rstrip(".")[:300]
