"""``regretless serve``: answer predictions over HTTP, and learn from labels whenever they come."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser, ArgumentTypeError
from typing import TYPE_CHECKING, Any

from ..errors import did_you_mean
from . import options
from .arguments import Arguments
from .output import DONE, UsageError, complain

if TYPE_CHECKING:
    from pathlib import Path

    from ..serve.settings import Settings

HELP = "serve a model over HTTP: predictions now, labels later"
DESCRIPTION = (
    "Every prediction is written down before it is answered, and every label before it is learned, in a database "
    "beside the model; after a stop of any kind the model is built again from it, with the same bits. Labels may come "
    "days later, twice or never."
)
MEAN_ROUNDS = 10_000  # labels to a false alarm
LOOPBACK = ("127.0.0.1", "::1", "localhost")
ANOTHER = "name another MODEL for a new one"
SIZES = {"k": 2**10, "m": 2**20, "g": 2**30}


class ServeOptions(Arguments):
    """Of `serve`."""

    model: str | None
    models: str | None
    learner: str | None
    set: list[str]
    schema: str | None
    host: str
    port: int
    store: str | None
    rows: str | None
    shadow: str | None
    tokens: str | None
    open: bool
    allow_host: list[str]
    expire: float | None
    default_loss: float | None
    alarm_reference: float | None
    alarm_after: int | None
    alarm_period: int | None
    alarm_rounds: int | None
    most_loss: float | None
    alert_url: str | None
    max_body: int
    max_rows: int
    max_queue: int
    body_timeout: float
    snapshot_every: int
    log_requests: str
    no_log_predictions: bool


def add_arguments(parser: ArgumentParser) -> None:
    """The verb's options."""
    parser.add_argument("model", metavar="MODEL", nargs="?", help="the model file that the log begins with (.rgl)")
    parser.add_argument("--models", metavar="DIR", help="serve all models of a folder, each by the name of its file")
    group = parser.add_argument_group("a new model")
    group.add_argument("--learner", metavar="NAME", help="where MODEL does not exist: begin with this learner")
    group.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of it")
    group.add_argument(
        "--schema", metavar="FILE", help="what will be sent to it (.json): features or columns, classes; experts; arms"
    )
    group = parser.add_argument_group("where")
    group.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
    group.add_argument("--port", type=_port, default=8765, help="the port (8765); 0 takes a free one")
    group.add_argument("--store", metavar="URL", help="where the log is: a file (MODEL.db) or postgresql://...")
    group.add_argument(
        "--rows", metavar="FILE", help="what MODEL had learned before, so that certificates speak of all its rounds"
    )
    group.add_argument(
        "--shadow",
        metavar="OTHER",
        help="a second model (.rgl), which learns the same labels for comparison",
    )
    group.add_argument("--tokens", metavar="FILE", help="bearer tokens, a line each: scopes and token")
    group.add_argument("--open", action="store_true", help="listen beyond this machine without tokens")
    group.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="without tokens: a name it may be asked by"
    )
    _add_late_labels(parser)
    _add_limits(parser)


def _add_late_labels(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("labels that do not come")
    options.add_number(group, "--expire", options.duration, "TIME", "give up a prediction after 7d, 12h, 30m, 60s")
    group.add_argument(
        "--default-loss", type=float, metavar="LOSS", help="of bandits: the loss, or the reward, that is learned then"
    )
    group = parser.add_argument_group("alarms")
    group.add_argument(
        "--alarm-reference",
        type=float,
        metavar="P",
        help="the largest rate of mistakes, the largest mean loss or the smallest mean reward that is no alarm",
    )
    options.add_number(group, "--alarm-after", options.whole, "N", "or the upper limit of it in the next N labels")
    options.add_number(group, "--alarm-period", options.whole, "N", "or that of the last N labels, renewed every N")
    group.add_argument(
        "--most-loss",
        type=float,
        metavar="LOSS",
        help="of losses without a largest value: as which larger ones count, here and beside a --shadow",
    )
    options.add_number(group, "--alarm-rounds", options.whole, "N", "labels on average to a false alarm (10000)")
    group.add_argument("--alert-url", type=_url, metavar="URL", help="where each alarm is posted, once")


def _add_limits(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("limits")
    group.add_argument("--max-body", type=_size, default=8 * 2**20, metavar="SIZE", help="bytes of a request (8m)")
    options.add_number(group, "--max-rows", options.whole, "N", "rows of a request (1000)", default=1000)
    options.add_number(group, "--max-queue", options.whole, "N", "rows that wait for the disk (20000)", default=20_000)
    options.add_number(group, "--body-timeout", options.seconds, "S", "seconds for a body to come (30)", default=30.0)
    options.add_number(
        group, "--snapshot-every", options.whole, "N", "labels between snapshots (10000)", default=10_000
    )
    group.add_argument(
        "--log-requests",
        choices=("none", "paths", "bodies"),
        default="none",
        help="what standard error says of each request (none); bodies hold the inputs",
    )
    group.add_argument(
        "--no-log-predictions",
        action="store_true",
        help="answer without writing down; labels then come with their input",
    )


def run(arguments: ServeOptions) -> int:
    """Serve."""
    from pathlib import Path

    from ..serve.access import read_tokens
    from ..serve.logs import ServiceLog
    from ..serve.server import listen, serve, server_package
    from ..serve.startup import open_model

    settings = settings_of(arguments)
    tokens = read_tokens(arguments.tokens)
    if not (tokens or arguments.open or arguments.host in LOOPBACK):
        raise UsageError(f"--host {arguments.host} is reached from elsewhere: give --tokens FILE, or --open to anybody")
    if arguments.default_loss is not None and arguments.expire is None:
        raise UsageError("--default-loss needs --expire: after what time it is learned")
    _refuse_missing(arguments)
    server_package()  # asked first: what cannot be served leaves no file
    paths = _paths(arguments)
    listening = listen(arguments.host, arguments.port)
    opened: dict[str, Any] = {}
    try:
        for name, path in paths.items():
            shadow = None if arguments.shadow is None else Path(arguments.shadow)
            opened[name] = open_model(path, _store(arguments, name, path), settings, shadow, arguments.rows)
            if opened[name].note is not None:
                complain(f"note: {opened[name].note}")
        serve(opened, listening, settings, tokens, ServiceLog())
    finally:
        listening.close()
        for one in opened.values():
            one.store.close()
    return DONE


def settings_of(arguments: ServeOptions) -> Settings:
    """What the server is told by these arguments."""
    from ..serve.settings import Settings

    return Settings(
        body=arguments.max_body,
        rows=arguments.max_rows,
        queue=arguments.max_queue,
        body_seconds=arguments.body_timeout,
        log_predictions=not arguments.no_log_predictions,
        expire=arguments.expire,
        default_loss=arguments.default_loss,
        snapshot_every=arguments.snapshot_every,
        hosts=None if arguments.open else tuple(name.lower() for name in arguments.allow_host),
        log_requests=arguments.log_requests,
        alarm=_alarm(arguments),
        most_loss=arguments.most_loss,
        alert_url=arguments.alert_url,
    )


def _alarm(arguments: ServeOptions) -> dict[str, Any] | None:
    """Settings of the alarm, if there is to be one."""
    ways = {
        "--alarm-reference": arguments.alarm_reference,
        "--alarm-after": arguments.alarm_after,
        "--alarm-period": arguments.alarm_period,
    }
    stated = [name for name, value in ways.items() if value is not None]
    if not stated:
        more = {"--alarm-rounds": arguments.alarm_rounds, "--alert-url": arguments.alert_url}
        options.refuse_set(more, "needs --alarm-reference, --alarm-after or --alarm-period")
        if arguments.shadow is None:
            options.refuse_set({"--most-loss": arguments.most_loss}, "is for an alarm, or beside a --shadow")
        return None
    if len(stated) > 1:
        raise UsageError(f"{stated[0]} is one reference, and {stated[1]} another: give one of them")
    rounds = float(arguments.alarm_rounds or MEAN_ROUNDS)
    fixed = {"reference": arguments.alarm_reference, "reference_rounds": arguments.alarm_after, "mean_rounds": rounds}
    return fixed if arguments.alarm_period is None else {**fixed, "period": arguments.alarm_period}


def _is_new(arguments: ServeOptions) -> bool:
    """Whether the options say what a model begins as."""
    return arguments.learner is not None or arguments.schema is not None or bool(arguments.set)


def _refuse_missing(arguments: ServeOptions) -> None:
    """Say that there is no model before saying which package is missing."""
    if arguments.model is not None and arguments.models is None and not _is_new(arguments):
        os.stat(arguments.model)


def _paths(arguments: ServeOptions) -> dict[str, Path]:
    """The model files, by the names of the models; a new one is written first."""
    from pathlib import Path

    if (arguments.model is None) == (arguments.models is None):
        raise UsageError("name the MODEL to serve, or a folder of them with --models DIR")
    if arguments.models is not None:
        for_one = {
            "--learner": arguments.learner,
            "--schema": arguments.schema,
            "--set": arguments.set or None,
            "--rows": arguments.rows,
            "--shadow": arguments.shadow,
        }
        options.refuse_set(for_one, "is for one MODEL")
        paths = sorted(Path(arguments.models).glob("*.rgl"))
        if not paths:
            raise UsageError(f"--models {arguments.models}: there is no model (.rgl) in this folder")
        return {path.stem: path for path in paths}
    path = Path(str(arguments.model))
    if _is_new(arguments):
        _begin(arguments, path)
    return {path.stem: path}


def _begin(arguments: ServeOptions, path: Path) -> None:
    """Write a new model, unless it is there from an earlier start.

    Raises
    ------
    UsageError
        If the file holds a model of another learner.
    """
    from ..catalogue import class_of
    from ..persist.model import write
    from ..serve.startup import new_model
    from .parameters import read_settings

    if arguments.learner is None and path.exists():
        _refuse_other(arguments, path, None)
        return
    kind, name = _learner(arguments.learner)
    if path.exists():
        _refuse_other(arguments, path, name)
        return
    if arguments.schema is None:
        raise UsageError("a new model needs --schema FILE, which says what will be sent")
    wanted = class_of(kind, name)
    write(path, *new_model(_made(wanted, read_settings(wanted, arguments.set)), _schema(arguments.schema)))


def _made(wanted: Any, settings: dict[str, Any]) -> Any:
    """A learner with these settings; how many arms there are the schema says."""
    return wanted(**({"n_arms": 1} if wanted.kind == "contextual" else {}) | settings)


def _learner(text: str | None) -> tuple[Any, str]:
    """The kind of a learner, and its name."""
    from ..catalogue import DEFAULT, NOUNS, SERVED, TABLES, name_in

    known = {name: kind for kind in reversed(tuple(TABLES)) for name in TABLES[kind]}
    name = name_in({name: TABLES[kind][name] for name, kind in known.items()}, text or DEFAULT)
    if name not in known:
        there = sorted(one for one, kind in known.items() if kind in SERVED)
        raise UsageError(f"--learner {name}: {did_you_mean(name, there)}there are: {', '.join(there)}")
    if known[name] not in SERVED:
        raise UsageError(f"--learner {name}: a {NOUNS[known[name]]} is not served")
    return known[name], name


def _refuse_other(arguments: ServeOptions, path: Path, name: str | None) -> None:
    """Refuse a model that is there already, where it is not the one that the options describe."""
    from ..persist.model import read
    from ..serve.live import served
    from ..serve.startup import new_model
    from .parameters import read_settings

    held, extra = read(path)
    if name is not None and held.name != name:
        raise UsageError(f"{path} is a model of {held.name}, and --learner says {name}; name another MODEL")
    settings = read_settings(type(held), arguments.set)
    for one, value in settings.items():
        has = getattr(held, one)
        if (list(has) if isinstance(has, tuple) else has) != (list(value) if isinstance(value, tuple) else value):
            raise UsageError(f"{path} is a model with {one}={has}, and --set says {value}; {ANOTHER}")
    if arguments.schema is None:
        return
    asked = served(*new_model(_made(type(held), settings), _schema(arguments.schema)), str(path)).describe()
    there = served(held, extra, str(path)).describe()
    for what in (
        "columns" if there.get("columns") or asked.get("columns") else "features",
        "labels",
        "experts",
        "arms",
    ):
        if asked.get(what) != there.get(what):
            fault = f"{path} is a model whose {what} are {there.get(what)}, and --schema says {asked.get(what)}"
            raise UsageError(f"{fault}; {ANOTHER}")


def _schema(path: str) -> dict[str, Any]:
    from ..serve.wire import MalformedBody, read_json

    try:
        with open(path, "rb") as file:
            value = read_json(file.read())
    except MalformedBody as error:
        raise UsageError(f"--schema {path}: {error}") from error
    if type(value) is not dict:
        raise UsageError(
            f"--schema {path}: an object is expected, as in {json.dumps({'features': 32, 'classes': [0, 1]})}"
        )
    return value


def _store(arguments: ServeOptions, name: str, path: Path) -> str | Path:
    from pathlib import Path

    if arguments.store is None:
        return path.with_suffix(".db")
    if arguments.store.startswith(("postgresql://", "postgres://")):
        return f"{arguments.store}#{name}"
    if arguments.models is not None:
        raise UsageError("--store FILE is for one MODEL; with --models each log stands beside its model")
    return Path(arguments.store)


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > 65_535:
        raise ArgumentTypeError(f"{text!r} is not a port, from 0 to 65535")
    return int(text)


def _url(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise ArgumentTypeError(f"{text!r} is no address; http://... or https://... is expected")
    return text


def _size(text: str) -> int:
    unit = SIZES.get(text[-1:].lower())
    digits = text if unit is None else text[:-1]
    if not digits.isdigit() or int(digits) * (unit or 1) < 1:
        raise ArgumentTypeError(f"{text!r} is not a size, as in 8m or 65536")
    return int(digits) * (unit or 1)
