/**
 * A method of this folder, added to the list that real processes are started with: no other file knows it. Three hospitals, an
 * aggregator and a publisher under mutual TLS, to a release that verifies.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Methods } from "@consilium/core/method/methods";
import { replanned } from "@consilium/core/release/replanned";
import { unwrap } from "@consilium/core/result";
import { soundMethods } from "@consilium/methods/all";
import { allMethods } from "@consilium/methods-paper/all";
import { verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { method as toyMethod } from "./method.js";

const programOf = (role: string) => [
  "--import",
  "tsx",
  fileURLToPath(new URL("process.ts", import.meta.url)),
  role,
];

const hospitals = ["hospital-a", "hospital-b", "hospital-c"];
const rows = { lower: 40, upper: 25 };

const study = {
  name: "toy",
  table: "patients",
  analysis: "pca",
  method: "toy-halves",
  features: [{ name: "age", type: "numeric", min: 0, max: 100 }],
  privacy: { epsilon: 8, delta: 1e-6 },
  participation: { minimumSites: 3, maxRowsPerSite: 100, phaseDeadline: "60s" },
};

let folder: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-toy-"));
  federation = await LocalFederation.create(join(folder, "home"), "toy", [], {
    aggregator: programOf("aggregator"),
    publisher: programOf("publisher"),
  });
  for (const id of hospitals) {
    const path = join(folder, `${id}.csv`);
    const ages = [...Array<number>(rows.lower).fill(30), ...Array<number>(rows.upper).fill(70)];
    await writeFile(path, `age\n${ages.join("\n")}\n`);
    await federation.addSite({ id, tables: { patients: path }, program: programOf("site-agent") });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

it("runs to a release that verifies everywhere, and is planned again where the method is known", async () => {
  const { id } = await federation.startStudy(study);
  const view = await federation.waitForRelease(id);
  const model = (await (await fetch(`${view.release!.url}model.json`)).json()) as Record<string, number>;
  expect(Math.abs(model.lower! - 3 * rows.lower)).toBeLessThan(15);
  expect(Math.abs(model.upper! - 3 * rows.upper)).toBeLessThan(15);

  const release = join(federation.publisher.state, "releases", id);
  const rootPem = await readFile(join(federation.home, "authority", "root.pem"), "utf8");
  const verified = unwrap(await verifyReleaseFolder(release, { rootPem }));
  expect(verified.certificate.study).toMatchObject({ analysis: "pca", method: "toy-halves" });
  expect(verified.statement.epsilon).toBeLessThanOrEqual(8);
  const plannedBy = (methods: Pick<Methods, "read">) =>
    replanned(verified.certificate.stated, verified.certificate.study.text, methods);
  expect(plannedBy(new Methods([...soundMethods, toyMethod]))).toEqual({ kind: "same" });
  expect(plannedBy(allMethods)).toEqual({ kind: "not tried" });
});
