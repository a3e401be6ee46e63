import type { UndeclaredValues } from "@consilium/core/hospital/undeclaredValues";
import type { Study } from "@consilium/core/study/study";
import { levelCell } from "../data/cells.js";
import { Meanings } from "../data/meanings.js";
import { openSource } from "../data/openSource.js";
import { Recoding } from "../data/recoding.js";
import { configOf } from "./examineTable.js";

/** Shown of one column, and of one value. */
const valuesShown = 10;
const charactersShown = 60;
/** Different texts that are counted of one column; a column of names or numbers has more, and its levels are not these. */
const textsMax = 50_000;

/**
 * The commonest values of a table's columns that a study does not declare. They are read by this process, with the rights of
 * the person who started it, and go to its standard output alone: the agent hands out no cell's text.
 */
export async function undeclaredValues(stateFolder: string, study: Study): Promise<UndeclaredValues> {
  const config = await configOf(stateFolder, { name: study.table });
  const meanings = new Meanings(config);
  const columns = new Recoding(study, meanings).requests.flatMap((request) =>
    request.kind === "level" ? [new UndeclaredColumn(request.name, (text) => request.levels.code(text))] : [],
  );
  const { files, source } = await openSource(config, study);
  const requests = columns.map(({ name, see }) => ({ kind: "order", name, see }) as const);
  if (requests.length > 0)
    for (const file of files)
      for await (const chunk of source.read(file, requests, { malformed: { rows: 0 } })) void chunk;
  return { columns: columns.flatMap((column) => column.view() ?? []) };
}

class UndeclaredColumn {
  readonly name: string;
  readonly #code: (text: string) => number;
  readonly #rows = new Map<string, number>();
  #uncounted = 0;

  constructor(name: string, code: (text: string) => number) {
    this.name = name;
    this.#code = code;
  }

  readonly see = (text: string): undefined => {
    if (this.#code(text) !== levelCell.undeclared) return;
    const rows = this.#rows.get(text);
    if (rows === undefined && this.#rows.size >= textsMax) this.#uncounted++;
    else this.#rows.set(text, (rows ?? 0) + 1);
  };

  view(): UndeclaredValues["columns"][number] | null {
    if (this.#rows.size === 0) return null;
    const sorted = [...this.#rows].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    const rest = sorted.slice(valuesShown).reduce((sum, [, rows]) => sum + rows, 0);
    const values = sorted
      .slice(0, valuesShown)
      .map(([text, rows]) => ({ text: text.slice(0, charactersShown), rows }));
    return { name: this.name, values, others: rest + this.#uncounted };
  }
}
