import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { access, constants, mkdtemp, readFile, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { ConsiliumError } from "@consilium/core/errors";
import { nameOf } from "@consilium/core/said";
import { z } from "zod";
import { type DataSays, fault } from "../../data/fault.js";
import { shown } from "../../data/place.js";
import { ByteReader, PipeEnded } from "../byteReader.js";
import { foldWorkerPath, nodeProgram } from "../workerProcess.js";
import {
  forcedSettings,
  type ResolvedCluster,
  refusedSettings,
  type SparkCluster,
  type SparkProgram,
  sparkFolder,
  sparkVariables,
} from "./sparkConfig.js";

export const asBuilt: SparkProgram = { worker: foldWorkerPath, environment: process.env };

/** Settings that hold unless the hospital has others. */
const ownDefaults: Readonly<Record<string, string>> = {
  // On a busy machine a pipe to Python opens late.
  "spark.python.authenticate.socketTimeout": "120s",
  // Spark measures a batch at every row while there is a limit, which takes much of its time. Batches end by their count of rows.
  "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
  // YARN's client repeats a sign-in that is refused for a quarter of an hour, longer than an application may take to start.
  "spark.hadoop.yarn.resourcemanager.connect.max-wait.ms": "120000",
};

/** Settings that a Spark Connect server, which others have started, must have; a session sets those of SQL itself. */
const askedOfServers =
  /^spark\.(?:sql\.|authenticate$|network\.crypto\.enabled$|io\.encryption\.enabled$|ui\.|eventLog\.)/;

const driverPath = fileURLToPath(new URL("./driver.py", import.meta.url));

const told = z.looseObject({ bytes: z.int().min(0).optional() });
const faultSchema = z.object({
  fault: z.string().regex(/^[A-Z_]{1,40}$/),
  detail: z.string().max(40).nullable(),
  condition: z.string().max(100).nullable(),
  kind: z.string().regex(/^\w{1,80}$/),
  python: z.boolean(),
});
type Fault = z.output<typeof faultSchema>;

/** A message of the driver: an object, and bytes where it has some. */
export interface Told {
  readonly message: Readonly<Record<string, unknown>>;
  readonly bytes: Uint8Array;
}

/**
 * One Spark application: `driver.py`, and Spark below it, which end when this process does. It does one thing after the other.
 * Whatever went wrong in Spark, no message of Spark's comes here: they quote values.
 */
export class SparkApplication {
  readonly #cluster: SparkCluster;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #reader: ByteReader;
  readonly #ended: Promise<void>;
  isOver = false;
  #isStarted = true;
  #isLate = false;

  private constructor(
    cluster: SparkCluster,
    folder: string,
    { driver = driverPath, environment, onStart }: SparkProgram,
  ) {
    this.#cluster = cluster;
    const env = Object.fromEntries(sparkVariables.map((name) => [name, environment[name]]));
    const python = {
      PYSPARK_PYTHON: cluster.executorPython ?? cluster.python,
      PYTHONNOUSERSITE: "1",
      PYTHONSAFEPATH: "1",
    };
    this.#child = spawn(cluster.python, ["-I", "-B", driver], {
      env: { ...env, ...python },
      cwd: folder,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const { stdin, stdout, pid } = this.#child;
    for (const part of [stdin, stdout]) part.on("error", () => undefined);
    this.#child.on("error", () => {
      this.#isStarted = false;
    });
    this.#ended = new Promise((resolve) => {
      for (const event of ["exit", "error"])
        this.#child.once(event, () => {
          this.isOver = true;
          void rm(folder, { recursive: true, force: true })
            .catch(() => undefined)
            .then(resolve);
        });
    });
    this.#reader = new ByteReader(stdout as AsyncIterable<Uint8Array>);
    if (pid !== undefined) onStart?.(pid);
  }

  /** @throws ConsiliumError ENGINE_UNREACHABLE, ENGINE_INCOMPLETE, ENGINE_UNSAFE */
  static async start(cluster: ResolvedCluster): Promise<SparkApplication> {
    const { master = null, remote = null, conf, node, principal, keytab, program = asBuilt } = cluster;
    const sha256 = createHash("sha256")
      .update(await readFile(program.worker))
      .digest("hex");
    const kerberos =
      principal === undefined || keytab === undefined
        ? {}
        : { "spark.kerberos.principal": principal, "spark.kerberos.keytab": keytab };
    const [secret, token] = await Promise.all([
      firstLine(cluster.secretFile),
      firstLine(cluster.tokenFile),
      ...(keytab === undefined ? [] : [readable(keytab)]),
    ]);
    // Of its own: Python's workers look for modules where they are started, and Spark makes folders there.
    const folder = await mkdtemp(sparkFolder());
    const application = new SparkApplication(cluster, folder, program);
    const late = setTimeout(() => {
      application.#isLate = true;
      void application.end();
    }, cluster.startMinutes * 60_000);
    try {
      // The worker's path differs from executor to executor.
      const { args } = nodeProgram("{worker}");
      const { message } = await application.#one({
        do: "start",
        master,
        remote,
        secret,
        token,
        conf: { ...ownDefaults, ...conf, ...kerberos },
        forced: forcedFor(cluster, program.environment),
        refused: refusedSettings,
        worker: program.worker,
        sha256,
        node,
        args,
      });
      application.#judge(started.parse(message));
      return application;
    } catch (thrown) {
      await application.end();
      throw thrown;
    } finally {
      clearTimeout(late);
    }
  }

  /** Gives what Spark answers to a request, up to the message that has `end`, or `changed`. */
  async *ask(request: object, bytes: Uint8Array = new Uint8Array(0)): AsyncGenerator<Told> {
    let isComplete = false;
    try {
      this.#send(request, bytes);
      for (;;) {
        const heard = await this.#heard();
        if ("end" in heard.message) {
          isComplete = true;
          return;
        }
        if ("changed" in heard.message) isComplete = true;
        yield heard;
        if (isComplete) return;
      }
    } catch (thrown) {
      // After a fault that it has told it is ready for the next request.
      isComplete = thrown instanceof ToldFault;
      throw thrown;
    } finally {
      if (isComplete) this.#isBusy(false);
      else await this.end();
    }
  }

  /** The columns of a table as Spark has them: names, and its words for their types. */
  async columns(table: object): Promise<[string, string][]> {
    const { message } = await this.#one({ do: "columns", table });
    return z.object({ columns: z.array(z.tuple([z.string(), z.string()])) }).parse(message).columns;
  }

  /** Runs a job of one row. @returns the first line of the fold worker that an executor started */
  async probe(): Promise<string> {
    const { message } = await this.#one({ do: "probe" });
    return z.object({ told: z.string().max(4096) }).parse(message).told;
  }

  /** While nothing is asked of it, it does not keep the process from ending, which ends it. */
  #isBusy(isBusy: boolean): void {
    const { stdin, stdout } = this.#child;
    for (const part of [this.#child, stdin as unknown as Socket, stdout as unknown as Socket])
      if (isBusy) part.ref();
      else part.unref();
  }

  /** Ends it now. */
  async end(): Promise<void> {
    // Its end is waited for, whatever else the process still has to do.
    this.#child.ref();
    this.#child.kill("SIGKILL");
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    await this.#ended;
  }

  async #one(request: object): Promise<Told> {
    try {
      this.#send(request, new Uint8Array(0));
      const heard = await this.#heard();
      this.#isBusy(false);
      return heard;
    } catch (thrown) {
      if (thrown instanceof ToldFault) this.#isBusy(false);
      else await this.end();
      throw thrown;
    }
  }

  #send(request: object, bytes: Uint8Array): void {
    this.#isBusy(true);
    const text = Buffer.from(
      JSON.stringify(bytes.length === 0 ? request : { ...request, bytes: bytes.length }),
    );
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    for (const piece of [length, text, bytes]) this.#child.stdin.write(piece);
  }

  async #heard(): Promise<Told> {
    try {
      const length = Buffer.from(await this.#reader.exactly(4)).readUInt32LE();
      const message = told.parse(
        JSON.parse(Buffer.from(await this.#reader.exactly(length)).toString("utf8")),
      );
      if ("fault" in message) {
        const said = faultSchema.parse(message);
        // Another application signs in anew.
        if (said.fault === "SIGN_IN") throw signInRefused();
        throw said.fault === "GONE" ? notKept() : new ToldFault(this.#faultOf(said));
      }
      return { message, bytes: await this.#reader.exactly(message.bytes ?? 0) };
    } catch (thrown) {
      if (thrown instanceof ConsiliumError) throw thrown;
      if (!this.#isStarted)
        throw fault("ENGINE_INCOMPLETE", "spark.no-python", { path: shown(this.#cluster.python) });
      if (this.#isLate)
        throw fault("ENGINE_UNREACHABLE", "spark.no-executor", { minutes: this.#cluster.startMinutes });
      const isEnded = thrown instanceof PipeEnded;
      throw fault("ENGINE_UNREACHABLE", isEnded ? "spark.driver-ended" : "spark.driver-malformed", {});
    }
  }

  #judge({ spark, undone }: z.output<typeof started>): void {
    if (Number.parseInt(spark, 10) < sparkLeast)
      throw fault("ENGINE_INCOMPLETE", "spark.old", { version: shown(spark), least: sparkLeast });
    if (undone.length > 0)
      throw fault("ENGINE_UNSAFE", "spark.other-values", { settings: undone.map((one) => nameOf(one)) });
  }

  #faultOf({ fault: code, detail, condition, kind, python }: Fault): ConsiliumError {
    const { node, executorPython, python: driverPython, principal } = this.#cluster;
    const named = detail === null ? null : nameOf(detail);
    switch (code) {
      case "NODE_MISSING":
        return lacking("spark.no-node", { path: shown(node) }, "spark.install-node");
      case "MODULE_MISSING":
        return lacking("spark.no-module", { module: named }, "spark.install-modules");
      case "WORKER_MISSING":
      case "WORKER_CHANGED":
        return lacking("spark.worker-changed", {}, "spark.check-disks");
      case "WORKER_ENDED":
        return fault("ENGINE_FAILED", "spark.worker-ended", {});
      case "FILE_CHANGED":
        return fault("TABLE_UNREADABLE", "spark.file-changed", {}, "spark.write-beside");
      default:
    }
    const path = shown(executorPython ?? driverPython);
    if (python) return lacking("spark.executor-python", { path }, "spark.name-python");
    if (condition === "JAVA_GATEWAY_EXITED") {
      const what = principal === undefined ? "spark.no-jvm" : "spark.no-jvm-or-kerberos";
      return fault("ENGINE_UNREACHABLE", what, {}, "spark.install-java");
    }
    if (condition !== null && code === "SPARK") {
      const params = { what: nameOf(condition), detail: null };
      return fault("TABLE_UNREADABLE", "spark.reports", params, "spark.look-up");
    }
    const isSparks = code === "SPARK";
    const params = { what: nameOf(isSparks ? kind : code), detail: isSparks ? null : named };
    return fault("ENGINE_FAILED", "spark.reports", params);
  }
}

/** What the cluster lacks, and what to do about it. */
const lacking = <K extends keyof DataSays>(
  what: K,
  params: DataSays[K],
  remedy: "spark.install-node" | "spark.install-modules" | "spark.check-disks" | "spark.name-python",
) => fault("ENGINE_INCOMPLETE", what, params, remedy);

const signInRefused = () => fault("ENGINE_UNREACHABLE", "spark.sign-in", {}, "spark.check-ticket");

const notKept = () => fault("ENGINE_UNREACHABLE", "spark.not-kept", {}, "spark.check-master");

/** A fault after which the driver is ready for the next request. */
class ToldFault extends ConsiliumError {
  constructor({ code, message, remedy }: ConsiliumError) {
    super(code, message, { remedy });
  }
}

const sparkLeast = 4;
const started = z.object({ spark: z.string().max(100), undone: z.array(z.string().max(300)) });

function forcedFor(
  { master, remote }: SparkCluster,
  { KRB5_CONFIG: kerberos }: NodeJS.ProcessEnv,
): Record<string, string> {
  if (remote !== undefined)
    return Object.fromEntries(Object.entries(forcedSettings).filter(([key]) => askedOfServers.test(key)));
  // On one machine nothing listens to others.
  const loopback = { "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1" };
  // Java does not look at the variable by which everything else finds the settings of Kerberos.
  const java = "spark.driver.defaultJavaOptions";
  const isPath = kerberos !== undefined && /^\/[\w./-]+$/.test(kerberos);
  return {
    ...forcedSettings,
    ...(isPath && { [java]: `${forcedSettings[java]} -Djava.security.krb5.conf=${kerberos}` }),
    ...(master?.startsWith("local") && loopback),
  };
}

async function readable(path: string): Promise<null> {
  await access(path, constants.R_OK).catch(() => {
    throw unreadable(path);
  });
  return null;
}

async function firstLine(path: string | undefined): Promise<string | null> {
  if (path === undefined) return null;
  try {
    const [line = ""] = (await readFile(path, "utf8")).split(/\r?\n/, 1);
    if (line.trim() !== "") return line.trim();
  } catch {
    // Told below.
  }
  throw unreadable(path);
}

const unreadable = (path: string) => fault("CONFIG_INVALID", "spark.file", { file: shown(path) });
