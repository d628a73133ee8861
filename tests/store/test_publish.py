"""Files of a store on systems that can do less, or show less, than most."""

import errno
import os
from pathlib import Path

import pytest

from ogive.store import StoreError
from ogive.store._publish import _mark, is_abandoned, make_folder, publish, refuse_link


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.ENODEV])
def test_a_file_system_that_cannot_sync_holds_a_store(number, tmp_path, monkeypatch):
    def refuse(handle):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", refuse)
    assert publish(tmp_path, "part", b"whole")
    assert (tmp_path / "part").read_bytes() == b"whole"


def test_a_sync_that_fails_is_said(tmp_path, monkeypatch):
    def fail(handle):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StoreError, match="Input/output error"):
        publish(tmp_path, "part", b"whole")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_may_be_written_and_not_read_holds_a_store(tmp_path, monkeypatch):
    real = os.open

    def closed(path, flags, *rest, **more):
        if Path(path) == tmp_path:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", closed)
    assert publish(tmp_path, "part", b"whole")


def test_the_path_of_a_store_never_steers_the_terminal(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match=r"x\\x1b\[31m'"):
        make_folder(tmp_path / "file" / "x\x1b[31m")
    link = tmp_path / "y\x1b[31m"
    link.symlink_to(tmp_path)
    with pytest.raises(StoreError, match=r"y\\x1b\[31m'"):
        refuse_link(link)


def hide_processes(monkeypatch):
    """/proc as one sees it of other users' processes where it is mounted with hidepid=2."""
    real = Path.read_bytes

    def hidden(path):
        if path.name == "stat" and path.parent.parent == Path("/proc"):
            raise FileNotFoundError(errno.ENOENT, "No such file or directory")
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", hidden)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
@pytest.mark.parametrize("answer", [None, PermissionError, ProcessLookupError])
def test_a_living_writer_whose_process_is_hidden_is_not_dead(answer, tmp_path, monkeypatch):
    left = tmp_path / f".a.{_mark()}-{'a' * 8}.tmp"
    left.write_bytes(b"half")
    assert not is_abandoned(left)
    hide_processes(monkeypatch)

    def kill(pid, signal):
        assert (pid, signal) == (os.getpid(), 0)
        if answer is not None:
            raise answer

    monkeypatch.setattr(os, "kill", kill)
    assert is_abandoned(left) is (answer is ProcessLookupError)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_a_process_that_got_the_number_of_a_dead_writer_is_another(tmp_path):
    host, pid, start = _mark().split("-")
    left = tmp_path / f".a.{host}-{pid}-{int(start) + 1}-{'a' * 8}.tmp"
    left.write_bytes(b"half")
    assert is_abandoned(left)
