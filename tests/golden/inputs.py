"""Small inputs, made in place: the same bytes on every machine, for they are of whole numbers and short decimals."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from ..corpus import seeds

ROWS, COLUMNS = 36, 5
COLOURS = ("red", "green", "blue")
NAMES = ("north", "south", "east")


@cache
def _rows(classes: int, noise: int = 7) -> list[tuple[list[float], int]]:
    """Rows with about a third of zeros, and the classes of a linear rule.

    Every so many labels is another one, and the last row is the first with another label: nothing separates them.
    Where rows can be separated, by how much is found by iterations, and differs in its digits.
    """
    draw = Random(classes)
    lines = []
    for row in range(ROWS):
        values = [round(draw.random() * 2 - 1, 2) if draw.random() < 0.65 else 0.0 for _ in range(COLUMNS)]
        values[row % COLUMNS] = 1.0  # no row of zeros, which nothing separates
        scores = [sum(v * ((3 * c + k) % 5 - 2) for k, v in enumerate(values)) + 0.1 * (c == 0) for c in range(classes)]
        label = scores.index(max(scores))
        lines.append((values, (label + 1) % classes if noise and row % noise == noise - 1 else label))
    return [*lines[:-1], (lines[0][0], (lines[0][1] + 1) % classes)] if noise else lines


def _rents() -> bytes:
    """Rows with the numbers that a line gives, give or take."""
    draw = Random(9)
    lines = ["size,rooms,town,target"]
    for row in range(40):
        size, rooms, town = draw.randrange(20, 160), draw.randrange(1, 6), NAMES[row % 3]
        rent = 7 * size + 60 * rooms + 150 * (town == "north") + draw.randrange(-900, 900) / 8
        lines.append(f"{size},{rooms},{town},{rent}")
    return "\n".join([*lines, ""]).encode()


def _svm(classes: int, labels: tuple[object, ...], noise: int = 7) -> bytes:
    lines = []
    for values, label in _rows(classes, noise):
        cells = " ".join(f"{place}:{value}" for place, value in enumerate(values, 1) if value)
        lines.append(f"{labels[label]} {cells}\n")
    return "".join(lines).encode()


def _table(classes: int, labels: tuple[object, ...], mark: str = ",") -> bytes:
    head = mark.join([*"abcde", "label"])
    lines = [mark.join([*map(str, values), str(labels[label])]) for values, label in _rows(classes)]
    return "\n".join([head, *lines, ""]).encode()


def _dense(classes: int) -> np.ndarray:
    return np.array([values for values, _ in _rows(classes)])


def _labels(classes: int, labels: tuple[object, ...]) -> np.ndarray:
    return np.array([labels[label] for _, label in _rows(classes)])


def _votes() -> bytes:
    """A disjunction of two of twelve votes, for those that look for one."""
    draw = Random(5)
    lines = []
    for _ in range(40):
        votes = [draw.random() < 0.3 for _ in range(12)]
        cells = " ".join(f"{place}:1" for place, vote in enumerate(votes, 1) if vote)
        lines.append(f"{1 if votes[2] or votes[7] else -1} {cells}\n")
    return "".join(lines).encode()


def _cities() -> bytes:
    """Names, numbers, an empty cell and a row that cannot be used."""
    draw = Random(6)
    lines = ["city,zone,age,rate,label"]
    for row in range(30):
        age, label = "" if row == 4 else str(20 + row), ["no", "yes"][row // 3 % 2]
        lines.append(f"{['Rome', 'Oslo', 'Bern'][row % 3]},{row % 2},{age},{draw.random():.2f},{label}")
    lines += [lines[1], lines[1].replace(",no", ",yes"), "Rome,1,old,0.5,yes"]
    return "\n".join([*lines, ""]).encode()


def _forecasts(kind: str) -> bytes:
    """Forecasts of three experts of unequal worth, and what became of it."""
    draw = Random(8)
    lines = ["day,north,south,east" + {"late": ",due,y", "losses": "", "prices": ""}.get(kind, ",y")]
    for day in range(1, 33):
        truth = round((day * 7 % 16) / 16 + draw.random() / 20, 3)
        messages = [min(1.0, max(0.0, round(truth + (draw.random() - 0.5) * width, 3))) for width in (0.1, 0.5, 1.5)]
        cells = list(map(str, messages))
        if kind.endswith("votes"):
            truth, cells = int(truth > 0.5), [str(int(one > 0.5)) for one in messages]
        if kind == "losses":
            cells = [f"{abs(one - truth):.3f}" for one in messages]
        elif kind == "prices":
            cells = [f"{0.7 + one * share:.3f}" for one, share in zip(messages, (0.7, 0.5, 0.4), strict=True)]
        elif kind.startswith("sleeping"):
            cells = ["" if (day + place) % 5 == 0 else cell for place, cell in enumerate(cells)]
        present = (day < 32 or not kind.startswith("sleeping")) and (day % 9 or kind != "blocks")
        due = [str(day + 1 + day % 3)] if kind == "late" else []
        ending = [] if kind in ("losses", "prices") else [str(truth) if present else ""]
        lines.append(",".join([str(day // 4 if kind == "blocks" else day), *cells, *due, *ending]))
    return "\n".join([*lines, ""]).encode()


def _losses(kind: str = "") -> bytes:
    draw = Random(9)
    lines = [",".join(NAMES)]
    for row in range(40):
        cells = [f"{draw.random() * most:.2f}" for most in (1, 0.5, 0.9)]
        if kind == "sleeping" and row % 4 == 3:
            cells[row % 3] = ""
        lines.append(",".join(cells))
    return "\n".join([*lines, ""]).encode()


def _trial(form: str) -> bytes:
    """What two ways would cost in 60 rounds, by the rain and the town; or the log of one who took them by chance."""
    draw = Random(11)
    lines = (
        []
        if form in ("vw", "blocks")
        else ["rain,town,walk,bus" if form == "costs" else "rain,town,way,paid,prob,pw,pb"]
    )
    for row in range(60):
        rain, town = draw.randrange(0, 9) / 8, NAMES[row % 3]
        walk = min(1.0, rain + (town == "east") / 8)
        costs, share = {"walk": walk, "bus": 0.5 + draw.randrange(-2, 3) / 16}, draw.choice([0.25, 0.5, 0.75])
        way = "walk" if draw.random() < share else "bus"
        chance = share if way == "walk" else 1 - share
        head = f"{rain},{town}"
        if form == "costs":
            lines.append(f"{head},{costs['walk']},{costs['bus']}")
        elif form == "blocks":
            labels = {name: f"0:{costs[name]}:{chance} " if name == way else "" for name in costs}
            lines.append("".join([f"shared |w rain:{rain}\n", *(f"{labels[name]}|a {name}\n" for name in costs)]))
        elif form == "log":
            lines.append(f"{head},{way},{costs[way]},{chance},{share},{1 - share}")
        else:
            lines.append(f"{way}:{costs[way]}:{chance} |w rain:{rain} |p {town}")
    return "\n".join([*lines, ""]).encode()


def _advice() -> bytes:
    return ("first,second\n" + "".join(f"{NAMES[row % 3]},{NAMES[1]}\n" for row in range(40))).encode()


def _game(rows: int, columns: int, *, names: bool = False) -> bytes:
    """Payoffs that are whole numbers, so that a game has one value in fractions."""
    lines = [[str((3 * i * i + 5 * i * j + 2 * j * j * j + i) % 11 - 5) for j in range(columns)] for i in range(rows)]
    if names:
        lines = [["", *(f"c{j}" for j in range(columns))], *([f"r{i}", *line] for i, line in enumerate(lines))]
    return "".join(",".join(line) + "\n" for line in lines).encode()


def _npz(**arrays: object) -> bytes:
    return seeds.npz(**arrays)


def _sparse(classes: int) -> bytes:
    from scipy.sparse import csr_array, save_npz

    file = io.BytesIO()
    save_npz(file, csr_array(_dense(classes)), compressed=False)
    file.seek(0)
    with np.load(file) as arrays:
        parts = {name: arrays[name] for name in arrays.files}
    return _npz(**parts, y=_labels(classes, (-1, 1)))


def _pennies() -> bytes:
    """Matching pennies in sequence form."""
    choice = {"row": [0, 1, 1, 1], "col": [0, 0, 1, 2], "val": [1.0, -1, 1, 1], "shape": [2, 3]}
    payoffs = {"row": [1, 1, 2, 2], "col": [1, 2, 1, 2], "val": [1.0, -1, -1, 1], "shape": [3, 3]}
    forms = {"A": payoffs, "E": choice, "F": choice}
    return _npz(**{f"{form}_{part}": np.array(v) for form, parts in forms.items() for part, v in parts.items()})


def _shard(number: int) -> bytes:
    lines = _svm(2, (-1, 1)).splitlines(keepends=True)
    return b"".join(lines[12 * number - 12 : 12 * number])


def _class(rows: int = 8, columns: int = 6) -> bytes:
    draw = Random(10)
    lines = [",".join(["", *(f"p{j}" for j in range(columns))])]
    lines += [",".join([f"h{i}", *(str(int(draw.random() < 0.5)) for _ in range(columns))]) for i in range(rows)]
    return "\n".join([*lines, ""]).encode()


BATTLE = b'NFG 1 R "Battle" { "He" "She" }\n{ { "boxing" "ballet" } { "boxing" "ballet" } }\n2 1 0 0 0 0 1 2\n'
MEETING = b'NFG 1 R "Meeting" { "Ann" "Bob" }\n{ { "stay" "go" } { "stay" "go" } }\n6 6 7 2 2 7 0 0\n'
ENTRY = b"""EFG 2 R "Entry" { "New" "Old" }
p "" 1 1 "market" { "stay out" "enter" } 0
t "" 1 "" { 0 2 }
p "" 2 1 "reply" { "fight" "share" } 0
t "" 2 "" { -1 -1 }
t "" 3 "" { 1 1 }
"""
POINTS = b"0,0\n1,0\n0,1\n2,3\n"
ROUNDS = b"point,label\n4,1\n6,1\n3,0\n5,1\n2,0\n8,1\n"

FILES: dict[str, Callable[[], bytes]] = {
    "two.svm": lambda: _svm(2, (-1, 1)),
    "clean.svm": lambda: _svm(2, (-1, 1), noise=0),
    "three.svm": lambda: _svm(3, (1, 2, 5)),
    "two.csv": lambda: _table(2, (-1, 1)),
    "bare.data": lambda: _table(2, ("no", "yes"), " ").split(b"\n", 1)[1],
    "rents.csv": _rents,
    "three.csv": lambda: _table(3, COLOURS),
    "two.tsv": lambda: _table(2, ("no", "yes"), "\t"),
    "two.npz": lambda: _npz(X=_dense(2), y=_labels(2, (-1, 1))),
    "sparse.npz": lambda: _sparse(2),
    "two.npy": lambda: seeds.npy(np.column_stack([_dense(2), _labels(2, (-1, 1))])),
    "two.parquet": lambda: seeds.parquet(_table(2, (-1, 1))),
    "two.arrow": lambda: seeds.arrow(_table(2, (-1, 1))),
    "votes.svm": _votes,
    "cities.csv": _cities,
    "one.svm": lambda: b"1 1:1\n1 2:1\n",
    "bad.svm": lambda: b"1 1:1\n-1 2:x\n1 3:1\n",
    "empty.svm": lambda: b"",
    "vector.npy": lambda: seeds.npy(np.array([-1.0, 0.5, 0.25, 1, -0.5])),
    "short.npy": lambda: seeds.npy(np.array([1.0, 0.5])),
    **{f"part-{number}.svm": lambda number=number: _shard(number) for number in (1, 2, 3)},  # type: ignore[misc]
    "forecasts.csv": lambda: _forecasts(""),
    "sleeping.csv": lambda: _forecasts("sleeping"),
    "sleeping-votes.csv": lambda: _forecasts("sleeping-votes"),
    "blocks.csv": lambda: _forecasts("blocks"),
    "late.csv": lambda: _forecasts("late"),
    "votes.csv": lambda: _forecasts("votes"),
    "expert-losses.csv": lambda: _forecasts("losses"),
    "prices.csv": lambda: _forecasts("prices"),
    "forecasts.npz": lambda: _npz(
        experts=np.array([[row % 4 / 4, row % 3 / 3] for row in range(20)]), y=np.arange(20) % 4 / 4
    ),
    "losses.csv": _losses,
    "sleeping-arms.csv": lambda: _losses("sleeping"),
    "losses.npy": lambda: seeds.npy(np.arange(60).reshape(20, 3) * 7 % 11 / 11),
    "losses.npz": lambda: _npz(a=np.arange(40).reshape(20, 2) % 3 / 4, b=np.arange(40).reshape(20, 2) % 5 / 5),
    "advice.csv": _advice,
    "log.csv": lambda: seeds.LOG,
    "policy.csv": lambda: seeds.POLICY,
    "trial.csv": lambda: _trial("costs"),
    "decisions.csv": lambda: _trial("log"),
    "decisions.vw": lambda: _trial("vw"),
    "blocks.vw": lambda: _trial("blocks"),
    "bad-log.csv": lambda: b"x,way,paid,prob\n1,walk,0,0.5\n2,bus,1,0\n",
    "bad.vw": lambda: b"1:0:0.5 | a\n2:3:0.5 | b\n",
    "game.csv": lambda: _game(4, 5),
    "named.csv": lambda: _game(3, 3, names=True),
    "rps.csv": lambda: seeds.GAME,
    "saddle.csv": lambda: b"4,2,3\n1,0,5\n",
    "constant.csv": lambda: b"2,2\n2,2\n",
    "decimal.csv": lambda: b"0.1,0.75\n0.6,-0.2\n",
    "two-games.npz": lambda: _npz(a=np.eye(2), b=np.array([[1, -1], [-2, 1]])),
    "chicken.nfg": lambda: seeds.NFG,
    "outcomes.nfg": lambda: seeds.NFG_OUTCOMES,
    "battle.nfg": lambda: BATTLE,
    "meeting.nfg": lambda: MEETING,
    "card.efg": lambda: seeds.EFG,
    "entry.efg": lambda: ENTRY,
    "pennies.npz": _pennies,
    "class.csv": _class,
    "class.npy": lambda: seeds.npy(np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]])),
    "weekdays.csv": lambda: seeds.CLASS,
    "points.csv": lambda: POINTS,
    "directions.csv": lambda: b"1,0\n0,1\n1,1\n1,-2\n",
    "rounds.csv": lambda: ROUNDS,
    "ragged.csv": lambda: b"1,2\n3\n",
    "words.csv": lambda: b"a,b\nx,y\nz,w\n",
    "broken.rgl": lambda: b"no model at all",
    "broken.json": lambda: b"{",
}


def written(words: Iterable[str]) -> list[str]:
    """Write the inputs that words of a command line name, but for those that are there; their names."""
    named = {part for word in words for part in (word, word.partition("=")[2])}
    if "part-*.svm" in named:
        named |= {"part-1.svm", "part-2.svm", "part-3.svm"}
    missing = [name for name in sorted(named & FILES.keys()) if not Path(name).exists()]
    for name in missing:
        Path(name).write_bytes(FILES[name]())
    return missing
