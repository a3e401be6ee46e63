import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { nameOf } from "@consilium/core/said";
import type { Name } from "@consilium/words/said";
import type { ClientConfig } from "pg";
import type { PostgresConnectOptions } from "../postgres/connectOptions.js";
import type { SqlValue } from "./driver.js";

/** A statement, or several without parameters. */
export interface PostgresQuery {
  readonly text: string;
  readonly values?: readonly SqlValue[];
  /** Under this name the server keeps the statement prepared. */
  readonly name?: string;
}

/** Of the last statement: its command, such as `COMMIT`, the rows it changed, and what it gave, in text format. */
export interface PostgresAnswer {
  readonly command: string;
  readonly changed: number;
  readonly names: readonly string[];
  readonly types: readonly number[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** A statement that failed. `state` is PostgreSQL's five characters, or a system error's code. */
export class PostgresFault extends Error {
  override readonly name = "PostgresFault";
  readonly code: string;
  /** `lost`: the connection ended, and what was under way may have happened; `unsent`: it had ended before. */
  readonly connection: "holds" | "lost" | "unsent";

  constructor(fault: FaultMessage) {
    super(fault.message);
    this.code = fault.code;
    this.connection = fault.connection;
  }
}

/** The code of a fault for a sentence; null if it is neither PostgreSQL's nor a system's. */
export function codeName(fault: PostgresFault): Name | null {
  return /^[0-9A-Z_]{1,40}$/.test(fault.code) ? nameOf(fault.code) : null;
}

interface FaultMessage {
  readonly message: string;
  readonly code: string;
  readonly connection: "holds" | "lost" | "unsent";
}

type Request = { readonly connect: PostgresConnectOptions } | { readonly query: PostgresQuery };
/** `number`: that of the request. */
type Reply = { readonly number: number } & (
  | { readonly answer: PostgresAnswer }
  | { readonly fault: FaultMessage }
);

/**
 * The worker holds the connection and passes on what comes over it; all that decides is in this thread. It is embedded
 * as text so that it is the same from sources, from a build and from a bundle.
 */
const workerText = `
const { workerData } = require("node:worker_threads");
const { port, signal, from } = workerData;
const { Client } = require("node:module").createRequire(from)("pg");
const asText = { getTypeParser: () => (value) => value };
let client = null;
let holds = false;

async function connect(options) {
  if (client !== null) client.end().catch(() => {});
  holds = false;
  const next = new Client(options);
  const ended = () => { if (client === next) holds = false; };
  next.on("error", ended);
  next.on("end", ended);
  client = next;
  await next.connect();
  holds = true;
  return { command: "", rowCount: 0, fields: [], rows: [] };
}

async function handle(request) {
  const wasHeld = holds;
  const asked = client;
  try {
    if (request.query !== undefined && !wasHeld) throw new Error("not connected");
    const given = request.connect !== undefined
      ? await connect(request.connect)
      : await client.query({ ...request.query, rowMode: "array", types: asText });
    const last = Array.isArray(given) ? given.at(-1) : given;
    return { answer: {
      command: last.command ?? "",
      changed: last.rowCount ?? 0,
      names: last.fields.map((field) => field.name),
      types: last.fields.map((field) => field.dataTypeID),
      rows: last.rows,
    } };
  } catch (error) {
    const code = String(error.code ?? "");
    // Whatever the server did not say itself is the connection's fault; so are its farewells (classes 08 and 57P).
    // That of a connection which another has replaced by now says nothing of the new one.
    if (client === asked && (error.severity === undefined || /^(08|57P)/.test(code))) holds = false;
    const connection = holds ? "holds" : wasHeld ? "lost" : "unsent";
    return { fault: { message: String(error.message), code, connection } };
  }
}

port.on("message", async ({ number, request }) => {
  const reply = await handle(request);
  port.postMessage({ number, ...reply });
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
});
`;

/**
 * A PostgreSQL connection in a thread of its own, whose answers the calling thread waits for: `Atomics.wait` until the
 * worker has posted its message, which is then taken without a turn of the event loop.
 *
 * The worker counts its messages in `signal` after it has posted each. This thread reads the count, looks for a message,
 * and sleeps until the count is another: it misses none, and to be woken for nothing does no harm. That happens on a busy
 * machine, where the worker's `notify` for one message may come when this thread waits for the next.
 */
export class PostgresThread {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  readonly #answerWithinMs: number;
  #asked = 0;

  /** @param options.answerWithinMs - after this the connection counts as lost */
  constructor(options: { readonly answerWithinMs: number }) {
    this.#answerWithinMs = options.answerWithinMs;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(workerText, {
      eval: true,
      execArgv: [],
      workerData: { port: port2, signal: this.#signal, from: import.meta.url },
      transferList: [port2],
    });
    // Its failure shows as an answer that does not come.
    this.#worker.on("error", () => undefined);
    this.#worker.unref();
    this.#port.unref();
  }

  /** Opens the connection, in place of the one there was. */
  connect(options: PostgresConnectOptions): void {
    this.#ask({ connect: options satisfies ClientConfig });
  }

  /** @throws PostgresFault */
  query(query: PostgresQuery): PostgresAnswer {
    return this.#ask({ query });
  }

  /** Ends the connection and the thread; what is under way is undone by the server. */
  close(): void {
    this.#port.close();
    void this.#worker.terminate();
  }

  #ask(request: Request): PostgresAnswer {
    const number = ++this.#asked;
    const giveUpAt = performance.now() + this.#answerWithinMs;
    this.#port.postMessage({ number, request });
    for (;;) {
      const counted = Atomics.load(this.#signal, 0);
      const reply = this.#replyTo(number);
      if (reply !== undefined) {
        if ("fault" in reply) throw new PostgresFault(reply.fault);
        return reply.answer;
      }
      const leftMs = giveUpAt - performance.now();
      if (leftMs <= 0) {
        const message = `no answer within ${this.#answerWithinMs / 1000} s`;
        throw new PostgresFault({ message, code: "ETIMEDOUT", connection: "lost" });
      }
      Atomics.wait(this.#signal, 0, counted, leftMs);
    }
  }

  /** Answers to earlier requests, which nobody waits for any more, fall away. */
  #replyTo(number: number): Reply | undefined {
    for (;;) {
      const reply = receiveMessageOnPort(this.#port)?.message as Reply | undefined;
      if (reply === undefined || reply.number === number) return reply;
    }
  }
}
