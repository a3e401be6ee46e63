import { dirname } from "node:path";
import { ConsiliumError } from "@consilium/core/errors";
import { unwrap } from "@consilium/core/result";
import { nameOf } from "@consilium/core/said";
import type { ColumnBlock } from "@consilium/core/study/design";
import { documentOnRoster } from "@consilium/core/study/onRoster";
import type { Study, StudyDocument } from "@consilium/core/study/study";
import { isOtherBuild, softwareBuild } from "@consilium/core/version";
import type { GramKernel } from "@consilium/gate/gramSums";
import { parseConfig } from "@consilium/runtime/config";
import { placeInProgram } from "../data/fault.js";
import type { FoundTable } from "../data/snapshot.js";
import { resolveTableConfig } from "../data/tableConfig.js";
import { TableSources } from "../data/tableSources.js";
import { ConfiguredTables } from "../data/tables.js";
import { tablesConfigSchema } from "../data/tablesConfig.js";
import { configuredEngines } from "../engines/configuredEngines.js";
import { SiteMethods } from "../studies/siteMethods.js";
import { fault } from "./fault.js";
import type {
  Fault,
  FromTables,
  NextBlock,
  Opening,
  RequestName,
  Requests,
  SentStudy,
  ToTables,
} from "./messages.js";
import { Retries } from "./retries.js";
import { TablesHere } from "./tablesHere.js";

type Answers = {
  [N in RequestName]: (
    asked: Requests[N]["asked"],
    id: number,
    retries: Retries,
  ) => Promise<Requests[N]["answer"]>;
};

interface Opened {
  readonly tables: TablesHere;
  readonly sources: TableSources;
  readonly close: () => Promise<void>;
}

interface Blocks {
  readonly blocks: AsyncIterator<ColumnBlock>;
  found: FoundTable | null;
}

/** Studies of which the reading of the text is kept. */
const keptMost = 16;

/** Answers the agent from the hospital's tables. */
export class TableServer {
  readonly #send: (message: FromTables) => void;
  readonly #kernels: () => Promise<GramKernel>;
  readonly #methods: SiteMethods;
  readonly #studies = new Map<string, Promise<StudyDocument>>();
  /** Aborted when a study is over, by the hash of its text. */
  readonly #endings = new Map<string, AbortController>();
  /** Tables that are being read, by the request that began it. */
  readonly #reading = new Map<number, Blocks>();
  #opened: Opened | null = null;

  constructor(
    send: (message: FromTables) => void,
    kernels: () => Promise<GramKernel>,
    methods = new SiteMethods(),
  ) {
    this.#send = send;
    this.#kernels = kernels;
    this.#methods = methods;
  }

  async take(message: ToTables): Promise<void> {
    if ("ended" in message) {
      this.#endings.get(message.ended)?.abort(fault("STUDY_CANCELLED", "table.study-over", {}));
      this.#endings.delete(message.ended);
      return;
    }
    if ("leave" in message) {
      await this.#reading.get(message.leave)?.blocks.return?.();
      this.#reading.delete(message.leave);
      return;
    }
    const { id, name, asked } = message;
    const retries = new Retries(message.retries, () => this.#send({ id, retried: true }));
    type Answer = (of: unknown, id: number, retries: Retries) => Promise<unknown>;
    try {
      const answer = await (this.#answers[name] as Answer)(asked, id, retries);
      this.#send({ id, answer });
    } catch (thrown) {
      this.#send({ id, fault: faultOf(thrown) });
    }
  }

  /** Ends every worker and application. */
  async close(): Promise<void> {
    await this.#opened?.close();
  }

  readonly #answers: Answers = {
    needs: async ({ configPath, configText }) =>
      (await import("./needs.js")).needsOf(
        parseConfig(configText, configPath, tablesConfigSchema),
        configPath,
      ),
    open: (asked) => this.#open(asked),
    resolve: async () => {
      const { sources } = this.#here;
      await sources.resolve();
      return {
        sources: new Map(sources.names.map((name) => [name, sources.source(name)!] as const)),
        overlaps: sources.overlaps,
      };
    },
    describe: () => this.#here.tables.describe(),
    declared: () => this.#here.tables.declared(),
    check: async (asked) => {
      await this.#here.tables.check(await this.#study(asked));
      return null;
    },
    preflight: async ({ study, rules }) => this.#here.tables.preflight(await this.#study(study), rules),
    profile: async (asked) => this.#here.tables.profile(await this.#study(asked)),
    part: async ({ study, ...stage }, _, retries) => {
      let found: FoundTable | null = null;
      // Before anything is waited for: the study may be over by then.
      const { signal } = this.#endingOf(study.hash);
      const asked = {
        ...stage,
        document: await this.#document(study),
        found: (table: FoundTable) => {
          found = table;
        },
        signal,
      };
      const part = await this.#here.tables.part(asked, retries);
      return { part, found };
    },
    blocks: async ({ study, approved }, id) => {
      const blocks = this.#here.tables.blocks(await this.#study(study), approved, (table) => {
        reading.found = table;
      });
      const reading: Blocks = { blocks: blocks[Symbol.asyncIterator](), found: null };
      this.#reading.set(id, reading);
      return this.#next(id, reading);
    },
    next: async ({ of }) => this.#next(of, this.#reading.get(of)!),
    tableCheck: async ({ table }) => this.#here.tables.tableCheck(table),
    examine: async ({ studies, configText }) =>
      this.#here.tables.examine(await Promise.all(studies.map((one) => this.#study(one))), configText),
  };

  get #here(): Opened {
    if (this.#opened === null) throw new RangeError("the tables are not open");
    return this.#opened;
  }

  async #open({ software, configPath, configText, secret, sourceKey, links }: Opening) {
    if (isOtherBuild(software))
      throw fault("ENGINE_VERSION", "table.other-build", {
        agent: nameOf(software),
        tables: nameOf(softwareBuild),
      });
    const { tables: configs, engines: named } = parseConfig(configText, configPath, tablesConfigSchema);
    const folder = dirname(configPath);
    const sources = new TableSources(
      configs.map((table) => resolveTableConfig(table, folder)),
      sourceKey,
      links,
    );
    const engines = await configuredEngines(named);
    const configured = new ConfiguredTables(configs, folder, secret, engines);
    const memoryOf = (table: string) => configured.memoryOf(table);
    const tables = new TablesHere(configured, {
      kernels: this.#kernels,
      tableCheck: async (name, study) =>
        (await import("../doctor/tableCheck.js")).tableCheck(configured.config(name), { study }),
      examine: async (studies, text) =>
        (await import("../doctor/tablesNow.js")).tablesNow({ path: configPath, text }, studies, memoryOf),
    });
    this.#opened = { tables, sources, close: async () => engines?.close() };
    return sources.names.map((name) => ({
      name,
      unit: sources.unit(name),
      hasDeclaredColumns: sources.hasDeclaredColumns(name),
    }));
  }

  async #next(id: number, reading: Blocks): Promise<NextBlock> {
    const next = await reading.blocks.next();
    if (next.done !== true) return { block: next.value };
    this.#reading.delete(id);
    return { block: null, found: reading.found };
  }

  async #study(sent: SentStudy): Promise<Study> {
    return (await this.#document(sent)).study;
  }

  #document(sent: SentStudy): Promise<StudyDocument> {
    const key = `${sent.hash} ${sent.rosterSites}`;
    const known = this.#studies.get(key) ?? this.#read(sent);
    this.#studies.delete(key);
    this.#studies.set(key, known);
    for (const oldest of this.#studies.keys()) {
      if (this.#studies.size <= keptMost) break;
      this.#studies.delete(oldest);
    }
    return known;
  }

  /** The agent has decided that the study's method may be loaded. */
  async #read({ text, hash, rosterSites }: SentStudy): Promise<StudyDocument> {
    let read = await this.#methods.load(text, hash);
    if (!read.ok && read.error.code === "METHODS_MISSING") {
      await this.#methods.follow({ ok: true, value: { variants: ["paper"] } }, true);
      read = await this.#methods.load(text, hash);
    }
    const document = unwrap(read);
    return rosterSites === null ? document : documentOnRoster(document, rosterSites);
  }

  #endingOf(hash: string): AbortController {
    const known = this.#endings.get(hash) ?? new AbortController();
    this.#endings.set(hash, known);
    return known;
  }
}

/** Of what is no error of ours, its class and where it was thrown: its message may quote a record. */
function faultOf(thrown: unknown): Fault {
  const { code, message, remedy } =
    thrown instanceof ConsiliumError
      ? thrown
      : fault("INTERNAL", "table.unexpected", { what: placeInProgram(thrown) });
  return { code, message, remedy };
}
