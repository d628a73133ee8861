"""Delimited text: separators, line ends, quotes and sizes that other readers get wrong in silence."""

import time
from pathlib import Path

import pytest

import ogive
from ogive.errors import AmbiguousColumns, InvalidScores, UnreadableSource
from ogive.files import read_table
from ogive.notes import NoteKind


def written(folder: Path, text: str | bytes) -> Path:
    (folder / "s.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / "s.csv"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("before", ["", "\n\n", "\r\n"])
def test_names_stay_as_written_whatever_ends_a_line(tmp_path: Path, end, before):
    path = written(tmp_path, before + end.join(["model;score", "01;0.1", "1;0.2", "01;0.3", ""]))
    assert ogive.read(path).algorithms == ("01", "1")


def test_quoted_names_between_tabs_are_taken_apart(tmp_path: Path):
    path = written(tmp_path, '"model"\t"score"\n"a"\t"0.1"\n"b"\t"0.2"\n')
    assert read_table(path).column_names == ["model", "score"]


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_a_quotation_mark_that_is_never_closed_is_refused(tmp_path: Path, end):
    path = written(tmp_path, 'model,score,note\na,0.1,fine\nb,0.2,"fine\nc,0.3,fine\nd,0.4,fine' + end)
    with pytest.raises(UnreadableSource, match="line 3"):
        ogive.read(path)


@pytest.mark.parametrize("row", ['{s},{v},m{m},"fine"', '{s},{v},"m{m}"', '{v},"m{m}"', '"m{m}",{v}', '"m{m}",{v},"x"'])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("lost", [0, 7, 18])
def test_a_quotation_mark_that_one_row_does_not_close_is_refused_with_its_line(tmp_path: Path, row, end, lost):
    rows = [row.format(s=i // 2, v=f"{0.5 + i / 100:.2f}", m=i % 2) for i in range(20)]
    place = rows[lost].rindex('"')
    rows[lost] = rows[lost][:place] + rows[lost][place + 1 :]
    header = ",".join(f"c{k}" for k in range(row.count(",") + 1))
    path = written(tmp_path, end.join([header, *rows, ""]))
    with pytest.raises(UnreadableSource, match=f"in line {lost + 2} that is not closed|Expected . columns"):
        read_table(path)


@pytest.mark.parametrize(
    "text",
    [
        'score,name\n1,a\n2,"b\n3,c"\n4,d\n',  # two stray marks
        'name,score\na,1\n"b,2\nc",3\nd,4\n',
        'seed,name,score\n1,"a,2\n2,b,3\n3,c",4\n4,d,5\n',
        'name,score\na,"1\nb,2"\nc,3\n',  # within the scores themselves
        'name,"score\na,1\nb,2\nc,"3"\nd,4\n',  # within the header
    ],
)
def test_whole_rows_within_quotation_marks_are_refused(tmp_path: Path, text):
    with pytest.raises(UnreadableSource, match=r"line \d"):
        read_table(written(tmp_path, text))


@pytest.mark.parametrize(
    "note", ['he said ""no""\nand went', "first, second\nthird, fourth, fifth", "a, b\n\nc", '""\n', "x\n1,2,3,4,5"]
)
def test_a_cell_of_several_lines_may_hold_marks_and_commas(tmp_path: Path, note):
    path = written(tmp_path, f'model,score,note\na,0.1,"{note}"\nb,0.2,"{note}" \nc,0.3,"fine"\n')
    assert read_table(path)["note"].to_pylist()[0] == note.replace('""', '"')


def test_looking_for_open_quotation_marks_costs_little(tmp_path: Path):
    path = written(tmp_path, "model,score,note\n" + 'a,0.1,"fine, or so"\n' * 500_000)
    start = time.process_time()
    assert read_table(path).num_rows == 500_000
    assert time.process_time() - start < 5.0


def test_a_last_cell_of_two_lines_is_read(tmp_path: Path):
    path = written(tmp_path, 'model,score,note\na,0.1,fine\nb,0.2,"two\nlines"\n')
    assert read_table(path)["note"].to_pylist() == ["fine", "two\nlines"]


@pytest.mark.parametrize("first", ["1", ""])
def test_a_type_is_not_taken_from_the_first_megabyte_alone(tmp_path: Path, first):
    path = written(tmp_path, "model,score\n" + f"a,{first}\n" * 500_000 + "b,0.5\n")
    assert read_table(path)["score"].to_pylist()[-1] == 0.5


def test_a_cell_may_be_longer_than_a_megabyte(tmp_path: Path):
    path = written(tmp_path, "model,score,note\na,0.1,x\nb,0.2," + "y" * 2**21 + "\n")
    assert len(read_table(path)["note"].to_pylist()[1]) == 2**21


def test_many_columns_are_read_in_seconds(tmp_path: Path):
    names = ",".join(f"c{i}" for i in range(5_000))
    path = written(tmp_path, f"model,score,{names}\n" + "".join(f"a,{k}{',1' * 5_000}\n" for k in range(4)))
    start = time.process_time()
    trials = ogive.read(path)
    assert time.process_time() - start < 5  # 0.7 s; where names are compared in pairs, 10 s and more
    assert max(len(str(note)) for note in trials.notes) < 500


def test_seeds_beyond_64_bits_stay_apart(tmp_path: Path):
    rows = "".join(f"a,{2**64 + i},{i}.5\n" for i in range(4))
    trials = ogive.read(written(tmp_path, "model,seed,score\n" + rows))
    assert trials.question is None
    assert len(set(trials.to_pandas()["trial"])) == 4


@pytest.mark.parametrize("text", ["1_000", "٠.٥"])
def test_what_only_python_calls_a_number_is_refused(tmp_path: Path, text):
    with pytest.raises(InvalidScores, match="row 1"):
        ogive.read(written(tmp_path, f"model,score\na,{text}\na,0.5\n"))


@pytest.mark.parametrize(("column", "word"), [("model", "method"), ("dataset", "task")])
def test_an_empty_column_of_names_is_said(tmp_path: Path, column, word):
    path = written(tmp_path, f"{column},score\n,0.1\n,0.2\n")
    (note,) = (n for n in ogive.read(path).notes if n.kind is NoteKind.EMPTY_COLUMNS)
    assert str(note) == f"empty in every row and not used: {column!r}; all rows count as one {word}"
    assert note.is_doubtful


def test_two_columns_called_score_are_not_chosen_from(tmp_path: Path):
    with pytest.raises(AmbiguousColumns, match=r"'Score'.*'score'"):
        ogive.read(written(tmp_path, "model,Score,score\na,1,2\nb,3,4\n"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("model,score\na,1\n".encode("utf-32"), "is text in UTF-32"),
        (b"\x00\x00\xfe\xff" + "model,score\na,1\n".encode("utf-32-be"), "is text in UTF-32"),
        ("model,score\na,1\n".encode("utf-16-le"), "is text in UTF-16 without a byte order mark"),
        (b"ARROW1\x00\x00" + b"\x01" * 50, "is a Feather or Arrow file"),
        (b"PK\x03\x04\x00", "is a zip archive or a spreadsheet"),
        (b"\xfd7zXZ\x00\x00", "is packed with xz"),
        (b"PARE\x00", "is an encrypted Parquet file"),
    ],
)
def test_a_foreign_file_is_called_what_it_is(tmp_path: Path, content, message):
    with pytest.raises(UnreadableSource, match=rf"s\.csv {message}"):
        read_table(written(tmp_path, content))
