import { ConsiliumError } from "@consilium/core/errors";
import type { SiteId, StageId } from "@consilium/core/ids";
import { TupleCounts, tagKey } from "@consilium/core/learning/tags";
import { unwrap } from "@consilium/core/result";
import type { Plan, TagsStage } from "@consilium/core/study/plan";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTestStudy, type TestOpenStudy } from "../../testing/rounds/openStudy.js";
import type { Upload } from "../rpc/toDomain.js";
import type { OpenStudy } from "./openStudy.js";
import { collectTags } from "./tagsStage.js";
import { Uploads } from "./uploads.js";

const raw = {
  name: "opened",
  table: "visits",
  analysis: "pca",
  variant: "paper",
  method: "dpdis-pca",
  privacy: "none",
  parameters: { components: 1 },
  participation: { minimumSites: 3, maxRowsPerSite: 4 },
  features: [0, 1].map((i) => ({ name: `c${i}`, type: "numeric", min: 0, max: 1 })),
};
const stage = "test-1" as StageId;
const broadcast = { candidate: Float64Array.of(1, 0) };
const key = tagKey(new Uint8Array(32), stage);
/** The value of each site's rows. */
const rows = [[1, 1, 2], [1, 2], [], [2]];

/** A plan with a shared seed and a stage of tags. */
function withTags(plan: Plan): Plan {
  const tags: TagsStage = {
    kind: "tags",
    id: stage,
    broadcasts: [{ name: "candidate", length: 2 }],
    disclosure: { ...plan.stages[0]!.disclosure, form: "tag counts" },
  };
  return { ...plan, setup: ["commit", "reveal"], stages: [tags] };
}

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

async function send(study: OpenStudy, site: SiteId, bytes = tagsOf(site)): Promise<void> {
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
      if (bytes.length > 0) unwrap(await begun.upload.append(begun.upload.received, bytes));
      unwrap(await begun.upload.commit());
    }
    await uploads.finish(site, upload);
  } catch (thrown) {
    refused.push(thrown instanceof ConsiliumError ? `${site} ${thrown.code}` : String(thrown));
  }
}

function tagsOf(site: SiteId): Uint8Array {
  const counts = new TupleCounts(1);
  for (const value of rows[Number(site.at(-1))]!) counts.add([value]);
  return counts.tagged(key);
}

async function openWith(answer: (study: OpenStudy, site: SiteId) => void): Promise<OpenStudy> {
  opened = await openTestStudy({ raw, sites: 4, adjust: withTags, onTask: answer });
  await opened.study.files.open();
  // What the last exchange brought: a post of every site, with an envelope for every other.
  const ids = opened.sites.map(({ site }) => site);
  for (const site of ids) {
    const envelopes = Object.fromEntries(
      ids.map((to) => [to, Buffer.from(`${site} ${to}`).toString("base64")]),
    );
    opened.records.post(opened.study.id, "reveal" as StageId, 1, {
      site,
      publicPart: new Uint8Array(),
      signature: new Uint8Array(64),
      envelopes,
    });
  }
  return opened.study;
}

describe("tags with counts", () => {
  it("of all sites, one without rows among them, are added up once", async () => {
    const study = await openWith((to, site) => void send(to, site));
    const expected = { rows: 6, classes: 2, smallest: 3 };
    expect(await collectTags(study, stage, broadcast, study.memberSites)).toEqual(expected);
    const asked = opened.tasks.length;
    expect(await collectTags(study, stage, broadcast, study.memberSites)).toEqual(expected);
    expect(opened.tasks.length).toBe(asked);
    expect(refused).toEqual([]);
    expect(opened.records.attempts.newest(study.id, stage)?.survivors).toEqual(study.memberSites);
  });

  it("are asked for with the shares of the seed that the others have revealed", async () => {
    const study = await openWith((to, site) => void send(to, site));
    await collectTags(study, stage, broadcast, study.memberSites);
    for (const { site, task } of opened.tasks) {
      expect(task.deliveries!.map((one) => one.from)).toEqual(
        study.memberSites.filter((one) => one !== site),
      );
      for (const one of task.deliveries!) {
        expect(one.step).toBe("reveal");
        expect(String(one.sealed)).toBe(`${one.from} ${site}`);
      }
    }
  });

  it("are of no use without those of a site: the study waits for it", async () => {
    const away = new Set(["site-3"]);
    const study = await openWith((to, site) => {
      if (!away.has(site)) void send(to, site);
    });
    const collecting = collectTags(study, stage, broadcast, study.memberSites);
    collecting.catch(() => undefined);
    await vi.waitUntil(() => study.open?.missing.length === 1, { timeout: 120_000, interval: 5 });
    vi.advanceTimersByTime(600_000);
    await expect(collecting).rejects.toMatchObject({ code: "PHASE_DEADLINE" });
    away.clear();
    const again = opened.again();
    await again.files.open();
    expect(await collectTags(again, stage, broadcast, study.memberSites)).toMatchObject({ rows: 6 });
  });

  it("that are invalid are refused: of another length before they are read, made up after", async () => {
    const study = await openWith((to, site) => {
      const lie = Buffer.concat([
        tagsOf("site-0" as SiteId).subarray(20),
        tagsOf("site-0" as SiteId).subarray(0, 20),
      ]);
      if (site === "site-0") {
        void send(to, site, new Uint8Array(21))
          .then(() => send(to, site, new Uint8Array(5 * 20)))
          .then(() => send(to, site, lie));
      } else void send(to, site);
    });
    await expect(collectTags(study, stage, broadcast, study.memberSites)).rejects.toMatchObject({
      code: "SUM_IMPLAUSIBLE",
    });
    expect(refused).toEqual(["site-0 UPLOAD_LENGTH", "site-0 UPLOAD_LENGTH"]);
  });
});
