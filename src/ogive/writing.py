"""Files that are written whole or not at all.

  with writing("report.html") as file:      the old file stands until the new one is on the disk
      file.write(content)
  ready("report.html")                      refuses a place that cannot be written, before work begins
  make_folder_of("results/report.html")     folders, with a sentence where they cannot be made

A file is written beside its target as `.<name>.<random>.tmp`, kept on the disk, and renamed. So a full disk, a
kill or a second writer leaves a whole file, the old or the new one. The new file has the permissions that `open`
would have given, a symbolic link is followed, and what is no file (a pipe, a terminal, `/dev/stdout`) is written
straight. Of several hard links only the named one gets the new content.

A killed writer leaves its temporary file, which the next writing to the same target removes. Each writer holds a
lock on its own, so that one still under way is never taken for a leftover, from whatever machine it is written.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from ogive.errors import InputError, UnwritableFile

if TYPE_CHECKING:
    from typing_extensions import Buffer

if sys.platform != "win32":  # there an open file cannot be removed, and needs no lock
    import fcntl

MOST_LINKS = 40  # as many as Linux follows
LONGEST_NAME = 255  # bytes, on every common file system
REPEATED = 100  # bytes of a name that its temporary file repeats
ABANDONED = 3600.0  # seconds, where the file system knows no locks

HOLDS_OPEN_FILES = os.name == "nt"  # there an open file can be neither renamed nor removed

UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.ENODEV)
ELSEWHERE = "or choose another place"
REASONS = {
    errno.ENOSPC: f"the disk is full; free some space, {ELSEWHERE}",
    errno.EDQUOT: f"the disk quota is used up; free some space, {ELSEWHERE}",
    errno.EFBIG: f"it is larger than a file may be here; raise the limit (ulimit -f), {ELSEWHERE}",
    errno.EROFS: "the file system is read-only; choose another place",
    errno.EACCES: f"there is no permission; change it, {ELSEWHERE}",
    errno.EPERM: f"there is no permission; change it, {ELSEWHERE}",
    errno.EISDIR: "it is a folder; choose another name",
    errno.ENOTDIR: "a file stands where a folder is needed; choose another place",
    errno.EEXIST: "a file stands where a folder is needed; choose another place",
    errno.ENAMETOOLONG: f"the name is too long; choose a shorter one, of at most {LONGEST_NAME} bytes",
    errno.ELOOP: "its symbolic links lead in a circle; choose another place",
    errno.ENXIO: "it is a socket, or nobody reads it; choose another place",
    errno.EBADF: "it is not open for writing; choose another place",
    errno.EBUSY: f"it is in use, or mounted by itself, and cannot be replaced; mount its folder, {ELSEWHERE}",
    errno.EPIPE: "whoever read it has left; choose another place",
}


@contextmanager
def writing(path: str | os.PathLike[str], *, follow: bool = True) -> Iterator[BinaryIO]:
    """A file to write bytes into, which becomes `path` when the block ends, and is gone where the block fails.

    Parameters
    ----------
    follow : bool
        Whether a symbolic link leads to the target, or is replaced by it.

    Raises
    ------
    UnwritableFile
        The file cannot be written; what was there before stands as it was. An error of the block's own, such as a
        file to read that is not there, stays what it is.

    Examples
    --------
    >>> import tempfile
    >>> page = Path(tempfile.mkdtemp()) / "page.html"
    >>> with writing(page) as file:
    ...     _ = file.write(b"whole")
    >>> page.read_bytes(), [p.name for p in page.parent.iterdir()]
    (b'whole', ['page.html'])
    """
    named, others = as_path(path), _Others()
    with _saying(named, others=others):
        target = _end_of_links(named) if follow else named
        there = _refuse_unsuitable(target, follow)
        if _is_straight(target, there):
            with _straight(target) as file, others.than_of(file):
                yield file
            return
        with _neighbor(target) as (file, temporary):
            # Before any content: a page that only its owner may read is never open to others, not for a moment.
            _keep_permissions(file.fileno(), there)
            with others.than_of(file):
                yield file
            file.flush()
            sync(file.fileno())
            if HOLDS_OPEN_FILES:
                file.close()
            os.replace(temporary, target)
    with _saying(named, older=False):
        sync_folder(target.parent)


def write(path: str | os.PathLike[str], content: bytes, *, follow: bool = True) -> None:
    """Write a whole file."""
    with writing(path, follow=follow) as file:
        file.write(content)


def ready(path: str | os.PathLike[str], *, least: int = 1, folders: bool = False, follow: bool = True) -> Path:
    """The path, if a file can be written there as far as that can be known; else one sentence, before work begins.

    Parameters
    ----------
    least : int
        Bytes that the file will surely have; a disk without room for them is refused.
    folders : bool
        Whether missing folders will be made.
    follow : bool
        Whether a symbolic link leads to the target, or will be replaced by it.
    """
    named = as_path(path)
    with _saying(named):
        target = _end_of_links(named) if follow else named
        there = _refuse_unsuitable(target, follow)
        if _descriptor(target) is not None:
            with _straight(target):
                return named
        if _is_straight(target, there):  # opening a pipe would wait for its reader
            return named
        # Below a missing folder the system looks at no name.
        if max(len(os.fsencode(part)) for part in target.parts) > LONGEST_NAME:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        folder = target.parent
        while folders and not os.path.lexists(folder) and folder != folder.parent:
            folder = folder.parent
        # Asking for permission is not enough: it knows nothing of quotas, full disks and network file systems.
        with _neighbor(folder / target.name) as (file, temporary):
            if not HOLDS_OPEN_FILES:
                temporary.unlink()  # what has no name cannot be left behind
            _take(file, least)
        temporary.unlink(missing_ok=True)
    return named


def make_folder_of(path: str | os.PathLike[str]) -> None:
    """Make the folder that a file goes into, and its parents."""
    named = as_path(path)
    with _saying(named):
        _end_of_links(named).parent.mkdir(parents=True, exist_ok=True)


def refuse_same(path: str | os.PathLike[str], option: str, others: dict[str, str]) -> None:
    """Refuse to write what is read, or written by another option; `others` says of each path what it is."""
    named = as_path(path)
    with suppress(OSError):
        if _is_straight(_end_of_links(named), named.stat() if named.exists() else None):
            return
    for other, what in others.items():
        same = False
        with suppress(OSError, ValueError):  # one of them does not exist, or cannot
            same = os.path.realpath(named) == os.path.realpath(other) or os.path.samefile(named, other)
        if same:
            raise InputError(f"`{option}` must not be {what}; got {shown(path)} for both. Choose another name.")


def sync_folder(folder: Path) -> None:
    """Keep the names of a folder on the disk, where the system can."""
    if os.name == "nt":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder that may be written and not read
        return
    try:
        sync(handle)
    finally:
        os.close(handle)


def sync(handle: int) -> None:
    """Keep the content of an open file on the disk, where the file system can."""
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in UNSUPPORTED:  # some network file systems cannot
            raise


def as_path(path: str | os.PathLike[str]) -> Path:
    """A path that can name a file."""
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        raise InputError(f"`path` must be the name of a file; got {type(path).__name__}.")
    text = os.fspath(path)
    try:
        usable = bool(text) and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        usable = False
    if not usable:
        raise UnwritableFile(f"{text!r} cannot be the name of a file; choose another name.")
    return Path(text)


def shown(path: str | os.PathLike[str]) -> str:
    """A path as a sentence shows it: quoted where it would run into the sentence, or steer a terminal."""
    text = os.fspath(path)
    return text if text.isprintable() and text.strip() == text else repr(text)


class _Raw(io.FileIO):
    """A file that remembers what its system refused."""

    refused: OSError | None = None

    def write(self, content: Buffer, /) -> int:
        """Write, or remember why not."""
        try:
            return super().write(content)
        except OSError as error:
            self.refused = error
            raise


class _Others:
    """Errors of the operating system that are not about the file being written."""

    def __init__(self) -> None:
        self._found: list[OSError] = []

    @contextmanager
    def than_of(self, file: io.BufferedWriter[_Raw]) -> Iterator[None]:
        """Keep what a block raises without its file having refused anything."""
        try:
            yield
        except OSError as error:
            if file.raw.refused is None:
                self._found.append(error)
            raise

    def __contains__(self, error: object) -> bool:
        return any(error is other for other in self._found)


@contextmanager
def _saying(path: Path, *, older: bool = True, others: Container[OSError] = ()) -> Iterator[None]:
    """Turn an error of the operating system into a sentence about `path`, and the `older` file that still stands."""
    try:
        yield
    except OSError as error:
        if error in others:
            raise
        stands = " (the file that is there stays as it was)" if older and _is_file(path) else ""
        raise UnwritableFile(f"{shown(path)} cannot be written: {_reason(error, path)}{stands}.") from error


def _reason(error: OSError, path: Path) -> str:
    number = error.errno or 0
    if number == errno.ENOENT:
        with suppress(OSError):
            path = _end_of_links(path)
        if path.parent.is_dir():  # what the kernel keeps there are no files: /proc
            return "files cannot be made there; choose another place"
        return f"there is no folder {str(path.parent)!r}; make it first, {ELSEWHERE}"
    return REASONS.get(number, f"{error.strerror or error}; choose another place")


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode) and _descriptor(_end_of_links(path)) is None
    except OSError:
        return False


def _end_of_links(path: Path) -> Path:
    """Where a name leads. A link that the kernel made up for an open file (`/dev/stdout`) is an end."""
    for _ in range(MOST_LINKS):
        if not path.is_symlink() or _descriptor(path) is not None:
            return path
        path = path.parent / os.readlink(path)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _descriptor(path: Path) -> tuple[int | None, int] | None:
    """The process and the number of an open file that a path stands for; the process is None where it is this one."""
    if not path.name.isdecimal():
        return None
    folder = os.path.realpath(path.parent)
    found = re.fullmatch(r"/proc/(\d+)(/task/\d+)?/fd", folder)
    if found is None and folder != "/dev/fd":
        return None
    owner = None if found is None or int(found[1]) == os.getpid() else int(found[1])
    return owner, int(path.name)


def _is_straight(target: Path, there: os.stat_result | None) -> bool:
    """Whether nothing can be put in the place of what is there."""
    return _descriptor(target) is not None or (there is not None and not stat.S_ISREG(there.st_mode))


def _refuse_unsuitable(target: Path, follow: bool) -> os.stat_result | None:
    """What is there now; refused where `open` would refuse it, though a file could be put in its place."""
    if not follow and target.is_symlink():
        return None
    try:
        there = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISSOCK(there.st_mode):
        raise OSError(errno.ENXIO, os.strerror(errno.ENXIO))
    if not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        number = errno.EROFS if _is_read_only(target) else errno.EACCES
        raise OSError(number, os.strerror(number))
    if stat.S_ISREG(there.st_mode) and _is_held(target.parent, there):
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
    return there


def _is_read_only(target: Path) -> bool:
    return hasattr(os, "statvfs") and bool(os.statvfs(target).f_flag & os.ST_RDONLY)


def _is_held(folder: Path, there: os.stat_result) -> bool:
    """Whether a file of somebody else lies in a folder where only owners may rename, such as /tmp."""
    within = folder.stat()
    return bool(within.st_mode & stat.S_ISVTX) and os.geteuid() not in (0, there.st_uid, within.st_uid)


@contextmanager
def _straight(target: Path) -> Iterator[io.BufferedWriter[_Raw]]:
    """What is no file of its own, open for writing."""
    owner, number = _descriptor(target) or (0, 0)
    if owner is None:
        # Opened by name, a file behind /dev/stdout would be cut to nothing and written from its start.
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, ValueError):
                stream.flush()
        handle = os.dup(number)
    else:
        handle = os.open(target, os.O_WRONLY | os.O_APPEND)
    with io.BufferedWriter(_Raw(handle, "wb")) as file:
        yield file


@contextmanager
def _neighbor(target: Path) -> Iterator[tuple[io.BufferedWriter[_Raw], Path]]:
    """A new file beside `target`, removed where the block fails; what killed writers left is removed first."""
    _clear(target)
    file, temporary = _locked(target)
    try:
        with file:
            yield file, temporary
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _locked(target: Path) -> tuple[io.BufferedWriter[_Raw], Path]:
    while True:
        temporary = target.with_name(f".{_stem(target)}.{secrets.token_hex(4)}.tmp")
        file = io.BufferedWriter(_Raw(temporary, "xb"))
        # Between the two calls another process may have taken it for a leftover.
        if _lock(file.fileno()) is not False and temporary.exists():
            return file, temporary
        file.close()


def _lock(handle: int) -> bool | None:
    """Whether nobody else holds the file; None where the file system cannot say."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _stem(target: Path) -> str:
    name = os.fsencode(target.name)
    return target.name if len(name) <= REPEATED else hashlib.sha256(name).hexdigest()[:32]


def _clear(target: Path) -> None:
    """Remove temporary files of this target whose writers are gone; what cannot be removed does no harm."""
    ours = re.compile(rf"\.{re.escape(_stem(target))}\.[0-9a-f]{{8}}\.tmp", re.DOTALL)
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in [e for e in entries if ours.fullmatch(e.name) and e.is_file(follow_symlinks=False)]:
            with suppress(OSError):
                with open(entry.path, "r+b") as file:  # for an exclusive lock NFS wants a file to write
                    held = _lock(file.fileno())
                    dead = held or (held is None and time.time() - os.fstat(file.fileno()).st_mtime > ABANDONED)
                    if dead and not HOLDS_OPEN_FILES:  # under the lock: a writer that has just made it sees it go
                        os.unlink(entry.path)
                if dead and HOLDS_OPEN_FILES:
                    os.unlink(entry.path)


def _take(file: BinaryIO, least: int) -> None:
    """Take so many bytes of the disk."""
    if hasattr(os, "posix_fallocate"):
        try:
            return os.posix_fallocate(file.fileno(), 0, least)
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
    file.write(bytes(least))
    file.flush()
    return None


def _keep_permissions(handle: int, there: os.stat_result | None) -> None:
    """Give a new file the owner, group and mode of the one it replaces, as far as that is allowed."""
    if there is None or not hasattr(os, "fchown"):
        return
    mode, made = there.st_mode & 0o777, os.fstat(handle)
    if (there.st_uid, there.st_gid) != (made.st_uid, made.st_gid):
        try:
            os.fchown(handle, there.st_uid, there.st_gid)
        except OSError:
            try:
                os.fchown(handle, -1, there.st_gid)
            except OSError:  # another group may do what everybody may, not what the old group might
                mode = mode & ~stat.S_IRWXG | (mode & stat.S_IRWXO) << 3
    with suppress(OSError):  # file systems without modes
        os.fchmod(handle, mode)
