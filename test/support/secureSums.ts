/** What the tests of secure sums over real processes share: studies, a hold on every phase, and a look at what was sent. */

import { readFileSync } from "node:fs";
import { utf8Of } from "@consilium/core/bytes";
import type { StudyView } from "@consilium/core/operator/views";
import { unwrap } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { openSystemKernels } from "@consilium/kernels/openSystem";
import type { DpPcaResult } from "@consilium/methods/dp-pca/conversation";
import { asDpPca } from "@consilium/methods/dp-pca/study";
import { simulateDpPca } from "@consilium/methods/testing/dpPcaSimulation";
import { parseStudy } from "@consilium/methods/testing/studies";
import type { SumPost } from "@consilium/proto/generated/consilium/v1/SumPost";
import { keysToWire, revealedToWire, sharesToWire } from "@consilium/proto/secureSumAggregator";
import type { ShownCertificate } from "@consilium/release/certificate";
import { readShown } from "@consilium/release/verify";
import { openLibsql, type SqlRow } from "@consilium/runtime/store/driver";
import type { KeysPost, SharesPost, UnmaskPost } from "@consilium/secure-sum/messages";
import { expect } from "vitest";
import type { Member } from "../../scripts/localFederation.js";
import {
  columns,
  egressOf,
  type FaultFederation,
  frameHash,
  type StudyOptions,
  stored,
  studyOf,
  watchStore,
} from "./faultFederation.js";

/** Two sums without noise, of which the first shows in the model as it is; then rows. */
export function exactStudy(options: StudyOptions): object {
  return { ...studyOf({ privacy: "none", ...options }), method: "dpdis-pca" };
}

/** Sums of clipped rows in one round or two; the model follows from them and nothing else. */
export function clippedStudy(options: StudyOptions & { readonly form: "one-round" | "two-round" }): object {
  const { parameters, ...study } = studyOf({ privacy: "none", ...options }) as { parameters: object };
  return {
    ...study,
    method: "dp-pca",
    variant: "sound",
    parameters: { ...parameters, form: options.form },
  };
}

// ---- holding a study in a phase -------------------------------------------------------------------------------

const answers = ["joined", "posted", "received", "countersigned"];

/**
 * Holds a study in every step for as long as a test wants: of two sites one is always frozen before it could answer
 * the open step. The other one answers, is frozen for the step after, and then the first one may continue.
 */
export class Staircase {
  readonly study: StudyView;
  readonly #federation: FaultFederation;
  #frozen: string;
  #other: string;
  #step = "";
  /** The event with which the present step was opened. */
  #openedBy = 0;

  private constructor(federation: FaultFederation, study: StudyView, sites: readonly [string, string]) {
    this.#federation = federation;
    this.study = study;
    [this.#frozen, this.#other] = sites;
  }

  /** Starts a study and holds it where nobody has answered the invitation for long. */
  static async start(
    federation: FaultFederation,
    study: object,
    sites: readonly [string, string],
  ): Promise<Staircase> {
    return Staircase.#begin(federation, sites, () => federation.local.startStudy(study), 0);
  }

  /** As `start`, with a study that has failed. */
  static async resume(
    federation: FaultFederation,
    study: StudyView,
    sites: readonly [string, string],
  ): Promise<Staircase> {
    const [last] = stored(federation.aggregator, "SELECT max(id) AS id FROM events");
    const resumed = async () => {
      await federation.local.cliOrThrow("study", "resume", study.id);
      return federation.local.study(study.id);
    };
    return Staircase.#begin(federation, sites, resumed, Number(last!.id));
  }

  static async #begin(
    federation: FaultFederation,
    sites: readonly [string, string],
    start: () => Promise<StudyView>,
    after: number,
  ): Promise<Staircase> {
    freeze(federation.site(sites[0]));
    try {
      const staircase = new Staircase(federation, await start(), sites);
      staircase.#openedBy = after;
      await staircase.#opened();
      return staircase;
    } catch (thrown) {
      thaw(federation.site(sites[0]));
      throw thrown;
    }
  }

  /** The step that is open, and stays so. */
  get step(): string {
    return this.#step;
  }

  /** Continues, step by step, until this one is open. */
  async holdAt(step: string): Promise<void> {
    while (this.#step !== step) await this.next();
  }

  async next(): Promise<void> {
    await this.answered(this.#other);
    const [frozen, other] = [this.#frozen, this.#other];
    freeze(this.#federation.site(other));
    thaw(this.#federation.site(frozen));
    [this.#frozen, this.#other] = [other, frozen];
    await this.#opened();
  }

  /** Waits until a site has answered the open step. */
  async answered(site: string): Promise<void> {
    await this.#event(
      `an answer of ${site} to ${this.#step}`,
      (event) => answers.includes(event.kind) && event.site === site,
    );
  }

  /** Nothing is held any more. */
  letGo(): void {
    thaw(this.#federation.site(this.#frozen));
  }

  async #opened(): Promise<void> {
    const event = await this.#event(
      `a step after ${this.#step}`,
      ({ kind, detail }) => kind === "opened" && detail.split(" ")[0] !== this.#step,
    );
    this.#openedBy = event.id;
    this.#step = event.detail.split(" ")[0]!;
  }

  /** The first such event since the present step was opened. */
  async #event(what: string, isIt: (event: StudyEvent) => boolean): Promise<StudyEvent> {
    const watchdog = this.#federation.watchdog();
    const found = await watchStore(
      this.#federation.aggregator,
      [
        "SELECT id, site, kind, detail FROM events WHERE study = ? AND id > ? ORDER BY id",
        this.study.id,
        this.#openedBy,
      ],
      {
        find: (rows) => {
          const events = rows as unknown as StudyEvent[];
          return events.find(isIt) ?? events.find(({ kind }) => kind === "ended") ?? null;
        },
        hasStalled: () => watchdog.hasStalled(),
      },
    );
    if (found !== null && isIt(found)) return found;
    const view = await this.#federation.local.study(this.study.id);
    throw new Error(`waited for ${what}: ${view.id} is ${view.status}, ${JSON.stringify(view.failure)}`);
  }
}

interface StudyEvent {
  readonly id: number;
  readonly site: string | null;
  readonly kind: string;
  readonly detail: string;
}

export function freeze(site: Member): void {
  process.kill(site.pid!, "SIGSTOP");
}

export function thaw(site: Member): void {
  process.kill(site.pid!, "SIGCONT");
}

// ---- what came out --------------------------------------------------------------------------------------------

export async function certificateOf(federation: FaultFederation, view: StudyView): Promise<ShownCertificate> {
  return unwrap(readShown(utf8Of(await federation.released(view, "certificate.json"))));
}

/** Rows of sites' tables as they were written, column by column. */
function tableOf(
  federation: FaultFederation,
  site: string,
): { readonly rows: number; readonly columns: Float64Array[] } {
  const lines = readFileSync(federation.tablePath(site), "utf8").trimEnd().split("\n").slice(1);
  const cells = lines.map((line) => line.split(","));
  return {
    rows: lines.length,
    columns: Array.from({ length: columns }, (_, j) => Float64Array.from(cells, (row) => Number(row[j]))),
  };
}

/** The mean over the rows of these sites, added up in this order. */
export function meanOver(federation: FaultFederation, sites: readonly string[]): number[] {
  const tables = sites.map((site) => tableOf(federation, site));
  const n = tables.reduce((sum, table) => sum + table.rows, 0);
  return Array.from({ length: columns }, (_, j) => {
    const sums = tables.map((table) => table.columns[j]!.reduce((sum, value) => sum + value, 0));
    return sums.reduce((sum, value) => sum + value, 0) / n;
  });
}

/** What dp-pca comes to over these sites' tables, in one process and without any masks. */
export async function simulatedOver(
  federation: FaultFederation,
  study: object,
  sites: readonly string[],
): Promise<DpPcaResult> {
  const parsed = asDpPca(unwrap(parseStudy(study)));
  const levels = parsed.label!.levels;
  const tables = sites.map((site): ColumnBlock[] => {
    const { rows, columns: numbers } = tableOf(federation, site);
    const lines = readFileSync(federation.tablePath(site), "utf8").trimEnd().split("\n").slice(1);
    const labels = Uint16Array.from(lines, (line) => levels.indexOf(line.slice(line.lastIndexOf(",") + 1)));
    return [{ rows, columns: numbers, labels }];
  });
  const kernels = await openSystemKernels();
  try {
    const random = {
      bytes: () => {
        throw new RangeError("a study without noise draws none");
      },
    };
    return await simulateDpPca({ study: parsed, tables, kernels, random, seed: "none is used" });
  } finally {
    await kernels.close();
  }
}

// ---- the ledger ---------------------------------------------------------------------------------------------------

export interface Charged {
  readonly kind: string;
  readonly stage?: string;
  readonly attempt?: number;
  readonly stages?: readonly { readonly stage: string; readonly attempt: number }[];
  readonly sequence: number;
  /** Of what was signed. */
  readonly statement?: string;
}

/** A site's ledger of one study, in its order. */
function ledgerOf(site: Member, study: string): Charged[] {
  return stored(site, "SELECT entry FROM ledger ORDER BY sequence")
    .map((row) => JSON.parse(row.entry as string) as Charged & { study?: string })
    .filter((entry) => entry.study === study);
}

/** `stage attempt` of everything that the site was charged for. */
export function commitsOf(site: Member, study: string): string[] {
  return ledgerOf(site, study)
    .filter((entry) => entry.kind === "commit")
    .map((entry) => `${entry.stage} ${entry.attempt}`);
}

/** What the site has signed of a study, and in which entry of its ledger that stands. */
export function signedOf(site: Member, study: string): { entry: number; statement: string }[] {
  return ledgerOf(site, study)
    .filter((entry) => entry.kind === "signed")
    .map(({ sequence, statement }) => ({ entry: sequence, statement: statement! }));
}

/** `stage attempt` of what is still set aside. */
export function reservedOf(site: Member, study: string): string[] {
  const open = new Set<string>();
  for (const entry of ledgerOf(site, study)) {
    if (entry.kind === "reserve") for (const one of entry.stages!) open.add(`${one.stage} ${one.attempt}`);
    else if (entry.kind === "commit") open.delete(`${entry.stage} ${entry.attempt}`);
    else if (entry.kind === "release") open.clear();
  }
  return [...open];
}

// ---- what was sent ------------------------------------------------------------------------------------------------

/** Keeps, beside the aggregator's own tables, what the sites posted: it forgets that when a sum is done. */
export function keepPosts(federation: FaultFederation): void {
  const database = openLibsql(`${federation.aggregator.state}/state.db`);
  try {
    database.exec(`
      CREATE TABLE test_kept (study TEXT, stage TEXT, attempt INTEGER, kind TEXT, site TEXT, body TEXT);
      CREATE TRIGGER test_keep AFTER INSERT ON sum_events WHEN NEW.site IS NOT NULL BEGIN
        INSERT INTO test_kept VALUES (NEW.study, NEW.stage, NEW.attempt, NEW.kind, NEW.site, NEW.body);
      END;`);
  } finally {
    database.close();
  }
}

/** Hashes by `step: what`, of one site: as its own log has what it sent, and of what the aggregator accepted. */
interface SentAndReceived {
  readonly sent: Map<string, string[]>;
  readonly received: Map<string, string[]>;
}

export async function postsOf(
  federation: FaultFederation,
  study: string,
  site: string,
): Promise<SentAndReceived> {
  const sent = new Map<string, string[]>();
  for (const entry of await egressOf(federation.site(site))) {
    if (entry.study !== study) continue;
    for (let k = 0; k < entry.messages; k++) append(sent, `${entry.step}: ${entry.what}`, entry.sha256);
  }
  const received = new Map<string, string[]>();
  const of = (sql: string): SqlRow[] => stored(federation.aggregator, sql, study, site);
  for (const row of of(
    "SELECT exchange_key, join_signature FROM participants WHERE study = ? AND site = ?",
  )) {
    const join = {
      exchangeKey: Buffer.from(row.exchange_key as Uint8Array),
      signature: Buffer.from(row.join_signature as Uint8Array),
    };
    const decision = { studyId: study, decision: "join", join } as const;
    append(received, "join: joining key", frameHash({ frame: "decision", decision }));
  }
  for (const row of of(
    "SELECT step, sha256 FROM uploads WHERE study = ? AND site = ? AND complete_at IS NOT NULL",
  ))
    append(
      received,
      `${row.step}: ${row.step === "projection" ? "reduced rows" : "masked vector"}`,
      row.sha256 as string,
    );
  // The aggregator does not keep the frame; test/adversary/hostileAggregator.test.ts holds frames against the log.
  const countersigned = sent.get("countersign: countersignature");
  if (of("SELECT 1 FROM countersignatures WHERE study = ? AND site = ?").length > 0)
    for (const hash of countersigned ?? ["none"]) append(received, "countersign: countersignature", hash);
  const kept = of(
    "SELECT stage, attempt, kind, body FROM test_kept WHERE study = ? AND site = ? ORDER BY rowid",
  );
  kept.forEach((row, index) => {
    const event = fromBytesJson(row.body as string) as { post?: unknown; signature?: Uint8Array };
    const hashed = (what: string, wire: Partial<SumPost>) =>
      append(received, `${row.stage}: ${what}`, sumPostHash(study, row, wire));
    if (row.kind === "survivors") {
      const survivorsSignature = Buffer.from(event.signature!);
      hashed("signature on the survivors of a secure sum", {
        post: "survivorsSignature",
        survivorsSignature,
      });
    } else if (row.kind === "unmask") {
      // What rides is stored in the same transaction, right after.
      const next = kept[index + 1];
      const rides = next !== undefined && next.kind === "shares" && next.stage !== row.stage;
      const shares = rides ? (fromBytesJson(next.body as string) as { post: SharesPost }).post : null;
      const unmask = {
        shares: revealedToWire((event.post as UnmaskPost).shares),
        nextShares: shares === null ? null : sharesToWire(shares),
      };
      hashed("shares that open a sum", { post: "unmask", unmask });
    }
  });
  // Keys and shares that were posted by themselves have an event of their own step.
  for (const row of kept) {
    if (row.kind !== "keys" && row.kind !== "shares") continue;
    const { post } = fromBytesJson(row.body as string) as { post: KeysPost | SharesPost };
    const what = row.kind === "keys" ? "keys of a secure sum" : "sealed shares of a secure sum";
    const key = `${row.stage}: ${what}`;
    if (!sent.has(key)) continue;
    const wire =
      row.kind === "keys"
        ? { post: "keys", keys: keysToWire(post as KeysPost) }
        : { post: "shares", shares: sharesToWire(post as SharesPost) };
    append(received, key, sumPostHash(study, row, wire as Partial<SumPost>));
  }
  return { sent, received };
}

function sumPostHash(study: string, { stage, attempt }: SqlRow, wire: Partial<SumPost>): string {
  const sumPost = { studyId: study, step: stage as string, attempt: attempt as number, ...wire };
  return frameHash({ frame: "sumPost", sumPost });
}

/**
 * Whatever a site sent for a step, it sent in one form only, and that is what the aggregator has.
 * @returns how often something was sent again
 */
export async function expectOneFormEach(
  federation: FaultFederation,
  study: string,
  sites: readonly string[],
): Promise<number> {
  let again = 0;
  for (const site of sites) {
    const { sent, received } = await postsOf(federation, study, site);
    expect([...sent.keys()].sort(), await federation.complaints(site)).toEqual([...received.keys()].sort());
    for (const [key, hashes] of sent) {
      expect(new Set(hashes), `${site}, ${key}`).toEqual(new Set(received.get(key)));
      expect(new Set(hashes).size, `${site}, ${key}`).toBe(1);
      again += hashes.length - 1;
    }
  }
  return again;
}

function append(map: Map<string, string[]>, key: string, value: string): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}

/** As aggregator/src/rounds/bytesJson.ts writes it. */
function fromBytesJson(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) =>
    typeof value === "object" && value !== null && "$bytes" in value
      ? Uint8Array.from(Buffer.from(String(value.$bytes), "base64"))
      : value,
  );
}
