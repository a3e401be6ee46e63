import { lstat, rm } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { nameOf } from "@consilium/core/said";
import type { Logger } from "@consilium/runtime/log";
import { fault } from "./fault.js";
import { Frames } from "./frames.js";
import type { Needs } from "./messages.js";
import { type Started, startTables } from "./startProcess.js";

/** Bytes of the message that names what a process needs. */
const maxNeedsBytes = 2 ** 24;
/** An agent has one process, and for a moment a second and a third. */
const maxProcesses = 64;
/** How long a connection may take to its first message. */
const firstMostMs = 10_000;

/**
 * A Unix socket behind which processes that read tables are started as this process's user, who cannot open the agent's keys. A connection's
 * first message says what the process needs; from then on it is the process's own, and ends with it. Nothing is read or kept here.
 * @throws ConsiliumError CONFIG_INVALID where it cannot listen there
 */
export async function openDoor(path: string, log: Pick<Logger, "warn">): Promise<Server> {
  const door = createServer({ allowHalfOpen: true }, (agent) => admit(agent, log));
  door.maxConnections = maxProcesses;
  try {
    await removeStale(path);
    // For its user and group alone from the first moment.
    const before = process.umask(0o117);
    await new Promise<void>((resolve, reject) => {
      door.once("error", reject).listen(path, resolve);
      // The socket's file is made before `listen` returns.
      process.umask(before);
    });
  } catch (cause) {
    const { code = "" } = cause as NodeJS.ErrnoException;
    throw fault(
      "CONFIG_INVALID",
      "table.door-unable",
      { door: nameOf(path), code: nameOf(code) },
      { cause, remedy: { code: "table.give-door-room", params: {} } },
    );
  }
  return door;
}

/**
 * Removes the socket of a door that has ended.
 * @throws Error EEXIST for anything else, EADDRINUSE where somebody listens
 */
async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) throw Object.assign(new Error("not a socket"), { code: "EEXIST" });
  const probe = connect(path);
  const answers = await new Promise<boolean>((resolve) => {
    probe.once("connect", () => resolve(true));
    probe.once("error", (fault: NodeJS.ErrnoException) => resolve(fault.code !== "ECONNREFUSED"));
  });
  probe.destroy();
  if (answers) throw Object.assign(new Error("a door listens there"), { code: "EADDRINUSE" });
  await rm(path);
}

function admit(agent: Socket, log: Pick<Logger, "warn">): void {
  const frames = new Frames(maxNeedsBytes);
  let started: Started | null = null;
  agent.on("error", () => undefined);
  const late = setTimeout(() => agent.destroy(), firstMostMs);
  // Read without a pause, so that the agent's end shows while the process takes nothing.
  agent.on("data", (bytes) => {
    if (started !== null) return void started.stream.write(bytes);
    try {
      frames.add(bytes);
      const first = frames.next();
      if (first === null) return;
      clearTimeout(late);
      started = startTables(first.message as Needs | null);
      started.stream.write(frames.rest());
      relay(agent, started, log);
    } catch {
      agent.destroy();
    }
  });
  const over = () => (started ?? agent).end();
  agent.once("end", over).once("close", over);
  agent.once("close", () => clearTimeout(late));
}

function relay(agent: Socket, { stream, ended }: Started, log: Pick<Logger, "warn">): void {
  stream.pipe(agent, { end: false });
  // Nobody takes what it still says.
  agent.once("close", () => stream.resume());
  void ended.then(({ exitCode, signal }) => {
    if (exitCode !== 0) log.warn("the process that reads tables ended", { exitCode, signal });
    agent.end();
  });
}
