import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalFederation } from "../../scripts/localFederation.js";
import { place, root } from "./place.js";

/** Four hospitals, an aggregator and a publisher as processes of their own; each release as a reader fetches it. */
const hospitals = ["hospital-a", "hospital-b", "hospital-c", "hospital-d"];

/** By the archive's name, the example that it is a release of. */
export const releasedExamples = {
  counts: "wdbc-counts",
  describe: "wdbc-describe",
  "dp-histboost": "wdbc-dp-histboost",
  "dp-pca": "wdbc-dp-pca",
  // Made-up rows, with levels among them.
  "synthetic-table": "trial-synthetic",
} as const;

/** Runs the studies and packs each release's folder beside the root certificate of their federation, whose keys are thrown away. */
export async function makeReleases(say: (line: string) => void): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "consilium-corpus-"));
  try {
    const home = join(scratch, "home");
    const federation = await LocalFederation.create(home, "corpus");
    try {
      const data = join(root, "examples/data");
      for (const id of hospitals) {
        const tables = { biopsies: join(data, `${id}.csv`), trial: join(data, "trial", `${id}.csv`) };
        await federation.addSite({ id, tables });
      }
      await federation.waitForSites();
      const authority = join(home, "authority/root.pem");
      await mkdir(place.releases, { recursive: true });
      await cp(authority, join(place.releases, "root.pem"));
      for (const [name, example] of Object.entries(releasedExamples)) {
        const study = await readFile(join(root, "examples/studies", `${example}.yaml`), "utf8");
        const { id } = await federation.startStudy(study);
        await federation.waitForRelease(id, 600_000);
        const folder = join(scratch, name);
        await federation.cliOrThrow("release", "get", id, "--authority", authority, "--to", folder);
        pack(folder, join(place.releases, `${name}.tar.gz`));
        say(`released ${name} as ${id}`);
      }
    } finally {
      await federation.stop();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function pack(folder: string, to: string): void {
  const owner = ["--sort=name", "--owner=0", "--group=0", "--mtime=@0"];
  execFileSync("tar", ["-C", folder, ...owner, "-I", "gzip -9n", "-cf", to, "."]);
}
