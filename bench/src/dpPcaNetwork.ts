import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dpPcaModelSchema } from "@consilium/core/learning/dpPcaModel";
import type { StudyView } from "@consilium/core/operator/views";
import type { DpPcaStudy } from "@consilium/core/study/dpPca";
import { type Study, studyDocument } from "@consilium/core/study/study";
import { LocalFederation } from "../../scripts/localFederation.js";
import { type UtilityTable, utilitySites } from "./dpPcaTables.js";

/** What a release gives an analyst: directions, and synthetic rows with their labels. */
export interface ReleasedPca {
  /** [k × d] row-major */
  readonly loadings: Float64Array;
  readonly values: Float64Array;
  readonly labels: Uint16Array;
}

/**
 * Five hospitals as processes of their own, each with its part of every table as a CSV file: studies run over mutual
 * TLS with masks and the operating system's randomness, and their releases are read as an analyst reads them.
 */
export class UtilityNetwork {
  readonly #home: string;
  readonly #federation: LocalFederation;
  readonly #tables: readonly UtilityTable[];

  private constructor(home: string, federation: LocalFederation, tables: readonly UtilityTable[]) {
    this.#home = home;
    this.#federation = federation;
    this.#tables = tables;
  }

  static async open(tables: readonly UtilityTable[]): Promise<UtilityNetwork> {
    const home = await mkdtemp(join(tmpdir(), "consilium-utility-"));
    const federation = await LocalFederation.create(join(home, "federation"), "utility");
    const network = new UtilityNetwork(home, federation, tables);
    try {
      for (const [index, site] of utilitySites.entries()) {
        const paths = await network.#writeTables(site, index);
        await federation.addSite({ id: site, tables: paths, allowNoPrivacy: true });
      }
      await federation.waitForSites();
      return network;
    } catch (thrown) {
      await network.close();
      throw thrown;
    }
  }

  /** Every fifth row, as the simulation deals them out. */
  async #writeTables(site: string, index: number): Promise<Record<string, string>> {
    await mkdir(join(this.#home, "tables"), { recursive: true });
    const paths: Record<string, string> = {};
    for (const [number, table] of this.#tables.entries()) {
      const names = table.features.map((feature) => String(feature.name));
      const lines = [[...names, "utility_label"].join(",")];
      table.train.rows.forEach((row, r) => {
        if (r % utilitySites.length !== index) return;
        const cells = row.map((value, j) => {
          const { levels } = table.features[j] as { readonly levels?: readonly string[] };
          return levels === undefined ? String(value) : levels[value]!;
        });
        lines.push([...cells, table.levels[table.train.labels[r]!]!].join(","));
      });
      const path = join(this.#home, "tables", `${site}-${number}.csv`);
      await writeFile(path, `${lines.join("\n")}\n`);
      paths[`t${number}`] = path;
    }
    return paths;
  }

  /** Where the aggregator keeps what it has done. */
  get aggregatorState(): string {
    return this.#federation.aggregator.state;
  }

  /** Runs a study on one of the tables until it is released. */
  async run(study: Study, table: UtilityTable, timeoutMs = 120_000): Promise<StudyView> {
    const number = this.#tables.indexOf(table);
    const source = { ...(JSON.parse(studyDocument(study).text) as object), table: `t${number}` };
    const { id } = await this.#federation.startStudy(source);
    return this.#federation.waitForRelease(id, timeoutMs);
  }

  /** Runs a study of dp-pca on one of the tables and reads its release. */
  async release(study: DpPcaStudy, table: UtilityTable): Promise<ReleasedPca> {
    const view = await this.run(study, table);
    const { id } = view;
    const read = async (file: string) => {
      const response = await fetch(new URL(file, view.release!.url));
      if (!response.ok) throw new Error(`${file} of ${id}: HTTP ${response.status}`);
      return response.text();
    };
    const model = dpPcaModelSchema.parse(JSON.parse(await read("model.json")));
    const [, ...lines] = (await read("data.csv")).trim().split(/\r?\n/);
    const cells = lines.map((line) => line.split(","));
    return {
      loadings: Float64Array.from(model.loadings.flat()),
      values: Float64Array.from(cells.flatMap((row) => row.slice(0, -1).map(Number))),
      labels: Uint16Array.from(cells, (row) => table.levels.indexOf(row.at(-1)!)),
    };
  }

  async close(): Promise<void> {
    await this.#federation.stop();
    await rm(this.#home, { recursive: true, force: true });
  }
}
