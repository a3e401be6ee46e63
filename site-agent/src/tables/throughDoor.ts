import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { nameOf } from "@consilium/core/said";
import { fault } from "./fault.js";
import { sendMessage } from "./frames.js";
import type { Ending, StartTables } from "./startProcess.js";

/** How long a door may be away: its service may be starting again. */
const awayMostMs = 60_000;
const pauseMs = 500;
/** How long a door may take to close a connection: longer than it gives the process. */
const endingMostMs = 10_000;

/**
 * Has the processes that read tables started by another user's door (`door.ts`).
 * @param path - of the door's Unix socket
 * @returns a function that throws ENGINE_FAILED where the door does not answer, for a record may have ended it too
 */
export function throughDoor(path: string): StartTables {
  return async (needs) => {
    const socket = await connected(path);
    sendMessage(socket, needs);
    const ended = new Promise<Ending>((resolve) =>
      socket.once("close", () => resolve({ exitCode: null, signal: null })),
    );
    const end = () => {
      socket.end();
      setTimeout(() => socket.destroy(), endingMostMs).unref();
    };
    return { stream: socket, end, ended };
  };
}

async function connected(path: string): Promise<Socket> {
  for (const giveUp = Date.now() + awayMostMs; ; ) {
    const socket = connect(path);
    try {
      await once(socket, "connect");
      return socket.on("error", () => undefined);
    } catch (cause) {
      const { code = "" } = cause as NodeJS.ErrnoException;
      if (!["ENOENT", "ECONNREFUSED"].includes(code) || Date.now() > giveUp)
        throw fault(
          "ENGINE_FAILED",
          "table.door-away",
          { door: nameOf(path), code: nameOf(code) },
          { cause, remedy: { code: "table.start-door", params: {} } },
        );
    }
    await pause(pauseMs);
  }
}
