"""Files that appear whole or not at all, what writers that died on the way left behind, and what is damaged.

A file is written under a temporary name, `.<name>.<writer>.tmp`, which no reader looks at, kept on
the disk, and then given its own name in one step. The writer's mark says which process on which
machine it is, so that others know whether it may still come back.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ogive.canonical import digest
from ogive.errors import StoreError
from ogive.words import printable
from ogive.writing import REASONS, shown, sync, sync_folder


class Unsound(Exception):
    """Raised where a file is found damaged; caught by whoever lists files. What a file says may be in the reason."""

    def __init__(self, reason: str, *, rows: int | None = None, movable: bool = True) -> None:
        super().__init__(printable(reason))
        self.reason, self.rows, self.movable = printable(reason), rows, movable


class Stranger(Unsound):
    """A part that names a record which is not in the store, or not yet."""

    def __init__(self, study: str, rows: int) -> None:
        super().__init__(f"belongs to another study (record {study[:12]}… is not in this store)", rows=rows)
        self.study = study


@dataclass(frozen=True, slots=True)
class Damage:
    """A part or record that is refused.

    Attributes
    ----------
    path : str
        Relative to the store.
    reason : str
        What is wrong with it, after its name.
    rows : int or None
        How many rows it held; None where that cannot be known.
    movable : bool
        Whether `repair` may set it aside: not where another version of Ogive, or a change of
        permissions, could read it.
    """

    path: str
    reason: str
    rows: int | None = None
    movable: bool = True

    def __str__(self) -> str:
        return f"{printable(self.path)} {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"path": self.path, "reason": self.reason, "rows": self.rows, "movable": self.movable}


# What file systems without hard links answer (FAT, some network and container mounts).
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
_GO_ON = "free some space and go on, what was finished is kept"
_REASONS = {
    **REASONS,
    errno.ENOSPC: f"the disk is full; {_GO_ON}",
    errno.EDQUOT: f"the disk quota is used up; {_GO_ON}",
}
# What a rename of a folder answers where one stands that is not empty, and Windows wherever one stands.
_TAKEN = {errno.ENOTEMPTY, errno.EEXIST}
_TEMPORARY = re.compile(r"\..+\.tmp")
_MARK = re.compile(r"\.([0-9a-f]{12})-(\d+)-(\d+)-[0-9a-f]{8}\.tmp$")
_DAY = 86400.0


@contextmanager
def saying(path: Path, what: str) -> Iterator[None]:
    """Turn an error of the operating system into a sentence about `path`."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
        raise StoreError(f"{shown(path)} cannot be {what}: {reason}.") from error


def publish(folder: Path, name: str, content: bytes | memoryview) -> bool:
    """Make `folder/name` appear with all of its content, kept on the disk before this returns.

    Returns False where a file of that name is there already; it is left as it is.
    """
    with saying(folder / name, "written"), _temporary(folder, name) as temporary:
        _write(temporary, content)
        new = _appear(temporary, folder / name)
        sync_folder(folder)
    return new


def replace(folder: Path, name: str, content: bytes) -> None:
    """Make `folder/name` hold this content, in one step, whatever it held before."""
    with saying(folder / name, "written"), _temporary(folder, name) as temporary:
        _write(temporary, content)
        temporary.rename(folder / name)
        sync_folder(folder)


def claim(folder: Path, place: str, name: str, content: bytes) -> bool:
    """Make the folder `folder/place` appear with one file in it; False where another holds that place.

    A folder is never renamed onto one that holds something: of any number of processes that claim a
    place at once, one gets it, and the others find its file whole. Unlike a hard link this needs
    nothing that some file systems lack, and unlike a renamed file it replaces nobody's.
    """
    target = folder / place
    with saying(target / name, "written"), _temporary(folder, place) as temporary:
        temporary.mkdir()
        _write(temporary / name, content)
        sync_folder(temporary)
        with suppress(OSError):  # what is left of a record that was deleted; Windows would not rename onto it
            target.rmdir()
        try:
            temporary.rename(target)
        except OSError as error:
            if error.errno in _TAKEN:
                return False
            raise
        sync_folder(folder)
    return True


@contextmanager
def _temporary(folder: Path, name: str) -> Iterator[Path]:
    """A name for what is being written; nothing is left of it afterwards, whatever happens."""
    path = folder / f".{name}.{_mark()}-{secrets.token_hex(4)}.tmp"
    try:
        yield path
    finally:
        with suppress(OSError):  # gone, as a rule; what cannot be removed now is cleared by a later run
            _remove(path)


def leftovers(folder: Path) -> list[Path]:
    """What writers, living or dead, have in this folder under temporary names."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if _TEMPORARY.fullmatch(p.name))


def is_abandoned(path: Path) -> bool:
    """Whether the writer of a temporary file is gone for certain.

    On this machine its process is asked for, by number and start. Of a writer elsewhere (another
    host of a network disk, another container, before a restart) nothing is known: it gets a day,
    and one that comes back even later fails to publish, since its file is gone, and says so.
    """
    found = _MARK.search(path.name)
    if found is not None and found[1] == _host():
        return not _lives(int(found[2]), found[3])
    try:
        return time.time() - path.lstat().st_mtime > _DAY
    except OSError:
        return False


def clear(folder: Path) -> None:
    """Delete what dead writers left; it holds nothing that was ever acknowledged."""
    for path in leftovers(folder):
        if is_abandoned(path):
            with saying(path, "removed"), suppress(FileNotFoundError):
                _remove(path)


def _remove(path: Path) -> None:
    if stat.S_ISDIR(path.lstat().st_mode):
        shutil.rmtree(path)
    else:
        path.unlink()


def _mark() -> str:
    pid = os.getpid()
    return f"{_host()}-{pid}-{_started(pid) or 0}"


@cache
def _host() -> str:
    """Where process numbers mean what they mean here: this machine since its start, this container."""
    known = [platform.node()]
    with suppress(OSError):  # not Linux
        known.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        known.append(str(os.stat("/proc/self/ns/pid").st_ino))
    return digest("\n".join(known))[:12]


def _lives(pid: int, start: str) -> bool:
    """Whether the process of this number that began at `start` is there; one of which nothing is known counts as it.

    The kernel is asked first: where processes of other users are hidden (/proc mounted with hidepid=2), /proc has
    nothing of them, and a signal to them is refused.
    """
    if os.name != "nt":  # there it would end the process
        try:
            os.kill(pid, 0)
        except PermissionError:
            pass
        except (OSError, OverflowError):
            return False
    return _started(pid) in (None, start)


def _started(pid: int) -> str | None:
    """When a process began, in units of the system; nothing in it where it has ended, None where that is not known.

    Linux is asked without psutil, whose answer moves with the clock of the machine.
    """
    try:
        said = Path(f"/proc/{pid}/stat").read_bytes()
        state, *rest = said[said.rindex(b")") + 2 :].split()
        return "" if state in (b"Z", b"X") else rest[18].decode()  # a process that ended and waits to be noticed
    except FileNotFoundError:
        if os.path.exists("/proc/self/stat"):
            return None
    except (OSError, ValueError, IndexError):
        pass
    import psutil

    try:
        return str(int(psutil.Process(pid).create_time()))
    except psutil.NoSuchProcess:
        return ""
    except (psutil.Error, OverflowError, ValueError):
        return None


def make_folder(folder: Path) -> None:
    """Make a folder and its parents; a symbolic link in its place is refused."""
    refuse_link(folder)
    with saying(folder, "made"):
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            sync_folder(folder.parent)


def refuse_link(folder: Path) -> None:
    """Refuse a folder of a store that lies elsewhere: rows would leave the directory that the user named."""
    if folder.is_symlink():
        raise StoreError(f"{shown(folder)} is a symbolic link, which is not followed; put the folder itself there.")


def _write(path: Path, content: bytes | memoryview) -> None:
    with path.open("xb") as handle:
        handle.write(content)
        handle.flush()
        sync(handle.fileno())


def _appear(temporary: Path, target: Path) -> bool:
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Renaming replaces what is there. Names of parts are random or say what they hold, and looks
        # are empty: what it could replace is equal.
        temporary.rename(target)
        return True
    return True
