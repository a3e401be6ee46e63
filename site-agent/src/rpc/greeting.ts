import { softwareVersion } from "@consilium/core/version";
import type { Door, OutboundMessage } from "@consilium/gate/door";
import { protocolVersions } from "@consilium/proto/limits";
import { announcedTables } from "../policy/announced.js";
import type { PolicyFile } from "../policy/policyFile.js";
import type { Tables } from "../tables/tables.js";

interface GreetingContext {
  readonly tables: Pick<Tables, "declared">;
  readonly policy: Pick<PolicyFile, "read">;
  readonly allowNoPrivacy: boolean;
  readonly door: Pick<Door, "hello">;
}

/** The first frame of each stream, and when a new one is due: the policy decides what it says of the tables. */
export class Greeting {
  readonly #context: GreetingContext;
  /** What the last greeting announced, as JSON; null before the first. */
  #said: string | null = null;

  constructor(context: GreetingContext) {
    this.#context = context;
  }

  async hello(): Promise<OutboundMessage> {
    const announced = await this.#announced();
    this.#said = JSON.stringify(announced);
    return this.#context.door.hello({ ...protocolVersions, software: softwareVersion }, announced);
  }

  /** Whether the aggregator was told something else than what holds under the policy of now. */
  async isStale(): Promise<boolean> {
    return this.#said !== null && this.#said !== JSON.stringify(await this.#announced());
  }

  async #announced() {
    const { tables, policy, allowNoPrivacy } = this.#context;
    const read = policy.read();
    return announcedTables(await tables.declared(), read.ok ? { policy: read.value, allowNoPrivacy } : null);
  }
}
