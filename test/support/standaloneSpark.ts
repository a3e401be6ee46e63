import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "@consilium/runtime/testing/postgres/postgres";

/** What the master and the workers of a standalone cluster need, so that an agent's application can speak with them. */
const clusterSettings = {
  "spark.authenticate": "true",
  "spark.network.crypto.enabled": "true",
  "spark.network.crypto.saslFallback": "false",
  "spark.network.crypto.cipher": "AES/GCM/NoPadding",
  "spark.network.crypto.authEngineVersion": "2",
};

interface Process {
  readonly child: ChildProcess;
  readonly log: () => string;
}

/** A standalone cluster on loopback, of PySpark's own jars: a master and workers of one core each. */
export class StandaloneSpark {
  readonly workers: ChildProcess[] = [];
  readonly secretFile: string;
  /** Of the workers, each with a folder for each application. */
  readonly work: string;
  readonly #home: string;
  readonly #folder: string;
  #master: Process | null = null;
  #port = 0;

  private constructor(home: string, folder: string) {
    this.#home = home;
    this.#folder = folder;
    this.secretFile = join(folder, "secret");
    this.work = join(folder, "work");
  }

  /** @param options.home - PySpark's folder */
  static async start(options: {
    readonly home: string;
    readonly folder: string;
    readonly secret: string;
    readonly workers: number;
  }): Promise<StandaloneSpark> {
    const { home, folder, secret, workers } = options;
    const cluster = new StandaloneSpark(home, folder);
    mkdirSync(join(folder, "conf"), { recursive: true });
    mkdirSync(cluster.work);
    writeFileSync(cluster.secretFile, `${secret}\n`, { mode: 0o600 });
    const all = { ...clusterSettings, "spark.authenticate.secret": secret };
    const lines = Object.entries(all).map(([key, value]) => `${key} ${value}\n`);
    writeFileSync(join(folder, "conf/spark-defaults.conf"), lines.join(""), { mode: 0o600 });
    try {
      cluster.#port = await freePort();
      const place = ["--host", "127.0.0.1", "--port", String(cluster.#port)];
      cluster.#master = cluster.#run("master.Master", [...place, "--webui-port", "0"]);
      await cluster.#said(/elected leader/);
      for (let at = 1; at <= workers; at++) await cluster.addWorker(at);
      return cluster;
    } catch (thrown) {
      await cluster.stop();
      throw thrown;
    }
  }

  get master(): string {
    return `spark://127.0.0.1:${this.#port}`;
  }

  async addWorker(number: number): Promise<void> {
    const room = ["-c", "1", "-m", "1g", "-d", join(this.work, String(number))];
    const place = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"];
    this.workers.push(this.#run("worker.Worker", [...place, ...room, this.master]).child);
    await this.#said(new RegExp(`(?:Registering worker[^]*){${number}}`));
  }

  async stop(): Promise<void> {
    const all = [...this.workers, ...(this.#master === null ? [] : [this.#master.child])];
    await Promise.all(
      all.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        await ended;
      }),
    );
  }

  /** What master and workers have logged. */
  log(): string {
    return ["master.Master", ...this.workers.map(() => "worker.Worker")]
      .map((name, at) => readFileSync(join(this.#folder, `${name}-${at}.log`), "utf8"))
      .join("\n");
  }

  #run(name: string, args: readonly string[]): Process {
    const path = join(this.#folder, `${name}-${name.startsWith("master") ? 0 : this.workers.length + 1}.log`);
    const child = spawn(join(this.#home, "bin/spark-class"), [`org.apache.spark.deploy.${name}`, ...args], {
      env: {
        PATH: process.env.PATH,
        SPARK_HOME: this.#home,
        SPARK_CONF_DIR: join(this.#folder, "conf"),
        SPARK_LOCAL_IP: "127.0.0.1",
        SPARK_LOCAL_DIRS: join(this.#folder, "local"),
        SPARK_DAEMON_JAVA_OPTS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        SPARK_DAEMON_MEMORY: "256m",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data: Buffer) => {
        text += data.toString("utf8");
        writeFileSync(path, text);
      });
    return { child, log: () => text };
  }

  async #said(what: RegExp): Promise<void> {
    const until = Date.now() + 120_000;
    while (!what.test(this.#master!.log())) {
      if (Date.now() > until || this.#master!.child.exitCode !== null)
        throw new Error(`Spark's master did not say ${what}: ${this.#master!.log()}`);
      await wait(100);
    }
  }
}
