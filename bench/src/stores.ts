/**
 * One row durably committed, and one row read, by the two stores: a SQLite file, and a PostgreSQL server on loopback
 * whose connection lives in a worker thread. Both on the disk of the temporary folder.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgresStore } from "@consilium/runtime/store/postgresStore";
import { openStore, type Store } from "@consilium/runtime/store/store";
import { postgresPrograms, TestPostgres } from "@consilium/runtime/testing/postgres/postgres";
import { testPostgresOptions } from "@consilium/runtime/testing/store/store";
import { compare, parseBenchOptions, printReport } from "./report.js";

const migrations = ["CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"];
const rows = 300;
const targets = { commit: 5, read: 60 };

interface Medians {
  readonly commitMs: number;
  readonly readMs: number;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

function times(work: (i: number) => unknown): number {
  const taken = Array.from({ length: rows }, (_, i) => {
    const from = performance.now();
    work(i);
    return performance.now() - from;
  });
  return median(taken);
}

function measure(store: Store, repeat: number): Medians {
  const first = repeat * rows;
  const insert = (i: number) => store.run("INSERT INTO notes (id, text) VALUES (?, ?)", first + i, "a note");
  const commitMs = times((i) => store.transaction(() => insert(i)));
  return { commitMs, readMs: times((i) => store.get("SELECT text FROM notes WHERE id = ?", first + i)) };
}

export async function run(args: string[]): Promise<void> {
  const options = parseBenchOptions(args, 5);
  const programs = postgresPrograms();
  const folder = await mkdtemp(join(tmpdir(), "consilium-stores-"));
  const server = programs === null ? null : await TestPostgres.start(programs, { folder: tmpdir() });
  const sqlite = openStore(join(folder, "state.db"), migrations);
  const postgres = server && openPostgresStore(testPostgresOptions(server.url()), migrations);
  try {
    const found: { sqlite: Medians[]; postgres: Medians[] } = { sqlite: [], postgres: [] };
    for (let repeat = 0; repeat < options.repeats; repeat++) {
      found.sqlite.push(measure(sqlite, repeat));
      if (postgres) found.postgres.push(measure(postgres, repeat));
    }
    const best = (side: readonly Medians[], what: keyof Medians) => Math.min(...side.map((one) => one[what]));
    const row = (name: string, what: keyof Medians, target: number) =>
      postgres
        ? compare(name, best(found.postgres, what), best(found.sqlite, what), target, "lower")
        : compare(name, best(found.sqlite, what), undefined, target, "lower");
    printReport(
      {
        bench: "stores",
        unit: "ms, median of one run",
        reference: postgres ? "ours: PostgreSQL; reference: SQLite" : undefined,
        better: "lower",
        rows: [
          row("one row committed", "commitMs", targets.commit),
          row("one row read", "readMs", targets.read),
        ],
        notes: [],
      },
      options,
    );
  } finally {
    sqlite.close();
    postgres?.close();
    await server?.remove();
    await rm(folder, { recursive: true });
  }
}
