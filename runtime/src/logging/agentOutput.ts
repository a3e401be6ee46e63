import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { AgentAnswers } from "@consilium/core/hospital/agentApi";
import { softwareVersion } from "@consilium/core/version";
import type { DestinationStream } from "pino";
import { loadIdentityWhenever } from "../identity/certificateSpan.js";
import { identityFolder } from "../identity/files.js";
import type { EcsLine } from "./ecs.js";
import { logOutput } from "./output.js";
import { logsSettings } from "./settings.js";

/** Lines of one answer. */
const pageLines = 1_000;

type Page = AgentAnswers<"logLines">;

/** Lines that wait for the console to take them: in memory, the newest dropped and counted where there are too many. */
export class LineBuffer {
  readonly #most: number;
  /** Of this process: after a restart lines begin anew. */
  readonly #run = randomUUID();
  #first = 0;
  #lines: EcsLine[] = [];
  #dropped = 0;
  /** The last answer, whose lines and count are given again until it is known to have arrived. */
  #told = { next: 0, dropped: 0 };

  constructor(most: number) {
    this.#most = most;
  }

  add(line: EcsLine): void {
    if (this.#lines.length < this.#most) this.#lines.push(line);
    else this.#dropped++;
  }

  /** The lines after a position; those before it have been taken. @param run - of the former answer, or null */
  after({ run, next }: { readonly run: string | null; readonly next: number }): Page {
    if (run === this.#run) {
      if (next === this.#told.next) this.#dropped -= this.#told.dropped;
      const taken = Math.min(Math.max(next - this.#first, 0), this.#lines.length);
      this.#lines = this.#lines.slice(taken);
      this.#first += taken;
    }
    const lines = this.#lines.slice(0, pageLines);
    this.#told = { next: this.#first + lines.length, dropped: this.#dropped };
    return { run: this.#run, lines, ...this.#told };
  }
}

/**
 * The output of a site agent's log, loaded where `logs:` is configured. The agent's one connection is to the aggregator: its
 * lines for a SIEM wait here, and the site console takes and sends them.
 * @throws ConsiliumError CONFIG_INVALID
 */
export async function agentOutput(
  raw: unknown,
  stateFolder: string,
): Promise<{
  readonly stream: DestinationStream;
  /** Undefined where nothing is sent. */
  readonly lines: (asked: Parameters<LineBuffer["after"]>[0]) => Page | undefined;
}> {
  const settings = logsSettings(raw);
  const buffer =
    settings.syslog === undefined && settings.otlp === undefined
      ? null
      : new LineBuffer(settings.bufferLines);
  const identity = await loadIdentityWhenever(identityFolder(stateFolder), Date.now()).catch(() => null);
  const stream = logOutput(settings, {
    origin: { version: softwareVersion, node: identity?.ok ? identity.value.id : hostname() },
    sends: buffer === null ? [] : [(line) => buffer.add(line)],
  });
  return { stream, lines: (asked) => buffer?.after(asked) };
}
