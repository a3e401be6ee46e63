import type { Sha256, SiteId, StageId } from "@consilium/core/ids";
import { type Broadcasts, broadcastBytes, broadcastValues } from "@consilium/core/study/broadcast";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { LentKeys } from "../data/rowHash.js";
import type { TableConfig } from "../data/tableConfig.js";
import type { ByteReader } from "./byteReader.js";

/**
 * What a fold worker is told before the rows: 4 bytes of length, the job as JSON, and the values of the broadcasts as float64.
 * It comes over the same pipe as the rows, so that keys and broadcasts of a hospital lie in no file and in no argument that
 * other users of the machine could read.
 */
export interface Job {
  /** Of the agent: a worker of another version refuses the job. */
  readonly software: string;
  /** The study as the site approved it, as canonical JSON. */
  readonly study: string;
  readonly studyHash: Sha256;
  /** Sites on the roster, by which noise and scale are sized; null before there is one. */
  readonly rosterSites: number | null;
  readonly stage: StageId;
  /** This hospital, which a method may be asked for. */
  readonly site: SiteId;
  /** Of the table's configuration, what the meaning of its cells depends on. */
  readonly table: Pick<
    TableConfig,
    "name" | "nullValues" | "meanings" | "timeZone" | "unit" | "expectedRows"
  >;
  /** The keys of this table and study that the job needs; never what they are derived from. */
  readonly keys: LentKeys;
  /** Whether malformed rows are left out, as in a study that hides its tables. */
  readonly anyRows: boolean;
  /** Whether the rows are to be hashed, against the table that was approved. */
  readonly hashesRows: boolean;
  /** A number of this attempt alone, so that its answer cannot be taken for another's. */
  readonly nonce: string;
}

interface Header extends Job {
  readonly broadcasts: readonly {
    readonly stage: StageId;
    readonly name: string;
    readonly length: number;
  }[];
}

/** Names the job in the worker's answer. */
const idOf = (header: string): Sha256 => sha256(`consilium fold job\n${header}`);

export function encodeJob(
  job: Job,
  broadcasts: Broadcasts,
): { readonly id: Sha256; readonly bytes: Uint8Array[] } {
  const listed = [...broadcasts].flatMap(([stage, vectors]) =>
    Object.entries(vectors).map(([name, values]) => ({ stage, name, values })),
  );
  const header: Header = {
    ...job,
    broadcasts: listed.map(({ stage, name, values }) => ({ stage, name, length: values.length })),
  };
  const text = JSON.stringify(header);
  const json = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return { id: idOf(text), bytes: [length, json, ...listed.map(({ values }) => broadcastBytes(values))] };
}

/** @throws PipeEnded, RangeError */
export async function readJob(
  reader: ByteReader,
): Promise<{ readonly job: Job; readonly id: Sha256; readonly broadcasts: Broadcasts }> {
  const length = Buffer.from(await reader.exactly(4)).readUInt32LE();
  const text = Buffer.from(await reader.exactly(length)).toString("utf8");
  const { broadcasts: listed, ...job } = JSON.parse(text) as Header;
  const broadcasts = new Map<StageId, Record<string, Float64Array>>();
  for (const { stage, name, length: entries } of listed) {
    const vectors = broadcasts.get(stage) ?? {};
    vectors[name] = broadcastValues(await reader.exactly(8 * entries));
    broadcasts.set(stage, vectors);
  }
  return { job, id: idOf(text), broadcasts };
}
