import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { LocalFederation, writePolicy } from "../../../scripts/localFederation.js";

/** A federation that has something to show on every page: a release of each kind, and studies in every state. */

const root = fileURLToPath(new URL("../../..", import.meta.url));
const name = "north-sea";
const hospitals = ["hospital-a", "hospital-b", "hospital-c", "hospital-d"];

/** One release of each kind that the catalogue shows differently. */
const released = [
  "wdbc-counts",
  "wdbc-describe",
  "wdbc-regression",
  "trial-survival",
  "trial-synthetic",
  "wdbc-dp-pca",
  "wdbc-dp-histboost",
  "wdbc-dp-additive",
  "wdbc-dp-pcc",
  "wdbc-felp-a",
  "wdbc-dp-ka",
  "wdbc-pearson-tree",
] as const;

/** Whose console is shown. */
const own = hospitals[0]!;

export interface Network {
  readonly federation: LocalFederation;
  /** The id of each study, by its name. */
  readonly studies: Readonly<Record<string, string>>;
  /** The hospital whose console is shown. */
  readonly console: string;
}

/** @param home - an empty folder, or that of an earlier gallery, whose studies stay as they ended */
export async function openNetwork(home: string): Promise<Network> {
  const noted = join(home, "gallery.json");
  const tables = Object.fromEntries(hospitals.map((id) => [id, tablesOf(id)]));
  if (existsSync(noted)) {
    const federation = await LocalFederation.reopen(home, name, tables);
    await federation.waitForSites(180_000);
    await federation.startConsole(own);
    const studies = JSON.parse(await readFile(noted, "utf8")) as Record<string, string>;
    return { federation, studies, console: own };
  }
  const federation = await LocalFederation.create(home, name);
  for (const id of hospitals)
    await federation.addSite({
      id,
      tables: tablesOf(id),
      policy: {
        budget: { epsilon: 60, delta: 1e-6 },
        populations: { trial: { tables: ["trial"], epsilon: 20, delta: 1e-6 } },
      },
    });
  await federation.waitForSites();
  await federation.startConsole(own);
  await federation.cliOrThrow("invite", "st-mary");
  const studies: Record<string, string> = {};
  for (const study of released) {
    const { id } = await federation.startStudy(await example(study));
    await federation.waitForRelease(id, 600_000);
    studies[study] = id;
    process.stderr.write(`  released ${id}\n`);
  }
  // From now on a person decides there.
  await writePolicy(federation.site(own).state, { approval: "person" });
  const base = parse(await example("wdbc-regression")) as Record<string, unknown>;
  const participation = { ...(base.participation as object), joinDeadline: "3d" };
  const asked = async (key: string, title: string) => {
    const { id } = await federation.startStudy({ ...base, name: key, participation, release: { title } });
    studies[key] = id;
    return id;
  };
  const denied = await asked("denied", "What goes with a large cell nucleus");
  await federation.waitForStudy(denied, () => true);
  await decide(federation, "refuse", denied);
  await federation.waitForStudy(denied, ({ endedAt }) => endedAt !== null, 180_000).catch(() => null);
  await asked("waiting", "Odds ratios of a malignant biopsy, second look");
  await writeFile(noted, JSON.stringify(studies));
  return { federation, studies, console: own };
}

async function decide(federation: LocalFederation, verb: "approve" | "refuse", study: string): Promise<void> {
  const { state } = federation.site(own);
  for (let left = 50; ; left--) {
    const { code, stderr } = await federation.cli("site", verb, study, "--state", state, "--yes");
    if (code === 0) return;
    if (left === 0) throw new Error(`${verb} ${study}: ${stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const tablesOf = (id: string) => ({
  biopsies: join(root, "examples/data", `${id}.csv`),
  trial: join(root, "examples/data/trial", `${id}.csv`),
});

const example = (study: string) => readFile(join(root, "examples/studies", `${study}.yaml`), "utf8");
