"""Frames of every kind, each made once; Spark is started by the first test that needs it."""

import functools
import time

import pytest

from helpers import frames, spark
from helpers.ingest_cases import TABLES


@pytest.fixture(autouse=True, scope="package")
def misleading_clock():
    """This machine's own time zone must not matter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        _look_at_the_clock()
        yield
    _look_at_the_clock()


def _look_at_the_clock():
    if hasattr(time, "tzset"):  # not on Windows
        time.tzset()


@pytest.fixture(scope="session")
def spark_sessions(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch, spark.sessions(tmp_path_factory.mktemp("spark"), patch) as both:
        yield both


@pytest.fixture(scope="session")
def frame_of(request):
    """A table by name, in a kind of frame."""

    @functools.cache
    def made(kind, name):
        if kind in frames.IN_PROCESS:
            return frames.IN_PROCESS[kind](TABLES[name])
        sessions = request.getfixturevalue("spark_sessions")
        return frames.spark_frame(getattr(sessions, kind.removeprefix("spark ")), TABLES[name])

    return made
