/** A site agent as it is, but for its table: two made-up rows of whatever columns a study has, in memory. */

import { ConsiliumError } from "@consilium/core/errors";
import type { ColumnBlock } from "@consilium/core/study/design";
import type { Study } from "@consilium/core/study/study";
import { runExecutable } from "@consilium/runtime/executable";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { Tables } from "@consilium/site-agent/data/tables";
import { startSiteAgent } from "@consilium/site-agent/process";

const rows = 2;

const tables: Tables = {
  names: ["records"],
  describe: async () => [{ name: "records", columns: [] }],
  declared: async () => [],
  check: async () => undefined,
  async *read(study) {
    yield block(study);
  },
  preflight: async (study) => ({ rows, contentHash: sha256(`made up for ${study.name}`) }),
  async *reopen(study) {
    yield block(study);
  },
  profile: () => {
    throw new ConsiliumError("TABLE_UNREADABLE", "a made-up table has no profile");
  },
};

/** Numbers within the declared bounds, no two columns alike. */
function block(study: Study): ColumnBlock {
  const columns = study.features.map((feature, j) =>
    Float64Array.from({ length: rows }, (_, r) => {
      if (feature.type !== "numeric") return 0;
      return feature.min + ((feature.max - feature.min) * (((j * 37 + r * 11) % 100) + 0.5)) / 100;
    }),
  );
  return { rows, columns, labels: study.label === undefined ? null : new Uint16Array(rows) };
}

await runExecutable({
  usage: "Usage: roundSite --state <folder>\n",
  defaultState: () => {
    throw new ConsiliumError("USAGE", "give --state <folder>");
  },
  start: (state) => startSiteAgent(state, { tables }),
});
