import { readFile } from "node:fs/promises";
import { ConsiliumError } from "@consilium/core/errors";
import type { SiteId, StageId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import type { Plan } from "@consilium/core/study/plan";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTestStudy, type TestOpenStudy } from "../../testing/rounds/openStudy.js";
import type { Upload } from "../rpc/toDomain.js";
import type { OpenStudy } from "./openStudy.js";
import { collectRows } from "./rowsStage.js";
import { Uploads } from "./uploads.js";

const raw = {
  name: "opened",
  table: "visits",
  analysis: "pca",
  variant: "paper",
  privacy: "none",
  parameters: { components: 1 },
  participation: { minimumSites: 3, maxRowsPerSite: 10 },
  features: [0, 1].map((i) => ({ name: `c${i}`, type: "numeric", min: 0, max: 1 })),
};
const stage = "projection" as StageId;
const broadcast = { loadings: Float64Array.of(1, 0) };
const pairwise = (plan: Plan): Plan => ({ ...plan, masking: "pairwise" });

let opened: TestOpenStudy;
let refused: string[];
beforeEach(() => {
  refused = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await opened.close();
});

/** A site's one row: its own number. */
async function send(study: OpenStudy, site: SiteId): Promise<void> {
  const bytes = new Uint8Array(Float64Array.of(Number(site.at(-1))).buffer);
  const upload: Upload = {
    studyId: study.id,
    step: stage,
    attempt: 1,
    totalBytes: bytes.length,
    sha256: sha256(bytes),
    transcriptSignature: null,
    nextKeys: null,
    ledgerHead: null,
  };
  const uploads = new Uploads(study);
  try {
    const begun = await uploads.begin(site, upload, "rows");
    if (begun.complete === undefined) {
      unwrap(await begun.upload.append(begun.upload.received, bytes));
      unwrap(await begun.upload.commit());
    }
    await uploads.finish(site, upload);
  } catch (thrown) {
    refused.push(thrown instanceof ConsiliumError ? `${site} ${thrown.code}` : String(thrown));
  }
}

async function openWith(away: Set<number>, adjust = pairwise): Promise<void> {
  opened = await openTestStudy({
    raw,
    sites: 4,
    adjust,
    onTask: (study, site) => {
      if (!away.has(Number(site.at(-1)))) void send(study, site);
    },
  });
  await opened.study.files.open();
}

async function collect(study: OpenStudy, sites = study.memberSites): Promise<number[]> {
  const { path, rows } = await collectRows(study, stage, broadcast, sites);
  const bytes = await readFile(path);
  return Array.from({ length: rows }, (_, i) => bytes.readDoubleLE(i * 8)).sort();
}

/** Lets the deadline pass once everybody who answers has. */
async function passDeadline(study: OpenStudy, missing: number): Promise<void> {
  await vi.waitUntil(() => study.open?.missing.length === missing, { timeout: 120_000, interval: 5 });
  vi.advanceTimersByTime(600_000);
}

describe("rows", () => {
  it("of all sites are collected once", async () => {
    await openWith(new Set());
    expect(await collect(opened.study)).toEqual([0, 1, 2, 3]);
    const asked = opened.tasks.length;
    expect(await collect(opened.study)).toEqual([0, 1, 2, 3]);
    expect(opened.tasks.length).toBe(asked);
    expect(opened.records.attempts.newest(opened.study.id, stage)).toMatchObject({
      attempt: 1,
      survivors: opened.study.memberSites,
    });
  });

  it("are asked of the sites of the last sum alone", async () => {
    await openWith(new Set());
    const sites = opened.study.memberSites.slice(1);
    expect(await collect(opened.study, sites)).toEqual([1, 2, 3]);
    expect(opened.tasks.map((one) => one.site)).toEqual(sites);
    await send(opened.study, "site-0" as SiteId);
    expect(refused).toEqual(["site-0 MESSAGE_UNEXPECTED"]);
  });

  it("under pairwise masks continue without a site, and without what comes late", async () => {
    const away = new Set([3]);
    await openWith(away);
    const collecting = collect(opened.study);
    await passDeadline(opened.study, 1);
    expect(await collecting).toEqual([0, 1, 2]);
    await send(opened.study, "site-3" as SiteId);
    expect(refused).toEqual(["site-3 MESSAGE_UNEXPECTED"]);
    expect(opened.records.attempts.newest(opened.study.id, stage)?.survivors).toHaveLength(3);
    expect(opened.records.attempts.dropouts(opened.study.id)).toMatchObject([
      { step: stage, site: "site-3" },
    ]);
  });

  it("of too few sites fail, and continue when they are back", async () => {
    for (const adjust of [pairwise, (plan: Plan) => plan]) {
      // Of dealt masks' sites nobody may be missing.
      const away = new Set(adjust === pairwise ? [2, 3] : [3]);
      await openWith(away, adjust);
      const collecting = collect(opened.study);
      collecting.catch(() => undefined);
      await passDeadline(opened.study, away.size);
      await expect(collecting).rejects.toMatchObject({ code: "PHASE_DEADLINE" });
      away.clear();
      const asked = opened.tasks.length;
      const again = opened.again();
      await again.files.open();
      expect(await collect(again)).toEqual([0, 1, 2, 3]);
      expect(opened.tasks.length - asked).toBe(adjust === pairwise ? 2 : 1);
      if (adjust === pairwise) await opened.close();
    }
  });
});
