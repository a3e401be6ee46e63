import type { Worker } from "node:worker_threads";
import { err, ok, type Result } from "@consilium/core/result";
import { type YamlLimits, yamlExcess } from "@consilium/core/yamlLimits";
import { fault } from "../fault.js";
import { startYamlThread, type YamlReply, type YamlRequest } from "./yamlThread.js";

/** Why a text was not read. */
export interface YamlFault {
  /** From 1; null where no line is at fault, as for a text that is beyond a limit. */
  readonly line: number | null;
  readonly message: string;
}

interface YamlReaderOptions {
  /** Texts that are read at the same time. */
  readonly threads?: number;
  /** Texts that wait for a thread; another one is refused. */
  readonly waitingMax?: number;
  readonly timeMaxMs?: number;
  readonly heapMaxMb?: number;
}

interface Job {
  readonly request: YamlRequest;
  readonly resolve: (reply: YamlReply | Stopped) => void;
}

/** A thread that was terminated for exceeding its time or memory. */
interface Stopped {
  readonly stopped: "time" | "memory" | "fault";
  readonly cause?: unknown;
}

interface Seat {
  worker: Worker | null;
  busy: boolean;
}

/**
 * Reads YAML that came from outside, on threads with a limit of time and memory: whatever a text costs, the process continues answering. A thread starts with its first text, and keeps no process alive.
 */
export class YamlReader {
  readonly #seats: readonly Seat[];
  readonly #waiting: Job[] = [];
  readonly #waitingMax: number;
  readonly #timeMaxMs: number;
  readonly #heapMaxMb: number;

  constructor(options: YamlReaderOptions = {}) {
    this.#seats = Array.from({ length: options.threads ?? 1 }, () => ({ worker: null, busy: false }));
    this.#waitingMax = options.waitingMax ?? 16;
    this.#timeMaxMs = options.timeMaxMs ?? 60_000;
    this.#heapMaxMb = options.heapMaxMb ?? 512;
  }

  /**
   * @returns the value, as JSON would have it; JSON itself is read without a thread
   * @throws ConsiliumError RATE_LIMITED while too many other texts wait
   */
  async read(text: string, limits: YamlLimits): Promise<Result<unknown, YamlFault>> {
    const json = jsonOf(text, limits);
    if (json !== undefined) return ok(json);
    const reply = await this.#ask({ text, limits });
    if (!reply.ok) return reply;
    if (!("value" in reply.value)) throw fault("INTERNAL", "yaml.unexpected", {});
    return ok(reply.value.value);
  }

  /** The lines of some places in a text that `read` has accepted: null where there is none, or no time for it. */
  async lines(
    text: string,
    limits: YamlLimits,
    paths: readonly (readonly (string | number)[])[],
  ): Promise<(number | null)[]> {
    const reply = await this.#ask({ text, limits, paths });
    return reply.ok && "lines" in reply.value ? [...reply.value.lines] : paths.map(() => null);
  }

  /** Ends the threads; what they have not read is answered as over its time. */
  async close(): Promise<void> {
    await Promise.all(this.#seats.map((seat) => seat.worker?.terminate()));
  }

  async #ask(request: YamlRequest): Promise<Result<YamlReply, YamlFault>> {
    if (request.text.length > request.limits.length) return err(overLimit("length", request.limits));
    if (this.#waiting.length >= this.#waitingMax) {
      throw fault("RATE_LIMITED", "yaml.waiting", { texts: this.#waiting.length }, "yaml.wait");
    }
    const reply = await new Promise<YamlReply | Stopped>((resolve) => {
      this.#waiting.push({ request, resolve });
      this.#next();
    });
    if ("excess" in reply) return err(overLimit(reply.excess, request.limits));
    if ("invalid" in reply) {
      const { line, code, message } = reply.invalid;
      return err({ line, message: `${message} (${code})` });
    }
    if (!("stopped" in reply)) return ok(reply);
    switch (reply.stopped) {
      case "time":
        return err({ line: null, message: `reading it takes more than ${this.#timeMaxMs / 1000} s` });
      case "memory":
        return err({ line: null, message: `reading it takes more than ${this.#heapMaxMb} MiB of memory` });
      case "fault":
        throw fault("INTERNAL", "yaml.failed", {}, { cause: reply.cause });
    }
  }

  #next(): void {
    const seat = this.#seats.find(({ busy }) => !busy);
    if (seat === undefined) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    void this.#run(seat, job);
  }

  async #run(seat: Seat, job: Job): Promise<void> {
    seat.busy = true;
    seat.worker ??= startYamlThread(this.#heapMaxMb);
    const { worker } = seat;
    const reply = await replyOf(worker, job.request, this.#timeMaxMs);
    if ("stopped" in reply) {
      seat.worker = null;
      await worker.terminate();
    }
    seat.busy = false;
    this.#next();
    job.resolve(reply);
  }
}

/** The process's own. */
export const yamlReader = new YamlReader();

function replyOf(worker: Worker, request: YamlRequest, timeMaxMs: number): Promise<YamlReply | Stopped> {
  return new Promise((resolve) => {
    const settle = (reply: YamlReply | Stopped) => {
      clearTimeout(timer);
      worker.off("message", settle);
      worker.off("error", failed);
      worker.off("exit", exited);
      worker.unref();
      resolve(reply);
    };
    const failed = (cause: Error & { readonly code?: string }) =>
      settle({ stopped: cause.code === "ERR_WORKER_OUT_OF_MEMORY" ? "memory" : "fault", cause });
    const exited = () => settle({ stopped: "time" });
    const timer = setTimeout(() => settle({ stopped: "time" }), timeMaxMs);
    worker.on("message", settle);
    worker.on("error", failed);
    worker.on("exit", exited);
    // Last: what listens for messages holds the process, and so must a text that is being read.
    worker.ref();
    worker.postMessage(request);
  });
}

function overLimit(count: keyof YamlLimits, limits: YamlLimits): YamlFault {
  return { line: null, message: yamlExcess(count, limits) };
}

/**
 * JSON is YAML, and what programs send. Its parser needs no thread: it takes time by the length and does not recurse.
 * @returns undefined for what is no JSON object
 */
function jsonOf(text: string, limits: YamlLimits): unknown {
  if (text.length > limits.length || !/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
