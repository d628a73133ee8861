"""Odd files of every kind, each with what pandas makes of it: what `attack_files.py` gives to every command that reads.

A kind writes one file. Most hold the same 48 runs (two methods, two tasks, twelve seeds), told in an odd way; where pandas
can read the file, its numbers are the ones that Ogive must give, or refuse. `must` says what is known beforehand:
"read" for files that are all right, "refuse" for files that hold no such table; elsewhere both will do.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import tarfile
import uuid
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

Must = Literal["read", "refuse", "either"]
Reader = Callable[[Path], pd.DataFrame]

RNG = np.random.default_rng(7)
ROWS = [
    {"model": model, "task": task, "seed": seed, "score": round(float(RNG.uniform(0.2, 0.9)), 6)}
    for model in ("forest", "svm")
    for task in ("iris", "wine")
    for seed in range(12)
]
FRAME = pd.DataFrame(ROWS)
NA_WORDS = ["", "NA", "N/A", "NaN", "nan", "NULL", "null", "#N/A", "#NA", "n/a", "-nan", "-NaN", "1.#QNAN", "-1.#IND"]


@dataclass(frozen=True)
class Kind:
    """One odd file: how it is written, and how pandas reads it."""

    name: str
    write: Callable[[Path], Path]
    pandas: Reader | None = None
    must: Must = "either"
    noted: str = ""
    small: bool = True


KINDS: dict[str, Kind] = {}


def add(name: str, file: str, content: bytes, reader: Reader | None, must: Must = "either", **more: Any) -> None:
    """A kind that is a few bytes."""

    def write(folder: Path) -> Path:
        (folder / file).write_bytes(content)
        return folder / file

    made(name, write, reader, must, **more)


def made(name: str, write: Callable[[Path], Path], reader: Reader | None, must: Must = "either", **more: Any) -> None:
    """A kind that is written by a function."""
    assert name not in KINDS, name
    KINDS[name] = Kind(name, write, reader, must, **more)


def by_csv(**options: Any) -> Reader:
    """How pandas reads delimited text: names as text, and what it calls missing missing in numbers only."""

    def read(path: Path) -> pd.DataFrame:
        names = {"model": str, "task": str}
        return pd.read_csv(path, dtype=names, keep_default_na=False, na_values={"score": NA_WORDS}, **options)

    return read


def by_json(**options: Any) -> Reader:
    """How pandas reads JSON, without its guesses about times and types."""

    def read(path: Path) -> pd.DataFrame:
        return pd.read_json(path, dtype=False, convert_dates=False, **options)

    return read


def by_parquet(path: Path) -> pd.DataFrame:
    """How pandas reads Parquet; an index with a name is a column."""
    frame = pd.read_parquet(path)
    return frame if frame.index.name is None and frame.index.nlevels == 1 else frame.reset_index()


COMMA, LINES, ARRAY = by_csv(), by_json(lines=True), by_json()


def csv_text(rows: list[dict[str, Any]] | None = None, sep: str = ",", end: str = "\n", quote: str = "") -> str:
    """The runs as delimited text."""
    rows = ROWS if rows is None else rows
    lines = [sep.join(f"{quote}{name}{quote}" for name in rows[0])]
    lines += [sep.join(f"{quote}{value}{quote}" for value in row.values()) for row in rows]
    return end.join(lines) + end


def changed(column: str, *values: Any) -> list[dict[str, Any]]:
    """The runs, the first of them with other values in a column."""
    return [{**row, column: values[i]} if i < len(values) else row for i, row in enumerate(ROWS)]


def renamed(old: str, new: str, column: str = "model") -> list[dict[str, Any]]:
    """The runs with another name for a method or task."""
    return [{**row, column: new if row[column] == old else row[column]} for row in ROWS]


def lines(rows: list[dict[str, Any]], end: str = "\n") -> str:
    """The runs as JSON lines."""
    return end.join(json.dumps(row) for row in rows) + end


CSV = csv_text().encode()


def encodings() -> None:
    """Text in every encoding, with and without a byte order mark."""
    accented = csv_text(renamed("forest", "forêt"))
    add("encoding: utf-8", "a.csv", accented.encode(), COMMA, "read")
    add("encoding: utf-8 with mark", "a.csv", accented.encode("utf-8-sig"), COMMA, "read")
    add("encoding: utf-8 with mark, quoted", "a.csv", csv_text(quote='"').encode("utf-8-sig"), COMMA, "read")
    add("encoding: utf-8 with two marks", "a.csv", b"\xef\xbb\xbf" * 2 + CSV, COMMA)
    add("encoding: a mark in the middle", "a.csv", csv_text(renamed("svm", "\ufeffsvm")).encode(), COMMA, "read")
    for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "cp500"):
        add(f"encoding: {name}", "a.csv", accented.encode(name), None, "refuse")
    add("encoding: utf-16 with the other mark", "a.csv", b"\xfe\xff" + accented.encode("utf-16-be"), None, "refuse")
    add(
        "encoding: utf-32 with the other mark",
        "a.csv",
        b"\x00\x00\xfe\xff" + accented.encode("utf-32-be"),
        None,
        "refuse",
    )
    for name in ("latin-1", "cp1252", "mac_roman", "cp437"):
        add(f"encoding: {name} in a name", "a.csv", accented.encode(name), None, "refuse")
        add(f"encoding: {name} in the header", "a.csv", CSV.replace(b"seed", "sèd".encode(name)), None, "refuse")
    for name, word in (("shift_jis", "森"), ("gb18030", "森林"), ("euc_jp", "森"), ("big5", "森"), ("koi8_r", "лес")):
        add(f"encoding: {name}", "a.csv", csv_text(renamed("forest", word)).encode(name), None, "refuse")
    add("encoding: utf-7", "a.csv", accented.encode("utf-7"), COMMA)
    add("encoding: overlong utf-8", "a.csv", CSV.replace(b"svm", b"s\xc0\xafm"), None, "refuse")
    add("encoding: surrogates in utf-8", "a.csv", CSV.replace(b"svm", b"s\xed\xa0\x80m"), None, "refuse")
    add(
        "encoding: bad byte in an unused column",
        "a.csv",
        CSV.replace(b"seed", b"host").replace(b",3,", b",\xff,"),
        None,
        "refuse",
    )
    add(
        "encoding: bad byte far down",
        "a.csv",
        CSV + b"svm,wine,99,0.5\n" * 5000 + b"sv\xff,wine,99,0.5\n",
        None,
        "refuse",
    )


def separators() -> None:
    """What stands between cells."""
    for name, sep in (("comma", ","), ("semicolon", ";"), ("tab", "\t")):
        add(f"separator: {name}", "a.csv", csv_text(sep=sep).encode(), by_csv(sep=sep), "read")
        add(f"separator: {name}, quoted", "a.csv", csv_text(sep=sep, quote='"').encode(), by_csv(sep=sep), "read")
    for name, sep in (
        ("bar", "|"),
        ("space", " "),
        ("colon", ":"),
        ("caret", "^"),
        ("two spaces", "  "),
        ("unit separator", "\x1f"),
    ):
        add(f"separator: {name}", "a.csv", csv_text(sep=sep).encode(), None)
    add("separator: comma and space", "a.csv", csv_text(sep=", ").encode(), COMMA)
    add("separator: trailing", "a.csv", CSV.replace(b"\n", b",\n"), COMMA)
    add("separator: trailing in rows only", "a.csv", CSV.replace(b"\n", b",\n").replace(b"score,\n", b"score\n"), None)
    add("separator: leading", "a.csv", b"".join(b"," + line + b"\n" for line in CSV.splitlines()), COMMA)
    add(
        "separator: others in rows than in the header",
        "a.csv",
        csv_text(sep=";").replace(";", ",", 3).encode(),
        None,
        "refuse",
    )
    add(
        "separator: decimal comma",
        "a.csv",
        csv_text(sep=";").replace("0.", "0,").encode(),
        by_csv(sep=";", decimal=","),
        "read",
        noted="decimal commas",
    )
    add(
        "separator: semicolons and commas in names",
        "a.csv",
        csv_text(renamed("svm", '"a,b;c"'), sep=";").encode(),
        by_csv(sep=";"),
        "read",
    )
    add("separator: said in a first line", "a.csv", b"sep=;\n" + csv_text(sep=";").encode(), None)


def quoting() -> None:
    """Quotation marks that are odd, doubled, escaped, or never closed."""
    add("quotes: everywhere", "a.csv", csv_text(quote='"').encode(), COMMA, "read")
    add("quotes: single", "a.csv", csv_text(quote="'").encode(), None)
    add("quotes: doubled", "a.csv", csv_text(renamed("svm", '"s""v""m"')).encode(), COMMA, "read")
    add("quotes: with backslash", "a.csv", csv_text(renamed("svm", '"s\\"v"')).encode(), COMMA)
    add("quotes: stray in a name", "a.csv", csv_text(renamed("svm", '5" svm')).encode(), COMMA)
    add("quotes: space before", "a.csv", csv_text(renamed("svm", ' "svm"')).encode(), COMMA)
    add("quotes: line break in a name", "a.csv", csv_text(renamed("svm", '"s\nvm"')).encode(), COMMA, "read")
    add("quotes: windows line break in a name", "a.csv", csv_text(renamed("svm", '"s\r\nvm"')).encode(), COMMA)
    add("quotes: line break in the header", "a.csv", CSV.replace(b"seed", b'"se\ned"'), COMMA, "read")
    add("quotes: comma in the header", "a.csv", CSV.replace(b"seed", b'"seed, or so"'), COMMA, "read")
    add("quotes: empty text", "a.csv", csv_text(renamed("svm", '""')).encode(), COMMA, "refuse")
    text = csv_text([{**row, "note": "fine"} for row in ROWS])
    opened = text.replace("fine", '"fine', 20).replace('"fine', "fine", 19)
    add("quotes: never closed in the last column", "a.csv", opened.encode(), None, "refuse")
    add("quotes: never closed, no last line end", "a.csv", opened.rstrip().encode(), None, "refuse")
    add("quotes: never closed, blank lines behind", "a.csv", opened.encode() + b"\n\n \n", None, "refuse")
    add("quotes: never closed in the last row", "a.csv", (text.rstrip()[:-4] + '"fine').encode(), None)
    add("quotes: never closed in a name", "a.csv", CSV.replace(b"svm", b'"svm', 1), None, "refuse")
    add("quotes: never closed in a score", "a.csv", CSV.replace(b"0.", b'"0.', 1), None, "refuse")
    add("quotes: never closed in the header", "a.csv", CSV.replace(b"seed", b'"seed'), None, "refuse")
    multi = text.rstrip()[:-4] + '"two\nlines"\n'
    add("quotes: last cell of two lines", "a.csv", multi.encode(), COMMA, "read")
    add("quotes: last cell of two lines, no line end", "a.csv", multi.rstrip().encode(), COMMA, "read")
    far = csv_text([{**row, "note": "fine"} for row in ROWS * 2000])
    cut = far.replace("fine", '"fine', 90_000).replace('"fine', "fine", 89_999)
    add("quotes: never closed behind megabytes", "a.csv", cut.encode(), None, "refuse")


def line_ends() -> None:
    """What ends a line."""
    coded = renamed("svm", "01")
    for name, end in (("unix", "\n"), ("windows", "\r\n"), ("old mac", "\r")):
        add(f"lines: {name}", "a.csv", csv_text(end=end).encode(), COMMA, "read")
        add(f"lines: {name}, a name with a leading zero", "a.csv", csv_text(coded, end=end).encode(), COMMA, "read")
    add("lines: two returns and a feed", "a.csv", csv_text(end="\r\r\n").encode(), COMMA)
    add("lines: mixed", "a.csv", CSV.replace(b"\n", b"\r\n", 20), COMMA, "read")
    add("lines: no last end", "a.csv", CSV.rstrip(), COMMA, "read")
    add("lines: blank at the end", "a.csv", CSV + b"\n\n\n", COMMA, "read")
    add("lines: blank in between", "a.csv", CSV.replace(b"\n", b"\n\n"), COMMA, "read")
    add("lines: blank at the beginning", "a.csv", b"\n\n" + CSV, COMMA, "read")
    add(
        "lines: blank before semicolons and a code",
        "a.csv",
        b"\n\r\n" + csv_text(coded, sep=";").encode(),
        by_csv(sep=";"),
        "read",
    )
    add("lines: spaces only in between", "a.csv", CSV.replace(b"\n", b"\n   \n", 3), None)
    for name, end in (("separator", "\u2028"), ("next line", "\x85"), ("vertical tab", "\v"), ("form feed", "\f")):
        add(f"lines: {name}", "a.csv", csv_text(end=end).encode(), None, "refuse")
    add("lines: end of file sign", "a.csv", CSV + b"\x1a", None)
    add("lines: comment at the top", "a.csv", b"# made by a program\n" + CSV, None)
    add("lines: comment with commas at the top", "a.csv", b"# a, b, c, d\n" + CSV, None)


def zeros() -> None:
    """NUL bytes."""
    add("NUL: in a name", "a.csv", CSV.replace(b"svm", b"s\x00m"), None)
    add("NUL: in the header", "a.csv", CSV.replace(b"seed", b"se\x00d"), None)
    add("NUL: at the end", "a.csv", CSV + b"\x00" * 10, None)
    add(
        "NUL: in a score, far down",
        "a.csv",
        CSV * 1 + b"svm,wine,9,0.5\n" * 3000 + b"svm,wine,9,0.\x005\n",
        None,
        "refuse",
    )
    add("NUL: in a name, far down", "a.csv", CSV + b"svm,wine,9,0.5\n" * 3000 + b"s\x00m,wine,9,0.5\n", None)
    add("NUL: nothing else", "a.csv", b"\x00" * 5000, None, "refuse")


def shapes() -> None:
    """Rows and columns: none, one, too many, too few."""
    add("shape: empty", "a.csv", b"", None, "refuse")
    add("shape: blank", "a.csv", b" \n\t\n", None, "refuse")
    add("shape: only a mark", "a.csv", b"\xef\xbb\xbf", None, "refuse")
    add("shape: only a header", "a.csv", CSV.split(b"\n")[0], None, "refuse")
    add("shape: only a header and an end", "a.csv", CSV.split(b"\n")[0] + b"\n", None, "refuse")
    add("shape: one row", "a.csv", b"\n".join(CSV.split(b"\n")[:2]), COMMA, "refuse")
    add("shape: two rows", "a.csv", b"\n".join(CSV.split(b"\n")[:3]), COMMA, "read")
    add("shape: no header", "a.csv", CSV.split(b"\n", 1)[1], None, "refuse")
    add("shape: a row too long", "a.csv", CSV + b"svm,wine,1,0.5,0.6\n", None, "refuse")
    add("shape: a row too short", "a.csv", CSV + b"svm,wine\n", None, "refuse")
    add(
        "shape: a row too long behind megabytes",
        "a.csv",
        CSV + b"svm,wine,1,0.5\n" * 90_000 + b"svm,wine,1,0.5,9\n",
        None,
        "refuse",
    )
    add(
        "shape: all rows one longer", "a.csv", CSV.replace(b"\n", b",1\n").replace(b"score,1", b"score"), None, "refuse"
    )
    add("shape: one column", "a.csv", b"score\n" + b"\n".join(str(r["score"]).encode() for r in ROWS), COMMA, "read")
    add("shape: one column with gaps", "a.csv", b"score\n0.5\n\n0.6\n\n\n0.7\n", COMMA)
    add("shape: one column with quoted gaps", "a.csv", b'score\n0.5\n""\n0.6\n0.7\n', COMMA)
    add("shape: a total at the bottom", "a.csv", CSV + b"total,,,24.5\n", COMMA)
    add("shape: a column of row numbers", "a.csv", FRAME.to_csv().encode(), COMMA, "read")
    add("shape: repeated columns", "a.csv", CSV.replace(b"seed", b"score"), None, "refuse")
    add("shape: columns that differ in case", "a.csv", CSV.replace(b"seed", b"Score"), COMMA)
    add("shape: columns without names", "a.csv", CSV.replace(b"seed", b""), COMMA)
    add("shape: all columns without names", "a.csv", CSV.replace(b"model,task,seed,score", b",,,"), None, "refuse")
    add("shape: spaces around names of columns", "a.csv", CSV.replace(b"model", b" model "), None)
    for word, column in (("method", "model"), ("task", "task")):
        bare = csv_text([{**r, column: ""} for r in ROWS]).encode()
        add(f"shape: no {word} named anywhere", "a.csv", bare, None, "read", noted="empty in every row")
    add("shape: some methods not named", "a.csv", csv_text(changed("model", "", "")).encode(), COMMA, "refuse")
    add("shape: some tasks not named", "a.csv", csv_text(changed("task", "", "")).encode(), COMMA, "refuse")
    many = {f"c{i}": i % 7 for i in range(10_000)}
    add(
        "shape: ten thousand columns",
        "a.csv",
        csv_text([{**row, **many} for row in ROWS]).encode(),
        COMMA,
        "read",
        small=False,
    )
    wide = {f"m{i}": 0.5 for i in range(3000)}
    add(
        "shape: three thousand columns without a score",
        "a.csv",
        csv_text([{"task": r["task"], **wide} for r in ROWS]).encode(),
        None,
        "refuse",
        small=False,
    )
    add("shape: fifty thousand rows", "a.csv", csv_text(ROWS * 1000).encode(), COMMA, small=False)
    add(
        "shape: a cell of two megabytes",
        "a.csv",
        csv_text([{**r, "note": "x" * (2**21 if i == 5 else 1)} for i, r in enumerate(ROWS)]).encode(),
        COMMA,
        "read",
    )
    add("shape: a column's name of two megabytes", "a.csv", CSV.replace(b"seed", b"s" * 2**21), COMMA, "read")
    add(
        "shape: a method's name of a hundred thousand signs",
        "a.csv",
        csv_text(renamed("svm", "s" * 10**5)).encode(),
        COMMA,
        "read",
    )
    whole = [{**r, "score": 1 + r["seed"]} for r in ROWS] * 1500
    add("shape: whole numbers, then decimals behind a megabyte", "a.csv", csv_text([*whole, *ROWS]).encode(), COMMA)
    empty = [{**r, "score": ""} for r in ROWS] * 1500
    add("shape: no scores, then some behind a megabyte", "a.csv", csv_text([*empty, *ROWS]).encode(), COMMA)
    coded = [{**r, "model": 1} for r in ROWS] * 1500
    add("shape: numbers for names, then text behind a megabyte", "a.csv", csv_text([*coded, *ROWS]).encode(), COMMA)


def numbers() -> None:
    """Scores as people and programs write them."""
    written = {
        "NaN": ["NaN", "nan"], "infinite": ["inf", "-inf"], "Infinity": ["Infinity", "-Infinity"], "NA": ["NA", "N/A"],
        "null": ["null", "NULL"], "None": ["None", "none"], "dash": ["-", "–"], "empty": ["", ""], "question mark": ["?", "?"],
        "beyond floats": ["1e400", "-1e400"], "below floats": ["1e-400", "4.9e-324"], "hexadecimal": ["0x1F", "0x10"],
        "underscores": ["1_000", "2_000"], "plus": ["+0.5", "+1"], "no zero before": [".5", "-.5"], "no digit behind": ["5.", "6."],
        "exponents": ["1e-1", "5E-01"], "percent": ["50%", "60 %"], "thousands": ['"1,000.5"', '"2,000.5"'],
        "Arabic digits": ["٠.٥", "١"], "wide digits": ["０.５", "１"], "typographic minus": ["−0.5", "−0.6"],
        "truth values": ["true", "false"], "beyond 2**53": [2**53 + 1, 2**53 + 3], "beyond 2**63": [2**63, 2**63 + 1],
        "beyond 2**64": [2**64 + 1, 2**64 + 3], "beyond 2**70": [2**70, 2**70 + 2**20], "of forty digits": ["1" * 40, "2" * 40],
        "Fortran": ["1d0", "2D0"], "C": ["0.5f", "0.6L"], "two points": ["0.1.2", "1.2.3"], "leading zeros": ["00.5", "01"],
        "leading spaces": ["  0.5", " 0.6"], "trailing spaces": ["0.5  ", "0.6 "], "nonbreaking space": ["0.5\u00a0", "0.6"],
        "seventeen digits": ["0.12345678901234567", "0.10000000000000001"], "Visual C": ["1.#QNAN", "-1.#IND"],
        "complex": ["0.5+1j", "1"], "fractions": ["1/2", "2/3"], "currency": ["$5", "€6"], "dates": ["2024-01-01", "2024-01-02"],
        "times": ["12:00", "13:00"], "formulas": ["=1+1", "=A1"], "text": ["fast", "slow"], "list": ['"[1, 2]"', '"[3, 4]"'],
        "plus or minus": ["0.5 ± 0.1", "0.6 ± 0.1"], "quoted": ['"0.5"', '"0.6"'], "zero with a sign": ["-0.0", "0"],
        "NaN with a payload": ["nan(1)", "1"], "a tab before": ["\t0.5", "0.6"],
    }  # fmt: skip
    for name, values in written.items():
        add(f"number: {name}", "a.csv", csv_text(changed("score", *values)).encode(), COMMA)
    for name in ("truth values", "hexadecimal", "beyond 2**53", "beyond 2**64", "percent", "quoted", "leading zeros"):
        rows = [{**r, "score": written[name][i % 2]} for i, r in enumerate(ROWS)]
        add(f"numbers: all {name}", "a.csv", csv_text(rows).encode(), COMMA)
    add(
        "numbers: truth values and digits",
        "a.csv",
        csv_text([{**r, "score": ("true", 1, "false", 0)[i % 4]} for i, r in enumerate(ROWS)]).encode(),
        COMMA,
    )
    add("numbers: all equal", "a.csv", csv_text([{**r, "score": 0.5} for r in ROWS]).encode(), COMMA)
    seeds = [{**r, "seed": 2**64 + r["seed"]} for r in ROWS]
    add("numbers: seeds beyond 64 bits", "a.csv", csv_text(seeds).encode(), COMMA, "read")
    statuses = [{**r, "status": "failed" if i % 5 == 0 else "ok"} for i, r in enumerate(ROWS)]
    add("numbers: with a status", "a.csv", csv_text(statuses).encode(), COMMA, "read")


HOSTILE = {
    "formula": "=HYPERLINK(A1)", "formula with plus": "+1+1", "formula with at": "@SUM(A1)", "formula with minus": "-2+3",
    "colors": "\x1b[31mred\x1b[0m", "title of the terminal": "\x1b]0;owned\x07", "bell": "a\x07b", "backspaces": "ab\b\b\bxy",
    "carriage return": '"a\rb"', "direction marks": "a\u202eb\u202c", "isolates": "a\u2066b\u2069", "zero width": "sv\u200bm",
    "right to left": "עברית", "combining": "e\u0301\u0301\u0301", "emoji": "👩‍🔬", "nonbreaking space": "s\u00a0m", "html": "<script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)>", "markup": "[bold red]x[/]", "LaTeX": "\\input{x}_&%$#", "Markdown": "[a](http://b)|*c*",
    "percent signs": "%s%n%x", "braces": "{0}{x!r}", "spaces": "   ", "na": "NA", "nan": "nan", "none": "None", "null": "null", "true": "true",
    "zero and one": "01", "exponent": "1e5", "a date": "2024-01-01", "a time": "12:30", "a path": "../../etc/passwd", "an address": "http://x/y?z=1#a",
    "backslashes": "C:\\new\\table", "private use": "\ue000", "noncharacter": "a\ufffeb", "beyond the plane": "𝒳", "line separator": "a\u2028b",
    "case only": "FOREST", "trailing space": "forest ", "normalization": "fore\u0301t", "very long": "n" * 5000, "one sign": "x", "a quote": "it's",
    "json": '"{""a"":1}"', "null byte escaped": "a\\0b", "dollar": "$(touch x)", "backtick": "`touch x`", "option": "--help", "like": "like:forest",
    "all": "all", "tag characters": "a\U000e0041b", "soft hyphen": "a\u00adb", "Cyrillic twin": "fоrest",
}  # fmt: skip


def names() -> None:
    """Names of methods, tasks and columns that try to do something."""
    for what, word in HOSTILE.items():
        add(f"method: {what}", "a.csv", csv_text(renamed("svm", word)).encode(), COMMA)
    for what in (
        "formula",
        "colors",
        "direction marks",
        "html",
        "markup",
        "spaces",
        "na",
        "very long",
        "LaTeX",
        "percent signs",
        "zero and one",
    ):
        add(f"task: {what}", "a.csv", csv_text(renamed("wine", HOSTILE[what], "task")).encode(), COMMA)
    for what in (
        "formula",
        "colors",
        "direction marks",
        "html",
        "markup",
        "very long",
        "LaTeX",
        "percent signs",
        "emoji",
        "braces",
        "option",
    ):
        rows = [{"model": r["model"], "task": r["task"], "seed": r["seed"], HOSTILE[what]: r["score"]} for r in ROWS]
        add(f"score column: {what}", "a.csv", csv_text(rows).encode(), None)
        more = [{**r, HOSTILE[what]: "abc"[i % 3]} for i, r in enumerate(ROWS)]
        add(f"unused column: {what}", "a.csv", csv_text(more).encode(), COMMA)
    for column in (
        "algorithm",
        "status",
        "trial",
        "params",
        "group",
        "wall_s",
        "message",
        "item",
        "fold",
        "index",
        "Unnamed: 0",
    ):
        add(f"score column: {column}", "a.csv", CSV.replace(b"score", column.encode()), None)
    for column in (
        "status",
        "params",
        "group",
        "item",
        "fold",
        "message",
        "wall_s",
        "config",
        "state",
        "index",
        "__index_level_0__",
    ):
        more = [{**r, column: ("x", "y", "")[i % 3]} for i, r in enumerate(ROWS)]
        add(f"column of words: {column}", "a.csv", csv_text(more).encode(), COMMA)


def file_names() -> None:
    """Names of files, and things that are no files."""
    for name in ("with space.csv", "tab\tin it.csv", "line\nbreak.csv", "日本.csv", "👩‍🔬.csv", "100%.csv", "a:b.csv", "it's.csv", 'quo"te.csv',
                 "#.csv", "what?.csv", "[x].csv", "{x}.csv", "$HOME.csv", "dot..csv", ".hidden.csv", "nothing", "UPPER.CSV", "a.txt", "a.tsv", "a.dat", "-dash.csv",
                 "\x1b[31mred.csv", "a\u202eb.csv", "n" * 240 + ".csv", "=1+1.csv", "<b>.csv", "back\\slash.csv", "a;b&c|d.csv", "~.csv", "con.csv", "x.json.csv"):  # fmt: skip
        add(f"file name: {name[:30]!r}", name, CSV, COMMA, "read")

    def bytes_name(folder: Path) -> Path:
        path = Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.csv"))
        path.write_bytes(CSV)
        return path

    def parquet_bytes_name(folder: Path) -> Path:
        path = Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.parquet"))
        path.write_bytes(parquet(pa.Table.from_pandas(FRAME)))
        return path

    made("file name: not UTF-8", bytes_name, COMMA, "read")
    made("file name: not UTF-8, Parquet", parquet_bytes_name, by_parquet, "read")
    array = json.dumps(ROWS).encode()
    for ending in (".json", ".jsonl", ".parquet", ".gz", ".xlsx", ".db"):
        add(f"wrong ending: CSV as {ending}", f"a{ending}", CSV, None)
    for ending in (".pkl", ".npy", ".pt"):
        add(f"wrong ending: CSV as {ending}", f"a{ending}", CSV, None, "refuse")
    for ending in (".csv", ".txt", ".parquet", ""):
        add(f"wrong ending: array as {ending!r}", f"a{ending}", array, None, "read")
        add(f"wrong ending: JSON lines as {ending!r}", f"a{ending}", lines(ROWS).encode(), None, "read")
    for ending in (".csv", ".json", ""):
        add(f"wrong ending: Parquet as {ending!r}", f"a{ending}", parquet(pa.Table.from_pandas(FRAME)), None, "read")

    def link(folder: Path) -> Path:
        (folder / "real.csv").write_bytes(CSV)
        (folder / "link.csv").symlink_to(folder / "real.csv")
        return folder / "link.csv"

    def dangling(folder: Path) -> Path:
        (folder / "link.csv").symlink_to(folder / "absent.csv")
        return folder / "link.csv"

    def circle(folder: Path) -> Path:
        (folder / "link.csv").symlink_to(folder / "link.csv")
        return folder / "link.csv"

    def folder_of(folder: Path) -> Path:
        (folder / "a.csv").mkdir()
        return folder / "a.csv"

    def pipe(folder: Path) -> Path:
        os.mkfifo(folder / "a.csv")
        return folder / "a.csv"

    made("no file: link", link, COMMA, "read")
    made("no file: dangling link", dangling, None, "refuse")
    made("no file: link to itself", circle, None, "refuse")
    made("no file: folder", folder_of, None, "refuse")
    made("no file: named pipe", pipe, None, "refuse")
    made("no file: device", lambda folder: Path("/dev/null"), None, "refuse")
    made("no file: absent", lambda folder: folder / "absent.csv", None, "refuse")
    made("no file: very long name", lambda folder: folder / ("x" * 300), None, "refuse")
    made("no file: address", lambda folder: Path("https://example.org/a.csv"), None, "refuse")


def packed() -> None:
    """Packed files, whole and damaged."""
    squeezed = gzip.compress(CSV)
    stream = pa.BufferOutputStream()
    with pa.CompressedOutputStream(stream, "zstd") as out:
        out.write(CSV)
    zstd = stream.getvalue().to_pybytes()
    stream = pa.BufferOutputStream()
    with pa.CompressedOutputStream(stream, "lz4") as out:
        out.write(CSV)
    lz4 = stream.getvalue().to_pybytes()
    for name, data in (("gz", squeezed), ("bz2", bz2.compress(CSV)), ("zst", zstd)):
        add(
            f"packed: {name}",
            f"a.csv.{name}",
            data,
            by_csv(compression={"gz": "gzip", "zst": None}.get(name, name)) if name != "zst" else None,
            "read",
        )
        add(f"packed: {name} by another name", "a.csv", data, None, "read")
        add(f"packed: {name} cut in half", f"a.csv.{name}", data[: len(data) // 2], None, "refuse")
        add(f"packed: {name} without its last byte", f"a.csv.{name}", data[:-1], None, "refuse")
        add(f"packed: {name} cut after ten bytes", f"a.csv.{name}", data[:10], None, "refuse")
        add(f"packed: {name} with something behind", f"a.csv.{name}", data + b"something", None)
        add(f"packed: {name} with zeros behind", f"a.csv.{name}", data + b"\x00" * 64, None)
        add(
            f"packed: {name} with a flipped byte",
            f"a.csv.{name}",
            data[:40] + bytes([data[40] ^ 255]) + data[41:],
            None,
        )
        add(f"packed: {name} twice", f"a.csv.{name}", gzip.compress(data), None, "refuse")
    add(
        "packed: two parts",
        "a.csv.gz",
        squeezed + gzip.compress(b"svm,wine,99,0.5\n" * 3),
        by_csv(compression="gzip"),
        "read",
    )
    large = gzip.compress(csv_text(ROWS * 500).encode())
    add("packed: large, cut in half", "a.csv.gz", large[: len(large) // 2], None, "refuse")
    add("packed: nothing", "a.csv.gz", gzip.compress(b""), None, "refuse")
    add("packed: Parquet", "a.parquet.gz", gzip.compress(parquet(pa.Table.from_pandas(FRAME))), None, "refuse")
    add("packed: pickle", "a.csv.gz", gzip.compress(pickle.dumps(ROWS)), None, "refuse")
    add("packed: UTF-16", "a.csv.gz", gzip.compress(csv_text().encode("utf-16")), None, "refuse")
    add("packed: zeros", "a.csv.gz", gzip.compress(b"\x00" * 10**6), None, "refuse")
    add(
        "packed: JSON array", "a.json.gz", gzip.compress(json.dumps(ROWS).encode()), by_json(compression="gzip"), "read"
    )
    add(
        "packed: JSON array with a mark", "a.json.gz", gzip.compress(json.dumps(ROWS).encode("utf-8-sig")), None, "read"
    )
    add(
        "packed: JSON lines",
        "a.jsonl.gz",
        gzip.compress(lines(ROWS).encode()),
        by_json(lines=True, compression="gzip"),
        "read",
    )
    add("packed: JSON lines by another name", "a.csv", gzip.compress(lines(ROWS).encode()), None, "read")
    add("packed: xz", "a.csv.xz", lzma.compress(CSV), None, "refuse")
    add("packed: lz4", "a.csv.lz4", lz4, None, "refuse")
    add("packed: 7z", "a.7z", b"7z\xbc\xaf\x27\x1c\x00\x04" + os.urandom(50), None, "refuse")

    def archive(folder: Path) -> Path:
        with zipfile.ZipFile(folder / "a.zip", "w") as file:
            file.writestr("a.csv", CSV)
        return folder / "a.zip"

    def tarred(folder: Path) -> Path:
        with tarfile.open(folder / "a.tar", "w") as file:
            info = tarfile.TarInfo("a.csv")
            info.size = len(CSV)
            file.addfile(info, io.BytesIO(CSV))
        return folder / "a.tar"

    def tarred_and_packed(folder: Path) -> Path:
        (folder / "a.tar.gz").write_bytes(gzip.compress(tarred(folder).read_bytes()))
        return folder / "a.tar.gz"

    made("packed: zip", archive, None, "refuse")
    made("packed: tar", tarred, None, "refuse")
    made("packed: tar.gz", tarred_and_packed, None, "refuse")
    for name, head in (
        ("ORC", b"ORC\x00"),
        ("HDF5", b"\x89HDF\r\n\x1a\n\x00"),
        ("old Excel", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        ("PDF", b"%PDF-1.7\n\x00"),
        ("ELF", b"\x7fELF\x00"),
        ("PNG", b"\x89PNG\r\n\x1a\n\x00"),
    ):
        add(f"foreign: {name}", "a.csv", head + bytes(range(256)), None, "refuse")
    add("foreign: pickle", "a.csv", pickle.dumps(ROWS), None, "refuse")
    add("foreign: old pickle", "a.csv", pickle.dumps(ROWS, protocol=0), None, "refuse")
    add("foreign: HTML", "a.csv", FRAME.to_html().encode(), None, "refuse")
    add("foreign: XML", "a.csv", b"<?xml version='1.0'?><rows><r a='1'/></rows>", None, "refuse")
    add("foreign: Markdown table", "a.csv", b"| model | score |\n|---|---|\n| a | 0.5 |\n| b | 0.6 |\n", None, "refuse")
    add("foreign: YAML", "a.csv", b"- model: a\n  score: 0.5\n- model: b\n  score: 0.6\n", None, "refuse")
    add("foreign: ARFF", "a.csv", b"@relation x\n@attribute score numeric\n@data\n0.5\n0.6\n", None, "refuse")
    add("foreign: fixed width", "a.csv", b"model   score\nforest  0.5\nsvm     0.6\n", None, "refuse")
    add("foreign: SQLite", "a.db", b"SQLite format 3\x00" + b"\x00" * 100, None, "refuse")
    add("foreign: a journal that is none", "a.log", b'{"op_code": 99, "x": 1}\n', None, "refuse")
    add(
        "foreign: a header that begins like ORC",
        "a.csv",
        CSV.replace(b"seed", b"ORC").replace(b"model,task,ORC,score", b"ORCmodel,task,ORC,score"),
        None,
    )


def json_shapes() -> None:
    """JSON arrays, lines, and everything that is neither."""
    late_status = [{**row, **({"status": "failed"} if i == 30 else {})} for i, row in enumerate(ROWS)]
    late_task = [{k: v for k, v in row.items() if k != "task" or i >= 1} for i, row in enumerate(ROWS)]
    late_note = [{**row, **({"note": i} if i > 40 else {})} for i, row in enumerate(ROWS)]
    for name, rows in (("late status", late_status), ("late note", late_note)):
        add(f"JSON array: {name}", "a.json", json.dumps(rows).encode(), ARRAY, "read")
        add(f"JSON lines: {name}", "a.jsonl", lines(rows).encode(), LINES, "read")
    add("JSON array: late task", "a.json", json.dumps(late_task).encode(), ARRAY, "refuse")
    add("JSON lines: late task", "a.jsonl", lines(late_task).encode(), LINES, "refuse")
    for text in ("null", "true", "false", "1", "-1.5", '"text"', "{}", "[]", "[[]]", "[[1, 2], [3, 4]]", "[1, 2]", "[null]", "[null, null]", "[{}, {}]", '[{"score": 1}, 3]', "{}\n{}\n", "null\nnull\n",
                 "NaN", "[", "{", "]", "}", ",", '"', "[{", '[{"score"', '[{"score": 1', '{"score": 1', "nul", "undefined", "// x", "[[[[]]]]", '{"score": 1}\nnull\n', '{"score": 1}\n[1]\n', '[{"score": 1}] [{"score": 2}]'):  # fmt: skip
        add(f"JSON: {text!r}", "a.json", text.encode(), None, "refuse")
        if text in ("null", "true", "[", "{", "[null]", "{}", "null\nnull\n"):
            add(f"JSON lines: {text!r}", "a.jsonl", text.encode(), None, "refuse")
            add(f"JSON without its name: {text!r}", "a.csv", text.encode(), None, "refuse")
    for orient in ("columns", "index", "split", "table", "values"):
        add(f"JSON of pandas: {orient}", "a.json", FRAME.to_json(orient=orient).encode(), None, "refuse")
    add("JSON of pandas: records", "a.json", FRAME.to_json(orient="records").encode(), ARRAY, "read")
    add("JSON: wrapped", "a.json", json.dumps({"runs": ROWS}).encode(), None, "refuse")
    add("JSON array: with a mark", "a.json", json.dumps(ROWS).encode("utf-8-sig"), None, "read")
    add("JSON lines: with a mark", "a.jsonl", lines(ROWS).encode("utf-8-sig"), None, "read")
    add("JSON array: pretty", "a.json", json.dumps(ROWS, indent=2).encode(), ARRAY, "read")
    add(
        "JSON objects: pretty, one after another",
        "a.json",
        "\n".join(json.dumps(r, indent=2) for r in ROWS).encode(),
        None,
        "read",
    )
    add("JSON objects: on one line", "a.json", "".join(json.dumps(r) for r in ROWS).encode(), None, "read")
    add("JSON lines: windows", "a.jsonl", lines(ROWS, "\r\n").encode(), LINES, "read")
    add("JSON lines: old mac", "a.jsonl", lines(ROWS, "\r").encode(), None)
    add("JSON lines: blank in between", "a.jsonl", lines(ROWS, "\n\n").encode(), LINES, "read")
    add("JSON lines: commas behind", "a.jsonl", lines(ROWS, ",\n").encode(), None, "refuse")
    add("JSON lines: the last one cut", "a.jsonl", lines(ROWS).encode()[:-20], None, "refuse")
    add("JSON array: the end cut", "a.json", json.dumps(ROWS).encode()[:-20], None, "refuse")
    add("JSON array: something behind", "a.json", json.dumps(ROWS).encode() + b" x", None, "refuse")
    add("JSON array: comma at the end", "a.json", json.dumps(ROWS).encode()[:-1] + b",]", None, "refuse")
    add("JSON array: comments", "a.json", b"// runs\n" + json.dumps(ROWS).encode(), None, "refuse")
    add("JSON array: single quotes", "a.json", repr(ROWS).encode(), None, "refuse")
    add(
        "JSON array: latin-1",
        "a.json",
        json.dumps(renamed("svm", "é"), ensure_ascii=False).encode("latin-1"),
        None,
        "refuse",
    )
    add(
        "JSON lines: latin-1",
        "a.jsonl",
        "\n".join(json.dumps(r, ensure_ascii=False) for r in renamed("svm", "é")).encode("latin-1"),
        None,
        "refuse",
    )
    for code in ("utf-16", "utf-32", "utf-16-le"):
        add(f"JSON array: {code}", "a.json", json.dumps(ROWS).encode(code), None, "refuse")
    add(
        "JSON array: ten thousand keys",
        "a.json",
        json.dumps([{**r, f"k{i}": 1} for i, r in enumerate(ROWS * 200)]).encode(),
        ARRAY,
        small=False,
    )
    add(
        "JSON lines: another key in each",
        "a.jsonl",
        lines([{**r, f"k{i}": 1} for i, r in enumerate(ROWS)]).encode(),
        LINES,
        "read",
    )
    for depth in (90, 500, 5000, 200_000):
        deep = '{"a":' * depth + "1" + "}" * depth
        listed = "[" * depth + "1" + "]" * depth
        rows = [json.dumps(r)[:-1] + f', "deep": {deep}}}' for r in ROWS[:2]]
        must: Must = "either" if depth < 100 else "refuse"
        add(f"JSON lines: objects {depth} deep", "a.jsonl", "\n".join(rows).encode(), None, must, small=depth < 10**5)
        add(
            f"JSON array: objects {depth} deep",
            "a.json",
            f"[{','.join(rows)}]".encode(),
            None,
            must,
            small=depth < 10**5,
        )
        add(
            f"JSON lines: lists {depth} deep",
            "a.jsonl",
            (json.dumps(ROWS[0])[:-1] + f', "deep": {listed}}}\n').encode() * 3,
            None,
            must,
            small=depth < 10**5,
        )
        add(f"JSON: only openings, {depth}", "a.json", b"[" * depth, None, "refuse", small=depth < 10**5)
        add(
            f"JSON lines: deep over lines, {depth}",
            "a.jsonl",
            deep.replace(":", ":\n").encode(),
            None,
            "refuse",
            small=depth < 10**5,
        )


def json_values() -> None:
    """Values of JSON: numbers of all sizes, kinds that change, text that is odd."""

    def both(name: str, rows: list[dict[str, Any]], must: Must = "either", raw: Callable[[str], str] = str) -> None:
        add(f"JSON array: {name}", "a.json", raw(json.dumps(rows)).encode(), ARRAY, must)
        add(f"JSON lines: {name}", "a.jsonl", raw(lines(rows)).encode(), LINES, must)

    both("plain", ROWS, "read")
    for name, value in (
        ("2**53 + 1", 2**53 + 1),
        ("2**63", 2**63),
        ("2**64", 2**64),
        ("2**70", 2**70),
        ("10**400", 10**400),
        ("-2**63 - 1", -(2**63) - 1),
    ):
        both(f"score {name}", changed("score", value, value + 1))
        both(f"all scores about {name}", [{**r, "score": value + i} for i, r in enumerate(ROWS)])
        both(f"method {name}", [{**r, "model": value + (r["model"] == "svm")} for r in ROWS])
        both(f"seed {name}", [{**r, "seed": value + r["seed"]} for r in ROWS])
    both(
        "a number of ten thousand digits",
        changed("score", 0.25),
        raw=lambda text: text.replace("0.25", "1" * 10_000, 1),
    )
    for word in (
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "1e-999",
        "01",
        "+1",
        ".5",
        "5.",
        "0x10",
        "1_0",
        "nan",
        "True",
        "None",
        "undefined",
    ):
        both(f"score {word}", changed("score", 0.25), raw=lambda text, word=word: text.replace("0.25", word, 1))  # type: ignore[misc]
    both("score null", changed("score", None, None))
    both("score text", [{**r, "score": str(r["score"])} for r in ROWS])
    both("score text and number", changed("score", "0.5"))
    both("score true and number", changed("score", True))
    both("score true and false", [{**r, "score": r["seed"] % 3 == 0} for r in ROWS])
    both("score list", changed("score", [0.5]))
    both("score object", [{**r, "score": {"acc": r["score"]}} for r in ROWS])
    both(
        "metrics in an object", [{"model": r["model"], "task": r["task"], "metrics": {"acc": r["score"]}} for r in ROWS]
    )
    both(
        "params of several kinds",
        [{**r, "params": {"depth": ("auto", 3, None, 0.5)[i % 4]}} for i, r in enumerate(ROWS)],
    )
    both("params that differ", [{**r, "params": {f"p{i % 3}": i}} for i, r in enumerate(ROWS)])
    both("lists of several lengths", [{**r, "layers": [64] * (i % 3)} for i, r in enumerate(ROWS)])
    both("empty objects", [{**r, "extra": {}} for r in ROWS])
    both("method null", changed("model", None), "refuse")
    both("method absent", [{k: v for k, v in r.items() if k != "model" or i} for i, r in enumerate(ROWS)], "refuse")
    both(
        "method like a date",
        [{**r, "model": {"svm": "2024-01-01", "forest": "2024-01-02"}[r["model"]]} for r in ROWS],
        "read",
    )
    both(
        "method like a time",
        [{**r, "model": {"svm": "2024-01-01 10:00:00", "forest": "2024-01-02T10:00:00Z"}[r["model"]]} for r in ROWS],
        "read",
    )
    both("method with a leading zero", renamed("svm", "01"), "read")
    both("method as whole number", [{**r, "model": {"svm": 1, "forest": 2}[r["model"]]} for r in ROWS], "read")
    both("method as number", [{**r, "model": {"svm": 1.5, "forest": 2.25}[r["model"]]} for r in ROWS])
    both("method of two kinds", [{**r, "model": {"svm": 1, "forest": "2"}[r["model"]]} for r in ROWS])
    both("method as 1 and 1.0", [{**r, "model": {"svm": 1, "forest": 1.0}[r["model"]]} for r in ROWS])
    both("method true and false", [{**r, "model": r["model"] == "svm"} for r in ROWS])
    both("method as list", [{**r, "model": [r["model"]]} for r in ROWS])
    both("method as object", [{**r, "model": {"name": r["model"]}} for r in ROWS])
    both("method with a lone surrogate", renamed("svm", "\ud800"), "refuse")
    both("method with a pair of surrogates", renamed("svm", "😀"), "read")
    both("method with an escaped NUL", renamed("svm", "a\x00b"))
    both("method with escapes", renamed("svm", "\x1b[31m\u202e"))
    both("empty key", [{**r, "": 1} for r in ROWS])
    both("key with a lone surrogate", [{**r, "\udc00": 1} for r in ROWS], "refuse")
    both("unused text with a lone surrogate", [{**r, "note": "\udfff"} for r in ROWS], "refuse")
    both("key twice", ROWS, "refuse", raw=lambda text: text.replace('"seed"', '"score"'))
    both(
        "a value beyond a megabyte", [{**r, "note": "x" * (2**21 if i == 3 else 2)} for i, r in enumerate(ROWS)], "read"
    )
    both("a key beyond a megabyte", [{**r, "k" * 2**21: 1} for r in ROWS[:4]])
    both("NUL in text", ROWS, raw=lambda text: text.replace("svm", "s\x00m", 1))
    both("a line break in text", ROWS, raw=lambda text: text.replace("svm", "s\nm", 1))
    both("an unknown escape", ROWS, raw=lambda text: text.replace("svm", "s\\xm", 1))
    both("status of all kinds", [{**r, "status": ("ok", None, "failed", "timeout")[i % 4]} for i, r in enumerate(ROWS)])


def parquet(table: pa.Table, **options: Any) -> bytes:
    """A table as the bytes of a Parquet file."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def with_column(name: str, values: Any) -> Callable[[Path], Path]:
    """The runs in Parquet, one column replaced or added; `values` makes it when the file is written."""

    def write(folder: Path) -> Path:
        table = pa.Table.from_pandas(FRAME, preserve_index=False)
        column = values()
        place = table.column_names.index(name) if name in table.column_names else None
        table = table.append_column(name, column) if place is None else table.set_column(place, name, column)
        pq.write_table(table, folder / "a.parquet")
        return folder / "a.parquet"

    return write


def parquet_types() -> None:
    """Columns of every type that Parquet keeps."""
    models, scores = FRAME["model"].tolist(), FRAME["score"].tolist()
    n = len(models)
    text = pa.array(models)
    coded = pa.array([m == "svm" for m in models]).cast(pa.int64())
    moments = pa.array([10**15 * (1 + (m == "svm")) for m in models])
    names: dict[str, Callable[[], Any]] = {
        "text": lambda: text, "large text": lambda: text.cast(pa.large_string()), "text view": lambda: text.cast(pa.string_view()),
        "dictionary": text.dictionary_encode, "dictionary of large text": lambda: text.cast(pa.large_string()).dictionary_encode(),
        "dictionary of numbers": coded.dictionary_encode, "bytes": lambda: text.cast(pa.binary()), "large bytes": lambda: text.cast(pa.large_binary()),
        "bytes view": lambda: text.cast(pa.binary_view()), "bytes of fixed size": lambda: pa.array([m[:3].encode() for m in models], pa.binary(3)),
        "bytes that are no text": lambda: pa.array([b"\xff" + m.encode() for m in models]), "whole numbers": lambda: coded, "floats": lambda: coded.cast(pa.float64()),
        "half floats": lambda: pa.array(np.array(coded).astype(np.float16)), "truth values": lambda: coded.cast(pa.bool_()),
        "dates": lambda: coded.cast(pa.int32()).cast(pa.date32()), "dates in milliseconds": lambda: pa.array([86_400_000 * int(c.as_py()) for c in coded], pa.date64()),
        "times of day": lambda: coded.cast(pa.int32()).cast(pa.time32("s")), "moments in s": lambda: coded.cast(pa.timestamp("s")),
        "moments in ms": lambda: coded.cast(pa.timestamp("ms")), "moments in us": lambda: moments.cast(pa.timestamp("us")), "moments in ns": lambda: moments.cast(pa.timestamp("ns")),
        "moments in UTC": lambda: moments.cast(pa.timestamp("us", tz="UTC")), "moments somewhere": lambda: moments.cast(pa.timestamp("us", tz="Europe/Berlin")),
        "moments nowhere": lambda: moments.cast(pa.timestamp("us", tz="+01:30")), "spans of time": lambda: coded.cast(pa.duration("s")),
        "decimals": lambda: pa.array([Decimal(int(c.as_py())) / 10 for c in coded], pa.decimal128(5, 2)), "large decimals": lambda: pa.array([Decimal(int(c.as_py())) for c in coded], pa.decimal256(60, 2)),
        "UUIDs": lambda: pa.ExtensionArray.from_storage(pa.uuid(), pa.array([uuid.UUID(int=int(c.as_py()) + 1).bytes for c in coded], pa.binary(16))),
        "JSON": lambda: pa.ExtensionArray.from_storage(pa.json_(), pa.array([json.dumps(m) for m in models])),
        "truth values in bytes": lambda: pa.ExtensionArray.from_storage(pa.bool8(), coded.cast(pa.int8())), "nothing": lambda: pa.nulls(n),
        "no text": lambda: pa.nulls(n, pa.string()), "lists": lambda: pa.array([[m] for m in models]), "objects": lambda: pa.array([{"name": m} for m in models]),
        "some missing": lambda: pa.array([None, *models[1:]]), "dictionary with some missing": lambda: pa.array([None, *models[1:]]).dictionary_encode(),
        "large whole numbers": lambda: pa.array([2**64 - 1 - int(c.as_py()) for c in coded], pa.uint64()),
    }  # fmt: skip
    for what, values in names.items():
        made(f"Parquet method: {what}", with_column("model", values), by_parquet)
    exact = pa.array(scores)
    numbers: dict[str, Callable[[], Any]] = {
        "float64": lambda: exact, "float32": lambda: exact.cast(pa.float32()), "float16": lambda: pa.array(np.array(scores, dtype=np.float16)),
        "decimal32": lambda: pa.array([Decimal(str(s)) for s in scores], pa.decimal128(9, 6)).cast(pa.decimal32(9, 6)), "decimal64": lambda: pa.array([Decimal(str(s)) for s in scores], pa.decimal128(12, 6)).cast(pa.decimal64(12, 6)),
        "decimal128": lambda: pa.array([Decimal(str(s)) for s in scores], pa.decimal128(30, 10)), "decimal256": lambda: pa.array([Decimal(str(s)) for s in scores], pa.decimal256(60, 10)),
        "bool": lambda: pa.array([s > 0.5 for s in scores]), "dictionary": exact.dictionary_encode, "text": lambda: exact.cast(pa.string()), "text view": lambda: exact.cast(pa.string()).cast(pa.string_view()),
        "list": lambda: pa.array([[s] for s in scores]), "object": lambda: pa.array([{"acc": s} for s in scores]), "nothing": lambda: pa.nulls(n), "no floats": lambda: pa.nulls(n, pa.float64()),
        "span of time": lambda: pa.array([int(1000 * s) for s in scores]).cast(pa.duration("ms")), "time": lambda: pa.array([int(1000 * s) for s in scores]).cast(pa.timestamp("ms")),
        "bytes": lambda: exact.cast(pa.string()).cast(pa.binary()), "with missing": lambda: pa.array([None, *scores[1:]]), "with NaN": lambda: pa.array([float("nan"), *scores[1:]]),
        "with infinity": lambda: pa.array([float("inf"), *scores[1:]]), "truth values in bytes": lambda: pa.ExtensionArray.from_storage(pa.bool8(), pa.array([int(s > 0.5) for s in scores], pa.int8())),
        "dictionary of text": lambda: exact.cast(pa.string()).dictionary_encode(),
    }  # fmt: skip
    whole = [int(100 * s) for s in scores]
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        numbers[name] = lambda name=name: pa.array(whole, getattr(pa, name)())  # type: ignore[misc]
    numbers["large uint64"] = lambda: pa.array([2**64 - 1 - w for w in whole], pa.uint64())
    numbers["large int64"] = lambda: pa.array([2**62 + w for w in whole])
    for what, values in numbers.items():
        made(f"Parquet score: {what}", with_column("score", values), by_parquet)
    plain = pa.array([[1, 2]] * n)
    point = pa.array([{"a": 1, "b": "x"}] * n)
    others: dict[str, Callable[[], Any]] = {
        "list": lambda: plain, "large list": lambda: plain.cast(pa.large_list(pa.int64())), "list view": lambda: pa.array([[1, 2]] * n, pa.list_view(pa.int64())),
        "large list view": lambda: pa.array([[1, 2]] * n, pa.large_list_view(pa.int64())), "list of fixed size": lambda: plain.cast(pa.list_(pa.int64(), 2)),
        "list of text views": lambda: pa.array([["x"]] * n, pa.list_(pa.string_view())), "map": lambda: pa.array([[("a", 1)]] * n, pa.map_(pa.string(), pa.int64())),
        "object": lambda: point, "object of views": lambda: pa.array([{"a": "x"}] * n, pa.struct([("a", pa.string_view())])), "list of objects": lambda: pa.array([[{"a": 1}]] * n),
        "object of dictionaries": lambda: pa.StructArray.from_arrays([pa.array(["x"] * n).dictionary_encode()], ["a"]), "object with a field twice": lambda: pa.StructArray.from_arrays([pa.array([1] * n), pa.array([2] * n)], ["a", "a"]),
        "tensor": lambda: pa.FixedShapeTensorArray.from_numpy_ndarray(np.ones((n, 2, 2))), "span of time": lambda: pa.array([1] * n, pa.duration("ns")), "time of day": lambda: pa.array([1] * n, pa.time64("ns")),
        "moment beyond pandas": lambda: pa.array([2**52] * n, pa.timestamp("ms")), "date beyond Python": lambda: pa.array([10**8] * n, pa.date32()), "decimal": lambda: pa.array([Decimal("1.5")] * n, pa.decimal256(70, 3)),
        "half float": lambda: pa.array(np.ones(n, dtype=np.float16)), "bytes that are no text": lambda: pa.array([b"\xff\xfe"] * n), "bytes view": lambda: pa.array([b"\xff\xfe"] * n, pa.binary_view()),
        "text view": lambda: pa.array(["x", "y", "z"] * (n // 3), pa.string_view()), "dictionary": lambda: pa.array(["x", "y", "z"] * (n // 3)).dictionary_encode(), "nothing": lambda: pa.nulls(n),
        "objects eighty deep": lambda: _nested(n, 80),
        "object that is missing": lambda: pa.array([None, *([{"a": 1}] * (n - 1))]), "opaque": lambda: pa.ExtensionArray.from_storage(pa.opaque(pa.int32(), "x", "y"), pa.array([1] * n, pa.int32())),
    }  # fmt: skip
    for what, values in others.items():
        made(f"Parquet other column: {what}", with_column("extra", values), by_parquet)
        made(f"Parquet params: {what}", with_column("params", values), by_parquet)
    for what in (
        "text view",
        "dictionary",
        "span of time",
        "list view",
        "half float",
        "moment beyond pandas",
        "bytes view",
        "decimal",
        "tensor",
    ):
        made(f"Parquet group: {what}", with_column("group", others[what]), by_parquet)
        made(f"Parquet seed: {what}", with_column("seed", others[what]), by_parquet)
        made(f"Parquet status: {what}", with_column("status", others[what]), by_parquet)
        made(f"Parquet fold: {what}", with_column("fold", others[what]), by_parquet)


def _nested(n: int, depth: int) -> pa.Array:
    values: Any = pa.array([1] * n)
    for _ in range(depth):
        values = pa.StructArray.from_arrays([values], ["a"])
    return values


def parquet_files() -> None:
    """Parquet files: codecs, versions, layouts, damage, and their relatives."""
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
        add(f"Parquet codec: {codec}", "a.parquet", parquet(table, compression=codec), by_parquet, "read")
    layouts: dict[str, dict[str, Any]] = {
        "version 1": {"version": "1.0"}, "version 2.4": {"version": "2.4"}, "second pages": {"data_page_version": "2.0"}, "no dictionaries": {"use_dictionary": False},
        "split bytes": {"use_dictionary": False, "column_encoding": {"score": "BYTE_STREAM_SPLIT"}}, "deltas": {"use_dictionary": False, "column_encoding": {"seed": "DELTA_BINARY_PACKED", "model": "DELTA_BYTE_ARRAY"}},
        "groups of five": {"row_group_size": 5}, "checksums": {"write_page_checksum": True}, "no schema of Arrow's": {"store_schema": False}, "old moments": {"use_deprecated_int96_timestamps": True}, "small pages": {"data_page_size": 64},
        "page index": {"write_page_index": True}, "sorted": {"sorting_columns": [pq.SortingColumn(0)]},
    }  # fmt: skip
    for name, options in layouts.items():
        add(f"Parquet layout: {name}", "a.parquet", parquet(table, **options), by_parquet, "read")
    indexed = {
        "an index by number": FRAME.iloc[5:], "a named index": FRAME.set_index("model"), "two indices": FRAME.set_index(["model", "task"]), "an index of text": FRAME.set_index(FRAME["model"] + FRAME["seed"].astype(str)),
        "categories": FRAME.astype({"model": "category", "task": "category"}), "nullable types": FRAME.convert_dtypes(), "Arrow's types": FRAME.convert_dtypes(dtype_backend="pyarrow"), "periods": FRAME.assign(when=pd.period_range("2024", periods=len(FRAME), freq="D")),
        "intervals": FRAME.assign(bin=pd.cut(FRAME["score"], 3).astype(str)), "columns that are numbers": FRAME.rename(columns={"seed": 7}).rename(columns=str),
    }  # fmt: skip
    for name, frame in indexed.items():
        sink = io.BytesIO()
        frame.to_parquet(sink)
        add(f"Parquet of pandas: {name}", "a.parquet", sink.getvalue(), by_parquet)
    add("Parquet: no rows", "a.parquet", parquet(table.slice(0, 0)), None, "refuse")
    add("Parquet: one row", "a.parquet", parquet(table.slice(0, 1)), None, "refuse")
    add("Parquet: no columns", "a.parquet", parquet(pa.table({})), None, "refuse")
    add(
        "Parquet: repeated columns",
        "a.parquet",
        parquet(pa.Table.from_arrays([table["score"], table["score"]], ["score", "score"])),
        None,
        "refuse",
    )
    add(
        "Parquet: hostile names",
        "a.parquet",
        parquet(table.rename_columns(["model", "\x1b[31m", "", "score"])),
        by_parquet,
    )
    add(
        "Parquet: says that Ogive wrote it",
        "a.parquet",
        parquet(table.replace_schema_metadata({"ogive": "{}"})),
        None,
        "refuse",
    )
    add(
        "Parquet: says so with half a record",
        "a.parquet",
        parquet(table.replace_schema_metadata({"ogive": '{"format": 1, "metrics": null}'})),
        None,
        "refuse",
    )
    add(
        "Parquet: says so with no JSON",
        "a.parquet",
        parquet(table.replace_schema_metadata({"ogive": "\xff["})),
        None,
        "refuse",
    )
    data = parquet(table, compression="none", use_dictionary=False)
    for cut in (4, 8, 12, 100, len(data) // 2, len(data) - 9, len(data) - 1):
        add(f"Parquet damaged: cut after {cut} bytes", "a.parquet", data[:cut], None, "refuse")
    for place in range(4, len(data), max(1, len(data) // 40)):
        for mask in (0xFF, 0x01):
            flipped = data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :]
            add(
                f"Parquet damaged: byte {place} by {mask}",
                "a.parquet",
                flipped,
                by_parquet,
                small=mask == 1 and place % 3 == 0,
            )
    add("Parquet damaged: zeros", "a.parquet", b"PAR1" + b"\x00" * 1000 + b"PAR1", None, "refuse")
    add(
        "Parquet damaged: a footer longer than the file",
        "a.parquet",
        data[:-8] + b"\xff\xff\xff\x7fPAR1",
        None,
        "refuse",
    )
    add("Parquet damaged: two files in one", "a.parquet", data + data, by_parquet)
    add("Parquet: encrypted", "a.parquet", b"PARE" + data[4:-4] + b"PARE", None, "refuse")
    for name, write in (
        ("Feather", lambda sink: pa.ipc.new_file(sink, table.schema)),
        ("Arrow stream", lambda sink: pa.ipc.new_stream(sink, table.schema)),
    ):
        sink = io.BytesIO()
        with write(sink) as writer:
            writer.write_table(table)
        add(f"Parquet's relatives: {name}", f"a.{name[:7].lower()}", sink.getvalue(), None, "refuse")
        add(f"Parquet's relatives: {name}, cut", "a.parquet", sink.getvalue()[:300], None, "refuse")


for fill in (
    encodings,
    separators,
    quoting,
    line_ends,
    zeros,
    shapes,
    numbers,
    names,
    file_names,
    packed,
    json_shapes,
    json_values,
    parquet_types,
    parquet_files,
):
    fill()


def kinds(small: bool = False) -> Iterator[Kind]:
    """Every kind; or those that take no time."""
    return (kind for kind in KINDS.values() if kind.small or not small)
