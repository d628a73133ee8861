"""Whether the order of the others depends on a method that is present."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ogive.errors import InputError
from ogive.words import listed, plural, printable

if TYPE_CHECKING:
    import pandas as pd

    from ogive.profiles._profile import Profile

MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Sensitivity:
    """The order of the methods, with everybody and with each method left out.

    Attributes
    ----------
    tau : float or None
        Where the shares are read; None for the share of problems on which a method is best.
    order : tuple of str
        Methods by that share, largest first.
    without : dict
        Method left out -> the order of the others.
    changed : tuple of (str, str, str)
        (left out, a, b): with everybody a has the larger share, without the first b has.
    """

    tau: float | None
    order: tuple[str, ...]
    without: dict[str, tuple[str, ...]]
    changed: tuple[tuple[str, str, str], ...]

    def __repr__(self) -> str:
        return f"Sensitivity({len(self.order)} methods, {len(self.changed)} changes of order)"

    def __str__(self) -> str:
        return self.verdict

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    @property
    def verdict(self) -> str:
        """A sentence."""
        where = "by how often each is best" if self.tau is None else f"at τ = {self.tau:g}"
        if not self.changed:
            return f"No method changes the order of the others {where}: {listed([printable(m) for m in self.order])}."
        named = [
            f"without {printable(out)}, {printable(b)} stands before {printable(a)}"
            for out, a, b in self.changed[:MOST_NAMED]
        ]
        more = f" ({plural(len(self.changed) - MOST_NAMED, 'change')} more)" if len(self.changed) > MOST_NAMED else ""
        return (
            f"The order {where} depends on who else is present: {'; '.join(named)}{more}. A profile ranks only the best method "
            "reliably (Gould and Scott 2016); look at the pairs."
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "tau": self.tau, "order": list(self.order), "without": {m: list(o) for m, o in self.without.items()},
            "changed": [list(c) for c in self.changed], "verdict": self.verdict,
        }  # fmt: skip

    def to_pandas(self) -> pd.DataFrame:
        """One row for each method left out: the order of the others."""
        import pandas as pd

        rows = [{"without": m, "order": " > ".join(o)} for m, o in self.without.items()]
        return pd.DataFrame(rows, columns=["without", "order"])


def sensitivity(profile: Profile, tau: float | None) -> Sensitivity:
    """Profiles with each method left out, their orders, and which pairs turn round."""
    if len(profile.methods) < 3:
        raise InputError("leaving one method out needs at least three methods.")
    whole = _shares(profile, tau)
    without, changed = {}, []
    for out in profile.methods:
        kept = [m for m in profile.methods if m != out]
        left = _shares(profile.again(kept, profile.confidence), tau)
        without[out] = _order(left)
        changed += [(out, a, b) for a in kept for b in kept if whole[a] > whole[b] and left[a] < left[b]]
    return Sensitivity(tau=tau, order=_order(whole), without=without, changed=tuple(changed))


def _shares(profile: Profile, tau: float | None) -> dict[str, float]:
    found = profile.wins if tau is None else profile.at(float(tau))
    return dict(zip(profile.methods, found.tolist(), strict=True))


def _order(shares: dict[str, float]) -> tuple[str, ...]:
    """Largest share first; ties stay in the order of the table."""
    return tuple(sorted(shares, key=lambda m: -shares[m]))
