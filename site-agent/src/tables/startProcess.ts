import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { permissionFlags, programFiles } from "../nodePermission.js";
import type { Needs } from "./messages.js";

/** The program that reads tables, and how Node runs it. */
export interface TableProgram {
  readonly path: string;
  readonly execArgv: readonly string[];
  /** Without Node's permission model, for sources that are compiled as they are loaded. */
  readonly isFree?: boolean;
}

/** A process that reads tables, as who started it holds it. */
export interface Started {
  /** Takes and brings messages (`frames.ts`). */
  readonly stream: Duplex;
  /** Ends its input, by which it ends; it is killed where it takes too long. */
  readonly end: () => void;
  /** Settled once it has ended. */
  readonly ended: Promise<Ending>;
}

/** How a process ended; both null where a door has started it, whose log says so. */
export interface Ending {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts a process that reads tables.
 * @param needs - null for one that is asked for them alone
 */
export type StartTables = (needs: Needs | null) => Started | Promise<Started>;

const asBuilt: TableProgram = { path: fileURLToPath(new URL("main.js", import.meta.url)), execArgv: [] };

/** Variables by which the process that is asked for needs finds files of a person and of the machine. */
const askedWith = ["HOME", "PGPASSFILE", "TMPDIR"];

/** How long the process may take to end its workers, in milliseconds. */
const endingMost = 5_000;

/** Starts a process that reads tables, as the user of the process that asks. */
export function startTables(
  needs: Needs | null,
  { path, execArgv, isFree = false }: TableProgram = asBuilt,
): Started & { readonly pid: number | undefined } {
  const permitted = needs && { ...needs, reads: [...needs.reads, ...programFiles()] };
  const flags = permitted === null || isFree ? [] : permissionFlags(permitted);
  const child = spawn(process.execPath, [...execArgv, ...flags, path], {
    // What it might say on standard error may quote a record.
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    env: Object.fromEntries((needs?.variables ?? askedWith).map((name) => [name, process.env[name]])),
  });
  let late: NodeJS.Timeout | undefined;
  const ended = new Promise<Ending>((resolve) => {
    child.once("close", (exitCode, signal) => resolve({ exitCode, signal }));
    child.on("error", () => resolve({ exitCode: null, signal: null }));
  });
  void ended.then(() => clearTimeout(late));
  const stream = child.stdio[3] as Duplex;
  // What becomes of the process shows in how it ends.
  stream.on("error", () => undefined);
  const end = () => {
    stream.end();
    late ??= setTimeout(() => child.kill("SIGKILL"), endingMost);
  };
  stream.once("close", end);
  return { stream, end, ended, pid: child.pid };
}
