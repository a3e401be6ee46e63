"""One level of dp-pcc and of dp-histboost as Spark's own SQL aggregates, over Parquet, for comparison: for each feature and bin the
records of each class, or the sums of gradients and hessians. Reads lines, and answers with JSON: seconds, and processor seconds
of this process and all below it. A line is a method's name and a number of bins."""

import json
import os
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

path, features, master = sys.argv[1], int(sys.argv[2]), sys.argv[3]
ticks = os.sysconf("SC_CLK_TCK")


def cpu_seconds():
    parents, own = {}, {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(") ", 1)[1].split(" ")
        except OSError:
            continue
        parents[int(name)] = int(fields[1])
        own[int(name)] = sum(int(field) for field in fields[11:15]) / ticks
    total, open_pids = 0, [os.getpid()]
    while open_pids:
        pid = open_pids.pop()
        total += own.get(pid, 0)
        open_pids += [child for child, parent in parents.items() if parent == pid]
    return total


spark = SparkSession.builder.master(master).config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
frame = spark.read.parquet(path)
ill = (sql.col("ill") == "yes").cast("double")


def cells(bins):
    binned = [sql.floor(sql.least(frame[f"x{k}"] * bins, sql.lit(bins - 1))) for k in range(features)]
    return frame.select(ill.alias("ill"), sql.posexplode(sql.array(*binned)).alias("feature", "bin"))


levels = {
    "dp-pcc": lambda bins: cells(bins).groupBy("feature", "bin", "ill").count(),
    "dp-histboost": lambda bins: cells(bins)
    .groupBy("feature", "bin")
    .agg(sql.sum(sql.lit(0.5) - sql.col("ill")), sql.sum(sql.lit(0.25))),
}
print(json.dumps({"spark": spark.version}), flush=True)
for line in sys.stdin:
    cpu, start = cpu_seconds(), time.perf_counter()
    name, bins = line.split()
    groups = len(levels[name](int(bins)).collect())
    print(json.dumps({"seconds": time.perf_counter() - start, "cpu": cpu_seconds() - cpu, "groups": groups}), flush=True)
