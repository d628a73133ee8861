"""Which libraries made the numbers."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata

from ogive import __version__
from ogive.canonical import canonical, digest


@cache
def versions_here() -> tuple[str, dict[str, str]]:
    """A short name for the versions of this process, and the versions.

    Rows carry the name (the column `versions`), the description of their part says what it means.
    """
    found = {
        "python": platform.python_version(),
        "ogive": __version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }
    for name in ("numpy", "scikit-learn"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "absent"
    return versions_name(found), found


def versions_name(versions: Mapping[str, str]) -> str:
    """The short name of some versions."""
    return digest(canonical(versions))[:12]
