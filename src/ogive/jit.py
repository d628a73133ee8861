"""The only njit decorator, with the reason for each of its options.

nogil      threads over blocks of repetitions give parallelism; numba's own threading layer aborts
           the process when two threads enter it, so `parallel` is never used
cache      compilation costs seconds; the compiled code is kept in the user's cache folder
fastmath   off: it lets the compiler assume that NaN and infinity never occur
boundscheck  off: rooms check their arguments at the door

The cache folder is named by the version and by a hash of all kernel sources, because numba
notices a change only in the file of the function itself and not in the functions it calls.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile `function` on its first call, without the GIL, and keep the result on disk."""
    before = numba.config.CACHE_DIR
    # numba picks the folder while decorating; the user's own setting is put back at once.
    numba.config.CACHE_DIR = _cache_folder()
    try:
        compiled: F = numba.njit(nogil=True, cache=True, fastmath=False, boundscheck=False)(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled


@cache
def _cache_folder() -> str:
    from ogive import __version__

    digest = hashlib.sha256()
    for source in sorted((Path(__file__).parent / "kernels").glob("*.py")):
        digest.update(source.read_bytes())
    name = f"kernels-{__version__}-{digest.hexdigest()[:16]}"
    base = os.environ.get("OGIVE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "ogive"
    )
    folder = Path(base) / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:  # a read-only home: compile into a folder that lives as long as the process
        return tempfile.mkdtemp(prefix="ogive-kernels-")
    return str(folder)
