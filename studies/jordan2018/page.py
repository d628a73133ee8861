"""The page of this study, from the committed results: README.md and the pictures beside it.

    python studies/jordan2018/page.py

The prose is in page.md; what stands in it as $name is put in here. Sentences that judge a conclusion of the paper are
made of numbers by the rules of `swingup.py` and `reproduce.py`, so that they follow the results when more trials arrive.
"""

from __future__ import annotations

from pathlib import Path
from string import Template

import figure
import reproduce
import swingup

HERE = Path(__file__).parent


def text(found: swingup.Found, pictures: Path | None) -> str:
    """The page; pictures are drawn on the way where a folder is given for them."""
    first = {mode: reproduce._trials(mode, None, HERE, None) for mode in reproduce.MODES}
    rows1, rows2 = reproduce.table1(first), swingup.table2(found)
    if pictures is not None:
        figure.draw(first, pictures / "figure1.png")
        swingup.figure2(found, pictures)
        swingup.figure3(found, pictures)
    said = [*(f"*Table 1*, {one}" for one in reproduce.misses(rows1).splitlines()), *swingup.sentences(found, rows2)]
    return Template((HERE / "page.md").read_text(encoding="utf-8")).substitute(
        sentences="\n".join(f"{i}. {one}" for i, one in enumerate(said, start=1)),
        scope=found.scope,
        table1=reproduce.markdown(rows1),
        table2=swingup.show(rows2, found).to_markdown(),
        figure2=picture("figure2.png", swingup.figure2.__doc__, bool({*swingup.DRAWN} & {*found.tables})),
        figure3="\n\n".join(
            picture(
                f"figure3-{name.split('-')[0]}.png", f"{algorithm}: {swingup.figure3.__doc__}", name in found.slices
            )
            for name, algorithm in swingup.SLICES.items()
        ),
    )


def picture(name: str, about: str | None, there: bool) -> str:
    """A picture with what it shows, or that its trials have not been run."""
    words = str(about).split(";")[0].rstrip(".")
    return f"![{words}]({name})" if there else f"{words}: not run yet."


if __name__ == "__main__":
    (HERE / "README.md").write_text(text(swingup.Found.read(), HERE), encoding="utf-8")
