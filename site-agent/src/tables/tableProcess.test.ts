import { once } from "node:events";
import { type Duplex, duplexPair } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { receiveMessages, sendMessage } from "./frames.js";
import type { Needs, ToTables } from "./messages.js";
import { TableProcess } from "./tableProcess.js";

const needs: Needs = { reads: [], variables: [], links: [] } as unknown as Needs;

/** A process that answers as told, of which nothing is trusted; gone once its stream is. */
function reader(answer: (asked: ToTables & { name: string; id: number }, stream: Duplex) => object | null) {
  const started: Duplex[] = [];
  const start = () => {
    const [own, far] = duplexPair();
    started.push(far);
    receiveMessages(far, (message) => {
      const asked = message as ToTables & { name: string; id: number };
      const said = asked.name === "needs" ? { id: asked.id, answer: needs } : answer(asked, far);
      if (said !== null) sendMessage(far, said);
    });
    own.on("close", () => far.destroy());
    far.on("close", () => own.destroy());
    const ended = new Promise<{ exitCode: null; signal: null }>((resolve) =>
      own.once("close", () => resolve({ exitCode: null, signal: null })),
    );
    return { stream: own, end: () => void own.destroy(), ended };
  };
  return { start, started };
}

const opened = (start: ReturnType<typeof reader>["start"]) =>
  TableProcess.start({
    opening: {
      configPath: "/config.yaml",
      configText: "",
      secret: new Uint8Array(32),
      sourceKey: new Uint8Array(32),
    },
    log: { warn: vi.fn(), error: vi.fn() },
    start,
  });
const found = { sources: new Map(), overlaps: [] };
const usual = ({ id, name }: { id: number; name: string }) => ({
  id,
  answer: name === "resolve" ? found : [],
});

describe("the agent's end of the process that reads tables", () => {
  it("ends a process whose message is neither an answer nor a fault, and asks another", async () => {
    let lies = 1;
    const { start, started } = reader((asked) =>
      asked.name === "describe" && lies-- > 0 ? { id: asked.id } : usual(asked),
    );
    const tables = await opened(start);
    const before = started.length;
    expect(await tables.describe()).toEqual([]);
    expect(started[before - 1]!.destroyed).toBe(true);
    expect(started).toHaveLength(before + 1);
    await tables.close();
  });

  it("opens its tables anew for the request after one whose opening failed", async () => {
    let fails = 0;
    const { start, started } = reader((asked) =>
      asked.name === "open" && fails-- > 0
        ? { id: asked.id, fault: { code: "CONFIG_INVALID", message: "no such table", remedy: null } }
        : usual(asked),
    );
    const tables = await opened(start);
    // Its process is lost, and the next cannot open.
    fails = 1;
    started.at(-1)!.destroy();
    await once(started.at(-1)!, "close");
    await expect(tables.describe()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    expect(await tables.describe()).toEqual([]);
    await tables.close();
  });
});
