"""Model files: what goes in comes out, and nothing else ever comes out."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import random
import stat
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from safetensors.numpy import load_file, save_file

from regretless.errors import ModelError
from regretless.persist.format import TYPES, read_model, write_model

META: dict[str, Any] = {
    "learner": "perceptron",
    "parameters": {"rate": 0.1, "ties": "update", "radius": None, "averaged": True},
    "classes": ["ham", "späm"],
    "generator": {"key": 2**127 + 1, "counter": 0},
}


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
DESCRIPTIONS = st.dictionaries(st.text(max_size=6).filter(lambda key: key != "format"), VALUES, max_size=4)
ARRAYS = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5),
    npst.arrays(st.sampled_from(list(TYPES.values())), npst.array_shapes(min_dims=0, min_side=0)),
    max_size=4,
)


def tensors() -> dict[str, np.ndarray]:
    random_ = np.random.default_rng(7)
    return {
        "weights": random_.normal(size=(2, 5)),
        "ledger": np.arange(6, dtype=np.int64),
        "seen": np.array([True, False, True]),
        "slopes": random_.normal(size=3).astype(np.float32),
        "nothing": np.empty((0, 4), np.float32),
        "scale": np.array(2.5),
    }


def same(left: dict[str, np.ndarray], right: dict[str, np.ndarray]) -> bool:
    return left.keys() == right.keys() and all(
        left[name].dtype == right[name].dtype
        and left[name].shape == right[name].shape
        and left[name].tobytes() == right[name].tobytes()
        for name in left
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "mail.rgl"
    write_model(path, META, tensors())
    return path


def header_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def file_of(header: object, body: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def forged(text: str, arrays: dict[str, Any], body: bytes) -> bytes:
    """A file whose checksum is right, by someone who knows the format."""
    what = [[name, arrays[name]["dtype"], arrays[name]["shape"]] for name in sorted(arrays)]
    state = hashlib.sha256(json.dumps([text, what]).encode())
    for name in sorted(arrays):
        begin, end = arrays[name]["data_offsets"]
        state.update(body[begin:end])
    return file_of({"__metadata__": {"regretless": text, "sha256": state.hexdigest()}, **arrays}, body)


def refusal(path: Path, data: bytes | None = None, allowed: set[str] | None = None) -> str:
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ModelError) as caught:
        read_model(path, allowed)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "; " in message
    return message


class TestRoundTrip:
    def test_what_was_written_is_read(self, path: Path) -> None:
        """The description and every array come back as they were."""
        meta, arrays = read_model(path, META.keys())
        assert meta == META
        assert same(arrays, tensors())

    def test_arrays_belong_to_the_reader(self, path: Path) -> None:
        """Each array owns its memory, can be written and is C-contiguous."""
        for array in read_model(path)[1].values():
            assert array.flags.owndata
            assert array.flags.writeable
            assert array.flags.c_contiguous

    @settings(deadline=None)  # a disk may take its time to sync
    @given(ARRAYS, DESCRIPTIONS)
    def test_any_model_survives(
        self, tmp_path_factory: pytest.TempPathFactory, arrays: dict[str, np.ndarray], meta: dict[str, Any]
    ) -> None:
        """Every type, every shape and every JSON value is read as it was written, here and by safetensors."""
        path = tmp_path_factory.mktemp("any") / "model.rgl"
        write_model(path, meta, arrays)
        read, loaded = read_model(path)
        assert json.dumps(read, sort_keys=True) == json.dumps(meta, sort_keys=True)
        assert same(loaded, arrays)
        assert same(load_file(path), arrays)

    @pytest.mark.parametrize(
        "layout",
        [
            lambda array: array[::2, ::3],
            lambda array: array.T,
            lambda array: array.astype(">f8"),
            lambda array: array.view(np.matrix),
        ],
        ids=["strided", "transposed", "big-endian", "subclass"],
    )
    def test_layout_does_not_matter(self, tmp_path: Path, layout: Any) -> None:
        """Strided, transposed, byte-swapped and subclassed arrays are saved by their values."""
        array = layout(np.random.default_rng(1).normal(size=(6, 6)))
        write_model(tmp_path / "m.rgl", META, {"w": array})
        loaded = read_model(tmp_path / "m.rgl")[1]["w"]
        assert type(loaded) is np.ndarray
        np.testing.assert_array_equal(loaded, np.asarray(array))

    def test_no_arrays(self, tmp_path: Path) -> None:
        """A description alone is a model too."""
        write_model(tmp_path / "m.rgl", META, {})
        assert read_model(tmp_path / "m.rgl") == (META, {})


class TestWriting:
    def test_same_model_same_bytes(self, tmp_path: Path, path: Path) -> None:
        """The order in which keys and arrays are given changes no byte of the file."""
        other = tmp_path / "other.rgl"
        write_model(other, dict(reversed(META.items())), dict(reversed(tensors().items())))
        assert other.read_bytes() == path.read_bytes()

    def test_arrays_are_aligned(self, path: Path) -> None:
        """Each array begins at a multiple of its element's size, so that the file can be mapped."""
        data = path.read_bytes()
        header, body = header_of(data)
        header.pop("__metadata__")
        for entry in header.values():
            width = np.dtype(TYPES[entry["dtype"]]).itemsize
            assert (len(data) - len(body) + entry["data_offsets"][0]) % width == 0

    @pytest.mark.parametrize(
        ("meta", "says"),
        [
            ({"rate": float("nan")}, "not JSON"),
            ({"rate": float("inf")}, "not JSON"),
            ({"learner": object()}, "not JSON"),
            ({"classes": (0, 1)}, "use lists"),
            ({"counts": {1: 2}}, "text as keys"),
            ({"format": 1}, "reserved"),
        ],
    )
    def test_unfit_description(self, tmp_path: Path, meta: dict[str, Any], says: str) -> None:
        """A description that would change on the way through JSON is refused before a file is made."""
        with pytest.raises(ModelError, match=says):
            write_model(tmp_path / "m.rgl", meta, {})
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "array",
        [
            np.array(["a", "b"]),
            np.array([None, 1], dtype=object),
            np.zeros(2, dtype="datetime64[s]"),
            np.zeros(2, dtype=complex),
            np.zeros(2, dtype=[("a", "f8")]),
        ],
        ids=["text", "objects", "dates", "complex", "records"],
    )
    def test_unfit_array(self, tmp_path: Path, array: np.ndarray) -> None:
        """Only numbers and truth values are saved; anything else is refused before a file is made."""
        with pytest.raises(ModelError, match="only numbers and truth values"):
            write_model(tmp_path / "m.rgl", META, {"w": array})
        assert list(tmp_path.iterdir()) == []

    def test_permissions_follow_the_umask(self, tmp_path: Path) -> None:
        """A new file gets what the umask leaves; a replaced one keeps its own permissions."""
        path = tmp_path / "m.rgl"
        before = os.umask(0o027)
        try:
            write_model(path, META, {})
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o600)
        write_model(path, META, tensors())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_link_is_followed(self, tmp_path: Path, path: Path) -> None:
        """Saving to a symbolic link replaces the file that it points to and keeps the link."""
        link = tmp_path / "latest.rgl"
        link.symlink_to(path.name)
        write_model(link, {"learner": "winnow"}, {})
        assert link.is_symlink()
        assert read_model(path)[0] == {"learner": "winnow"}

    def test_what_is_no_file_is_not_replaced(self, tmp_path: Path) -> None:
        """A folder and a pipe in the place of the model stay where they are."""
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        for target in (tmp_path, pipe):
            with pytest.raises(ModelError, match="not a regular file"):
                write_model(target, META, {})
        assert stat.S_ISFIFO(pipe.stat().st_mode)

    def test_missing_folder_is_named(self, tmp_path: Path) -> None:
        """An error of the system names the model, not the temporary file."""
        path = tmp_path / "nowhere" / "m.rgl"
        with pytest.raises(FileNotFoundError) as caught:
            write_model(path, META, {})
        assert caught.value.filename == str(path)


class TestCrash:
    @pytest.mark.parametrize("call", ["replace", "fsync", "chmod"])
    @pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
    def test_old_model_stays(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, call: str, failure: BaseException
    ) -> None:
        """Whatever fails before the new name is given, the old model stays and nothing is left over."""
        before = path.read_bytes()

        def fail(*_: object) -> None:
            raise failure

        monkeypatch.setattr(os, call, fail)
        with pytest.raises(type(failure)):
            write_model(path, {"learner": "winnow"}, {"w": np.ones(1000)})
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]

    def test_full_disk(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A write that fails half way through leaves the old model and no temporary file."""
        before = path.read_bytes()
        resource = pytest.importorskip("resource")
        signal = pytest.importorskip("signal")
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
        try:
            with pytest.raises(OSError, match=r"mail\.rgl"):
                write_model(path, META, {"w": np.ones(10_000)})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, handler)
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]

    def test_bytes_reach_the_disk_before_the_name(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The file is synced, then renamed, then its folder is synced."""
        calls: list[str] = []
        fsync, replace = os.fsync, os.replace

        def note_fsync(descriptor: int) -> None:
            calls.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
            fsync(descriptor)

        def note_replace(source: str, target: str) -> None:
            calls.append("replace")
            replace(source, target)

        monkeypatch.setattr(os, "fsync", note_fsync)
        monkeypatch.setattr(os, "replace", note_replace)
        write_model(path, META, tensors())
        assert calls == ["file", "replace", "folder"]

    def test_folder_that_cannot_be_synced(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A file system that cannot sync folders is no reason to fail; a broken disk is."""
        fsync = os.fsync
        number = errno.EINVAL

        def refuse_folders(descriptor: int) -> None:
            if stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise OSError(number, os.strerror(number))
            fsync(descriptor)

        monkeypatch.setattr(os, "fsync", refuse_folders)
        write_model(path, {"learner": "winnow"}, {})
        assert read_model(path)[0] == {"learner": "winnow"}
        number = errno.EIO
        with pytest.raises(OSError, match=os.strerror(errno.EIO)):
            write_model(path, META, {})

    def test_readers_see_one_model_or_the_other(self, tmp_path: Path) -> None:
        """While a model is replaced again and again, every reader gets one whole model."""
        path = tmp_path / "m.rgl"
        models = [({"number": number}, {"w": np.full(5000, float(number))}) for number in range(4)]
        write_model(path, *models[0])
        done = threading.Event()
        failures: list[object] = []

        def read() -> None:
            while not done.is_set():
                try:
                    meta, arrays = read_model(path)
                except Exception as error:
                    failures.append(error)
                    return
                if not (arrays["w"] == meta["number"]).all():
                    failures.append(meta)

        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for turn in range(100):
            write_model(path, *models[turn % 4])
        done.set()
        for reader in readers:
            reader.join()
        assert failures == []


def flip(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice([1, 1, 1, 2, 8])):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def cut(data: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data))]


def insert(data: bytes, dice: random.Random) -> bytes:
    place = dice.randrange(len(data) + 1)
    return data[:place] + dice.randbytes(dice.randint(1, 16)) + data[place:]


def remove(data: bytes, dice: random.Random) -> bytes:
    begin = dice.randrange(len(data))
    return data[:begin] + data[begin + dice.randint(1, 16) :]


def swap(data: bytes, dice: random.Random) -> bytes:
    a, b = sorted(dice.sample(range(len(data) - 8), 2))
    return data[:a] + data[b : b + 8] + data[a + 8 : b] + data[a : a + 8] + data[b + 8 :]


def retype(text: str, dice: random.Random) -> str:
    """Another digit or letter in the place of one: the header stays JSON more often than not."""
    places = [place for place, letter in enumerate(text) if letter.isalnum()]
    place = dice.choice(places)
    new = dice.choice("0123456789") if text[place].isdigit() else dice.choice("abFIU")
    return text[:place] + new + text[place + 1 :]


def edit_text(data: bytes, dice: random.Random) -> bytes:
    header, body = header_of(data)
    return file_of(retype(json.dumps(header), dice).encode(), body)


def edit_description(data: bytes, dice: random.Random) -> bytes:
    header, body = header_of(data)
    header["__metadata__"]["regretless"] = retype(header["__metadata__"]["regretless"], dice)
    return file_of(header, body)


def edit_header(data: bytes, dice: random.Random) -> bytes:
    header, body = header_of(data)
    one, two = dice.sample([name for name in header if name != "__metadata__"], 2)
    part = dice.choice(["dtype", "shape", "data_offsets"])
    match dice.randrange(7):
        case 0:
            header[one][part], header[two][part] = header[two][part], header[one][part]
        case 1:
            header[one], header[two] = header[two], header[one]
        case 2:
            header[one]["shape"] = dice.choice([[], [-1], [2**62, 4], [10**30, 0], [2.0], [True], [[]], None])
        case 3:
            header[one][part] = dice.choice([None, 1, "F64", "I64", "U64", "F8", {}, [0], [0, 8, 16], [8, 0]])
        case 4:
            header[one + dice.choice(["", "x"])] = header.pop(dice.choice([one, two]))
        case 5:
            del header[one][part]
        case _:
            del header[dice.choice([one, "__metadata__"])]
    return file_of(header, body)


class TestDamage:
    def test_no_mutation_is_read_as_another_model(self, tmp_path: Path, path: Path) -> None:
        """Each of 4,000 damaged files gives a ModelError or exactly the model that was saved."""
        data = path.read_bytes()
        target = tmp_path / "damaged.rgl"
        refused = 0
        for seed in range(500):
            dice = random.Random(seed)
            for damage in (flip, cut, insert, remove, swap, edit_text, edit_description, edit_header):
                target.write_bytes(damage(data, dice))
                try:
                    meta, arrays = read_model(target)
                except ModelError:
                    refused += 1
                    continue
                assert meta == META, (damage.__name__, seed)
                assert same(arrays, tensors()), (damage.__name__, seed)
        assert refused > 3000

    def test_every_bit_counts(self, tmp_path: Path) -> None:
        """Each turned bit of a small model is noticed, unless it turns padding into other padding."""
        path = tmp_path / "small.rgl"
        write_model(path, {"learner": "perceptron"}, {"w": np.array([1.0, -2.0])})
        data = path.read_bytes()
        for place in range(len(data)):
            for bit in range(8):
                path.write_bytes(data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :])
                if data[place] == ord(" ") and path.read_bytes()[place] in b" \t\r\n":
                    continue
                refusal(path)

    @settings(deadline=None)
    @given(st.binary(max_size=200))
    def test_any_bytes(self, tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
        """Bytes from anywhere are refused."""
        path = tmp_path_factory.mktemp("bytes") / "m.rgl"
        refusal(path, data)
        refusal(path, struct.pack("<Q", len(data)) + b"{" + data)

    def test_missing_file_is_the_systems_error(self, tmp_path: Path) -> None:
        """A path where nothing is gives FileNotFoundError."""
        with pytest.raises(FileNotFoundError):
            read_model(tmp_path / "nothing.rgl")

    def test_what_is_no_file(self, tmp_path: Path) -> None:
        """A folder and a pipe are refused at once."""
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        for target in (tmp_path, pipe):
            assert "not a regular file" in refusal(target)

    def test_empty(self, path: Path) -> None:
        """An empty file is called empty."""
        assert "is empty" in refusal(path, b"")

    def test_foreign(self, path: Path) -> None:
        """Text, a pickle and a safetensors file of someone else are no models."""
        assert "is not a model" in refusal(path, b"+1 3:0.5 7:1\n" * 40)
        assert "is not a model" in refusal(path, b"\x80\x04\x95\x1a" + bytes(60))
        save_file({"w": np.ones(3)}, path)
        assert "not a model of regretless" in refusal(path)
        save_file({"w": np.ones(3)}, path, metadata={"format": "pt"})
        assert "not a model of regretless" in refusal(path)

    def test_cut_short(self, path: Path) -> None:
        """A file that ends early is called cut short, in the header and in the arrays alike."""
        data = path.read_bytes()
        for length in (100, len(data) - 1):
            assert "is cut short" in refusal(path, data[:length])

    def test_longer(self, path: Path) -> None:
        """Bytes after the last array are not passed over."""
        assert "3 bytes follow" in refusal(path, path.read_bytes() + b"abc")

    def test_changed_array(self, path: Path) -> None:
        """One changed bit of a weight is found by the checksum."""
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        assert "does not match its checksum" in refusal(path, bytes(data))

    @pytest.mark.parametrize("change", [{"sha256": None}, {"sha256": 3}, {"sha256": "0" * 64}, {"more": "x"}])
    def test_changed_metadata(self, path: Path, change: dict[str, Any]) -> None:
        """A checksum that is missing or wrong, or metadata that it does not cover, are refused."""
        header, body = header_of(path.read_bytes())
        header["__metadata__"] |= change
        assert "does not match its checksum" in refusal(path, file_of(header, body))

    def test_newer_version(self, path: Path) -> None:
        """A file of a later format is refused by its number, whatever else it holds."""
        text = '{"format": 2, "learner": "perceptron"}'
        advice = r"written by a newer version (format 2); this one reads up to 1"
        assert advice in refusal(path, forged(text, {}, b""))
        assert advice in refusal(path, file_of({"__metadata__": {"regretless": text}, "new": [1]}, b"abc"))

    @pytest.mark.parametrize("version", ["0", "-1", "1.0", "true", '"1"', "null"])
    def test_odd_version(self, path: Path, version: str) -> None:
        """A version that is no positive whole number is damage."""
        assert "no format version" in refusal(path, forged(f'{{"format":{version}}}', {}, b""))

    def test_unknown_keys(self, path: Path) -> None:
        """Keys that the caller does not know are refused by name."""
        message = refusal(path, allowed={"learner", "parameters", "generator"})
        assert "not known: 'classes'" in message

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ('{"format":1,"rate":NaN}', "finite"),
            ('{"format":1,"rate":-Infinity}', "finite"),
            ('{"format":1,"rate":1e999}', "finite"),
            ('{"format":1,"rate":1,"rate":2}', "twice"),
            ('{"format":1,"rate":{"a":1,"a":1}}', "twice"),
            ('{"format":1', "not JSON"),
            ('{"format":1,"deep":' + "[" * 100_000 + "]" * 100_000 + "}", "not JSON"),
            ('{"format":1,"long":' + "1" * 10_000 + "}", "not JSON"),
            ("[1]", "no format version"),
            ("1", "no format version"),
        ],
        ids=["nan", "infinity", "overflow", "twice", "twice-inside", "cut", "deep", "long", "list", "number"],
    )
    def test_forged_description(self, path: Path, text: str, says: str) -> None:
        """A description that is no strict JSON object is refused even under a right checksum."""
        assert says in refusal(path, forged(text, {}, b""))

    @pytest.mark.parametrize(
        "entry",
        [
            {"dtype": "F64", "shape": [2], "data_offsets": [0, 8]},
            {"dtype": "F64", "shape": [2**61], "data_offsets": [0, 16]},
            {"dtype": "F64", "shape": [0, 2**62], "data_offsets": [0, 0]},
            {"dtype": "F64", "shape": [0, 10**400], "data_offsets": [0, 0]},
            {"dtype": "F64", "shape": [1] * 33, "data_offsets": [0, 8]},
            {"dtype": "F64", "shape": [-1, -2], "data_offsets": [0, 16]},
            {"dtype": "F64", "shape": [2.0], "data_offsets": [0, 16]},
            {"dtype": "F64", "shape": [True, 2], "data_offsets": [0, 16]},
            {"dtype": "F64", "shape": 2, "data_offsets": [0, 16]},
            {"dtype": "F64", "shape": [2], "data_offsets": [16, 0]},
            {"dtype": "F64", "shape": [2], "data_offsets": [0, 16, 16]},
            {"dtype": "BF16", "shape": [8], "data_offsets": [0, 16]},
            {"dtype": "O", "shape": [2], "data_offsets": [0, 16]},
            {"dtype": ["F64"], "shape": [2], "data_offsets": [0, 16]},
            {"dtype": "F64", "shape": [2], "data_offsets": [0, 16], "name": "v"},
            {"dtype": "F64", "shape": [2]},
            ["F64", [2], [0, 16]],
        ],
        ids=repr,
    )
    def test_forged_array(self, path: Path, entry: Any) -> None:
        """An array whose type, shape and place do not fit together is refused before memory is set aside."""
        header = {"__metadata__": {"regretless": '{"format":1}', "sha256": ""}, "w": entry}
        assert "'w' has no sensible" in refusal(path, file_of(header, bytes(16)))

    @pytest.mark.parametrize(
        ("places", "says"),
        [
            ([(0, 8), (0, 8)], "overlap"),
            ([(0, 16), (8, 16)], "overlap"),
            ([(0, 8), (16, 24)], "gap"),
            ([(8, 16), (16, 24)], "gap"),
            ([(0, 8), (8, 24)], "cut short"),
            ([(0, 8)], "8 bytes follow"),
        ],
    )
    def test_forged_places(self, path: Path, places: list[tuple[int, int]], says: str) -> None:
        """Arrays that overlap, leave gaps or do not end with the file are refused, right checksum or not."""
        entries = {
            f"w{number}": {"dtype": "U8", "shape": [end - begin], "data_offsets": [begin, end]}
            for number, (begin, end) in enumerate(places)
        }
        assert says in refusal(path, forged('{"format":1}', entries, bytes(16)))

    def test_key_given_twice_in_the_header(self, path: Path) -> None:
        """Two arrays of one name are refused; a lenient parser would keep the last."""
        header, body = header_of(path.read_bytes())
        before, after = json.dumps(header).split('"ledger"')
        twin = '"ledger": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}, "ledger"'
        assert "twice" in refusal(path, file_of((before + twin + after).encode(), body))

    def test_header_longer_than_memory(self, path: Path) -> None:
        """A header that claims the largest length is refused without asking for that much memory."""
        for length in (2**64 - 1, 10**8):
            refusal(path, struct.pack("<Q", length) + b'{"a":1}')
