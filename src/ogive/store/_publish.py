"""Files that appear whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ogive.errors import StoreError

# What file systems without hard links answer (FAT, some network and container mounts).
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
_REASONS = {
    errno.ENOSPC: "the disk is full; free some space and go on, what was finished is kept",
    errno.EDQUOT: "the disk quota is used up; free some space and go on, what was finished is kept",
    errno.EROFS: "the file system is read-only; choose another directory",
    errno.EACCES: "there is no permission; change it, or choose another directory",
    errno.EPERM: "there is no permission; change it, or choose another directory",
    errno.ENOTDIR: "a file stands where a folder is needed; choose another directory",
    errno.EEXIST: "a file stands where a folder is needed; choose another directory",
}


@contextmanager
def saying(path: Path, what: str) -> Iterator[None]:
    """Turn an error of the operating system into a sentence about `path`."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
        raise StoreError(f"{path} cannot be {what}: {reason}.") from error


def publish(folder: Path, name: str, content: bytes | memoryview) -> bool:
    """Make `folder/name` appear with all of its content, kept on the disk before this returns.

    Returns False where a file of that name is there already; it is left as it is.
    """
    temporary = folder / f".{name}.{os.getpid()}.tmp"
    with saying(folder, "written"):
        try:
            _write(temporary, content)
            new = _appear(temporary, folder / name)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
        sync_folder(folder)
    return new


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
        raise StoreError(f"{folder} is a symbolic link, which is not followed; put the folder itself there.")


def sync_folder(folder: Path) -> None:
    """Keep the names of a folder on the disk, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems cannot
            raise
    finally:
        os.close(handle)


def _write(path: Path, content: bytes | memoryview) -> None:
    with path.open("xb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())


def _appear(temporary: Path, target: Path) -> bool:
    try:
        os.link(temporary, target)
    except FileExistsError:
        temporary.unlink()
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Renaming replaces what is there. Names of parts are random, and a record is named by its
        # content: what it could replace is equal.
        temporary.rename(target)
        return True
    with suppress(FileNotFoundError):
        temporary.unlink()
    return True
