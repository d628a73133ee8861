"""Who may enter a Dask cluster, and what is said to those who cannot: one sentence, and never an endless wait."""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from ogive.algorithms import Algorithm
from ogive.cli import main
from ogive.errors import InputError, MissingDependency
from ogive.runner import Dask, RunStopped, _cluster, _dask, run
from ogive.runner._cluster import Entrance, own_cluster
from ogive.study import Study
from ogive.tasks import none

# distributed opens sockets and loops that it closes at leisure
quiet = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


def steadily(config, rng):
    time.sleep(0.02)
    return rng.random()


STUDY = Study("d", Algorithm("a", steadily), none())


@pytest.mark.parametrize(
    "address",
    ["", " ", "tls://", "tcp://[::1", "foo://127.0.0.1:1", "TLS://127.0.0.1:1", "127.0.0.1", "tcp://127.0.0.1:99999", "tcp://127.0.0.1:0",
     "tcp://127.0.0.1:port", "tls:127.0.0.1:8786", "tcp://127.0.0.1:8786@10.0.0.5:8786", "tcp://127.0.0.1:8786/page", "tcp://127.0.0.1:8786?x",
     "tcp://127.0.0.1:87\x1b86", "tcp:// 127.0.0.1:8786", "inproc://10.0.0.5:8786"],
)  # fmt: skip
def test_what_is_no_address_of_a_scheduler_is_refused(address):
    with pytest.raises(InputError, match=r"`address`.*tls://"):
        Dask(address, insecure_network=True)


def test_a_good_bye_that_fails_is_told_and_hurts_nobody(monkeypatch, caplog):
    """Dask raises what it likes where its scheduler is dead; an exception in our thread would fail this test."""

    @contextlib.contextmanager
    def client(dask):
        yield "client"
        raise ValueError("IOStream is not idle; cannot convert to SSL")

    monkeypatch.setattr(_cluster, "_client", client)
    entrance = Entrance(Dask("tcp://127.0.0.1:1"))
    assert entrance.client(5.0) == "client"
    with caplog.at_level("INFO", logger="ogive"):
        entrance.close()
    assert "good-bye to the Dask scheduler failed: IOStream is not idle" in caplog.text


def authority(folder: Path, name: str) -> dict[str, Path]:
    """A certificate that vouches for itself, its key, and the key under a password."""
    from cryptography.hazmat.primitives import serialization
    from distributed.security import Security

    made = Security.temporary()
    key = serialization.load_pem_private_key(made.tls_client_key.encode(), None)
    locked = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )
    files = {part: folder / f"{name}.{part}" for part in ("pem", "key", "locked")}
    files["pem"].write_text(made.tls_ca_file)
    files["key"].write_text(made.tls_client_key)
    files["locked"].write_bytes(locked)
    return files


@pytest.fixture(scope="module")
def certificates(tmp_path_factory) -> SimpleNamespace:
    pytest.importorskip("cryptography", reason="it comes with ogive[dask]")
    folder = tmp_path_factory.mktemp("certificates")
    return SimpleNamespace(ours=authority(folder, "ours"), theirs=authority(folder, "theirs"))


def dask_with(**files):
    return Dask("tls://127.0.0.1:8786", **files)


def test_certificates_are_taken_from_files_and_from_dasks_configuration(certificates):
    dask = pytest.importorskip("dask")
    ours = certificates.ours
    found = dask_with(tls_ca=ours["pem"], tls_cert=ours["pem"], tls_key=ours["key"]).credentials()
    assert (found.tls_ca_file, found.tls_client_key) == (str(ours["pem"]), str(ours["key"]))
    assert found.require_encryption
    said = {"ca-file": str(ours["pem"]), "client.cert": str(ours["pem"]), "client.key": str(ours["key"])}
    with dask.config.set({f"distributed.comm.tls.{name}": value for name, value in said.items()}):
        assert dask_with().credentials().tls_client_cert == str(ours["pem"])


def test_certificates_that_cannot_be_used_are_refused_before_anything_is_run(certificates, tmp_path):
    ours, theirs = certificates.ours, certificates.theirs
    joined = tmp_path / "joined.pem"
    joined.write_bytes(ours["pem"].read_bytes() + ours["key"].read_bytes())
    dask_with(tls_ca=ours["pem"], tls_cert=joined)  # the key may stand in the certificate's file
    cases = {
        "are no certificates for it; give tls_ca": {},
        "`tls_cert` .--tls-cert. is missing beside `tls_ca`": {"tls_ca": ours["pem"]},
        "`tls_ca` .*absent' cannot be read: No such file": {"tls_ca": tmp_path / "absent", "tls_cert": joined},
        "`tls_ca` .* cannot be read: Is a directory": {"tls_ca": tmp_path, "tls_cert": joined},
        "`tls_ca` .*key' holds no certificate": {"tls_ca": ours["key"], "tls_cert": joined},
        "`tls_cert` .* holds no certificate with its key": {"tls_ca": ours["pem"], "tls_cert": ours["pem"]},
        "does not belong to the certificate": {
            "tls_ca": ours["pem"],
            "tls_cert": ours["pem"],
            "tls_key": theirs["key"],
        },
        "is encrypted, and nobody is asked": {"tls_ca": ours["pem"], "tls_cert": ours["pem"], "tls_key": ours["locked"]},
        "`tls_ca` and `security` say the same": {"tls_ca": ours["pem"], "security": object()},
        "`security` must be a distributed.security.Security; got object": {"security": object()},
    }  # fmt: skip
    for words, files in cases.items():
        with pytest.raises(InputError, match=words):
            dask_with(**files)
    for address, words in (
        (None, "makes its own certificates"),
        ("tcp://127.0.0.1:8786", "belongs to a tls:// address"),
    ):
        with pytest.raises(InputError, match=words):
            Dask(address, tls_ca=ours["pem"], tls_cert=joined)


@pytest.mark.parametrize("patience", [0, -1, float("nan"), True, "long"])
def test_patience_is_a_number_of_seconds(patience):
    with pytest.raises(InputError, match=r"`patience`.*0"):
        Dask(patience=patience)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--engine", "dask", "--address", "tls://10.0.0.5:8786"], "there are no certificates for it; give tls_ca"),
        (["--engine", "dask", "--address", "tcp://["], "`address` must be a scheduler's"),
        (["--engine", "dask", "--tls-ca", "ca.pem"], "`tls_ca` belongs to an `address`"),
        (["--address", "tls://10.0.0.5:8786"], "`--address` belongs to `--engine dask`"),
        (["--tls-key", "key.pem"], "`--tls-key` belongs to `--engine dask`"),
        (["--insecure-network"], "`--insecure-network` belongs to `--engine dask`"),
        (["--patience", "5"], "`--patience` belongs to `--engine dask`"),
        (["--engine", "dask", "--patience", "nan"], "`patience` must be a number of seconds"),
    ],
)
def test_a_cluster_that_cannot_be_entered_is_one_line_and_exit_code_2(arguments, said, tmp_path, capsys):
    assert main(["run", "absent.py", "-n", "2", "-o", str(tmp_path / "out"), *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_cluster_of_our_own_without_cryptography_says_what_to_install(monkeypatch):
    security = pytest.importorskip("distributed.security").Security

    def absent():
        raise ImportError("requires cryptography")

    monkeypatch.setattr(security, "temporary", absent)
    with pytest.raises(MissingDependency, match=r"cryptography.*ogive\[dask\]"):
        run(STUDY, 2, engine=Dask(n_workers=1), progress=False)


def versions(python="3.11.7", ogive="1.0"):
    return {"packages": {"python": python, "ogive": ogive}}


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ({"scheduler": versions(ogive=None)}, "its scheduler at x has no ogive; install it there"),
        ({"workers": {"w": versions(), "v": versions(ogive=None)}}, "its worker at v has no ogive"),
        ({"workers": {"w": versions(python="3.12.1")}}, "has Python 3.12, and this is Python 3.11; use the same"),
    ],
)
def test_a_cluster_on_which_no_chunk_could_run_is_refused(there, words):
    same = {"scheduler": versions(), "workers": {"w": versions(), "leaving": None}, "client": versions()}
    _cluster._look_around(SimpleNamespace(get_versions=lambda packages: same), "x")
    with pytest.raises(RunStopped, match=words):
        _cluster._look_around(SimpleNamespace(get_versions=lambda packages: same | there), "x")


class Client:
    """What a pulse asks of a client."""

    status = "running"
    threads: dict[str, int] | None = None

    def nthreads(self):
        if self.threads is None:  # never answered
            time.sleep(30)
        return self.threads


def checks(client, job="pending", dask=None, enough=5.0):
    """Look after a cluster until it is given up, or for a while."""
    with _dask._Pulse(client, dask or Dask("tcp://127.0.0.1:8786")) as pulse:
        until = time.monotonic() + enough
        while time.monotonic() < until:
            pulse.check(SimpleNamespace(status=job))
            time.sleep(0.01)


def test_a_scheduler_that_is_lost_or_silent_or_without_workers_stops_the_run(monkeypatch, caplog):
    monkeypatch.setattr(_dask, "LOOK", 0.02)
    manned, empty, silent, gone = Client(), Client(), Client(), Client()
    manned.threads, empty.threads, gone.threads, gone.status = {"w": 2}, {}, {"w": 2}, "connecting"
    checks(manned, enough=0.2)
    with pytest.raises(RunStopped, match=r"connection .* lost"):
        checks(gone)
    with pytest.raises(RunStopped, match="was lost"):  # and found again, which has cancelled everything
        checks(manned, job="cancelled")
    with pytest.raises(RunStopped, match=r"no worker for 0\.2 s"):
        checks(empty, dask=Dask("tcp://127.0.0.1:8786", patience=0.2))
    assert "has no worker; waiting up to 0.2 s for one" in caplog.text
    monkeypatch.setattr(_dask, "SILENCE", 0.2)
    with pytest.raises(RunStopped, match="for 0 s"):
        checks(silent)


def test_a_listener_that_says_nothing_is_not_waited_for_without_an_end(monkeypatch, caplog):
    pytest.importorskip("distributed")
    monkeypatch.setattr(_cluster, "ANSWER", 2.5)
    monkeypatch.setattr(_cluster, "LEAVE", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        entrance = Entrance(Dask(f"tcp://127.0.0.1:{listener.getsockname()[1]}"))
        with pytest.raises(RunStopped, match=r"does not answer as a Dask scheduler|no Dask scheduler lets us in"):
            list(iter(lambda: entrance.client(0.1), 0))  # asks until it raises
        entrance.close(gone=True)
    assert "waiting up to 2 s for the Dask scheduler" in caplog.text


def ports(process: psutil.Process) -> set[int]:
    with contextlib.suppress(psutil.Error):
        return {c.laddr.port for c in process.net_connections("tcp") if c.status == psutil.CONN_LISTEN}
    return set()


def enters(address, security=None) -> bool:
    """Whether somebody answers a client there; Dask itself waits without an end for a port that says nothing."""
    from distributed.comm import connect
    from distributed.security import Security

    async def ask():
        shown = (security or Security()).get_connection_args("client")
        comm = await asyncio.wait_for(connect(address, timeout=2, **shown), timeout=4)
        await comm.write({"op": "identity", "reply": True})
        answer = await asyncio.wait_for(comm.read(), timeout=4)
        comm.abort()
        return "type" in answer

    try:
        return asyncio.run(ask())
    except (OSError, TypeError, ValueError, TimeoutError):
        return False


@quiet
@pytest.mark.cluster
def test_our_own_cluster_takes_nobody_without_its_certificate():
    """Neither the scheduler nor a worker or nanny answers a client in plain TCP, or with other credentials; none has pages."""
    from distributed import Client as Plain
    from distributed.security import Security

    before = ports(psutil.Process())
    with own_cluster(1) as cluster:
        assert enters(cluster.scheduler_address, cluster.security)
        until = time.monotonic() + 60
        while not cluster.scheduler.workers and time.monotonic() < until:
            time.sleep(0.1)
        started = [child for child in psutil.Process().children(recursive=True) if "python" in child.name()]
        key = cluster.security.tls_worker_key.splitlines()[1]
        for process in started:
            assert key not in " ".join(process.cmdline()).replace("\\n", "\n")
            assert key not in str(process.environ())
        found = (ports(psutil.Process()) - before).union(*map(ports, started))
        assert len(found) >= 4  # scheduler, nanny, worker, and the pages that are not there
        answered = {port for port in found if enters(f"tls://127.0.0.1:{port}", cluster.security)}
        assert len(answered) == 3  # scheduler, nanny and worker
        for port in found:
            assert not enters(f"tcp://127.0.0.1:{port}")
            assert not enters(f"tls://127.0.0.1:{port}", Security.temporary())
            with pytest.raises((urllib.error.URLError, OSError, ValueError)):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/info/main/workers.html", timeout=2)
        for security in (None, Security.temporary()):
            plain = cluster.scheduler_address.replace("tls", "tls" if security else "tcp")
            with pytest.raises(OSError):
                Plain(plain, security=security, timeout=2, set_as_default=False)


@quiet
@pytest.mark.cluster
def test_a_scheduler_killed_in_mid_run_stops_the_run_and_loses_nothing(tmp_path, content, certificates):
    """Its rows are kept, none is called crashed, and the same call goes on."""
    ours = certificates.ours
    tls = ["--tls-ca-file", ours["pem"], "--tls-cert", ours["pem"], "--tls-key", ours["key"]]
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address, where = f"tls://127.0.0.1:{port}", ["--host", "127.0.0.1", "--no-dashboard"]
    nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen(
        [*dask, "scheduler", *where, "--port", str(port), "--protocol", "tls", *tls], **nowhere
    )
    worker = subprocess.Popen(
        [*dask, "worker", address, *where, "--nthreads", "1", "--death-timeout", "30", *tls], **nowhere
    )

    def kill():
        until = time.monotonic() + 60
        while time.monotonic() < until and not list(tmp_path.glob("trials/*.parquet")):
            time.sleep(0.05)
        scheduler.kill()

    engine = Dask(address, tls_ca=ours["pem"], tls_cert=ours["pem"], tls_key=ours["key"], patience=30)
    thread = threading.Thread(target=kill, daemon=True)
    try:
        thread.start()
        with pytest.raises(RunStopped, match=r"connection .* lost"):
            run(STUDY, 1500, tmp_path, engine=engine, progress=False)
    finally:
        for process in (scheduler, worker):
            process.terminate()
            process.wait(timeout=60)
        thread.join()
    trials = run(STUDY, 300, tmp_path, workers=2, progress=False)
    assert trials.failures() == []
    assert len(trials) >= 300
    few = run(STUDY, len(trials), workers=2, progress=False)
    assert content(trials) == content(few)
    assert os.listdir(tmp_path)
