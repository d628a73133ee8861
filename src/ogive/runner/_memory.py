"""The memory and the descendants of a process; from /proc where there is one, else from psutil."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_LINUX = sys.platform == "linux"
_LISTED = _LINUX and Path("/proc/thread-self/children").exists()  # not every kernel is built with it
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


def children(pid: int, *, deep: bool = False) -> list[int]:
    """What a process started itself, or adopted, and has not heard the end of; with all that these started if `deep`."""
    if _LISTED:
        found, waiting = [], [pid]
        while waiting:
            started = _children(waiting.pop())
            found += started
            waiting += started if deep else []
        return found
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=deep)]
    except psutil.Error:
        return []


def marked(mark: str) -> list[int]:
    """Processes that were started with `mark` in their environment, by whomever, and not this one."""
    found: list[int] = []
    if _LINUX:
        sought, me = mark.encode(), os.getpid()
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) != me:
                try:
                    with open(f"/proc/{entry}/environ", "rb") as file:
                        if sought in file.read().split(b"\0"):
                            found.append(int(entry))
                except OSError:
                    continue
        return found
    import psutil

    name, _, value = mark.partition("=")
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get(name) == value:
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def killed_for_memory() -> int:
    """How many processes this machine has killed to get memory back; 0 where it does not say."""
    try:
        with open("/proc/vmstat", "rb") as file:
            for line in file:
                if line.startswith(b"oom_kill "):
                    return int(line.split()[1])
    except (OSError, ValueError):
        pass
    return 0


def _children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
        return [int(c) for t in threads for c in Path(f"/proc/{pid}/task/{t}/children").read_text().split()]
    except (OSError, ValueError):
        return []
