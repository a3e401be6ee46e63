import { ConsiliumError } from "@consilium/core/errors";
import type { ColumnBlock } from "@consilium/core/study/design";
import { type Study, type StudyDocument, studyDocument } from "@consilium/core/study/study";
import { softwareBuild } from "@consilium/core/version";
import type { Part } from "@consilium/gate/part";
import type { Logger } from "@consilium/runtime/log";
import { Semaphore } from "@consilium/runtime/semaphore";
import type { RefusalRules } from "../data/refusals.js";
import type { FoundTable } from "../data/snapshot.js";
import type { TableUnit } from "../data/tableUnit.js";
import type { SharedStage } from "../engines/stage.js";
import { fault } from "./fault.js";
import { receiveMessages, sendMessage } from "./frames.js";
import type { RecordSource, ResolvedTables } from "./knownTables.js";
import {
  errorOf,
  type FoundSources,
  type FromTables,
  type Needs,
  type NextBlock,
  type OpenedTable,
  type Opening,
  type RequestName,
  type Requests,
  type SentStudy,
  type ToTables,
} from "./messages.js";
import { Retries } from "./retries.js";
import type { Started, StartTables } from "./startProcess.js";
import type { ApprovedContents, Tables } from "./tables.js";

interface Options {
  readonly opening: Omit<Opening, "links" | "software">;
  readonly log: Pick<Logger, "warn" | "error">;
  readonly start: StartTables;
}

/** The process ended before it answered. */
class Ended extends Error {}

interface Pending {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (fault: Error) => void;
  readonly retries: Retries;
}

/** A process that was started, with the requests that it has not answered. */
interface Running extends Started {
  readonly pending: Map<number, Pending>;
  isOver: boolean;
}

/**
 * The hospital's tables, in a process of their own: the agent, which has the keys and the connection, holds no record; the process that reads
 * records has neither. Where it ends, by a fault of a driver or for want of memory, it is started again, and what it was asked is asked again one by one.
 */
export class TableProcess implements Tables, ResolvedTables {
  readonly #options: Options;
  #opening: Omit<Opening, "links" | "software">;
  #needs: Needs | null = null;
  /** By the study's text, of studies whose end is awaited. */
  readonly #awaited = new WeakSet<AbortSignal>();
  readonly #sent = new WeakMap<Study, SentStudy>();
  #running: Running | null = null;
  /** A request that may have ended the process before. */
  #alone: Running | null = null;
  readonly #turns = new Semaphore(1);
  /** That process once its tables are open. */
  #opened: Promise<Running> | null = null;
  #tables: ReadonlyMap<string, OpenedTable> = new Map();
  #found: FoundSources = { sources: new Map(), overlaps: [] };
  #resolving: Promise<void> | null = null;
  /** Requests and readings by blocks that are not over. */
  #asked = 0;
  #lastId = 0;
  #isClosed = false;

  private constructor(options: Options) {
    this.#options = options;
    this.#opening = options.opening;
  }

  /** @throws ConsiliumError CONFIG_INVALID for what is wrong with `tables` or `engines`; ENGINE_FAILED where it cannot be started */
  static async start(options: Options): Promise<TableProcess> {
    const made = new TableProcess(options);
    try {
      made.#needs = await made.#needsOf(options.opening);
      await made.resolve();
    } catch (thrown) {
      await made.close();
      throw thrown;
    }
    return made;
  }

  // ---- what is known of them ----------------------------------------------------------------------------------

  get names(): string[] {
    return [...this.#tables.keys()];
  }

  unit(table: string): TableUnit {
    return this.#tables.get(table)?.unit ?? { kind: "row", declared: false };
  }

  hasDeclaredColumns(table: string): boolean {
    return this.#tables.get(table)?.hasDeclaredColumns ?? true;
  }

  source(table: string): RecordSource | null {
    return this.#found.sources.get(table) ?? null;
  }

  get overlaps() {
    return this.#found.overlaps;
  }

  /** Looks anew where the tables' records are. Asked again while it looks, it looks once. */
  resolve(): Promise<void> {
    this.#resolving ??= this.#ask("resolve", null)
      .then((found) => {
        this.#found = found;
      })
      .finally(() => {
        this.#resolving = null;
      });
    return this.#resolving;
  }

  // ---- what is asked of them ----------------------------------------------------------------------------------

  describe() {
    return this.#ask("describe", null);
  }

  declared() {
    return this.#ask("declared", null);
  }

  async check(study: Study): Promise<void> {
    await this.#ask("check", this.#sentOf(study));
  }

  preflight(study: Study, rules: RefusalRules): Promise<ApprovedContents> {
    return this.#ask("preflight", { study: this.#sentOf(study), rules });
  }

  profile(study: Study) {
    return this.#ask("profile", this.#sentOf(study));
  }

  tableCheck(table: string) {
    return this.#ask("tableCheck", { table });
  }

  examine(studies: readonly Study[], configText: string) {
    return this.#ask("examine", { studies: studies.map((study) => this.#sentOf(study)), configText });
  }

  async part({ document, found, signal, ...stage }: SharedStage): Promise<Part | null> {
    const study = sentDocument(document);
    this.#await(signal, study);
    const answer = await this.#ask("part", { ...stage, study }, signal).finally(() =>
      signal.throwIfAborted(),
    );
    if (answer.found !== null) found(answer.found);
    return answer.part;
  }

  async *blocks(
    study: Study,
    approved: ApprovedContents | null,
    found: (table: FoundTable) => void,
  ): AsyncGenerator<ColumnBlock> {
    // Rows of two readings must not be mixed, so that a process which ends is not asked again.
    this.#asked++;
    let next: NextBlock = { block: null, found: null };
    let running: Running | null = null;
    const of = ++this.#lastId;
    try {
      running = await this.#ready();
      next = await orFault(ask(running, of, "blocks", { study: this.#sentOf(study), approved }));
      while (next.block !== null) {
        yield next.block;
        next = await orFault(ask(running, ++this.#lastId, "next", { of }));
      }
    } finally {
      this.#asked--;
      if (next.block !== null) tell(running, { leave: of });
    }
    if (next.found !== null) found(next.found);
  }

  /** Whether it waits for no answer. */
  get isIdle(): boolean {
    return this.#asked === 0;
  }

  /**
   * Serves the tables of another text of the configuration, by another process in place of the one before, if nothing is asked of that one: what
   * was begun ends with the tables that it began with.
   * @returns false where something was asked meanwhile, and the tables are those of before
   * @throws ConsiliumError CONFIG_INVALID, and the tables are those of before
   */
  async reopen(configText: string): Promise<boolean> {
    const before = this.#running;
    const opening = { ...this.#opening, configText };
    const needs = await this.#needsOf(opening);
    const next = await this.#begin(needs);
    let isTaken = false;
    try {
      const tables = await orFault(ask(next, ++this.#lastId, "open", openingOf(opening, needs)));
      const found = await orFault(ask(next, ++this.#lastId, "resolve", null));
      isTaken = before === this.#running && this.isIdle && !this.#isClosed;
      if (!isTaken) return false;
      this.#running = next;
      this.#opened = Promise.resolve(next);
      this.#opening = opening;
      this.#needs = needs;
      this.#tables = byName(tables);
      this.#found = found;
      return true;
    } finally {
      const over = isTaken ? before : next;
      if (over !== null) await end(over);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#running, this.#alone].map((running) => running && end(running)));
  }

  // ---- the process --------------------------------------------------------------------------------------------

  /** @param signal - aborted when nobody waits for the answer any more */
  async #ask<N extends RequestName>(
    name: N,
    asked: Requests[N]["asked"],
    signal?: AbortSignal,
  ): Promise<Requests[N]["answer"]> {
    this.#asked++;
    const retries = new Retries();
    try {
      return await ask(await this.#ready(), ++this.#lastId, name, asked, retries);
    } catch (thrown) {
      if (!(thrown instanceof Ended)) throw thrown;
      return await this.#turns.run(() => this.#askAlone(name, asked, retries, signal));
    } finally {
      this.#asked--;
    }
  }

  /**
   * In a process of its own: a request that ends the process takes no other one with it again.
   * @throws ConsiliumError INTERRUPTED; ENGINE_FAILED also where the table is away by then: a record may have ended its server too
   */
  async #askAlone<N extends RequestName>(
    name: N,
    asked: Requests[N]["asked"],
    retries: Retries,
    signal?: AbortSignal,
  ): Promise<Requests[N]["answer"]> {
    let last: unknown = null;
    while (retries.take()) {
      signal?.throwIfAborted();
      if (this.#isClosed) throw stopping();
      const needs = this.#needs!;
      const alone = await this.#begin(needs);
      this.#alone = alone;
      try {
        await ask(alone, ++this.#lastId, "open", openingOf(this.#opening, needs));
        return await ask(alone, ++this.#lastId, name, asked, retries);
      } catch (thrown) {
        const isAway = thrown instanceof ConsiliumError && thrown.code === "TABLE_AWAY";
        if (!(thrown instanceof Ended) && !isAway) throw thrown;
        last = thrown;
      } finally {
        this.#alone = null;
        await end(alone);
      }
    }
    throw failed(last);
  }

  /** The process with its tables open; started where there is none. */
  async #ready(): Promise<Running> {
    if (this.#isClosed) throw stopping();
    this.#opened ??= this.#open(this.#needs!);
    return this.#opened;
  }

  async #open(needs: Needs): Promise<Running> {
    const running = await this.#begin(needs).catch((thrown: unknown) => {
      this.#opened = null;
      throw thrown;
    });
    this.#running = running;
    try {
      const opening = openingOf(this.#opening, needs);
      this.#tables = byName(await ask(running, ++this.#lastId, "open", opening));
      return running;
    } catch (thrown) {
      // The next request opens them anew.
      if (this.#running === running) this.#running = this.#opened = null;
      void end(running);
      throw thrown;
    }
  }

  /** Asks a process of its own, which is told of no key and reads no record. */
  async #needsOf({ configPath, configText }: Pick<Opening, "configPath" | "configText">): Promise<Needs> {
    const asked = await this.#begin(null);
    try {
      return await orFault(ask(asked, ++this.#lastId, "needs", { configPath, configText }));
    } finally {
      await end(asked);
    }
  }

  /** @param needs - null for the process that is asked for them */
  async #begin(needs: Needs | null): Promise<Running> {
    const started = await this.#options.start(needs);
    const running: Running = { ...started, pending: new Map(), isOver: false };
    receiveMessages(started.stream, (message) => this.#take(running, message as FromTables));
    void started.ended.then((how) => {
      running.isOver = true;
      for (const { reject } of running.pending.values()) reject(new Ended());
      if (this.#running === running) this.#running = this.#opened = null;
      else if (this.#alone !== running) return;
      if (!this.#isClosed) this.#options.log.warn("the process that reads tables ended", { ...how });
    });
    if (!this.#isClosed) return running;
    await end(running);
    throw stopping();
  }

  #take({ pending }: Running, message: FromTables): void {
    if ("rejected" in message) {
      this.#options.log.error("a promise was rejected; why is not shown: it may tell of a record");
      return;
    }
    const asked = pending.get(message.id);
    if ("retried" in message) return void asked?.retries.take();
    // Read before its request is taken off: what is no answer ends the process, and all that was asked of it.
    const fault = "fault" in message ? errorOf(message.fault) : null;
    if (fault !== null || "answer" in message) pending.delete(message.id);
    if (fault !== null) asked?.reject(fault);
    else if ("answer" in message) asked?.resolve(message.answer);
    else throw new TypeError("a message is neither answer nor fault");
  }

  /** Tells the process once when the study is over. */
  #await(signal: AbortSignal, { hash }: SentStudy): void {
    if (this.#awaited.has(signal)) return;
    this.#awaited.add(signal);
    const over = () => {
      for (const running of [this.#running, this.#alone]) tell(running, { ended: hash });
    };
    if (signal.aborted) over();
    else signal.addEventListener("abort", over, { once: true });
  }

  #sentOf(study: Study): SentStudy {
    const known = this.#sent.get(study);
    if (known !== undefined) return known;
    // A study's text is the same for every roster.
    const { rosterSites = null, ...own } = study;
    const sent = { ...sentDocument(studyDocument(own)), rosterSites };
    this.#sent.set(study, sent);
    return sent;
  }
}

function sentDocument({ study, text, hash }: StudyDocument): SentStudy {
  return { text, hash, rosterSites: study.rosterSites ?? null };
}

function end(running: Started): Promise<unknown> {
  running.end();
  return running.ended;
}

const byName = (tables: readonly OpenedTable[]) =>
  new Map(tables.map((table) => [table.name, table] as const));

function ask<N extends RequestName>(
  running: Running,
  id: number,
  name: N,
  asked: Requests[N]["asked"],
  retries = new Retries(0),
): Promise<Requests[N]["answer"]> {
  return new Promise((resolve, reject) => {
    if (running.isOver) return reject(new Ended());
    running.pending.set(id, { resolve: resolve as Pending["resolve"], reject, retries });
    // Where it cannot be told, it is about to end, and what waits for it is rejected then: no sooner may another be started.
    tell(running, { id, name, asked, retries: retries.left } as ToTables);
  });
}

function tell(running: Running | null, message: ToTables): void {
  if (running?.stream.writable) sendMessage(running.stream, message);
}

async function orFault<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    throw thrown instanceof Ended ? failed(thrown) : thrown;
  }
}

const stopping = () => fault("INTERRUPTED", "table.stopping", {});
const failed = (cause: unknown) => fault("ENGINE_FAILED", "table.process-ended", {}, { cause });

function openingOf(opening: Omit<Opening, "links" | "software">, { links }: Needs): Opening {
  return { ...opening, software: softwareBuild, links };
}
