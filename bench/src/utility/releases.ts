import type { StudyView } from "@consilium/core/operator/views";
import type { ReleaseColumn } from "@consilium/core/release/content";
import { type ResultTable, resultTableSchema } from "@consilium/core/release/tables";
import { tablesFileSchema } from "@consilium/core/release/views";
import { releasedWithRows } from "@consilium/methods/testing/aggregatorSums";
import { onRosterOfAll } from "@consilium/methods/testing/rosterOfAll";
import type { Study } from "@consilium/methods/testing/studies";
import { repeatableBytes } from "../dpPcaTables.js";
import { releasedFile, type UtilityNetwork } from "./network.js";
import { type BinnedTable, dealt } from "./tables.js";

/** A line of a released file, by its columns' names. */
export type Line = Readonly<Record<string, number | string | null>>;

/** What an analyst has of a release. */
export interface Released {
  readonly model: unknown;
  /** The lines of `<name>.csv`. */
  readonly table: (name: string) => Promise<Line[]>;
  /** The lines of `data.csv`, as texts. */
  readonly rows: () => Promise<Line[]>;
}

/**
 * Runs a study on a table's training rows.
 * @param network - null: all sites in this process, with noise by this seed
 */
export async function releaseOf(
  study: Study,
  table: Omit<BinnedTable, "name" | "test">,
  seed: string,
  network: UtilityNetwork | null,
): Promise<Released> {
  return network === null ? inOneProcess(study, table, seed) : overNetwork(await network.run(study, table));
}

async function overNetwork(view: StudyView): Promise<Released> {
  const read = (file: string) => releasedFile(view, file);
  return {
    model: JSON.parse(await read("model.json")),
    async table(name) {
      return linesOf(tablesFileSchema.parse(JSON.parse(await read("tables.json"))).tables, name);
    },
    async rows() {
      // None of the levels here has a comma or a quotation mark.
      const [header, ...lines] = (await read("data.csv")).trimEnd().split("\r\n");
      const names = header!.split(",");
      return lines.map((line) => {
        const cells = line.split(",");
        return Object.fromEntries(names.map((name, j) => [name, cells[j]!]));
      });
    },
  };
}

async function inOneProcess(
  study: Study,
  table: Omit<BinnedTable, "name" | "test">,
  seed: string,
): Promise<Released> {
  const tables = dealt(table);
  const { result, parts } = await releasedWithRows({
    study: onRosterOfAll(study, tables),
    tables,
    random: repeatableBytes(seed),
  });
  return {
    model: result.model,
    table: async (name) => linesOf(resultTableSchema.array().parse(result.tables), name),
    async rows() {
      const columns = result.table!.columns;
      const numbers = columns.filter(({ type }) => type === "number").length;
      return parts.flatMap(({ rows, values, labels }) =>
        Array.from({ length: rows }, (_, r) =>
          Object.fromEntries(
            columns.map((column, c) => [
              column.name,
              column.type === "number"
                ? String(values[r * numbers + c])
                : levelAt(column, labels![r * (columns.length - numbers) + c - numbers]!),
            ]),
          ),
        ),
      );
    },
  };
}

const levelAt = ({ levels }: Extract<ReleaseColumn, { type: "level" }>, level: number) => levels[level]!;

function linesOf(tables: readonly ResultTable[], name: string): Line[] {
  const { columns, rows } = tables.find((table) => table.name === name)!;
  return rows.map((cells) => Object.fromEntries(columns.map((column, c) => [column.name, cells[c]!])));
}
