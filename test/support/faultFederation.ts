/** What the fault tests share: tables of a chosen size, studies of them, and a look into what processes stored. */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";

import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { SitePresence, SiteView, StudyView } from "@consilium/core/operator/views";
import { outboundBytes } from "@consilium/proto/frames";
import type { SiteFrame } from "@consilium/proto/generated/consilium/v1/SiteFrame";
import { openLibsql, type SqlRow, type SqlValue } from "@consilium/runtime/store/driver";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { seededUniform } from "@consilium/site-agent/testing/data/seededUniform";
import { LocalFederation, type Member, waitUntil } from "../../scripts/localFederation.js";
import { siteAgent } from "./siteAgent.js";
import { stallMs, Watchdog } from "./watchdog.js";

export const columns = 16;
export const components = 8;

export { seededUniform };

const featureNames = Array.from({ length: columns }, (_, j) => `f${String(j + 1).padStart(2, "0")}`);

/** A table of correlated columns within [-10, 10] and a label, as CSV. */
export function tableText(rows: number, seed: number): string {
  const uniform = seededUniform(seed);
  const lines = [`${featureNames.join(",")},outcome`];
  for (let r = 0; r < rows; r++) {
    const a = uniform() * 8 - 4;
    const b = uniform() * 4 - 2;
    const cells = featureNames.map((_, j) => {
      const value = a * Math.cos(j) + b * Math.sin(j * 2) + (uniform() * 2 - 1) * (1 + j / columns);
      return value.toFixed(5);
    });
    lines.push(`${cells.join(",")},${a + b > 0 ? "yes" : "no"}`);
  }
  return `${lines.join("\n")}\n`;
}

export interface StudyOptions {
  readonly name: string;
  readonly privacy?: "none" | { readonly epsilon: number; readonly delta: number };
  readonly sites?: readonly string[];
  readonly minimumSites?: number;
  /** As in the study file, such as `20s`. */
  readonly phaseDeadline?: string;
  readonly components?: number;
}

/** A study of the tables that `tableText` makes. */
export function studyOf(options: StudyOptions): object {
  return {
    name: options.name,
    table: "records",
    analysis: "pca",
    method: "elfed-pca",
    variant: "paper",
    privacy: options.privacy ?? "none",
    parameters: { components: options.components ?? components },
    participation: {
      ...(options.sites === undefined ? {} : { sites: options.sites }),
      minimumSites: options.minimumSites ?? 3,
      maxRowsPerSite: 1_000_000,
      phaseDeadline: options.phaseDeadline ?? "60s",
      joinDeadline: options.phaseDeadline ?? "60s",
    },
    label: { name: "outcome", levels: ["no", "yes"] },
    features: featureNames.map((name) => ({ name, type: "numeric", min: -10, max: 10 })),
  };
}

/** Rows of a process's store, read beside it, also while it is dead. */
export function stored(member: Member, sql: string, ...params: SqlValue[]): SqlRow[] {
  const database = openLibsql(join(member.state, "state.db"));
  try {
    return database.prepare(sql).all(params);
  } finally {
    database.close();
  }
}

/**
 * Reads a process's store again and again until `find` gives something other than null, but only when it was written to: to ask
 * for that alone costs next to nothing.
 * @param query - the statement and its parameters
 * @returns null when nothing happens any more
 */
export async function watchStore<T>(
  member: Member,
  [sql, ...params]: readonly [string, ...SqlValue[]],
  {
    find,
    hasStalled,
  }: { readonly find: (rows: SqlRow[]) => T | null; readonly hasStalled: () => Promise<boolean> },
): Promise<T | null> {
  const database = openLibsql(join(member.state, "state.db"));
  try {
    const version = database.prepare("PRAGMA data_version");
    const rows = database.prepare(sql);
    let read: SqlValue | undefined;
    for (;;) {
      const written = version.all([])[0]!.data_version;
      const found = written === read ? null : find(rows.all(params));
      if (found !== null) return found;
      read = written;
      if (await hasStalled()) return null;
      await delay(2);
    }
  } finally {
    database.close();
  }
}

export interface EgressEntry {
  readonly study: string | null;
  readonly step: string;
  readonly what: string;
  /** How often it was sent on one day. */
  readonly messages: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** What goes with an answer, or is said about the work on it: it may differ when the answer is sent again. */
const besides = new Set([
  "upload header",
  "head of the ledger",
  "keys for the next sum",
  "sealed shares for the next sum",
  "request for a broadcast",
  "end receipt",
]);

/** Of a site's egress log, what answers studies. */
export async function egressOf(site: Member): Promise<(EgressEntry & { readonly study: string })[]> {
  return (await everythingSentBy(site)).flatMap((entry) =>
    entry.study === null || besides.has(entry.what) ? [] : [{ ...entry, study: entry.study }],
  );
}

/** The hash that the log has of a frame. */
export function frameHash(frame: SiteFrame): string {
  return sha256(outboundBytes(frame));
}

/** A site's egress log, as its own tools read it. */
export function everythingSentBy(site: Member): Promise<EgressEntry[]> {
  return siteAgent(site).egress({}) as Promise<EgressEntry[]>;
}

/**
 * A federation whose sites each have a table `records`, in a temporary folder. Where CONSILIUM_FAULT_LOGS names a
 * folder, the processes' logs are left there.
 */
export class FaultFederation {
  readonly local: LocalFederation;
  readonly home: string;

  private constructor(local: LocalFederation, home: string) {
    this.local = local;
    this.home = home;
  }

  /**
   * @param rows - of each site's table, by site
   * @param initArguments - further ones of `consilium init`
   */
  static async create(
    rows: Readonly<Record<string, number>>,
    adjust: (local: LocalFederation) => Promise<void> = async () => undefined,
    initArguments: readonly string[] = [],
  ): Promise<FaultFederation> {
    const home = await mkdtemp(join(tmpdir(), "consilium-faults-"));
    const local = await LocalFederation.create(join(home, "federation"), "faults", initArguments);
    const federation = new FaultFederation(local, home);
    try {
      await adjust(local);
      await mkdir(join(home, "tables"));
      await Promise.all(
        Object.entries(rows).map(async ([id, count], index) => {
          await writeFile(federation.tablePath(id), tableText(count, index + 1));
          const plan = { id, tables: { records: federation.tablePath(id) }, allowNoPrivacy: true };
          await untilActive(() => local.addSite(plan));
        }),
      );
      await federation.waitForPresence(Object.keys(rows), "online");
      return federation;
    } catch (thrown) {
      await federation.remove();
      throw thrown;
    }
  }

  tablePath(site: string): string {
    return join(this.home, "tables", `${site}.csv`);
  }

  get aggregator(): Member {
    return this.local.aggregator;
  }

  site(id: string): Member {
    return this.local.site(id);
  }

  async start(options: StudyOptions): Promise<StudyView> {
    return this.local.startStudy(studyOf(options));
  }

  /**
   * Polls until `probe` gives something other than null; a process that restarts does not answer for a moment.
   * Slowly enough for the operator API's rate limit.
   * @throws when nothing happens any more, in any study or process
   */
  async until<T>(what: string, probe: () => Promise<T | null>): Promise<T> {
    const watchdog = this.watchdog();
    let last: unknown;
    for (;;) {
      const value = await probe().catch((thrown: unknown) => {
        last = thrown;
        return null;
      });
      if (value !== null) return value;
      if (await watchdog.hasStalled())
        throw new Error(`nothing has happened for ${stallMs / 1000} s while ${what} was waited for`, {
          cause: last,
        });
      await delay(150);
    }
  }

  watchdog(): Watchdog {
    return new Watchdog(() => this.#pulse());
  }

  /** Which processes run, and how far each study has come. */
  async #pulse(): Promise<string> {
    const { aggregator, publisher, sites } = this.local;
    const processes = [aggregator, publisher, ...sites.values()].map(({ pid, running }) => [pid, running]);
    const studies = await this.local
      .api<StudyView[]>("GET", "/api/studies")
      .then((list) => Promise.all(list.map((one) => this.#standing(one))))
      // An aggregator that is dead is no progress; that it is there again is.
      .catch(() => null);
    return JSON.stringify([processes, studies]);
  }

  async #standing({ id, status, endedAt }: Pick<StudyView, "id" | "status" | "endedAt">): Promise<unknown> {
    if (endedAt !== null) return [id, status];
    const { steps, siteStates, waiting } = await this.local.study(id);
    return [
      [id, status, waiting?.code],
      steps.map((step) => [step.id, step.attempt, step.status, step.dropped]),
      siteStates.map(({ site, presence, state, receivedBytes, code }) => [
        [site, presence, state, receivedBytes, code],
      ]),
    ];
  }

  /** Waits until the study has ended in this way; fails at once when it ended in another. */
  async ended(study: StudyView, status: "released" | "failed" | "cancelled"): Promise<StudyView> {
    return this.until(`study ${study.id} to be ${status}`, async () => {
      const view = await this.local.study(study.id);
      return view.status === status || view.endedAt !== null ? view : null;
    }).then((view) => {
      if (view.status === status) return view;
      throw new Error(`study ${study.id} is ${view.status}, not ${status}: ${JSON.stringify(view.failure)}`);
    });
  }

  /** @returns milliseconds until every one of the sites was shown so, in one of these ways */
  async waitForPresence(sites: readonly string[], ...presences: SitePresence[]): Promise<number> {
    const startedAt = Date.now();
    await this.until(`${sites.join(", ")} to be ${presences.join(" or ")}`, async () => {
      const views = await this.local.api<SiteView[]>("GET", "/api/sites");
      return sites.every((id) => views.some((v) => v.id === id && presences.includes(v.presence))) || null;
    });
    return Date.now() - startedAt;
  }

  stepDone(study: string, step: string): boolean {
    const rows = stored(
      this.aggregator,
      "SELECT done_at FROM steps WHERE study = ? AND step = ?",
      study,
      step,
    );
    return rows.length > 0 && rows[0]!.done_at !== null;
  }

  /** Waits until a step is open, looking into the aggregator's store: steps may be shorter than any view shows. */
  async opened(study: StudyView, step: string): Promise<void> {
    await this.event(study, "opened", { detail: step });
  }

  /** Waits for an event of a study at the aggregator; within a few milliseconds of it. */
  async event(
    study: StudyView,
    kind: string,
    { detail, site }: { detail?: string; site?: string } = {},
  ): Promise<void> {
    const watchdog = this.watchdog();
    const found = await watchStore(
      this.aggregator,
      ["SELECT site, kind, detail FROM events WHERE study = ? ORDER BY id DESC", study.id],
      {
        find: (events) =>
          events.find(
            (event) =>
              event.kind === kind &&
              (detail === undefined || String(event.detail).split(" ")[0] === detail) &&
              (site === undefined || event.site === site),
          ) ?? null,
        hasStalled: () => watchdog.hasStalled(),
      },
    );
    if (found !== null) return;
    const view = await this.local.study(study.id).catch(() => null);
    throw new Error(
      `waited for ${kind} ${detail ?? ""} of ${study.id}: ${JSON.stringify(view?.failure ?? view)}`,
    );
  }

  /** Waits for a line of a process's log, written after `since` characters of it. */
  async logged(member: Member, pattern: RegExp, since = 0): Promise<string> {
    return this.until(
      `${member.role} to log ${pattern}`,
      async () => pattern.exec((await member.log()).slice(since))?.[0] ?? null,
    );
  }

  /** A file of a release, as an analyst fetches it. */
  async released(view: StudyView, file: string): Promise<string> {
    const response = await fetch(new URL(file, view.release!.url));
    if (!response.ok) throw new Error(`${file} of ${view.id}: HTTP ${response.status}`);
    return response.text();
  }

  /** Gets a release and verifies it offline, with the commands that an analyst would type. */
  async verify(view: StudyView): Promise<void> {
    const folder = join(this.home, `verify-${view.id}`);
    await this.local.cliOrThrow(
      "release",
      "get",
      view.release!.id,
      "--publisher",
      new URL(view.release!.url).origin,
      "--to",
      folder,
    );
    const authority = join(this.aggregator.state, "identity", "root.pem");
    await this.local.cliOrThrow("release", "verify", folder, "--authority", authority);
    await rm(folder, { recursive: true, force: true });
  }

  /** What a site's log warns of, for the message of a failed test. */
  async complaints(site: string): Promise<string> {
    const lines = (await this.site(site).log()).split("\n");
    return `${site}:\n${lines.filter((line) => /"level":"(warn|error)"/.test(line)).join("\n")}`;
  }

  async remove(): Promise<void> {
    for (const site of this.local.sites.values()) {
      // A frozen process would not hear that it is to stop.
      if (site.running) process.kill(site.pid!, "SIGCONT");
    }
    await this.local.stop();
    const kept = process.env.CONSILIUM_FAULT_LOGS;
    if (kept !== undefined) {
      const members = [this.aggregator, this.local.publisher, ...this.local.sites.values()];
      await mkdir(kept, { recursive: true });
      for (const { logPath } of members) await copyFile(logPath, join(kept, basename(logPath)));
    }
    await rm(this.home, { recursive: true, force: true });
  }
}

/** What one site sent for a study, as its own log has it and as the aggregator stored it: both by step and kind. */
export async function answersOf(
  federation: FaultFederation,
  study: string,
  site: string,
): Promise<{ sent: Map<string, string[]>; received: Map<string, string> }> {
  const sent = new Map<string, string[]>();
  for (const entry of await egressOf(federation.site(site))) {
    if (entry.study !== study) continue;
    const key = `${entry.step}: ${entry.what}`;
    sent.set(key, [...(sent.get(key) ?? []), ...Array<string>(entry.messages).fill(entry.sha256)]);
  }
  const received = new Map<string, string>();
  const { aggregator } = federation;
  for (const row of stored(
    aggregator,
    "SELECT exchange_key, join_signature FROM participants WHERE study = ? AND site = ? AND exchange_key IS NOT NULL",
    study,
    site,
  )) {
    const join = {
      exchangeKey: Buffer.from(row.exchange_key as Uint8Array),
      signature: Buffer.from(row.join_signature as Uint8Array),
    };
    received.set(
      "join: joining key",
      frameHash({ frame: "decision", decision: { studyId: study, decision: "join", join } }),
    );
  }
  for (const row of stored(
    aggregator,
    "SELECT step, attempt, public_part, signature, envelopes FROM posts WHERE study = ? AND site = ?",
    study,
    site,
  )) {
    const envelopes = Object.entries(JSON.parse(row.envelopes as string) as Record<string, string>);
    const exchangePost = {
      studyId: study,
      step: row.step as string,
      attempt: row.attempt as number,
      publicPart: Buffer.from(row.public_part as Uint8Array),
      signature: Buffer.from(row.signature as Uint8Array),
      envelopes: envelopes.map(([to, sealed]) => ({ to, sealed: Buffer.from(sealed, "base64") })),
    };
    received.set(`${row.step}: sealed exchange`, frameHash({ frame: "exchangePost", exchangePost }));
  }
  for (const row of stored(
    aggregator,
    "SELECT step, sha256 FROM uploads WHERE study = ? AND site = ? AND complete_at IS NOT NULL",
    study,
    site,
  )) {
    const what = row.step === "projection" ? "reduced rows" : "masked vector";
    received.set(`${row.step}: ${what}`, row.sha256 as string);
  }
  // The aggregator does not keep the frame; test/adversary/hostileAggregator.test.ts holds frames against the log.
  const countersigned = "SELECT 1 FROM countersignatures WHERE study = ? AND site = ?";
  if (stored(aggregator, countersigned, study, site).length > 0)
    received.set("countersign: countersignature", sent.get("countersign: countersignature")?.[0] ?? "none");
  return { sent, received };
}

/** How often a site computed an answer of each stage, by its log. */
export async function computedStages(site: Member, study: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const line of (await site.log()).split("\n")) {
    if (!line.includes('"msg":"a stage was answered"')) continue;
    const entry = JSON.parse(line) as { study: string; step: string };
    if (entry.study === study) counts.set(entry.step, (counts.get(entry.step) ?? 0) + 1);
  }
  return counts;
}

/** Tries again while a pair of aggregators has lost its lease: on a busy machine it may. */
function untilActive<T>(attempt: () => Promise<T>): Promise<T> {
  const whileStandby = (thrown: unknown) => {
    if (String(thrown).includes("AGGREGATOR_STANDBY")) return null;
    throw thrown;
  };
  return waitUntil(() => attempt().catch(whileStandby), 60_000, "one of the pair to be active");
}
