"""Numbers and names as a reader wants them."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, Protocol

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    # At the beginning of a line a bracket or a star would be an argument of the \\ before it.
    "[": "{[}", "]": "{]}", "*": "{*}", "≥": r"$\geq$", "–": "--",
}  # fmt: skip
# Control, format (direction, zero width, tags) and surrogate characters, and the two separators that end a line.
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_BEYOND = re.compile("[^ -~]")
_ESCAPE = re.compile(r"\\\\|\\[nrt]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U000[0-9a-f]{5}")
MOST_DECIMALS = 8
PLAIN_BELOW = 1e9
# A float knows fifteen digits; the last is left to the rounding of sums.
MOST_SIGNIFICANT = 14
MISSTATED = 0.1
# Powers of ten that a float holds exactly, and numbers so small that multiplying by one does no harm.
_POWERS = tuple(10.0**digits for digits in range(23))
_SAFE = 1e6


def number(value: float, digits: int | None = None) -> str:
    """A number with `digits` decimals (three significant ones where not given); ∞ and – where there is none."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) >= PLAIN_BELOW:
        return f"{value:.4g}"
    if digits is not None:
        # Rounding first, then + 0.0: a small negative number is 0.0, not -0.0.
        return f"{round(value, digits) + 0.0:.{digits}f}"
    if value == 0.0 or abs(value) < 1e-4:
        return f"{value:.3g}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def decimals(estimate: float, low: float, high: float) -> int:
    """Decimals that show the interval's half-width: two significant digits where it begins with 1 or 2, else one.

    Three significant digits of the numbers where there is no width to show. Below zero only for large numbers.
    """
    largest = _largest(estimate, low, high)
    ends = [abs(end - estimate) for end in (low, high) if math.isfinite(end) and math.isfinite(estimate)]
    rounding = 4 * math.ulp(estimate) if ends else 0.0
    half = min((end for end in ends if end > rounding), default=0.0)
    needed = (1 if half < 3 * 10.0 ** _place(half) else 0) - _place(half) if half else 2 - _place(largest)
    if ends and min(ends) <= rounding:  # the estimate is an end itself, and must not be rounded beyond it
        needed = max(needed, 2 - _place(estimate))
    if largest < PLAIN_BELOW:
        needed = max(0, needed)
    if math.isfinite(estimate) and abs(round(estimate, needed) - estimate) > MISSTATED * abs(estimate):
        needed += 1  # 1.5 [-5, 8] must not become 2 [-5, 8]
    return min(needed, _finest(largest))


def interval(estimate: float, low: float, high: float, landmarks: tuple[float, ...] = (), at_least: int = 0) -> str:
    """`0.894 [0.892, 0.897]`, with as many digits as the interval deserves; its ends are rounded outwards.

    An end stays on its side of every landmark: digits are added until it does.
    """
    if math.isnan(low) and math.isnan(high):
        return number(estimate)
    shown = interval_parts(estimate, low, high, landmarks, at_least)
    return f"{shown[0]} [{shown[1]}, {shown[2]}]"


class Limited(Protocol):
    """A number between two limits, such as an `Interval`."""

    @property
    def estimate(self) -> float:
        """The number."""

    @property
    def low(self) -> float:
        """The lower limit."""

    @property
    def high(self) -> float:
        """The upper limit."""


def percent_interval(i: Limited) -> str:
    """`77 % [70, 83]` of a share with its limits; no limits where there are none."""
    if math.isnan(i.low) and math.isnan(i.high):
        return f"{number(100 * i.estimate)} %"
    estimate, low, high = interval_parts(100 * i.estimate, 100 * i.low, 100 * i.high, (0.0,))
    return f"{estimate} % [{low}, {high}]"


def interval_parts(
    estimate: float, low: float, high: float, landmarks: tuple[float, ...] = (), at_least: int = 0
) -> tuple[str, str, str]:
    """Estimate and both ends as `interval` writes them."""
    digits = decimals(estimate, low, high)
    digits = max(digits, at_least) if at_least else digits
    most = min(max(MOST_DECIMALS, digits + 3), _finest(_largest(estimate, low, high)))
    while landmarks and digits < most and not _keeps_sides(low, high, digits, landmarks):
        digits += 1
    rounded = (_rounded(value, digits, side) for value, side in ((estimate, 0), (low, -1), (high, 1)))
    first, second, third = (_down_to(v, digits) if math.isfinite(v) else number(v) for v in rounded)
    return first, second, third


def _keeps_sides(low: float, high: float, digits: int, landmarks: tuple[float, ...]) -> bool:
    shown = _rounded(low, digits, -1), _rounded(high, digits, 1)
    return all((low > v) == (shown[0] > v) and (high < v) == (shown[1] < v) for v in landmarks)


def _rounded(value: float, digits: int, side: int) -> float:
    """The nearest number with so many decimals that is not above (side -1) or below (side 1) the value."""
    if not math.isfinite(value):
        return value
    if 0 <= digits < len(_POWERS) and abs(value) * _POWERS[digits] < _SAFE:
        scaled = value * _POWERS[digits]  # off by less than 2e-10
        whole = round(scaled)
        off = abs(scaled - whole)
        # Where the error could decide between two numbers, Decimal does.
        if not (5e-10 < off < 2e-9 or abs(off - 0.5) < 1e-9):
            if side and off > 1e-9:
                whole = math.floor(scaled) if side < 0 else math.ceil(scaled)
            return whole / _POWERS[digits]
    exact, unit = Decimal(repr(float(value))), Decimal(1).scaleb(-digits)
    nearest = exact.quantize(unit)
    # 0.1 + 0.2 is 0.30000000000000004 and ends at 0.3 all the same.
    tolerance = max(unit * Decimal("1e-9"), 4 * Decimal(math.ulp(value)))
    if side and abs(nearest - exact) > tolerance:
        nearest = exact.quantize(unit, rounding=ROUND_FLOOR if side < 0 else ROUND_CEILING)
    return float(nearest)


def _down_to(value: float, digits: int) -> str:
    """A number with so many decimals; with an exponent, or without its last zeros, where they are many or below none."""
    if 0 <= digits <= MOST_DECIMALS:
        return f"{value + 0.0:.{digits}f}"  # + 0.0: a small negative number is 0.0, not -0.0
    return f"{value + 0.0:.{max(1, _place(value) + digits + 1)}g}"


def _largest(*values: float) -> float:
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def _finest(value: float) -> int:
    """The last decimal of a number that its float knows."""
    return MOST_SIGNIFICANT - 1 - _place(value)


def _place(value: float) -> int:
    """The power of ten that a number begins with; 0 for 0."""
    return math.floor(math.log10(abs(value))) if value else 0


def share(value: float) -> str:
    """A share in percent: whole numbers, one decimal below 1 %."""
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 0.95 or percent == 0 else f"{percent:.1f} %"


def percent_sure(confidence: float) -> str:
    """A confidence in percent: four digits, and more where they would round it up to certainty.

    Examples
    --------
    >>> percent_sure(0.95), percent_sure(0.99875), percent_sure(0.9999996)
    ('95 %', '99.88 %', '99.99996 %')
    """
    percent = 100.0 * confidence
    shown = (f"{percent:.{digits}g}" for digits in range(4, 17))
    return next((text for text in shown if text != "100"), "100") + " %"


def plural(count: int, word: str) -> str:
    """`1 run`, `12 runs`."""
    return f"{count} {word}" if count == 1 or word.endswith("s") else f"{count} {word}s"


_ONE_DOES = {"are": "is", "were": "was", "have": "has", "do": "does", "go": "goes", "reach": "reaches"}


def verb(count: int, word: str) -> str:
    """What one does, or what several do.

    Examples
    --------
    >>> verb(1, "are"), verb(1, "count"), verb(3, "count")
    ('is', 'counts', 'count')
    """
    return word if count != 1 else _ONE_DOES.get(word, f"{word}s")


def duration(seconds: float) -> str:
    """A time as people say it.

    Examples
    --------
    >>> duration(0.04), duration(75), duration(7500)
    ('0.04 s', '1 min 15 s', '2 h 05 min')
    """
    if seconds < 9.95:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def runs_each(least: int, most: int) -> str:
    """`5 runs each`, `3 to 8 runs each`."""
    return f"{plural(least, 'run')} each" if least == most else f"{least} to {most} runs each"


def aligned(rows: list[list[str]]) -> list[str]:
    """Rows of text as lines whose columns stand under each other."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def listed(names: list[str], joint: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`; with "or" where one of them is enough."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joint} {names[-1]}"


def quoted(names: Sequence[str], most: int = 8) -> str:
    """`'a', 'b' and 7 more`: names as they are written, the first of them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more


def printable(text: object) -> str:
    """Text without control characters, so that a name cannot move the cursor, color the screen or turn the line round."""
    return _shown(text, lambda sign: "�")


def escaped(text: object) -> str:
    """Text with control and direction characters as escapes, such as \\x1b and \\u202e: two names stay two."""
    return _shown(text, lambda sign: sign.encode("unicode_escape").decode())


def json_escaped(text: str) -> str:
    """A line of JSON with control and direction characters as JSON's escapes, which mean the same."""
    return _shown(text, lambda sign: json.dumps(sign)[1:-1])


def _shown(text: object, instead: Callable[[str], str]) -> str:
    return _BEYOND.sub(
        lambda found: instead(found[0]) if unicodedata.category(found[0]) in _UNSEEN else found[0], str(text)
    )


def spreadsheet_safe(value: Any) -> Any:
    """Text that a spreadsheet would run as a formula, with an apostrophe before it; all that is no text stays as it is.

    Spreadsheets begin a formula at =, +, - and @, some of them also at their full-width forms, and
    some pass over white space before it.
    """
    if not isinstance(value, str):
        return value
    shown = escaped(value)
    return f"'{shown}" if _runs(value) else shown


def _runs(text: str) -> bool:
    """Whether a spreadsheet would run a text."""
    first = text.lstrip()[:1]
    return bool(first) and unicodedata.normalize("NFKC", first) in ("=", "+", "-", "@", "−")


def spreadsheet_coded(text: str) -> str:
    """Text that no spreadsheet runs and that steers no terminal, from which `spreadsheet_decoded` gets it back.

    What is not written as it is begins with an apostrophe, with backslashes doubled and control and direction characters as escapes.
    """
    if not (_runs(text) or text.startswith("'") or escaped(text) != text):
        return text
    return "'" + escaped(text.replace("\\", "\\\\"))


def spreadsheet_decoded(text: str) -> str:
    """The text that `spreadsheet_coded` wrote; any other text as it is."""
    if not text.startswith("'"):
        return text
    found = _ESCAPE.sub(lambda sign: "\\" if sign[0] == "\\\\" else sign[0].encode().decode("unicode_escape"), text[1:])
    return found if spreadsheet_coded(found) == text else text


def comma_separated(head: Sequence[str], rows: Iterable[Sequence[object]], *, raw: bool = False) -> str:
    """Comma-separated values: numbers in full, nothing where there is none, names that nobody runs (unless `raw`)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")

    def cell(value: object) -> object:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        return value if raw else spreadsheet_safe(value)

    writer.writerows([[cell(value) for value in row] for row in (head, *rows)])
    return out.getvalue()


def clipped(text: str, most: int) -> str:
    """Printable text of at most so many characters."""
    shown = printable(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def latex(text: str) -> str:
    """Text for LaTeX."""
    return "".join(_LATEX.get(c, c) for c in printable(text))


def markdown(text: str) -> str:
    """Text for a Markdown table cell."""
    return re.sub(r"([\\|<>*_`\[\]&])", r"\\\1", printable(text))


def latex_math(text: str) -> str:
    """A number with its interval, for LaTeX's mathematics."""
    text = re.sub(r"e([-+]?\d+)", lambda found: rf"\times10^{{{int(found[1])}}}", text)
    return text.replace("∞", r"\infty").replace("–", r"\mbox{--}").replace(" [", r"\ [")


def failure_words(rule: str | float, count: int = 2, worst: float = math.inf) -> str:
    """How failed runs were counted, after "n failed runs"; `worst` is the bound on the bad side."""
    one = count == 1
    if isinstance(rule, float):
        return f"count{'s' if one else ''} as {rule:g}"
    bound = f"{worst:g}, the worst possible score" if math.isfinite(worst) else "worse than every score"
    words = {
        "exclude": f"{'is' if one else 'are'} left out", "worst": f"count{'s' if one else ''} as {bound}", "refuse": "",
    }  # fmt: skip
    return words.get(rule, f"{'has' if one else 'have'} the score of {printable(rule.removeprefix('like:'))}")
