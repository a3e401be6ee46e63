/** Two aggregators on one PostgreSQL database, each cut off from it or from the sites whenever a test says so. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { unwrap } from "@consilium/core/result";
import { parsePostgresUrl } from "@consilium/runtime/postgres/address";
import { postgresConnectOptions } from "@consilium/runtime/postgres/connectOptions";
import { PostgresThread } from "@consilium/runtime/store/postgresThread";
import { freePort, type TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { editConfig, Member } from "../../scripts/localFederation.js";
import { FaultFederation } from "./faultFederation.js";
import { PartitionProxy } from "./partitionProxy.js";
import { stallMs, Watchdog } from "./watchdog.js";

export const leaseMs = 2_500;

/** One of the two, and the ways from it to the database and from the sites to it. */
export interface PairedAggregator {
  readonly name: "first" | "second";
  readonly member: Member;
  readonly toStore: PartitionProxy;
  readonly fromSites: PartitionProxy;
}

export class StandbyFederation {
  readonly federation: FaultFederation;
  readonly pair: readonly [PairedAggregator, PairedAggregator];
  readonly #database: PostgresThread;
  /** Members that a test keeps down. */
  readonly down = new Set<Member>();

  private constructor(
    federation: FaultFederation,
    pair: readonly [PairedAggregator, PairedAggregator],
    url: string,
  ) {
    this.federation = federation;
    this.pair = pair;
    this.#database = new PostgresThread({ answerWithinMs: 60_000 });
    this.#database.connect(
      postgresConnectOptions(unwrap(parsePostgresUrl(url)), { passwordFile: null, application: "test" }),
    );
  }

  static async create(
    server: TestPostgres,
    rows: Readonly<Record<string, number>>,
  ): Promise<StandbyFederation> {
    let pair: readonly [PairedAggregator, PairedAggregator] | null = null;
    const federation = await FaultFederation.create(
      rows,
      async (local) => {
        const second = new Member("aggregator", join(local.home, "second"), local.environment);
        pair = [
          await behindProxies("first", local.aggregator, server),
          await behindProxies("second", second, server),
        ];
        const ports = ["--grpc-port", String(await freePort()), "--http-port", String(await freePort())];
        await local.cliOrThrow("standby", second.state, "--host", "127.0.0.1", ...ports);
        await local.aggregator.stop();
        for (const [at, { member, toStore, fromSites }] of pair.entries()) {
          await editConfig(member.state, (config) => {
            config.store = String(config.store).replace(`:${server.port}/`, `:${toStore.port}/`);
            config.advertise = `127.0.0.1:${fromSites.port}`;
            Object.assign(config.standby as object, {
              others: [`127.0.0.1:${pair![1 - at]!.fromSites.port}`],
              lease: `${leaseMs}ms`,
            });
          });
        }
        for (const { member } of pair) await member.start();
      },
      ["--store", server.url()],
    );
    return new StandbyFederation(federation, pair!, server.url());
  }

  /** Rows as the database has them, without starting a process to look. */
  rows(sql: string): (string | null)[][] {
    return this.#database.query({ text: sql }).rows.map((row) => [...row]);
  }

  /** The one that holds the lease, by the database; null while none does. */
  get holder(): PairedAggregator | null {
    const [row] = this.rows("SELECT holder FROM aggregator.consilium_lease");
    return this.pair.find(({ name }) => name === row?.[0]) ?? null;
  }

  /**
   * As of the federation, with something like a supervisor beside it: a busy machine may cost an aggregator its lease, which
   * is one more failover.
   */
  async until<T>(what: string, probe: () => Promise<T | null> | T | null): Promise<T> {
    const watchdog = new Watchdog(async () => this.#pulse());
    let last: unknown;
    for (;;) {
      const value = await this.#revive()
        .then(probe)
        .catch((thrown: unknown) => {
          last = thrown;
          return null;
        });
      if (value !== null) return value;
      if (await watchdog.hasStalled())
        throw new Error(`nothing has happened for ${stallMs / 1000} s while ${what} was waited for`, {
          cause: last,
        });
      await delay(20);
    }
  }

  async #revive(): Promise<void> {
    const gone = this.pair.filter(({ member }) => !this.down.has(member) && !member.running);
    await Promise.all(gone.map(({ member }) => member.start()));
  }

  /** Of the database alone: a process that is paused would not answer. */
  #pulse(): string {
    return JSON.stringify(
      this.rows(
        "SELECT holder, epoch, (SELECT max(id) FROM aggregator.events) FROM aggregator.consilium_lease",
      ),
    );
  }

  other({ name }: PairedAggregator): PairedAggregator {
    return this.pair.find((one) => one.name !== name)!;
  }

  /** A call of the operator's API of one of the two. */
  async api(of: PairedAggregator, path: string, init: RequestInit = {}): Promise<Response> {
    const { http } = await of.member.addresses();
    const token = (await readFile(join(of.member.state, "operator-token"), "utf8")).trim();
    return fetch(`http://${http}${path}`, {
      ...init,
      signal: AbortSignal.timeout(30_000),
      headers: { ...init.headers, authorization: `Bearer ${token}` },
    });
  }

  async remove(): Promise<void> {
    this.#database.close();
    for (const { member, toStore, fromSites } of this.pair) {
      if (member.running) process.kill(member.pid!, "SIGCONT");
      await member.stop("SIGKILL");
      await toStore.close();
      await fromSites.close();
    }
    await this.federation.remove();
  }
}

async function behindProxies(
  name: PairedAggregator["name"],
  member: Member,
  server: TestPostgres,
): Promise<PairedAggregator> {
  let port = 0;
  const fromSites = await PartitionProxy.start(() => port);
  const read = async () => {
    const addresses = await member.addresses().catch(() => null);
    if (addresses !== null) port = Number(addresses.grpc!.split(":").at(-1));
  };
  // The port is fixed from the first start on.
  const reading = setInterval(() => void read(), 100);
  reading.unref();
  return { name, member, fromSites, toStore: await PartitionProxy.start(() => server.port) };
}
