import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StudyView } from "@consilium/core/operator/views";
import { studyDocument } from "@consilium/core/study/study";
import type { Study } from "@consilium/methods/testing/studies";
import { LocalFederation } from "../../../scripts/localFederation.js";
import { type LabelledRows, utilitySites } from "../dpPcaTables.js";

/** What a study is run on: columns as in a study file, and the rows that are dealt out. */
interface NetworkTable {
  readonly features: readonly Record<string, unknown>[];
  readonly levels: readonly string[];
  readonly train: LabelledRows;
  /** Of each row, the place of its site among the network's sites; left out: dealt out in turn. */
  readonly siteOf?: readonly number[] | undefined;
}

/** The label's column in every site's file. */
const labelName = "utility_label";
/** Studies at once, each on a table of its own. */
export const studiesAtOnce = 5;
/** Where other programs run beside the bench, hospitals may take long: only what hangs is to be given up. */
const deadlines = { joinDeadline: "30m", phaseDeadline: "30m" };
/** How a study ends that hospitals were too slow for. Nothing was released: the same study may run again. */
const tooSlow: readonly string[] = ["ROSTER_TOO_SMALL", "PHASE_DEADLINE"];
/** Runs of a study that hospitals are too slow for. */
const attempts = 3;

/** One of the tables that every site has; before a study, its files are made those of the study's table. */
interface Slot {
  readonly name: string;
  holds: NetworkTable | null;
}

/**
 * Hospitals as processes of their own, each with its part of a table as a CSV file: studies run over mutual TLS with masks
 * and the operating system's randomness, and their releases are read as an analyst reads them.
 */
export class UtilityNetwork {
  readonly #home: string;
  readonly #federation: LocalFederation;
  readonly #sites: readonly string[];
  readonly #free: Slot[] = Array.from({ length: studiesAtOnce }, (_, i) => ({ name: `t${i}`, holds: null }));
  /** Studies that wait for a slot. */
  readonly #waiting: ((slot: Slot) => void)[] = [];

  private constructor(home: string, federation: LocalFederation, sites: readonly string[]) {
    this.#home = home;
    this.#federation = federation;
    this.#sites = sites;
  }

  static async open(sites: readonly string[] = utilitySites): Promise<UtilityNetwork> {
    const home = await mkdtemp(join(tmpdir(), "consilium-utility-"));
    await mkdir(join(home, "tables"));
    const federation = await LocalFederation.create(join(home, "federation"), "utility");
    const network = new UtilityNetwork(home, federation, sites);
    try {
      for (const id of sites) {
        const tables: Record<string, string> = {};
        for (const slot of network.#free) {
          tables[slot.name] = network.#pathOf(id, slot);
          await writeFile(tables[slot.name]!, `${labelName}\n`);
        }
        // Its tables' columns change with each study.
        await federation.addSite({ id, tables, allowNoPrivacy: true, policy: { announce: "nothing" } });
      }
      await federation.waitForSites(600_000);
      return network;
    } catch (thrown) {
      await network.close();
      throw thrown;
    }
  }

  #pathOf(site: string, slot: Slot): string {
    return join(this.#home, "tables", `${site}-${slot.name}.csv`);
  }

  /** A slot for a study on this table: one that holds it already, if there is. */
  #taken(table: NetworkTable): Promise<Slot> {
    const at = Math.max(
      0,
      this.#free.findIndex(({ holds }) => holds === table),
    );
    const [slot] = this.#free.splice(at, 1);
    if (slot !== undefined) return Promise.resolve(slot);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #giveBack(slot: Slot): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(slot);
    else next(slot);
  }

  async #deal(table: NetworkTable, slot: Slot): Promise<void> {
    if (slot.holds === table) return;
    slot.holds = null;
    const header = [...table.features.map(({ name }) => String(name)), labelName].join(",");
    const lines = this.#sites.map(() => [header]);
    table.train.rows.forEach((row, r) => {
      const cells = row.map((value, j) => cellOf(table.features[j]!, value));
      const site = table.siteOf?.[r] ?? r % this.#sites.length;
      lines[site]!.push([...cells, table.levels[table.train.labels[r]!]!].join(","));
    });
    for (const [index, site] of this.#sites.entries()) {
      const path = this.#pathOf(site, slot);
      await writeFile(`${path}.new`, `${lines[index]!.join("\n")}\n`);
      await rename(`${path}.new`, path);
    }
    slot.holds = table;
  }

  /** Where the aggregator keeps what it has done. */
  get aggregatorState(): string {
    return this.#federation.aggregator.state;
  }

  /** Runs a study on a table until it is released, anew where hospitals were too slow. */
  async run(study: Study, table: NetworkTable, timeoutMs = 7_200_000): Promise<StudyView> {
    const slot = await this.#taken(table);
    try {
      await this.#deal(table, slot);
      const { participation, ...document } = JSON.parse(studyDocument(study).text) as {
        readonly participation: object;
      };
      const source = { ...document, table: slot.name, participation: { ...participation, ...deadlines } };
      for (let attempt = 1; ; attempt++) {
        const { id } = await this.#federation.startStudy(source);
        const view = await this.#federation.waitForStudy(id, ({ endedAt }) => endedAt !== null, timeoutMs);
        if (view.status === "released") return view;
        const { code, message } = view.failure ?? { code: view.status, message: "no reason was given" };
        if (attempt === attempts || !tooSlow.includes(code))
          throw new Error(`study ${id} ${view.status}: [${code}] ${message}`);
        console.error(`study ${id}, attempt ${attempt} of ${attempts}: [${code}] ${message}`);
      }
    } finally {
      this.#giveBack(slot);
    }
  }

  /** Runs a study and reads its model as JSON. */
  async model(study: Study, table: NetworkTable): Promise<unknown> {
    return JSON.parse(await releasedFile(await this.run(study, table), "model.json"));
  }

  async close(): Promise<void> {
    await this.#federation.stop();
    await rm(this.#home, { recursive: true, force: true });
  }
}

/** A value as a hospital writes it; one that is missing is an empty cell. */
function cellOf(feature: Record<string, unknown>, value: number): string {
  if (Number.isNaN(value)) return "";
  const { levels } = feature as { readonly levels?: readonly string[] };
  return levels === undefined ? String(value) : levels[value]!;
}

/** A file of a study's release. */
export async function releasedFile(view: StudyView, file: string): Promise<string> {
  const response = await fetch(new URL(file, view.release!.url));
  if (!response.ok) throw new Error(`${file} of ${view.id}: HTTP ${response.status}`);
  return response.text();
}
