"""A written report, taken apart, for the tests of this room."""

import html
import json
import re
from pathlib import Path

import pytest

import ogive
from ogive.report import write


class Page:
    """A written report, taken apart."""

    def __init__(self, trials: ogive.Trials, folder: Path, **options) -> None:
        self.path = write(trials, folder / "report.html", **options)
        self.raw = self.path.read_text(encoding="utf-8")
        self.main = self.raw[self.raw.index("<main>") : self.raw.index("</main>")]

    @property
    def text(self) -> str:
        return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", self.main)).split())

    def section(self, title: str) -> str:
        found = re.search(rf"<h2[^>]*>{re.escape(html.escape(title))}</h2>(.*?)</section>", self.main, re.DOTALL)
        inside = "" if found is None else html.unescape(re.sub(r"<[^>]+>", " ", found.group(1)))
        return inside.replace("\u00a0", " ")

    @property
    def gives_a_verdict(self) -> bool:
        """Whether the four questions are answered under the first sentence."""
        return '<ul class="cards">' in self.main

    @property
    def figures(self) -> list[dict]:
        parts = re.findall(r'<script type="application/json" id="[^"]+">(.*?)</script>', self.raw, re.DOTALL)
        return [json.loads(part) for part in parts]

    @property
    def scripts(self) -> list[str]:
        return re.findall(r"<script>(.*?)</script>", self.raw, re.DOTALL)


@pytest.fixture
def written(tmp_path: Path):
    """The report of a table."""
    return lambda trials, **options: Page(trials, tmp_path, **options)


@pytest.fixture
def page(written):
    """The report of samples, every row one independent run with a seed of its own."""

    def report(samples, facts=None, **options) -> Page:
        return written(ogive.read(samples, **{"unit": "row", "varied": "seed", **(facts or {})}), **options)

    return report
