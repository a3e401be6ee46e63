/**
 * A hospital that takes sound studies alone: an installation without the package of the published methods, as `ls` shows. Its
 * agent takes a sound study and refuses a published one, though its policy would allow it.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const hospitals = ["hospital-a", "hospital-b", "hospital-c"];

/** What an image holds, but for one package. */
async function installWithout(missing: string, folder: string): Promise<void> {
  const scoped = join(folder, "node_modules/@consilium");
  await mkdir(scoped, { recursive: true });
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name === "@consilium") continue;
    await symlink(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  for (const name of await readdir(join(root, "node_modules/@consilium"))) {
    // Some lie in lib/.
    const at = relative(root, await realpath(join(root, "node_modules/@consilium", name)));
    if (name === missing || !existsSync(join(root, at, "dist"))) continue;
    for (const part of ["package.json", "dist", ...(name === "proto" ? ["consilium"] : [])])
      await cp(join(root, at, part), join(folder, at, part), { recursive: true });
    await symlink(join(folder, at), join(scoped, name));
  }
}

const studyOf = (name: string, more: object) => ({
  name,
  table: "patients",
  features: [
    { name: "age", type: "numeric", min: 0, max: 100, unit: "years" },
    { name: "weight", type: "numeric", min: 0, max: 200, unit: "kg" },
  ],
  participation: { minimumSites: 3, maxRowsPerSite: 1000, phaseDeadline: "60s" },
  analysis: "pca",
  parameters: { components: 1 },
  ...more,
});

let folder: string;
let installed: string;
let federation: LocalFederation;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-sound-"));
  installed = join(folder, "installed");
  await installWithout("methods-paper", installed);
  expect(existsSync(join(installed, "methods"))).toBe(true);
  expect(existsSync(join(installed, "methods-paper"))).toBe(false);
  federation = await LocalFederation.create(join(folder, "home"), "sound");
  for (const id of hospitals) {
    const path = join(folder, `${id}.csv`);
    const lines = Array.from({ length: 60 }, (_, i) => `${20 + i},${50 + ((i * 7) % 60)}`);
    await writeFile(path, `age,weight\n${lines.join("\n")}\n`);
    const program = [join(installed, "site-agent/dist/main.js")];
    await federation.addSite({ id, tables: { patients: path }, allowPaperVariants: true, program });
  }
  await federation.waitForSites();
});
afterAll(async () => {
  await federation?.remove();
  await rm(folder, { recursive: true, force: true });
});

it("takes a sound study and refuses a published one, saying what is missing", async () => {
  const sound = await federation.startStudy(studyOf("sound", { privacy: { epsilon: 3, delta: 1e-6 } }));
  expect((await federation.waitForRelease(sound.id)).status).toBe("released");

  const published = { variant: "paper", method: "elfed-pca", privacy: { epsilon: 3, delta: 1e-6 } };
  const { id } = await federation.startStudy(studyOf("published", published));
  await expect(federation.waitForRelease(id)).rejects.toThrow(/published/);
  for (const site of hospitals) {
    const log = await readFile(federation.site(site).logPath, "utf8");
    expect(log).toMatch(/METHODS_MISSING/);
    expect(log).toMatch(/methods-paper is not installed/);
  }
});

it("has a command line that reads sound studies, and says that it knows no others", () => {
  const validate = (example: string) =>
    spawnSync(
      process.execPath,
      [join(installed, "cli/dist/main.js"), "study", "validate", join(root, "examples/studies", example)],
      { encoding: "utf8" },
    );
  expect(validate("wdbc-dp-pca.yaml")).toMatchObject({ status: 0 });
  const published = validate("wdbc-elfedpca.yaml");
  expect(published.status).not.toBe(0);
  expect(published.stderr).toMatch(/method of pca must be one of: dp-pca/);
});
