import { createLogger } from "@consilium/runtime/log";
import { osRandom } from "@consilium/runtime/random";
import { openStore } from "@consilium/runtime/store/store";
import { createReaders, type Readers, type ReadersOptions } from "../../src/access/readers.js";
import { Tokens } from "../../src/catalogue/tokens.js";
import { migrations } from "../../src/store/schema.js";

/** Readers of a state folder's tokens, their sessions in memory. For tests. */
export function testReaders(state: string, options: Partial<ReadersOptions> = {}): Promise<Readers> {
  return createReaders({
    tokens: new Tokens(state, options.now),
    store: openStore(":memory:", migrations),
    rules: {},
    configPath: `${state}/config.yaml`,
    pagesUrl: () => "",
    random: osRandom,
    now: Date.now,
    log: createLogger({ service: "test", level: "silent" }),
    ...options,
  });
}
