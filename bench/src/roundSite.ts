/** A site agent as it is, but for its table: two made-up rows of whatever columns a study has, in memory. */

import { ConsiliumError } from "@consilium/core/errors";
import { runExecutable } from "@consilium/runtime/executable";
import { startSiteAgent } from "@consilium/site-agent/process";
import { madeUpSources, madeUpTables } from "@consilium/site-agent/testing/data/madeUpTables";

await runExecutable({
  usage: "Usage: roundSite --state <folder>\n",
  defaultState: () => {
    throw new ConsiliumError("USAGE", "give --state <folder>");
  },
  start: (state) => startSiteAgent(state, { tables: { tables: madeUpTables, known: madeUpSources } }),
});
