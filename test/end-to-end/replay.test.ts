/**
 * Sums that travel with a release, over real processes: four hospitals, an aggregator and a publisher. What an analyst downloads is
 * verified and computed anew from the sums, with the publisher or without.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { LocalFederation } from "../../scripts/localFederation.js";
import { requirePython } from "../support/python.js";
import { fetchRelease } from "../support/released.js";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const python = fileURLToPath(new URL("../../clients/python/src", import.meta.url));
let folder: string;
let federation: LocalFederation;
let authority: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-replay-"));
  federation = await LocalFederation.create(join(folder, "home"), "replay");
  for (const letter of ["a", "b", "c", "d"])
    await federation.addSite({
      id: `hospital-${letter}`,
      tables: { biopsies: join(examples, `data/hospital-${letter}.csv`) },
    });
  await federation.waitForSites();
  authority = join(federation.home, "authority", "root.pem");
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

async function released(name: string, sums: boolean) {
  const written = parse(await readFile(join(examples, `studies/${name}.yaml`), "utf8")) as {
    release: object;
  };
  const { id } = await federation.startStudy({ ...written, release: { ...written.release, sums } });
  const view = await federation.waitForRelease(id);
  const to = join(folder, id);
  await fetchRelease(federation, view, to);
  return { id, view, to };
}

const replay = (release: string, ...args: string[]) =>
  federation.cli("release", "replay", release, "--authority", authority, ...args);

it.each(["wdbc-dp-pca", "wdbc-regression"])(
  "%s is published with its sums, and computed from them anew",
  async (name) => {
    const { id, view, to } = await released(name, true);
    const sums = (await readdir(join(to, "sums"))).sort();
    const stages = view.steps.filter(({ kind }) => kind === "sum").map((step) => step.id);
    expect(sums).toEqual(stages.map((stage) => `${stage}-1.bin`).sort());

    const told = await replay(to);
    expect(told.stderr).toContain("it is the aggregator's word");
    expect(told.stdout).toMatch(/Replayed: the result follows from the release's \d+ sums? to the\s+byte/);
    expect(told.code).toBe(0);

    // By its address, with nothing left behind.
    const found = await replay(view.release!.url, "--json");
    expect(JSON.parse(found.stdout)).toMatchObject({
      release: id,
      replayed: true,
      to: "same",
      sums: sums.length,
    });

    const file = join(to, "sums", sums[0]!);
    const bytes = await readFile(file);
    bytes[0]! ^= 1;
    await writeFile(file, bytes);
    const changed = await replay(to);
    expect([changed.code, changed.stderr]).toEqual([4, expect.stringContaining(`sums/${sums[0]}`)]);
    bytes[0]! ^= 1;
    await writeFile(file, bytes);
  },
);

it("is verified in Python with its sums, and one without them has nothing to replay", async (context) => {
  const { to } = await released("wdbc-counts", true);
  const { to: without } = await released("wdbc-counts", false);
  expect((await readdir(without)).includes("sums")).toBe(false);
  const refused = await replay(without);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("does not hold the sums")]);
  const program = `
import sys
sys.path.insert(0, sys.argv[1])
from consilium import verify as v
print([v.verify(folder, open(sys.argv[2], "rb").read())["verdict"] for folder in sys.argv[3:]])`;
  const printed = await requirePython(context, ["cryptography"]).run(program, [
    python,
    authority,
    to,
    without,
  ]);
  expect(printed.trim()).toBe("['accepted', 'accepted']");
});
