/** A fault in what is computed from sums, over real processes: nothing is charged again, and what stands can be released. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { StudyView } from "@consilium/core/operator/views";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { stored } from "../support/faultFederation.js";

const program = [
  "--import",
  "tsx",
  fileURLToPath(new URL("../support/faultyAggregator.ts", import.meta.url)),
];
const hospitals = ["hospital-a", "hospital-b", "hospital-c"];

const study = {
  table: "patients",
  analysis: "pca",
  method: "dp-pca",
  parameters: { components: 1, form: "one-round" },
  features: [
    { name: "age", type: "numeric", min: 0, max: 100 },
    { name: "pressure", type: "numeric", min: 80, max: 220 },
  ],
  privacy: { epsilon: 8, delta: 1e-6 },
  participation: { minimumSites: 3, maxRowsPerSite: 100, phaseDeadline: "60s" },
};

let folder: string;
/** While there is a file the aggregator's program is at fault. */
let fault: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-held-"));
  fault = join(folder, "fault");
  // Processes have the environment of the test's.
  process.env.FAULT_FILE = fault;
  federation = await LocalFederation.create(join(folder, "home"), "held", [], { aggregator: program });
  for (const id of hospitals) {
    const path = join(folder, `${id}.csv`);
    const rows = Array.from({ length: 60 }, (_, i) => `${20 + i},${100 + ((i * 7) % 90)}`);
    await writeFile(path, `age,pressure\n${rows.join("\n")}\n`);
    await federation.addSite({ id, tables: { patients: path } });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
  delete process.env.FAULT_FILE;
});

const spent = (site: string) =>
  stored(
    federation.sites.get(site)!,
    `SELECT count(*) AS entries FROM ledger WHERE entry LIKE '%"kind":"commit"%'`,
  )[0]!.entries;

it("is held where its figures cannot be computed, outlives a kill, and is released without them once that is accepted", async () => {
  await writeFile(fault, "figures");
  const before = hospitals.map(spent);
  const { id } = await federation.startStudy({ ...study, name: "held" });
  const held = (view: StudyView) => view.status === "failed";
  const view = await federation.waitForStudy(id, held);
  expect(view.failure).toMatchObject({ code: "RESULT_INCOMPLETE" });
  expect(view.failure!.message).toContain("the figures (its computation failed)");
  const after = hospitals.map(spent);
  expect(after).not.toEqual(before);

  await federation.aggregator.stop("SIGKILL");
  await federation.aggregator.start();
  await federation.waitForSites();
  expect(await federation.study(id)).toMatchObject({
    status: "failed",
    failure: { code: "RESULT_INCOMPLETE" },
  });
  await federation.cliOrThrow("study", "resume", id);
  const again = await federation.waitForStudy(id, held);
  expect(again.failure!.message).toContain("came to it before");

  const accepted = JSON.parse((await federation.cliOrThrow("study", "accept", id, "--json")).stdout);
  expect(accepted).toMatchObject({ id, failure: null });
  const released = await federation.waitForRelease(id);
  const text = async (name: string) => (await fetch(`${released.release!.url}${name}`)).text();
  expect(await text("README.md")).toContain(
    "> **Missing.** This release lacks a part of what the study asked for: the figures (its computation failed).",
  );
  expect(JSON.parse(await text("result.json"))).toMatchObject({ missing: expect.anything() });
  expect(hospitals.map(spent)).toEqual(after);
  const audit = await federation.api<{ entries: { kind: string }[] }>("GET", `/api/audit?study=${id}`);
  expect(JSON.stringify(audit)).toContain("accepted the result without its missing parts");
});

it("is released whole, charged once, where another program computes what the first could not", async () => {
  await writeFile(fault, "whole");
  const { id } = await federation.startStudy({ ...study, name: "failed" });
  const view = await federation.waitForStudy(id, ({ status }) => status === "failed");
  expect(view.failure!.code).toBe("RESULT_FAILED");
  const after = hospitals.map(spent);
  await expect(federation.api("POST", `/api/studies/${id}/accept`)).rejects.toMatchObject({
    code: "STUDY_STATE",
  });
  await federation.aggregator.stop("SIGKILL");
  await rm(fault);
  await federation.aggregator.start();
  await federation.waitForSites();
  await federation.cliOrThrow("study", "resume", id);
  const released = await federation.waitForRelease(id);
  expect((await fetch(`${released.release!.url}plots/scree.svg`)).status).toBe(200);
  expect(hospitals.map(spent)).toEqual(after);
});
