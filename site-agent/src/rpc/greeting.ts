import { protocolVersions, spokenFormats } from "@consilium/core/limits";
import type { ListedMethods } from "@consilium/core/method/listedMethods";
import { softwareVersion } from "@consilium/core/version";
import type { Totals } from "@consilium/gate/account";
import type { Door, OutboundMessage } from "@consilium/gate/door";
import type { Logger } from "@consilium/runtime/log";
import { announcedTables } from "../policy/announced.js";
import { type LeftOut, takenTables } from "../policy/leftOut.js";
import type { PolicyFile } from "../policy/policyFile.js";
import type { KnownTables } from "../tables/knownTables.js";
import type { Tables } from "../tables/tables.js";

interface GreetingContext {
  readonly tables: Pick<Tables, "declared">;
  readonly knownTables: KnownTables;
  readonly policy: Pick<PolicyFile, "read">;
  readonly allowNoPrivacy: boolean;
  readonly methods: Pick<ListedMethods, "editions">;
  /** Of the ledger. */
  readonly totals: () => Totals;
  readonly door: Pick<Door, "hello">;
  /** Of this process: 16 random bytes. */
  readonly instance: Uint8Array;
  readonly log: Pick<Logger, "warn">;
}

/** The first frame of each stream, and when a new one is due: the policy decides what it says of the tables. */
export class Greeting {
  readonly #context: GreetingContext;
  /** What the last greeting announced, as JSON; null before the first. */
  #said: string | null = null;
  #leftOut: readonly LeftOut[] = [];

  constructor(context: GreetingContext) {
    this.#context = context;
  }

  /** Tables that the last greeting left out. */
  get leftOut(): readonly LeftOut[] {
    return this.#leftOut;
  }

  async hello(): Promise<OutboundMessage> {
    const { told, leftOut } = await this.#announced();
    const isNews =
      leftOut.map(({ fault }) => fault.message).join() !==
      this.#leftOut.map(({ fault }) => fault.message).join();
    this.#leftOut = leftOut;
    if (isNews)
      for (const { table, fault, reason } of leftOut)
        this.#context.log.warn("a table was left out of the greeting", { table, code: fault.code, reason });
    this.#said = JSON.stringify(told);
    return this.#context.door.hello({
      versions: { ...protocolVersions, software: softwareVersion },
      speaks: { ...spokenFormats, editions: this.#context.methods.editions },
      ...told,
      instance: this.#context.instance,
    });
  }

  /** Whether the aggregator was told something else than what holds under the policy of now. */
  async isStale(): Promise<boolean> {
    return this.#said !== null && this.#said !== JSON.stringify((await this.#announced()).told);
  }

  async #announced() {
    const { tables, knownTables, policy, allowNoPrivacy, totals } = this.#context;
    const read = policy.read();
    const declared = await tables.declared();
    const permissions = read.ok ? { policy: read.value, allowNoPrivacy } : null;
    const shared = announcedTables(declared, permissions);
    if (read.ok && read.value.announce === "described") {
      const { describedTables } = await import("../policy/described.js");
      return describedTables(shared, { policy: read.value, knownTables, totals: totals() });
    }
    const { taken, leftOut } = takenTables(shared);
    return { told: { tables: taken }, leftOut };
  }
}
