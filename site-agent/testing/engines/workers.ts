import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import {
  bundleDatabaseReader,
  bundleFoldWorker,
  bundlePublishedWorker,
  bundleReader,
} from "../../../scripts/foldWorker.mjs";
import {
  databaseReaderProgram,
  nodeProgram,
  readerProgram,
  type WorkerProgram,
} from "../../src/engines/workerProcess.js";

/** For tests: the fold workers and the reader as one file each, bundled of the sources as they are now. */
export async function bundledPrograms(): Promise<{
  readonly worker: string;
  readonly published: string;
  readonly reader: WorkerProgram;
  readonly databaseReader: WorkerProgram;
}> {
  const folder = mkdtempSync(join(tmpdir(), "consilium-worker-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const names = ["fold-worker", "published-worker", "reader", "database-reader"];
  const [worker, published, reader, database] = names.map((name) => join(folder, `${name}.mjs`)) as [
    string,
    string,
    string,
    string,
  ];
  await Promise.all([
    bundleFoldWorker(worker, { sources: true }),
    bundlePublishedWorker(published, { sources: true }),
    bundleReader(reader, { sources: true }),
    bundleDatabaseReader(database, { sources: true }),
  ]);
  return {
    worker,
    published,
    reader: readerProgram(reader),
    databaseReader: databaseReaderProgram(database),
  };
}

/**
 * Kills processes that are started, and counts all.
 * @param killed - the file of a fold worker, or a program
 * @param afterMs - after so many milliseconds, by the process's number from 0; null for one that is left alone
 */
export function killing(
  killed: string | WorkerProgram,
  afterMs: (process: number) => number | null,
): WorkerProgram & { started: number } {
  const program = {
    ...(typeof killed === "string" ? nodeProgram(killed) : killed),
    started: 0,
    onStart(pid: number) {
      const delay = afterMs(program.started++);
      if (delay === null) return;
      setTimeout(() => {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // It was faster.
        }
      }, delay);
    },
  };
  return program;
}

/**
 * A program that runs the worker and changes what it says: its first line, and then all the rest at once.
 * @param change - the body of a function of `text`, in latin-1, which returns what is passed on
 */
export function lying(path: string, change: string): WorkerProgram {
  const script = `${path}.${Math.random().toString(36).slice(2)}.cjs`;
  writeFileSync(
    script,
    `const { stdout } = require("node:child_process").spawn(process.execPath, [${JSON.stringify(path)}], {
       stdio: ["inherit", "pipe", "ignore"],
     });
     const change = (text) => { ${change} };
     const pass = (text) => text === "" || process.stdout.write(Buffer.from(text, "latin1"));
     let [isFirst, text] = [true, ""];
     stdout.setEncoding("latin1").on("data", (some) => {
       text += some;
       const end = text.indexOf("\\n") + 1;
       if (!isFirst || end === 0) return;
       isFirst = false;
       pass(change(text.slice(0, end)));
       text = text.slice(end);
     }).on("end", () => pass(change(text)));`,
  );
  return { command: process.execPath, args: [script] };
}
