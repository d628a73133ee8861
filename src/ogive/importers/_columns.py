"""A foreign column as text or as numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.errors import AmbiguousColumns, InputError, InvalidScores, UnreadableSource
from ogive.files import canonical_text, is_text
from ogive.notes import Note, NoteKind
from ogive.schema import RESERVED

CODE = re.compile(r"0\d")
NUMBER = re.compile(
    r"[-+]?(\d{1,3}(,\d{3})+(\.\d+)?|\d{1,3}(\.\d{3})+,\d+|\d{1,3}([ '\u2019]\d{3})+([.,]\d+)?|\d*[.,]?\d+)([eE][-+]?\d{1,3})?\s*%?",
    re.ASCII,  # digits of other scripts no other program takes for numbers
)
# As Arrow reads columns of numbers; a column of text has them as words.
NO_NUMBER = ("", "na", "n/a", "#n/a", "nan", "-nan", "null", "none", "<na>", "#na")
# Signs that programs and keyboards write for "-", and for the space between thousands.
MINUS, SPACES = (
    str.maketrans({"\u2212": "-", "\u2013": "-"}),
    str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " "}),
)
TRUE, FALSE = ("true", "yes", "t", "y", "1"), ("false", "no", "f", "n", "0")
# What somebody who judges answers writes; with yes, no, true and false where the caller says that they are scores.
RIGHT, WRONG = ("right", "correct"), ("wrong", "incorrect")
FEWEST_OF_SCORES = 4
# What stands where the time of a run that was cut would.
TIMEOUTS = ("to", "t.o.", "t/o", "timeout", "time out", "timed out", "time limit", "timelimit", "tle", "tl")
BEYOND = re.compile(r"[>\u2265]=?\s*\d[\d.]*\s*s?")
PLUS_MINUS = re.compile(r"\d\s*(\u00b1|\+/-|\+-|\\pm)\s*\d")
# Numbers that differ by less than this share of the largest have no spread as floats; whole ones below are far apart.
NO_SPREAD = 8.0 * float(np.finfo(float).eps)
LARGEST_SPREADLESS = 1e14
MOST_LOOKED_AT = 1000
_JSON = json.JSONEncoder(separators=(",", ":"), default=str)


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of this type can hold scores."""
    return bool(
        pa.types.is_floating(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
    )


def holds_text(column: pa.ChunkedArray) -> bool:
    """Whether a column holds text, or categories that are text."""
    kind = column.type
    return is_text(kind.value_type if pa.types.is_dictionary(kind) else kind)


def as_text(values: pa.Array | pa.ChunkedArray, name: str | None = None) -> pa.Array:
    """Text of every value; what is nested becomes canonical JSON, so that equal values are equal text."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], type=values.type)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_nested(values.type):
        return pa.array([None if v is None else canonical_text(v) for v in values.to_pylist()], type=pa.string())
    try:
        return values.cast(pa.string())
    except pa.ArrowNotImplementedError:  # spans of time, which Arrow does not write
        return pa.array([None if v is None else str(v) for v in values.to_pylist()], type=pa.string())
    except pa.ArrowException as error:
        which = "a column of names" if name is None else f"column {name!r}"
        raise UnreadableSource(
            f"{which} must hold text in UTF-8; it holds {values.type} that is none. Convert it to text first."
        ) from error


def as_objects(columns: Mapping[str, pa.ChunkedArray]) -> pa.Array:
    """Canonical JSON of each row: the values of these columns by name, in this order."""
    pieces: list[Any] = []
    for name, column in columns.items():
        pieces += ["," if pieces else "{", f"{_JSON.encode(name)}:", _as_json(column)]
    return pc.binary_join_element_wise(*pieces, "}", "")


def _as_json(column: pa.ChunkedArray) -> pa.Array:
    """JSON of every value; a value that occurs a million times is written once."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    values = pa.concat_arrays(column.chunks)
    try:
        encoded = values.dictionary_encode()
    except pa.ArrowNotImplementedError:  # lists and objects
        return pa.array([_JSON.encode(v) for v in values.to_pylist()], type=pa.string())
    distinct = encoded.dictionary.to_pylist()
    # Numbers hold no comma; together they are written without a call for each.
    together = is_number(values.type) and distinct
    written = _JSON.encode(distinct)[1:-1].split(",") if together else [_JSON.encode(v) for v in distinct]
    texts = pa.array(written, type=pa.string())
    return texts.take(encoded.indices).fill_null("null")


def as_numbers(column: pa.ChunkedArray, name: str) -> np.ndarray:
    """Floats, NaN where a cell is empty; text that is no number is refused with its row."""
    return numbers_and_note(column, name)[0]


def numbers_and_note(column: pa.ChunkedArray, name: str) -> tuple[np.ndarray, Note | None]:
    """Floats, and how they are written where that is not with plain points and digits."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_null(column.type):
        return np.full(len(column), np.nan), None
    if is_number(column.type):
        return np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64).copy(), None
    if not is_text(column.type):
        raise InvalidScores(f"column {name!r} must hold numbers; it holds {column.type}.")
    held = [None if text is None else text.strip() for text in column.to_pylist()]
    texts = [None if text is None or text.lower() in NO_NUMBER else text for text in held]
    judged = _right_or_wrong(texts, name)
    if judged is not None:
        return judged
    # Most text of numbers is plain; anything beyond that is left to the rules.
    numbers = [np.nan if text is None else written_number(text) for text in texts]
    return _written_numbers(texts, name) if None in numbers else (np.array(numbers, dtype=np.float64), None)


def holds_right_or_wrong(column: pa.ChunkedArray, *, mostly: bool = False) -> bool:
    """Whether a column holds the words right and wrong, or correct and incorrect, and no others; or in most rows."""
    if not holds_text(column):
        return False
    if mostly:
        said = [str(text).strip().lower() for text in as_text(column).slice(0, MOST_LOOKED_AT).to_pylist() if text]
        return 2 * sum(text in (*RIGHT, *WRONG) for text in said) > len(said)
    words = {str(text).strip().lower() for text in as_text(column).unique().to_pylist() if text is not None}
    words -= set(NO_NUMBER)
    return bool(words) and words <= {*RIGHT, *WRONG}


def holds_yes_or_no(column: pa.ChunkedArray) -> bool:
    """Whether a column holds the words yes and no, or true and false, as text."""
    return holds_text(column) and holds_words(column) and as_truths(column) is not None


def refuse_means(columns: Mapping[str, pa.ChunkedArray]) -> None:
    """Refuse means with a spread, of which no distribution can be made."""
    for name, column in columns.items():
        if not holds_text(column):
            continue
        first = next(
            (str(t) for t in column.slice(0, MOST_LOOKED_AT).to_pylist() if t and PLUS_MINUS.search(str(t))), None
        )
        if first is not None:
            raise InvalidScores(_means_words(name, first))


def _means_words(name: str, text: str) -> str:
    return (
        f"column {name!r} holds means with a spread, such as {_short(text)!r}, and no runs: only a performance profile is made of "
        "those, with `ogive profile` and the number of runs behind each mean (n=); for everything else bring the runs themselves."
    )


def with_timeouts(column: pa.ChunkedArray, name: str, limit: float | None) -> tuple[pa.ChunkedArray, Note | None]:
    """A column whose words for a time limit are the limit, which the time limit then judges; asked for where none is given."""
    if not holds_text(column):
        return column, None
    texts = as_text(column).to_pylist()
    cut = {i: text for i, text in enumerate(texts) if text is not None and _says_timeout(text)}
    if not cut or not any(
        text is not None and i not in cut and NUMBER.fullmatch(text.strip()) for i, text in enumerate(texts)
    ):
        return column, None
    row, word = next(iter(cut.items()))
    beyond = {text: written_number(text.strip().lower().lstrip(">\u2265= ").removesuffix("s")) for text in cut.values()}
    least = [value for value in beyond.values() if value is not None]
    if limit is None:
        n = len(cut)
        rows = f"row {row + 1} holds {_short(word)!r}" + (f", and {n - 1} more such" if n > 1 else "")
        given = f"time_limit={_exactly(max(least))}" if least else "time_limit="
        raise AmbiguousColumns(
            f"column {name!r} marks runs that reached a time limit ({rows}); say {given} to count these as timeouts."
        )
    if least and min(least) < limit:
        raise InvalidScores(
            f"column {name!r} holds {_short(next(t for t, v in beyond.items() if v == min(least)))!r}, which does not say that the run "
            f"reached the time limit of {_exactly(limit)}; write its time, or say the limit that it reached."
        )
    read = pa.chunked_array([[f"{limit!r}" if i in cut else text for i, text in enumerate(texts)]], pa.string())
    words = list(dict.fromkeys(text.strip() for text in cut.values()))
    return read, Note(
        NoteKind.TIMEOUTS_READ, "time_limit", {"column": name, "words": words, "n": len(cut), "limit": limit}
    )


def _exactly(value: float) -> str:
    """A number with all its digits, as somebody would say it again."""
    return f"{value:.0f}" if value.is_integer() and value < LARGEST_SPREADLESS else repr(value)


def _says_timeout(text: str) -> bool:
    word = text.strip().lower().replace("-", " ").replace("_", " ")
    return word in TIMEOUTS or BEYOND.fullmatch(word) is not None


def _right_or_wrong(texts: Sequence[str | None], name: str) -> tuple[np.ndarray, Note] | None:
    """1 for right and 0 for wrong, where the whole column says so in words; None where it holds anything else."""
    yes, no = {*RIGHT, "yes", "true", "y", "t"}, {*WRONG, "no", "false", "n", "f"}
    words = {text.lower() for text in texts if text is not None}
    if not words or not words <= yes | no:
        return None
    out = np.array([np.nan if text is None else float(text.lower() in yes) for text in texts])
    one, nil = (sorted(words & side) for side in (yes, no))
    return out, Note(NoteKind.WORDS_READ, "score", {"column": name, "right": one, "wrong": nil})


def inexact_integers(column: pa.ChunkedArray, name: str, values: np.ndarray) -> list[Note]:
    """A note where whole numbers are rounded as floats; refused where that rounding is what they differ by.

    The mean of 2**53 ... 2**53 + 5 was off by two, and their spread was none.
    """
    if not pa.types.is_integer(column.type) and not (pa.types.is_decimal(column.type) and column.type.scale == 0):
        return []
    finite = values[np.isfinite(values)]
    if not finite.size or np.abs(finite).max() < LARGEST_SPREADLESS:
        return []
    exact = [value for value in column.to_pylist() if value is not None]
    low, high = int(min(exact)), int(max(exact))
    joined = len(set(exact)) > np.unique(finite).size
    if joined or (low < high and (high - low) <= NO_SPREAD * max(abs(low), abs(high))):
        raise InvalidScores(
            f"column {name!r} holds whole numbers from {low} to {high}, some of which differ by no more than floats round them by; "
            "subtract the same number from all of them first."
        )
    rounded = sum(int(float(value)) != int(value) for value in exact)
    return [Note(NoteKind.INEXACT, values={"column": name, "n": rounded})] if rounded else []


def _written_numbers(texts: Sequence[str | None], name: str) -> tuple[np.ndarray, Note]:
    """Numbers as people write them, where the whole column writes them alike; else refused with the first that differs."""
    shown = {i: text for i, text in enumerate(texts) if text is not None}
    said = [(i, text.translate(MINUS).translate(SPACES)) for i, text in shown.items()]
    judged = (*RIGHT, *WRONG) if any(text.lower() in (*RIGHT, *WRONG) for text in shown.values()) else ()
    for i, text in said:
        if text.lower() in judged:
            continue  # of a column of judgments the word that is none is the odd one
        if not NUMBER.fullmatch(text):
            if PLUS_MINUS.search(text):
                raise InvalidScores(_means_words(name, shown[i]))
            raise InvalidScores(
                f"column {name!r} must hold numbers; row {i + 1} holds {_short(shown[i])!r}. {_way_out(shown.values())}"
            )
    percent = [text.endswith("%") for _, text in said]
    if any(percent) and not all(percent):
        odd = said[percent.index(not percent[0])][0]
        raise InvalidScores(
            f"column {name!r} must write all numbers alike; row {said[0][0] + 1} holds {_short(shown[said[0][0]])!r} and row "
            f"{odd + 1} {_short(shown[odd])!r}, one with a percent sign and one without. Write them alike."
        )
    bare = [(i, text.rstrip("% ")) for i, text in said]
    point = _decimal_sign(bare, name, shown)
    drop = str.maketrans("", "", "' \u2019" + {".": ",", ",": "."}[point])
    out = np.full(len(texts), np.nan)
    for i, text in bare:
        out[i] = float(text.translate(drop).replace(point, "."))
    out = out / 100.0 if any(percent) else out
    ways = {
        "percent": any(percent), "commas": point == "," and any("," in text for _, text in bare),
        "thousands": any(re.search(r"\d[ '\u2019]\d", text) or {".": ",", ",": "."}[point] in text for _, text in bare),
        "minus": any("\u2212" in text or "\u2013" in text for text in shown.values()),
    }  # fmt: skip
    example = next((i for i, text in said if written_number(shown[i]) is None), said[0][0])
    values = {
        "column": name, "ways": tuple(way for way, held in ways.items() if held), "text": _short(shown[example]),
        "value": float(out[example]),
    }  # fmt: skip
    return out, Note(NoteKind.NUMBERS_WRITTEN, "score", values)


def _way_out(texts: Iterable[str]) -> str:
    """What to do about a word where numbers should be: in a column of answers that are judged, or of scores."""
    if any(text.lower() in (*RIGHT, *WRONG, "yes", "no", "true", "false") for text in texts):
        return (
            "Read as words are right, correct, yes and true for 1 and wrong, incorrect, no and false for 0, where the whole column is in "
            "them; write 1 for an answer that is right and 0 for one that is wrong, or leave the cell empty where it counts as failed."
        )
    return "Leave the cell empty for a trial that failed."


def _decimal_sign(bare: Sequence[tuple[int, str]], name: str, shown: Mapping[int, str]) -> str:
    """Whether a column writes decimals with a point or a comma; refused where rows differ, or where nobody can tell."""
    by_sign: dict[str, int] = {}
    unclear: int | None = None
    for i, text in bare:
        sign = _sign_of(text)
        if sign is not None:
            by_sign.setdefault(sign, i)
        elif "," in text and unclear is None:
            unclear = i
    if len(by_sign) > 1:
        first, odd = sorted(by_sign.values())
        raise InvalidScores(
            f"column {name!r} must write all numbers alike; row {first + 1} holds {_short(shown[first])!r} and row {odd + 1} "
            f"{_short(shown[odd])!r}. Write decimals with a point."
        )
    if not by_sign and unclear is not None:
        text = shown[unclear]
        raise InvalidScores(
            f"column {name!r} must hold numbers; row {unclear + 1} holds {_short(text)!r}, which is "
            f"{text.replace(',', '')} with a comma between thousands and {text.replace(',', '.')} with a decimal comma, and no other "
            "row tells which. Write decimals with a point, and nothing between thousands."
        )
    return next(iter(by_sign), ".")


def _sign_of(text: str) -> str | None:
    """The decimal sign that a number must have been written with; None where both are possible, or it has none.

    "0,81" and "12,5" have decimal commas, "1,234.5" and "1,234,567" commas between thousands. "1,234" may be either,
    "0,812" not: nothing that begins with 0 has thousands.
    """
    body = re.split("[eE]", text.lstrip("+-"))[0]
    commas, points = body.count(","), body.count(".")
    if commas and points:
        return "," if body.rindex(",") > body.rindex(".") else "."
    if commas > 1 or points == 1:
        return "."
    if points > 1:
        return ","
    if commas == 1:
        head, tail = body.split(",")
        return None if len(tail) == 3 and 1 <= len(head) <= 3 and not head.startswith("0") else ","
    return None


def as_truths(column: pa.ChunkedArray) -> list[bool | None] | None:
    """Yes or no for each row, from booleans, 0 and 1, or words for them; None where it holds anything else."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (is_number(kind) or is_text(kind)):
        return None
    encoded = pa.concat_arrays(column.cast(kind).chunks).dictionary_encode()
    known: list[bool | None] = []
    for value in encoded.dictionary.to_pylist():
        word = str(value).strip().lower().removesuffix(".0")
        if word in (*TRUE, *FALSE):
            known.append(word in TRUE)
        elif word in NO_NUMBER:
            known.append(None)
        else:
            return None
    if not any(truth is not None for truth in known):
        return None
    return [None if i is None else known[i] for i in encoded.indices.to_pylist()]


def holds_words(column: pa.ChunkedArray) -> bool:
    """Whether a column holds text that is not all numbers, as people write them."""
    if not holds_text(column):
        return False
    said = {str(text).strip() for text in as_text(column).unique().to_pylist() if text is not None}
    words = [text.translate(MINUS).translate(SPACES) for text in said if text.lower() not in NO_NUMBER]
    return any(not NUMBER.fullmatch(word) for word in words)


def seems_numbers(column: pa.ChunkedArray) -> bool:
    """Whether text is mostly numbers: with decimal or thousands' commas, percent signs, or words between.

    Scores hardly repeat; lists such as "64,64" and the numbers of devices do.
    """
    if not holds_text(column):
        return False
    values = [str(text).strip() for text in column.slice(0, MOST_LOOKED_AT).to_pylist() if text is not None]
    said = [text for text in values if text]
    plain = [text.translate(MINUS).translate(SPACES) for text in said]
    numbers = [text for text in plain if NUMBER.fullmatch(text) and not CODE.match(text)]
    said = [text for text in said if not _says_timeout(text)] if numbers else said
    return 2 * len(numbers) > len(said) and FEWEST_OF_SCORES * len(set(numbers)) >= len(numbers)


def written_number(text: str) -> float | None:
    """The number that a text is, if any; Python would also take 1_000 and digits of other scripts, as no other program does."""
    try:
        return None if "_" in text or not text.isascii() else float(text)
    except ValueError:
        return None


def odd_one(column: pa.ChunkedArray) -> str:
    """A value of a column that is no plain number, if there is one."""
    values: list[str] = [text[:40] for text in as_text(column).unique().to_pylist()[:1000] if text is not None]
    return next((text for text in values if written_number(text) is None), values[0])


def refuse_reserved(names: Sequence[str]) -> None:
    """Refuse a score that is called like another column of the trial table."""
    for name in names:
        if name in RESERVED:
            raise InputError(
                f"a score column may not be called {name!r}, which is a column of the trial table; rename it."
            )


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "…"
