"""First lines of tables: names of the columns, or a row already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from regretless.data import open_stream
from regretless.data.csv import is_row

from ..command_line import CommandLine
from .test_data_csv import Table, table, whole

__all__ = ["table"]  # a fixture


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.mark.parametrize(
    "text",
    [
        "5.1,3.5,setosa\n4.9,3.0,setosa\n6.1,2.9,virginica\n",
        "1.5,2,0\n1,2,1\n",
        "1,2\n",
        "?,3.5,a\n4.9,3.0,b\n",
        "dem,y,n\nrep,n,n\ndem,y,y\n",
        "5,1;3,5;a\n4,9;3,0;b\n",
        "0,7,1\n3,4,1\n",
    ],
)
def test_a_row_in_the_first_line_is_a_row(text: str, table: Table) -> None:
    """Numbers above numbers, and words that come again in their column, are values: columns are called c1, c2, ..."""
    columns = len(text.split("\n")[0].split(";" if ";" in text else ","))
    stream = table(text, target=f"c{columns}", missing="zero")
    assert len(whole(stream)[0]) == text.count("\n")
    assert [note.partition(";")[0] for note in stream.notes] == [
        f"the first line holds values, so that the columns are called c1 to c{columns}"
    ]
    assert stream.schema()["header"] is False


@pytest.mark.parametrize(
    "text",
    [
        "width,height,kind\n5.1,3.5,setosa\n4.9,3.0,setosa\n",
        "city,2019,2020,2022\nRome,1.5,2.5,3.5\nOslo,2.5,2.5,1.5\n",
        "0,1,2\n0.5,0.25,1\n1.5,0.5,0\n",
        "color,shape\nred,round\nblue,square\n",
        "1st,2nd\n1,2\n",
    ],
)
def test_names_in_the_first_line_are_names(text: str, table: Table) -> None:
    """A word above numbers, names that no cell repeats, numbers that count and years name the columns."""
    names = text.split("\n")[0].split(",")
    stream = table(text, target=names[-1])
    assert len(whole(stream)[0]) == text.count("\n") - 1
    assert stream.notes == []
    assert "header" not in stream.schema()


def test_what_the_user_says_of_the_first_line_counts(table: Table) -> None:
    """With header=True numbers are names, and with header=False words are values."""
    with pytest.raises(Exception, match="a row of numbers where the column names are expected"):
        list(table("1.5,2.5\n1,2\n3,4\n", header=True, target="z").batches())
    stream = table("red,round\nblue,square\n", header=False, target="c2")
    assert whole(stream)[1] == ["round", "square"]
    assert stream.notes == []


@pytest.mark.parametrize("mark", [";", "\t", "|", ",", " ", "   "])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "data"])
def test_what_separates_cells_is_seen(mark: str, suffix: str, table: Table) -> None:
    """The same table is read with each mark between its cells, whatever the suffix of text is."""
    if (mark.isspace() and mark != "\t" and suffix == "tsv") or (mark == "|" and suffix not in ("csv", "tsv")):
        return  # names with spaces are names there; and bars are the format of Vowpal Wabbit
    text = "\ufeffa,b,label\r\n1,2,x\r\n3,4,y\r\n\r\n\r\n".replace(",", mark)
    rows, labels = whole(table(text, f"t.{suffix}"))
    assert rows.tolist() == [[1, 2], [3, 4]]
    assert labels == ["x", "y"]


def test_decimal_commas_in_a_table_without_names_do_not_separate(table: Table) -> None:
    """Commas that stand between digits alone are decimal where semicolons or tabs stand too."""
    for mark in ";\t":
        rows, labels = whole(table(f"1,5{mark}2,25{mark}a\n0,5{mark}1{mark}b\n1{mark}1{mark}a\n", target="c3"))
        assert rows.tolist() == [[1.5, 2.25], [0.5, 1], [1, 1]]
        assert labels == ["a", "b", "a"]


@pytest.mark.parametrize("name", ["t.csv", "t.txt", "t"])
def test_svmlight_is_known_by_its_form(name: str, table: Table) -> None:
    """Rows of svmlight are read as such from a file of another suffix, with a note where that says otherwise."""
    stream = table("1 1:0.5 3:2\n-1 2:1\n", name)
    assert whole(stream)[1] == [1, -1]
    assert len(stream.notes) == (name == "t.csv")


def test_names_may_have_space_and_quotes_around_them(table: Table) -> None:
    """Space around names, also before a quote, belongs to none of them."""
    assert table(' "a" , b,"label" \n1,2,x\n').batches().__next__().labels.tolist() == ["x"]  # type: ignore[union-attr]


def test_a_model_of_columns_without_names_reads_rows_with_and_without_labels(tmp_path: Path, run: CommandLine) -> None:
    """`predict` takes the columns by their place, and finds the features though the label before them is missing."""
    path, model, rows = tmp_path / "t.csv", tmp_path / "m.rgl", tmp_path / "rows.csv"
    path.write_text("a,1.5,2\nb,-1,1\na,2.5,3\nb,-2,0\n")
    words = ["learn", str(path), "--target", "c1", "--learner", "perceptron", "--no-certify", "--save", str(model)]
    assert "note: the first line holds values" in run(*words).err
    labelled = run("predict", str(model), str(path)).out
    rows.write_text("1.5,2\n-1,1\n2.5,3\n-2,0\n")
    assert run("predict", str(model), str(rows)).out == labelled
    assert labelled.split() == ["a", "b", "a", "b"]


def test_the_choice_of_a_target_is_printed_below_the_error(tmp_path: Path, run: CommandLine) -> None:
    """The command line says which columns there are, a line each, below its one line."""
    path = tmp_path / "t.csv"
    path.write_text("1.5,2,no\n2.5,3,yes\n")
    lines = run("learn", str(path), "--learner", "perceptron").err.splitlines()
    assert lines[0].endswith("as in --target c3")
    assert lines[1].startswith("note: the first line holds values")
    assert lines[2:] == ["   1  c1  numbers: 1.5, 2.5", "   2  c2  numbers: 2, 3", "   3  c3  'no', 'yes'"]


def test_columns_without_a_name_are_left_out_where_they_hold_nothing(table: Table) -> None:
    """An index that a data frame has written, and the empty columns at the end of a spreadsheet, cost a note."""
    stream = table(",a,label,\n0,1.5,x,\n1,2.5,y,\n2,3.5,x,\n")
    assert whole(stream)[0].tolist() == [[1.5], [2.5], [3.5]]
    assert stream.notes == ["'column 1' and 'column 4' have no name and nothing to learn from: left out"]
    again = table(",a,label,\n7,1.5,x,z\n3,2.5,y,\n", schema=stream.schema(), frozen=True)
    assert whole(again)[0].tolist() == [[1.5], [2.5]]
    with pytest.raises(Exception, match="column 1 has no name"):
        list(table(",a,label\n0,1.5,x\n2,2.5,y\n").batches())


@pytest.mark.parametrize("title", ["# made by me", "Sales of the year", "Report"])
def test_a_title_above_the_names_is_reported(title: str, table: Table) -> None:
    """One cell above several is no line of names."""
    with pytest.raises(
        Exception, match=r"t\.csv:1: one column only, .* and 3 cells below it; remove what stands above"
    ):
        list(table(f"{title}\na,b,label\n1,2,x\n2,1,y\n").batches())


def test_numbers_with_signs_are_reported(table: Table) -> None:
    """Percentages, money and thousands apart are not taken for names without a word; few of them are names."""
    for cells in (
        ["10%", "20%", "35%"],
        ["$1.5", "$2", "$30"],
        ['"1,500,000"', '"22,500"', '"3,000,000"', '"4,000,000"'],
    ):
        with pytest.raises(Exception, match=r"column 'a' holds numbers with signs as in .*; write them without"):
            list(table("a,label\n" + "".join(f"{cell},x\n" for cell in cells)).batches())
    few = table("a,label\n" + "10%,x\n20%,y\n" * 9)
    list(few.batches())
    assert few.feature_names() == ["a=10%", "a=20%"]


def test_nan_is_missing(table: Table) -> None:
    """With missing="zero" it is 0, and without it the error says so; a label must be a number all the same."""
    text = "a,b,label\n1,2,0\nnan,3,1\n"
    assert whole(table(text, missing="zero"))[0].tolist() == [[1, 2], [0, 3]]
    with pytest.raises(Exception, match="holds nan; only finite numbers can be used; pass --missing zero"):
        list(table(text).batches())
    with pytest.raises(Exception, match="column 'label' holds nan; only finite numbers can be used; --on-error"):
        list(table("a,label\n1,0\n2,nan\n", missing="zero").batches())


def test_a_line_alone_is_a_row_if_it_holds_numbers() -> None:
    """Without rows below, words are names."""
    assert is_row(["1", "2.5"], [])
    assert not is_row(["a", "2.5"], [])
    assert not is_row(["", ""], [])


def _read(path: Path, **options: Any) -> list[Any]:
    return [batch.labels for batch in open_stream(path, **options).batches()]


def test_formats_whose_columns_have_names_refuse_a_header(tmp_path: Path) -> None:
    """Whether the first line names the columns has a meaning in delimited text only."""
    path = tmp_path / "t.svm"
    path.write_text("1 1:2\n")
    with pytest.raises(Exception, match="header has no meaning in the format svmlight, but in csv, tsv"):
        _read(path, header=False)
