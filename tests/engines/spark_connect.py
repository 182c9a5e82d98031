"""A session of Spark Connect, in a process of its own: what was learned, predicted and refused there, as JSON."""

from __future__ import annotations

import json
import os
import sys
import warnings

from .spark_session import QUICK, frame, parts, separable


def main(path: str) -> None:
    """Learn, save to a path, read again, predict."""
    warnings.simplefilter("ignore")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from regretless.distributed import mix
    from regretless.distributed.spark import RegretlessClassifier, RegretlessModel
    from regretless.errors import RegretlessError
    from regretless.linear import AveragedPerceptron

    session = SparkSession.builder.remote("local[2]").getOrCreate()
    for name, value in QUICK.items():
        session.conf.set(name, value)
    rows = frame(session).persist()
    model = RegretlessClassifier(epochs=2).fit(rows)
    model.save(path)
    here = mix(AveragedPerceptron(), parts(separable(), rows), epochs=2)
    predicted = RegretlessModel.load(path).transform(rows).orderBy("place").select("prediction").toArrow()
    try:
        model.write().overwrite().save(path.removesuffix(".rgl"))
        refused = ""
    except RegretlessError as error:
        refused = str(error)
    report = {
        "session": type(session).__module__,
        "weights": [model.learner.coef_.tolist(), here.learner.coef_.tolist()],
        "labels": [predicted["prediction"].to_pylist(), here.learner.predict(separable()[0]).tolist()],
        "refused": refused,
    }
    session.stop()
    print("FOUND " + json.dumps(report), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
