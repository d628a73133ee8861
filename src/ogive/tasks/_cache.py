"""The folder that keeps named data sets, and the sentence when one is missing.

`$OGIVE_CACHE`, else the user's cache folder. A file that lies there is used as it is; where it is
absent a loader of scikit-learn fills it, so that both ways give the same arrays. Files appear whole
or not at all.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ogive.errors import UnreadableSource
from ogive.writing import make_folder_of, ready, write


def cached(name: str, what: str, content: str, fill: Callable[[BinaryIO], None]) -> Path:
    """The path of a file of the cache, which `fill` writes where it is absent.

    Parameters
    ----------
    name : str
        The file, relative to the folder.
    what : str
        What it holds, for the sentence ("the LFW faces").
    content : str
        What a user must put into it by hand.
    fill : callable
        Downloads, and writes what the file will hold into what it is given.
    """
    path = folder() / name
    if path.is_file():
        return path
    if os.environ.get("OGIVE_OFFLINE", "") not in ("", "0"):
        raise UnreadableSource(f"{_absent(what, path, content)}, or unset OGIVE_OFFLINE to let Ogive download it.")
    from http.client import HTTPException

    downloaded = io.BytesIO()
    try:
        ready(path, folders=True)
        with warnings.catch_warnings():  # scikit-learn says so before each new attempt
            warnings.filterwarnings("ignore", "(Retry downloading|A network error)", UserWarning)
            fill(downloaded)
        make_folder_of(path)
        write(path, downloaded.getvalue())
    except UnreadableSource:
        raise
    except (OSError, ValueError, HTTPException) as error:  # no network, no such data set, no room on the disk
        reason = " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
        raise UnreadableSource(f"{_absent(what, path, content)}; downloading failed: {reason}.") from error
    return path


def folder() -> Path:
    """Where named data sets are kept."""
    chosen = os.environ.get("OGIVE_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ogive"


def _absent(what: str, path: Path, content: str) -> str:
    return f"{what} must lie in Ogive's cache (OGIVE_CACHE names another folder), and {path} is absent; put {content} there"
