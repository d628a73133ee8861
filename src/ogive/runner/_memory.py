"""The memory and the descendants of a process; from /proc where there is one, else from psutil."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_LINUX = sys.platform == "linux"
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def resident(pid: int) -> int:
    """Bytes of resident memory; 0 for a process that is gone."""
    if _LINUX:
        try:
            with open(f"/proc/{pid}/statm", "rb") as file:
                return int(file.read().split()[1]) * _PAGE
        except (OSError, IndexError, ValueError):
            return 0
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0


def family(pid: int) -> list[int]:
    """Everything a process started that is still there."""
    if _LINUX and Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists():
        found: list[int] = []
        waiting = [pid]
        while waiting:
            children = _children(waiting.pop())
            found += children
            waiting += children
        return found
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []


def _children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
        return [int(c) for t in threads for c in Path(f"/proc/{pid}/task/{t}/children").read_text().split()]
    except (OSError, ValueError):
        return []
