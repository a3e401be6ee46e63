"""One Spark application of a site agent: started, spoken to over standard input and output, and ended by it.

A message, either way: 4 bytes of length (little-endian), JSON of that length, and as many bytes as its "bytes" says. The program
ends when its standard input does. It prints nothing: what Spark says may quote a record. It casts nothing: cells go as they are to
the fold worker, the agent's own code, which runs in Node on the executors.
"""

import builtins
import json
import os
import re
import secrets
import shutil
import struct
import sys
import tempfile
import threading
import urllib.parse

# Up to so many bytes of whole patients' rows are held and sent to a worker, in memory alone.
SHARE_BYTES = 32 * 1024**2
# Of Parquet files so many bytes are one task's, as they are stored.
SPLIT_BYTES = 256 * 1024**2
HEADER = -1
OWN_WORDS = (
    "CONSILIUM_(NODE_MISSING|WORKER_MISSING|WORKER_CHANGED|WORKER_ENDED|PATIENT_DIVIDED|COUNTED_TWICE|FILE_CHANGED|PYTHON)"
    "(?: ([A-Za-z]{1,40}))?"
)
SIGN_IN_WORDS = (
    r"GSS initiate failed|ietf\.jgss\.GSSException|SecretManager\$InvalidToken|KrbException"
    r"|javax\.security\.(?:sasl\.SaslException|auth\.login\.LoginException)"
    r"|Client cannot authenticate via|SIMPLE authentication is not enabled|fall back to SIMPLE auth"
)
# Names that a fault may have: of modules that are needed, and of exceptions of Python and pyarrow.
MODULES = {"numpy", "pandas", "py4j", "pyarrow", "pyspark"}
EXCEPTIONS = {
    *(name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, Exception)),
    *(f"Arrow{name}" for name in ("Invalid", "TypeError", "KeyError", "IndexError", "MemoryError", "NotImplementedError")),
}
# Spark's words where no master took the application in, and where its master ended it.
GONE_WORDS = r"(?i)stopped SparkContext|Spark context stopped while waiting|All masters are unresponsive|Master removed our application"
# Spark's types that pyarrow reads from Parquet as Spark does, to the bit, and what it calls them.
SAME_IN_ARROW = {
    **{"double": "double", "float": "float", "string": "string", "boolean": "bool"},
    **{"bigint": "int64", "int": "int32", "smallint": "int16", "tinyint": "int8"},
}
PARTIAL = "share int, part int, chunk int, data binary"
MERGED = "chunk int, ids binary, data binary"


# ---- on the executors: these functions travel there by value ------------------------------------------------------


def run_worker(spec, job, batches, passes):
    """Gives rows to a fold worker: once, or with `passes` as often as it asks.

    Returns its first line, its last line, the vector's bytes and the rows that it was sent; without a vector its last line says why.
    """
    import hashlib
    import subprocess

    import pyarrow as pa
    from pyspark import SparkFiles

    node = shutil.which(spec["node"])
    if node is None:
        raise RuntimeError("CONSILIUM_NODE_MISSING")
    path = SparkFiles.get(spec["worker"])
    try:
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
    except OSError:
        raise RuntimeError("CONSILIUM_WORKER_MISSING") from None
    if digest != spec["sha256"]:
        raise RuntimeError("CONSILIUM_WORKER_CHANGED")
    path = os.path.realpath(path)
    args = [arg.replace("{worker}", path) for arg in spec["args"]]
    # The first names Node's permission model, which has another name in other versions.
    for name in ("--permission", "--experimental-permission"):
        args[0] = name
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if subprocess.run([node, name, "--version"], env={}, cwd="/", **quiet).returncode == 0:
            break
    child = subprocess.Popen(
        [node, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
    )

    def line():
        text = child.stdout.readline(4097)
        if not text.endswith(b"\n"):
            raise RuntimeError("CONSILIUM_WORKER_ENDED")
        return text.decode("ascii", "replace")

    def send(rows):
        count = 0
        writer = None
        for batch in rows:
            batch = pa.RecordBatch.from_arrays(batch.columns[: len(spec["names"])], names=spec["names"])
            try:
                if writer is None:
                    writer = pa.ipc.new_stream(child.stdin, batch.schema)
                writer.write_batch(batch)
            except OSError:
                return count  # It has ended: what it said last tells why.
            count += batch.num_rows
        try:
            if writer is not None:
                writer.close()
            child.stdin.flush()
        except OSError:
            pass
        return count

    try:
        try:
            child.stdin.write(job)
            child.stdin.flush()
        except OSError:
            pass
        first = line()
        if '"worker"' not in first:
            return first, first, b"", 0
        again = passes
        while again:
            send(batches)
            told = line()
            if '"next"' not in told:
                return first, told, b"", 0
            again = '"note"' in told
        count = send(batches)
        told = line()
        if '"part"' not in told:
            return first, told, b"", count
        vector = bytearray()
        while len(vector) < 8 * json.loads(told)["part"]["entries"]:
            size = child.stdout.read(4)
            if len(size) < 4:
                raise RuntimeError("CONSILIUM_WORKER_ENDED")
            (size,) = struct.unpack("<I", size)
            piece = child.stdout.read(size)
            if size == 0 or len(piece) < size:
                raise RuntimeError("CONSILIUM_WORKER_ENDED")
            vector += piece
        return first, told, bytes(vector), count
    finally:
        child.kill()
        for pipe in (child.stdin, child.stdout):
            try:
                pipe.close()
            except OSError:
                pass  # Rows that nobody reads any more.
        child.wait()


def with_rows(batches, spec, malformed):
    """Batches that have rows, without rows that could not be taken apart, of which `malformed` counts."""
    import pyarrow.compute as pc

    for batch in batches:
        if spec["corrupt"] is not None:
            good = pc.is_null(batch.column(spec["corrupt"]))
            malformed[0] += batch.num_rows - (pc.sum(good).as_py() or 0)
            batch = batch.filter(good)
        if batch.num_rows > 0:
            yield batch


def kept_together(batches, spec, partition):
    """Lists of batches, each of all rows of some patients, or of some map tasks. Rows come ordered by whose they are."""
    import pyarrow.compute as pc

    held, size, last = [], 0, None
    for batch in batches:
        # That a patient's rows are in one place is what the bound on them rests on, and a map task has one answer.
        if not pc.all(pc.equal(batch.column(spec["deal"]), partition)).as_py():
            raise RuntimeError("CONSILIUM_PATIENT_DIVIDED")
        keys = batch.column(spec["key"])
        end = keys[len(keys) - 1].as_py()
        if held and size + batch.nbytes > SHARE_BYTES:
            start = len(keys) - 1
            while start > 0 and keys[start - 1].as_py() == end:
                start -= 1
            if start > 0 or keys[0].as_py() != last:
                if start > 0:
                    held.append(batch.slice(0, start))
                yield held
                held, size, batch = [], 0, batch.slice(start)
        held.append(batch)
        size += batch.nbytes
        last = end
    if held:
        yield held


def footers(paths, columns):
    """Length and row groups, as rows and bytes, of each Parquet file, if pyarrow reads these columns as Spark does; else nothing.

    Each partition has a last row of no file, by which they can be counted.
    """

    def told_of(path):
        import pyarrow as pa
        import pyarrow.parquet as pq

        size = os.path.getsize(path)
        with pq.ParquetFile(path) as file:
            schema, metadata = file.schema_arrow, file.metadata
            for name, kind in columns:
                at = schema.get_field_index(name)
                if at < 0 or str(schema.field(at).type) != SAME_IN_ARROW[kind]:
                    return None
            leaves = {metadata.schema.column(k).path: k for k in range(metadata.num_columns)}
            groups = []
            for group in (metadata.row_group(k) for k in range(metadata.num_row_groups)):
                chunks = [group.column(leaves[name]) for name, _ in columns]
                if not all(c.compression == "UNCOMPRESSED" or pa.Codec.is_available(c.compression) for c in chunks):
                    return None
                groups.append((group.num_rows, sum(c.total_compressed_size for c in chunks)))
            return {"size": size, "groups": groups}

    def answer(batches):
        import pyarrow as pa

        def row(at, told):
            return pa.RecordBatch.from_arrays([pa.array([at], pa.int32()), pa.array([told])], names=["file", "told"])

        for batch in batches:
            for at in batch.column(0).to_pylist():
                try:
                    yield row(at, json.dumps(told_of(paths[at])))
                except Exception:
                    yield row(at, "null")  # Spark itself may be able to.
        yield row(HEADER, "null")

    return quiet(answer)


def read_files(spec, names, batches):
    """The rows of the row groups of these numbers' tasks, in batches, as they are in the files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for at in (value for batch in batches for value in batch.column(0).to_pylist()):
        for path, size, rows, groups in spec["tasks"][at]:
            try:
                # Whole chunks of columns would not fit into memory: pages are read as they come.
                with pq.ParquetFile(path, pre_buffer=False, buffer_size=1024**2) as file:
                    own = [file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups)]
                    if os.path.getsize(path) != size or own != rows:
                        raise OSError
                    for batch in file.iter_batches(spec["batch"], groups, names, use_threads=False):
                        yield batch.select(names)  # They come in the file's order.
            except (pa.ArrowException, OSError, IndexError, KeyError):
                raise RuntimeError("CONSILIUM_FILE_CHANGED") from None


def fold(spec, job):
    """Function of a task: its rows, or whole patients or map tasks of them, become partial sums."""

    def answer(batches):
        import pyarrow as pa
        from pyspark import TaskContext

        schema = pa.schema(
            [("share", pa.int32()), ("part", pa.int32()), ("chunk", pa.int32()), ("data", pa.binary())]
        )
        partition = TaskContext.get().partitionId()
        malformed = [0]
        if spec["files"] is not None:
            batches = read_files(spec["files"], spec["names"], batches)
        rows = with_rows(batches, spec, malformed)

        def row(part, chunk, data):
            return pa.RecordBatch.from_arrays(
                [pa.array([value], field.type) for value, field in zip((partition, part, chunk, data), schema)],
                schema=schema,
            )

        def header(part, **told):
            return row(part, HEADER, json.dumps(told).encode())

        def shares():
            if spec["deal"] is not None:
                yield from kept_together(rows, spec, partition)
                return
            first = next(rows, None)
            if first is not None:
                yield (batch for head in ((first,), rows) for batch in head)

        part = 0
        for share in shares():
            first, last, vector, sent = run_worker(spec, job, share, spec["notes"])
            yield header(part, first=first, last=last, sent=sent, length=len(vector))
            size = spec["chunk"]
            for at in range(0, len(vector), size):
                yield row(part, at // size, vector[at : at + size])
            part += 1
        if malformed[0] > 0:
            yield header(-1, malformed=malformed[0])

    return quiet(answer)


def merge():
    """Adds up chunks of partial sums modulo 2^64, each partial once, and says which it added; headers pass as they are."""

    def answer(batches):
        import pyarrow as pa
        import pyarrow.compute as pc

        sums, ids = {}, {}
        schema = pa.schema([("chunk", pa.int32()), ("ids", pa.binary()), ("data", pa.binary())])

        def row(chunk, own, data):
            packed = b"".join(struct.pack("<ii", *one) for one in sorted(own))
            return pa.RecordBatch.from_arrays(
                [pa.array([chunk], pa.int32()), pa.array([packed], pa.binary()), pa.array([data], pa.binary())],
                schema=schema,
            )

        for batch in batches:
            for at in range(batch.num_rows):
                share, part, chunk, data = (batch.column(k)[at].as_py() for k in range(4))
                if chunk == HEADER:
                    yield row(HEADER, [(share, part)], data)
                    continue
                if (share, part) in ids.setdefault(chunk, set()):
                    raise RuntimeError("CONSILIUM_COUNTED_TWICE")
                ids[chunk].add((share, part))
                values = pa.Array.from_buffers(pa.uint64(), len(data) // 8, [None, pa.py_buffer(data)])
                # Arrow's plain `add` wraps around, as the ring of the sums does.
                sums[chunk] = values if chunk not in sums else pc.add(sums[chunk], values)
        for chunk, values in sums.items():
            yield row(chunk, ids[chunk], values.buffers()[1].to_pybytes()[: 8 * len(values)])

    return quiet(answer)


def serialise(spec):
    """Rows as Arrow streams of one batch, for an agent that reads the table itself."""

    def answer(batches):
        import pyarrow as pa

        malformed = [0]
        for batch in with_rows(batches, spec, malformed):
            batch = pa.RecordBatch.from_arrays(batch.columns[: len(spec["names"])], names=spec["names"])
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            yield two(0, sink.getvalue().to_pybytes())
        if malformed[0] > 0:
            yield two(malformed[0], b"")

    def two(count, data):
        import pyarrow as pa

        return pa.RecordBatch.from_arrays(
            [pa.array([count], pa.int64()), pa.array([data], pa.binary())], names=["malformed", "data"]
        )

    return quiet(answer)


def probe(spec):
    """Report of what an executor has of a stage's needs."""

    def answer(batches):
        import pyarrow as pa

        for batch in batches:
            if batch.num_rows > 0:
                # A job of no version, which a worker refuses once it has said its own.
                job = b'{"broadcasts":[]}'
                told, _, _, _ = run_worker(spec, struct.pack("<I", len(job)) + job, [], False)
                yield pa.RecordBatch.from_arrays([pa.array([told])], names=["told"])

    return quiet(answer)


def quiet(answer):
    """Function after whose faults only our own words, or the class of an exception, get into Spark's messages: others may quote a cell."""

    def answered(batches):
        try:
            yield from answer(batches)
        except Exception as thrown:
            text = str(thrown)
            raise RuntimeError(
                text if re.fullmatch(OWN_WORDS, text) else f"CONSILIUM_PYTHON {type(thrown).__name__}"
            ) from None

    return answered


# ---- on the driver ------------------------------------------------------------------------------------------------


class Application:
    def __init__(self, say, start):
        self.say = say
        self.spec = {"node": start["node"], "args": start["args"], "worker": os.path.basename(start["worker"])}
        self.spec["sha256"] = start["sha256"]
        self.views = set()
        self.master = start["master"]
        self.spark = self.session(start)
        self.spark.addArtifacts(start["worker"], file=True)

    def session(self, start):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder
        if start["remote"] is not None:
            # A server's other settings are its own; `undone` looks at them.
            token = f";token={start['token']}" if start["token"] else ""
            spark = builder.remote(start["remote"] + token).create()
            for key, value in {**start["conf"], **start["forced"]}.items():
                if key.startswith("spark.sql."):
                    spark.conf.set(key, value)
            return spark
        for key, value in start["forced"].items():
            builder = builder.config(key, value)
        return self.classic(builder, start)

    def classic(self, builder, start):
        """The hospital's settings, and a secret, go to Spark in a file of this process's user, not in arguments, and stay there for as long as Spark starts."""
        folder = tempfile.mkdtemp(prefix="consilium-spark-")
        try:
            conf = dict(start["conf"])
            secret = start["secret"]
            if secret is None and start["master"].startswith("local-cluster["):
                secret = secrets.token_hex(32)
            if secret is not None:
                conf["spark.authenticate.secret"] = secret
            path = os.path.join(folder, "settings.conf")
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
                file.writelines(property_line(key, value) for key, value in conf.items())
            submit = f"--load-spark-defaults --properties-file {path} pyspark-shell"
            os.environ["PYSPARK_SUBMIT_ARGS"] = submit
            return builder.master(start["master"]).getOrCreate()
        except Exception as thrown:
            # A master that lets the application go has Spark stopped on a thread of its own: what is still being made finds no more of it.
            if condition_of(thrown)[1] == "NullPointerException":
                raise RuntimeError("stopped SparkContext") from None
            raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def undone(self, forced, refused):
        """Names of settings that are not what they must be, whatever said otherwise."""
        try:
            have = dict(self.spark.sparkContext.getConf().getAll())
        except Exception:
            have = None
        get = (lambda key: self.spark.conf.get(key, None)) if have is None else have.get
        wrong = [key for key, value in forced.items() if str(get(key)).lower() != value.lower()]
        return wrong + [
            key for key, value in (have or {}).items() for one in refused if re.search(one, f"{key}={value}", re.I)
        ]

    def executor(self):
        """Waits until the cluster gives an executor: some let an application start while they are full."""
        if self.master is None or not re.match(r"local(\[|$)", self.master):
            self.spark.range(1).collect()

    def table(self, table):
        """The table with its columns called c0, c1 and so on; their names and types; the column of rows that cannot be taken apart."""
        read = self.spark.read
        corrupt = None
        # Another table's views would hide tables of the catalogue.
        while self.views:
            self.spark.catalog.dropTempView(self.views.pop())
        if "parquet" in table:
            frame = read.option("mergeSchema", "true").parquet(table["parquet"])
        elif "csv" in table:
            frame = self.csv(table)
            corrupt = len(frame.columns) - 1
        elif "table" in table:
            self.spark.catalog.refreshTable(table["table"])
            frame = self.spark.table(table["table"])
        else:
            for name in table.get("tables", ()):
                self.spark.catalog.refreshTable(name)
            for name, path in table.get("views", {}).items():
                read.option("mergeSchema", "true").parquet(path).createOrReplaceTempView(name)
                self.views.add(name)
            frame = self.spark.sql(table["query"])
        names = table.get("columns", frame.columns)
        fields = [(name, field.dataType.simpleString()) for name, field in zip(names, frame.schema.fields)]
        frame = frame.toDF(*(f"c{k}" for k in range(len(fields))))
        return frame, fields[:corrupt], corrupt

    def csv(self, table):
        """All columns as text. Rows with too many or too few fields are told by a last column."""
        options = {
            "sep": table["delimiter"],
            "quote": '"',
            "escape": '"',
            "multiLine": "true",
            "mode": "PERMISSIVE",
            "encoding": table["encoding"],
            "header": "true" if table["names"] is None else "false",
            "enforceSchema": "false" if table["names"] is None else "true",
        }
        names = table["names"]
        if names is None:
            names = self.spark.read.options(**options).csv(table["csv"]).columns
        from pyspark.sql.types import StringType, StructField, StructType

        corrupt = "_consilium_corrupt"
        schema = StructType([StructField(name, StringType()) for name in [*names, corrupt]])
        return self.spark.read.options(**options, columnNameOfCorruptRecord=corrupt).schema(schema).csv(table["csv"])

    def chosen(self, table, columns):
        """The columns of these numbers, and what tasks must know of them."""
        frame, fields, corrupt = self.table(table)
        wanted = [f"c{k}" for k in columns]
        spec = {"names": [fields[k][0] for k in columns], "corrupt": None, "deal": None, "key": None}
        if corrupt is not None:
            spec["corrupt"] = len(wanted)
            wanted.append(f"c{corrupt}")
        return frame, fields, wanted, spec

    def columns(self, asked):
        _, fields, _ = self.table(asked["table"])
        self.say({"columns": fields})

    def read(self, asked):
        frame, _, wanted, spec = self.chosen(asked["table"], asked["columns"])
        rows = frame.select(*wanted).mapInArrow(serialise(spec), "malformed long, data binary")
        for row in rows.toLocalIterator(prefetchPartitions=True):
            if len(row.data) > 0:
                self.say({}, bytes(row.data))
            else:
                self.say({"malformed": row.malformed})
        self.say({"end": True})

    def fold(self, asked, job):
        from pyspark.sql import functions as sql

        frame, fields, wanted, spec = self.chosen(asked["table"], asked["columns"])
        if fields != [tuple(field) for field in asked["fields"]]:
            self.say({"changed": True})
            return
        together = asked["together"]
        if together is not None:
            shares = asked["partitions"]
            key = patient_key(sql, f"c{together}", fields[together][1])
            frame = frame.select(*wanted, key.alias("key"))
            frame = frame.repartition(shares, "key").sortWithinPartitions("key")
            deal = sql.pmod(sql.hash("key"), sql.lit(shares))
            spec["key"], spec["deal"] = len(wanted), len(wanted) + 1
            wanted = [*wanted, "key", deal.cast("int").alias("deal")]
        files = None
        if together is None and "parquet" in asked["table"]:
            files = self.files(frame, [fields[k] for k in asked["columns"]])
        if files is not None:
            frame, wanted = self.spark.range(0, len(files["tasks"]), 1, max(1, len(files["tasks"]))), ["id"]
        spec = {**self.spec, **spec, "files": files, "chunk": asked["chunk"], "notes": asked["notes"]}
        partials = frame.select(*wanted).mapInArrow(fold(spec, job), PARTIAL)
        merged = partials.repartition(asked["adders"], "chunk").mapInArrow(merge(), MERGED)
        for row in merged.collect():
            ids = list(struct.iter_unpack("<ii", bytes(row.ids)))
            if row.chunk == HEADER:
                self.say({"id": ids[0], **json.loads(bytes(row.data))})
            else:
                self.say({"chunk": row.chunk, "ids": ids}, bytes(row.data))
        self.say({"end": True})

    def files(self, frame, columns):
        """Tasks to deal the table's row groups among, where executors can read its files themselves; else nothing.

        Spark makes rows of them first, and of rows Arrow's batches again, which takes longer than anything that is done with them.
        """
        if not columns or any(kind not in SAME_IN_ARROW or "." in name for name, kind in columns):
            return None
        for lenient in ("ignoreCorruptFiles", "ignoreMissingFiles"):
            if str(self.spark.conf.get(f"spark.sql.files.{lenient}", "false")).lower() != "false":
                return None
        paths = [local_path(uri) for uri in sorted(frame.inputFiles())]
        if None in paths:
            return None
        rows = self.spark.range(len(paths)).mapInArrow(footers(paths, columns), "file int, told string").collect()
        told = {row.file: json.loads(row.told) for row in rows}
        if any(told.get(at) is None for at in range(len(paths))):
            return None
        # As many as Spark gives to what it may divide as it likes: the cores that it has.
        cores = sum(row.file == HEADER for row in rows)
        batch = int(self.spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch", "10000"))
        return {
            "tasks": dealt([(path, told[at]["size"], told[at]["groups"]) for at, path in enumerate(paths)], max(1, cores)),
            "batch": batch if batch > 0 else 10000,
        }

    def probe(self, _):
        told = self.spark.range(1).mapInArrow(probe({**self.spec, "names": []}), "told string").collect()
        self.say({"told": told[0].told})


def local_path(uri):
    """The path by which the executors' own file system has it; nothing for other storage, and where folders' names have values of columns."""
    parts = urllib.parse.urlsplit(uri)
    path = urllib.parse.unquote(parts.path)
    return path if parts.scheme == "file" and parts.netloc == "" and "=" not in path else None


def dealt(files, cores):
    """Row groups of files, in their order, as tasks of about as many bytes: of each file its path, length, rows of all groups, own groups."""
    groups = [(file, k, size) for file, (_, _, own) in enumerate(files) for k, (rows, size) in enumerate(own) if rows > 0]
    total = sum(size for _, _, size in groups)
    count = cores * max(1, -(-total // (cores * SPLIT_BYTES)))
    tasks, last, before = [], -1, 0
    for file, k, size in groups:
        # The task in whose share of the bytes its middle lies.
        task = min(count - 1, count * (2 * before + size) // (2 * max(1, total)))
        before += size
        if task != last:
            tasks.append([])
            last = task
        if not tasks[-1] or tasks[-1][-1][0] != files[file][0]:
            path, length, own = files[file]
            tasks[-1].append((path, length, [rows for rows, _ in own], []))
        tasks[-1][-1][3].append(k)
    return tasks


def property_line(key, value):
    """A line of a file of Java's properties, which has escapes of its own."""
    escaped = "".join(
        c if " " < c < "\x7f" and c != "\\" else "".join(f"\\u{unit:04x}" for unit in utf16(c)) for c in value
    )
    return f"{key}={escaped}\n"


def utf16(character):
    data = character.encode("utf-16-le", "surrogatepass")
    return struct.unpack(f"<{len(data) // 2}H", data)


def patient_key(sql, column, kind):
    """Equal wherever the agent takes two values for one patient (`PatientHash`), or for one level; it may be equal for others too."""
    column = sql.col(column)
    if kind in ("float", "double"):
        return column + sql.lit(0).cast(kind)  # of -0 and 0 one
    if not kind.startswith(("string", "char", "varchar")):
        return column
    # Bytes that are no text all become one character, which is left out.
    column = sql.regexp_replace(column, "\ufffd", "")
    column = sql.btrim(column, sql.lit(" \t\r\n\x0b\f"))
    return sql.regexp_replace(column, r"^(-?[0-9]+)\.0+\z", "$1")


def condition_of(thrown):
    """Spark's name for what went wrong, of the first exception in the chain that has one; and the class of the last."""
    cause = getattr(thrown, "java_exception", None)
    kind = type(thrown).__name__
    chain = [thrown]
    while cause is not None and len(chain) < 20:
        chain.append(cause)
        try:
            kind = re.sub(r"\W", "", cause.getClass().getSimpleName())[:80] or kind
            cause = cause.getCause()
        except Exception:
            break
    for one in chain:
        try:
            condition = one.getCondition()
        except Exception:
            continue
        if condition is not None and re.fullmatch(r"[A-Z0-9_.]{1,100}", condition):
            return condition, kind
    return None, kind


def fault_of(thrown):
    """A code, and names that Spark and Python give to kinds of faults: never a message, which may quote a record."""
    text = str(thrown)
    own = re.search(OWN_WORDS, text)
    sign_in = not own and re.search(SIGN_IN_WORDS, text) is not None
    gone = not own and re.search(GONE_WORDS, text) is not None
    lacks = re.search(r"No module named '(\w+)", text)
    condition, kind = condition_of(thrown)
    if lacks:
        own = None
    # The words looked for may stand in a cell that Spark quotes: nothing else of the message is passed on.
    name = lacks[1] if lacks else own[2] if own else None
    return {
        "fault": "MODULE_MISSING" if lacks else own[1] if own else "SIGN_IN" if sign_in else "GONE" if gone else "SPARK",
        "detail": name if name in (MODULES if lacks else EXCEPTIONS) else None,
        "condition": condition,
        "kind": kind,
        "python": "Cannot run program" in text or condition == "PYTHON_VERSION_MISMATCH" or "PYTHON_VERSION" in text,
    }


def main():
    # Spark's JVM inherits the standard output and error: they lead nowhere.
    output = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    source = os.fdopen(os.dup(0), "rb")
    os.dup2(nowhere, 0)

    def say(told, data=b""):
        if data:
            told = {**told, "bytes": len(data)}
        text = json.dumps(told).encode()
        output.write(struct.pack("<I", len(text)) + text + data)
        output.flush()

    import queue

    asked = queue.Queue()

    def listen():
        """Reads ahead, so that the agent's end is noticed whatever Spark is doing. Spark's JVM ends with this process."""
        try:
            while True:
                (length,) = struct.unpack("<I", source.read(4))
                message = json.loads(source.read(length))
                asked.put((message, source.read(message.get("bytes", 0))))
        except Exception:
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    application = None
    while True:
        message, data = asked.get()
        try:
            do = message["do"]
            if do == "start":
                import pyarrow
                import pyspark

                application = Application(say, message)
                wrong = application.undone(message["forced"], message["refused"])
                if not wrong:
                    application.executor()
                say({"spark": application.spark.version, "pyarrow": pyarrow.__version__, "undone": sorted(set(wrong))})
            elif do == "columns":
                application.columns(message)
            elif do == "read":
                application.read(message)
            elif do == "fold":
                application.fold(message, data)
            elif do == "probe":
                application.probe(message)
        except Exception as thrown:
            say(fault_of(thrown))


if __name__ == "__main__":
    main()
