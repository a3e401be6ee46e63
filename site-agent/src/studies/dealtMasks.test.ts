import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { mkdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fromLittleEndianBytes } from "@consilium/core/fixed-point/ringVector";
import type { Sha256, SiteId, StageId, StudyId } from "@consilium/core/ids";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import {
  type Broadcast,
  type BroadcastItem,
  boundHash,
  broadcastBytes,
} from "@consilium/core/study/broadcast";
import { planStudy } from "@consilium/core/study/plan";
import { planHash } from "@consilium/core/study/planFacts";
import { Door, type OutboundUpload } from "@consilium/gate/door";
import { answered } from "@consilium/methods/testing/families";
import { parseStudy } from "@consilium/methods/testing/studies";
import { covarianceFrom } from "@consilium/methods-paper/elfed-pca/covariance";
import { asPaperPca, pcaStages } from "@consilium/methods-paper/elfed-pca/study";
import { outboundBytes } from "@consilium/proto/frames";
import { createLogger } from "@consilium/runtime/log";
import { openStore } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { addDealtMask, dealerOf, dealSeeds, type MaskSecret } from "@consilium/secure-sum/dealer";
import type { Roster } from "@consilium/secure-sum/roster";
import { afterAll, describe, expect, it } from "vitest";
import type { BroadcastEntry, TaskOf } from "../rpc/toDomain.js";
import { migrations } from "../store/schema.js";
import { DealtMasks } from "./dealtMasks.js";
import type { PublishedWork } from "./publishedWork.js";
import { SiteRecords } from "./records.js";
import type { SetupExchange } from "./setupExchange.js";
import { StudyFolder } from "./studyFolder.js";
import type { StudyView } from "./studyView.js";
import type { SumsContext } from "./sumsContext.js";

const folder = mkdtempSync(join(tmpdir(), "dealt-masks-"));
afterAll(() => rm(folder, { recursive: true }));

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) };
const id = "dealt-0123456789" as StudyId;
const d = 4;
/** The operator's choice of bounds: a corner of such a box lies far from every row. */
const far = 1e9;
const study = asPaperPca(
  unwrap(
    parseStudy({
      name: "dealt",
      table: "records",
      analysis: "pca",
      variant: "paper",
      method: "elfed-pca",
      features: Array.from({ length: d }, (_, j) => ({
        name: `c${j}`,
        type: "numeric",
        min: -far,
        max: far,
      })),
      privacy: "none",
      participation: { maxRowsPerSite: 1_000 },
      parameters: { components: 1, scale: "none" },
    }),
  ),
);
const names = ["alpha", "beta", "gamma"] as SiteId[];
const victim = names[2]!;
const rowsOf = new Map(names.map((name, i) => [name, 30 + 7 * i] as const));
const n = [...rowsOf.values()].reduce((sum, rows) => sum + rows, 0);
const roster: Roster = {
  studyId: id,
  studyHash: "a".repeat(64) as Sha256,
  members: names.map((site) => ({ site, signingKey: new Uint8Array(32), exchangeKey: new Uint8Array(32) })),
  hash: "b".repeat(64) as Sha256,
};

/** Columns of a site's made-up rows, different at each site. */
const columns = new Map(
  names.map((name, i) => {
    const rows = rowsOf.get(name)!;
    const own = Array.from({ length: d }, (_, j) =>
      Float64Array.from(
        { length: rows },
        (_, r) => Math.sin(1 + r * (j + 1.7) + i) * (j + 1) + 0.2 * r * (j % 2),
      ),
    );
    return [name, own] as const;
  }),
);

const trueMean = Float64Array.from({ length: d }, (_, j) => {
  const all = names.flatMap((name) => [...columns.get(name)![j]!]);
  return all.reduce((sum, value) => sum + value, 0) / n;
});
const corner = new Float64Array(d).fill(-far);

/** Each site's vector of the stage `covariance`, as its agent writes it, for the mean that it is told. */
async function vectors(told: (site: SiteId) => Float64Array) {
  const seeds = dealSeeds(roster, random);
  const run = mkdtempSync(join(folder, "run-"));
  return Promise.all(
    names.map(async (site) => {
      const secret: MaskSecret =
        site === dealerOf(roster) ? { role: "dealer", seeds } : { role: "receiver", seed: seeds.get(site)! };
      const broadcast: Broadcast = { mean: told(site), rows: Float64Array.of(n) };
      return { site, secret, ...(await agentVector(join(run, site), site, secret, broadcast)) };
    }),
  );
}

async function agentVector(state: string, site: SiteId, mask: MaskSecret, broadcast: Broadcast) {
  const records = new SiteRecords(openStore(":memory:", migrations));
  const offered = { id, hash: roster.studyHash, text: "{}", name: "dealt" };
  const key = new Uint8Array(32);
  records.join(
    offered,
    { contentHash: roster.hash, rows: 1, exchangeKey: key, joinSignature: key, exchangeSecret: key },
    1,
  );
  records.saveAnswer(
    id,
    pcaStages.moments,
    1,
    { kind: "sum", inputHash: roster.hash, post: null, bytes: 0, sha256: roster.hash },
    1,
    null,
  );
  const plan = planStudy(study);
  const work: Pick<PublishedWork, "broadcasts" | "keep" | "vector"> = {
    broadcasts: async () => new Map([[pcaStages.covariance, broadcast]]),
    keep: () => undefined,
    vector: async (_view, stage, broadcasts, sharedSeed) =>
      answered(stage.id, {
        study,
        site,
        sites: names.length,
        broadcasts,
        sharedSeed,
        blocks: (async function* () {
          yield { rows: rowsOf.get(site)!, columns: columns.get(site)!, labels: null };
        })(),
        kernels: plainKernels(),
        random,
      }),
  };
  const setup: Pick<SetupExchange, "stageSecrets"> = { stageSecrets: () => ({ mask, seed: null }) };
  const uploads: OutboundUpload[] = [];
  const context = {
    records,
    door: new Door({
      log: () => undefined,
      charged: () => ({ entry: 1, head: { head: "{}", signature: key } }),
      bytesOf: outboundBytes,
      now: Date.now,
    }),
    charges: {
      keepHead: async () => undefined,
      commit: () => undefined,
    },
    now: () => 2,
    log: createLogger({ service: "test", level: "error" }),
    upload: async (upload: OutboundUpload) => void uploads.push(upload),
  } as unknown as SumsContext;
  const studies = new StudyFolder(state);
  await mkdir(dirname(studies.answer(id, pcaStages.covariance, 1)), { recursive: true });
  const items: BroadcastItem[] = Object.entries(broadcast).map(([name, values]) => ({
    stage: pcaStages.covariance,
    name,
    length: values.length,
    sha256: sha256(broadcastBytes(values)),
  }));
  const view = {
    record: records.study(id)!,
    document: { study },
    plan,
    planHash: planHash(study, plan),
    roster,
    self: site,
  } as unknown as StudyView;
  const task = {
    kind: "sum",
    studyId: id,
    step: pcaStages.covariance as StageId,
    attempt: 1,
    broadcasts: items.map((item): BroadcastEntry => ({ ...item, values: null })),
  } as unknown as TaskOf<"sum">;
  await new DealtMasks(context, work as PublishedWork, studies, setup as SetupExchange).answer(view, task);
  return {
    broadcastsHash: boundHash(view.planHash, items),
    masked: fromLittleEndianBytes(await readFile(uploads[0]!.path)),
  };
}

type Sent = Awaited<ReturnType<typeof vectors>>[number];

/** The sum of what the sites sent, as the aggregator decodes it. */
function summed(sent: readonly Sent[], change: (one: Sent) => BigUint64Array = ({ masked }) => masked) {
  const total = new BigUint64Array(sent[0]!.masked.length);
  for (const one of sent) {
    change(one).forEach((entry, i) => {
      total[i] = total[i]! + entry;
    });
  }
  return covarianceFrom(total, study, n, names.length);
}

/** The same vector under the masks of protocol 1, which were the same whatever had been broadcast. */
function unbound({ masked, secret, broadcastsHash }: Sent): BigUint64Array {
  const place = { roster, stage: pcaStages.covariance, attempt: 1 };
  const mask = new BigUint64Array(masked.length);
  addDealtMask(mask, secret, { ...place, broadcastsHash });
  const vector = masked.map((entry, i) => entry - mask[i]!);
  addDealtMask(vector, secret, { ...place, broadcastsHash: "0".repeat(64) as Sha256 });
  return vector;
}

/** Scatter of one site's rows of length 1 around a mean, by definition. */
function scatter(site: SiteId, mean: Float64Array): Float64Array {
  const own = columns.get(site)!;
  const out = new Float64Array(d * d);
  for (let r = 0; r < rowsOf.get(site)!; r++) {
    const row = own.map((column, j) => column[r]! - mean[j]!);
    const length = Math.hypot(...row);
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++) out[i * d + j]! += (row[i]! * row[j]!) / length ** 2;
  }
  return out;
}

/** What the attack makes of a sum: the others' rows all point from the corner into the box. */
function recovered(sum: Float64Array): Float64Array {
  const others = n - rowsOf.get(victim)!;
  return sum.map((entry) => entry * (n - 1) - others / d);
}

const largestError = (a: Float64Array, b: Float64Array) =>
  a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0);

describe("an aggregator that tells one site the mean and the others a corner of the box", () => {
  const equivocating = (site: SiteId) => (site === victim ? trueMean : corner);
  const truth = scatter(victim, trueMean);

  it("gets numbers that have nothing to do with the site's rows", async () => {
    const error = largestError(recovered(summed(await vectors(equivocating))), truth);
    // Uniform in the ring: 10 entries all this near to the truth by chance have a probability below 1e-20.
    expect(error).toBeGreaterThan(1);
  });

  it("control: it gets the sum where it tells all sites the same", async () => {
    const sum = summed(await vectors(() => trueMean));
    const expected = new Float64Array(d * d);
    for (const site of names)
      scatter(site, trueMean).forEach((value, i) => {
        expected[i]! += value / (n - 1);
      });
    expect(largestError(sum, expected)).toBeLessThan(1e-9);
  });

  it("weakened twin: masks that do not depend on the broadcasts open the site's scatter", async () => {
    const error = largestError(recovered(summed(await vectors(equivocating), unbound)), truth);
    expect(error).toBeLessThan(1e-5);
  });
});
