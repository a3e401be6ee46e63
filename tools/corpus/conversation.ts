import { createPrivateKey, type KeyObject } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { shuffleRows } from "@consilium/aggregator/rounds/shuffle";
import { canonicalJson } from "@consilium/core/canonicalJson";
import { fromLittleEndianBytes, littleEndianBytes } from "@consilium/core/fixed-point/ringVector";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { type ClassSizes, mergeTagCounts } from "@consilium/core/learning/tags";
import { plainKernels } from "@consilium/core/linalg/plain";
import type { Conversation, MethodResult, ReducedRows } from "@consilium/core/method/aggregatorSide";
import { aggregatorSideOf } from "@consilium/core/method/aggregatorSideOf";
import { wholly } from "@consilium/core/method/parts";
import { unwrap } from "@consilium/core/result";
import { type Broadcast, broadcastBytes } from "@consilium/core/study/broadcast";
import type { ColumnBlock } from "@consilium/core/study/design";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import { rowBytes, tagRecordBytes } from "@consilium/core/study/plan";
import type { StudyDocument } from "@consilium/core/study/study";
import { seededRandom } from "@consilium/core/testing/privacy/random";
import { softwareVersion } from "@consilium/core/version";
import { allMethods } from "@consilium/methods-paper/all";
import { readRows, writeMadeRows } from "@consilium/runtime/release/madeRows";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { Fleet, type FleetSite, type Trouble } from "./fleet.js";
import { type SiteTable, siteTables } from "./tables.js";

/** A study's conversation: what the aggregator's side said and was told, and what it made of that. */
export interface Recorded {
  readonly software: string;
  /** Node's version, whose `Math` computed it. */
  readonly node: string;
  readonly text: string;
  readonly hash: Sha256;
  readonly sites: number;
  readonly events: readonly Event[];
  readonly result: Result;
}

type Told = readonly (readonly [name: string, length: number, hash: Sha256])[];

type Event =
  /** The sum, base64 of 64 bits each, little-endian. */
  | { kind: "sum"; stage: string; broadcast: Told; survivors: number; sum: string }
  /** Rows of all sites in their order at the aggregator, base64. */
  | {
      kind: "rows";
      stage: string;
      broadcast: Told;
      rows: number;
      columns: number;
      levels: number;
      content: string;
    }
  | { kind: "tags"; stage: string; broadcast: Told; sizes: ClassSizes }
  | { kind: "draw"; name: string; value: string }
  | { kind: "made"; name: string; rows: number; hash: Sha256 };

/** What a release is made from; figures, curves, card and words by their hashes. */
export interface Result {
  readonly model: unknown;
  readonly tables: unknown;
  readonly predictor: unknown;
  readonly facts: unknown;
  readonly rowsUsed: number | null;
  readonly columns: unknown;
  readonly finding: unknown;
  readonly counted: unknown;
  /** Left out of a study without one. */
  readonly flow?: unknown;
  readonly hashes: Readonly<Record<string, Sha256>>;
}

/** What answers the aggregator's side: sites, or what they answered once. */
export interface Answers {
  sum(stage: StageId, broadcast: Broadcast): Promise<{ sum: BigUint64Array; survivors: number }>;
  rows(stage: StageId, broadcast: Broadcast): Promise<ReducedRows>;
  tags(stage: StageId, broadcast: Broadcast): Promise<ClassSizes>;
  /** @param make - what is drawn now */
  draw(name: string, make: () => string): string;
}

export const siteNames = (sites: number): SiteId[] =>
  Array.from({ length: sites }, (_, i) => `hospital-${String(i + 1).padStart(2, "0")}` as SiteId);

/** A study as it is read from its text, and not as the example is written now. */
export const readText = ({ text, hash }: Pick<Recorded, "text" | "hash">): StudyDocument =>
  unwrap(allMethods.read(text, hash));

/** Runs the aggregator's side of a study. @returns what was said, in order, and the method's own result */
export async function converse(
  document: StudyDocument,
  sites: number,
  answers: Answers,
  folder: string,
): Promise<{ events: Event[]; result: MethodResult }> {
  const { study } = documentOnRoster(document, sites);
  const events: Event[] = [];
  let survivors = sites;
  const made = new Map<string, ReducedRows>();
  const conversation: Conversation = {
    study,
    sites,
    get survivors() {
      return survivors;
    },
    kernels: plainKernels(),
    random: seededRandom("the aggregator's own"),
    async sum(stage, broadcast) {
      const answer = await answers.sum(stage, broadcast);
      survivors = answer.survivors;
      const sum = Buffer.from(littleEndianBytes(answer.sum)).toString("base64");
      events.push({ kind: "sum", stage, broadcast: toldOf(broadcast), survivors, sum });
      return answer.sum;
    },
    async rows(stage, broadcast) {
      const found = await answers.rows(stage, broadcast);
      const { path, rows, columns, levels } = found;
      const content = (await readFile(path)).toString("base64");
      events.push({ kind: "rows", stage, broadcast: toldOf(broadcast), rows, columns, levels, content });
      return found;
    },
    readRows,
    async tags(stage, broadcast) {
      const sizes = await answers.tags(stage, broadcast);
      events.push({ kind: "tags", stage, broadcast: toldOf(broadcast), sizes });
      return sizes;
    },
    part: wholly,
    draw(name, make) {
      const drawn = make();
      events.push({ kind: "draw", name, value: drawn });
      return answers.draw(name, () => drawn);
    },
    async writeRows(name, shape, parts) {
      const path = join(folder, `made-${name}`);
      const { rows, sha256: hash } = await writeMadeRows(path, shape, parts);
      events.push({ kind: "made", name, rows, hash });
      made.set(name, { path, rows, ...shape });
      return made.get(name)!;
    },
  };
  const run = await aggregatorSideOf(study);
  return { events, result: await run(conversation) };
}

const toldOf = (broadcast: Broadcast): Told =>
  Object.entries(broadcast).map(([name, values]) => [name, values.length, sha256(broadcastBytes(values))]);

/** JSON of a result's part: arrays of numbers as lists, what JSON cannot hold by its name. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, one: unknown) => {
    if (ArrayBuffer.isView(one)) return Array.from(one as unknown as ArrayLike<unknown>);
    if (typeof one === "bigint" || (typeof one === "number" && !Number.isFinite(one))) return `${one}`;
    return one;
  });

export function resultOf(result: MethodResult): Result {
  const {
    model,
    tables,
    predictor,
    facts,
    rowsUsed,
    table,
    figures,
    curves,
    card,
    notes,
    finding,
    counted,
    flow,
  } = result;
  const plain = (value: unknown) => JSON.parse(jsonOf(value)) as unknown;
  return {
    model: plain(model),
    tables: plain(tables),
    predictor: plain(predictor),
    facts: plain(facts),
    rowsUsed,
    columns: plain(table?.columns),
    finding: plain(finding),
    counted: plain(counted ?? []),
    ...(flow === undefined ? {} : { flow: plain(flow) }),
    hashes: Object.fromEntries(
      Object.entries({ figures, curves, card, notes }).map(([name, part]) => [name, sha256(jsonOf(part))]),
    ),
  };
}

// ---- sites ------------------------------------------------------------------------------------------------------

/** A study that its sites answer, each from its own table under a seed of its own. */
export interface Live {
  readonly fleet: Fleet;
  readonly answers: Answers;
}

/** Ed25519 from 32 bytes: PKCS #8 (RFC 8410, section 7) around them. */
export function signingKeyOf(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

const seededSite = (site: SiteId, table: SiteTable): FleetSite => {
  const random = seededRandom(`corpus ${site}`);
  return { site, signingKey: signingKeyOf(random.bytes(32)), random, ...table };
};

export interface Occasion {
  readonly studyId: StudyId;
  readonly federation: string;
  /** Left out: seeded. */
  readonly makeSite?: (site: SiteId, table: SiteTable) => FleetSite;
  /** Of the sites' tables, for a test; left out: none. */
  readonly change?: (tables: readonly (readonly ColumnBlock[])[]) => readonly (readonly ColumnBlock[])[];
  readonly troubleAt?: (stage: StageId, fleet: Fleet) => Trouble;
}

export const seededOccasion = ({ study }: StudyDocument): Occasion => ({
  studyId: `${study.name}-0123456789` as StudyId,
  federation: "corpus",
});

/** @param folder - an empty one */
export async function liveSites(
  document: StudyDocument,
  sites: number,
  occasion: Occasion,
  folder: string,
): Promise<Live> {
  const {
    makeSite = seededSite,
    troubleAt = () => ({}),
    change = (tables) => tables,
    studyId,
    federation,
  } = occasion;
  const tables = await siteTables(document.study, sites);
  const blocks = change(tables.map((table) => table.blocks));
  const members = siteNames(sites).map((site, i) => makeSite(site, { ...tables[i]!, blocks: blocks[i]! }));
  const fleet = await Fleet.open({ document, studyId, federation, sites: members, folder });
  await fleet.setUp();
  const random = seededRandom("the aggregator's shuffle");
  const answers: Answers = {
    async sum(stage, broadcast) {
      const { sum, survivors } = await fleet.sum(stage, broadcast, troubleAt(stage, fleet));
      return { sum, survivors: survivors.length };
    },
    async rows(id, broadcast) {
      const paths = await fleet.open(id, "rows", broadcast);
      const stage = fleet.plan.stages.find((one) => one.id === id);
      const columns = stage?.kind === "rows" ? stage.columns : 0;
      const hasLabel = document.study.label !== undefined;
      const target = join(folder, `rows-${id}`);
      const { rows } = await shuffleRows(paths, { rowBytes: rowBytes(columns, hasLabel), target, random });
      return { path: target, rows, columns, levels: hasLabel ? 1 : 0 };
    },
    async tags(stage, broadcast) {
      const paths = await fleet.open(stage, "tags", broadcast);
      const { maxRowsPerSite } = document.study.participation;
      return mergeTagCounts(paths.map(tagRecords), maxRowsPerSite);
    },
    draw: (_, make) => make(),
  };
  return { fleet, answers };
}

async function* tagRecords(path: string): AsyncGenerator<Uint8Array> {
  const bytes = await readFile(path);
  for (let at = 0; at < bytes.length; at += tagRecordBytes) yield bytes.subarray(at, at + tagRecordBytes);
}

/** What sites answered once, in order. @throws RangeError for another question than was asked then */
export function recordedAnswers({ events }: Recorded, folder: string): Answers {
  const asked = events.filter(({ kind }) => kind === "sum" || kind === "rows" || kind === "tags");
  let at = 0;
  const next = <K extends Event["kind"]>(kind: K, stage: StageId): Extract<Event, { kind: K }> => {
    const event = asked[at++];
    if (event?.kind === kind && "stage" in event && event.stage === stage)
      return event as Extract<Event, { kind: K }>;
    throw new RangeError(`question ${at} is for ${kind} of ${stage}, and was not then`);
  };
  return {
    async sum(stage) {
      const { sum, survivors } = next("sum", stage);
      return { sum: fromLittleEndianBytes(Buffer.from(sum, "base64")), survivors };
    },
    async rows(stage) {
      const { content, rows, columns, levels } = next("rows", stage);
      const path = join(folder, `rows-${stage}`);
      await writeFile(path, Buffer.from(content, "base64"));
      return { path, rows, columns, levels };
    },
    tags: async (stage) => next("tags", stage).sizes,
    draw(name, make) {
      const then = events.find((one) => one.kind === "draw" && one.name === name);
      return then?.kind === "draw" ? then.value : make();
    },
  };
}

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "consilium-corpus-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// ---- what the sites did -----------------------------------------------------------------------------------------

/** What the sites of a recorded study computed and sent, and what their ledgers were charged. */
export interface Sites {
  readonly stages: Fleet["traces"];
  readonly charges: unknown;
}

export async function record(
  document: StudyDocument,
  sites: number,
): Promise<{ recorded: Recorded; sites: Sites }> {
  return inFolder(async (folder) => {
    const { fleet, answers } = await liveSites(document, sites, seededOccasion(document), folder);
    const { events, result } = await converse(document, sites, answers, folder);
    const { text, hash } = document;
    const recorded: Recorded = {
      software: softwareVersion,
      node: process.version,
      text,
      hash,
      sites,
      events,
      result: resultOf(result),
    };
    return { recorded, sites: sitesOf(fleet, document) };
  });
}

/** The aggregator's side over what the sites of a recording answered. */
export async function replay(recorded: Recorded): Promise<Pick<Recorded, "events" | "result">> {
  return inFolder(async (folder) => {
    const { events, result } = await converse(
      readText(recorded),
      recorded.sites,
      recordedAnswers(recorded, folder),
      folder,
    );
    return { events, result: resultOf(result) };
  });
}

/** What the sites of a recording do now, told what they were told then. @param change - of their tables, for a control */
export async function resend(
  recorded: Recorded,
  change: Occasion["change"] = (tables) => tables,
): Promise<{ sites: Sites; sums: string[] }> {
  return inFolder(async (folder) => {
    const document = readText(recorded);
    const then = recordedAnswers(recorded, folder);
    const { fleet, answers } = await liveSites(
      document,
      recorded.sites,
      { ...seededOccasion(document), change },
      folder,
    );
    const sums: string[] = [];
    const both: Answers = {
      async sum(stage, broadcast) {
        const { sum } = await answers.sum(stage, broadcast);
        sums.push(Buffer.from(littleEndianBytes(sum)).toString("base64"));
        return then.sum(stage, broadcast);
      },
      async rows(stage, broadcast) {
        await answers.rows(stage, broadcast);
        return then.rows(stage, broadcast);
      },
      async tags(stage, broadcast) {
        await answers.tags(stage, broadcast);
        return then.tags(stage, broadcast);
      },
      draw: then.draw,
    };
    await converse(document, recorded.sites, both, folder);
    return { sites: sitesOf(fleet, document), sums };
  });
}

function sitesOf(fleet: Fleet, document: StudyDocument): Sites {
  return JSON.parse(canonicalJson({ stages: fleet.traces, charges: fleet.charges(document) })) as Sites;
}

// ---- files ------------------------------------------------------------------------------------------------------

export const packed = (recorded: Recorded): Uint8Array => gzipSync(JSON.stringify(recorded), { level: 9 });

/** A person reads them in a diff. */
const readable = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

export const stagesText = ({ stages }: Sites): string => readable(stages);
export const chargesText = ({ charges }: Sites): string => readable(charges);

export const unpacked = (bytes: Uint8Array): Recorded =>
  JSON.parse(gunzipSync(bytes).toString("utf8")) as Recorded;
