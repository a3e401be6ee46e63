import { ConsiliumError } from "@consilium/core/errors";
import type { ColumnBlock } from "@consilium/core/study/design";
import { boundedFeatures } from "@consilium/core/study/flow";
import type { Study } from "@consilium/core/study/study";
import { openInlineGram } from "@consilium/kernels/inlineGram";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import type { RowTables } from "../../src/data/tables.js";
import type { ResolvedTables } from "../../src/tables/knownTables.js";
import { TablesHere } from "../../src/tables/tablesHere.js";

/**
 * A site's tables, with two rows of whatever columns a study has, in memory: numbers within the declared bounds, no two
 * columns alike.
 */
const madeUpRows: RowTables = {
  names: ["records"],
  describe: async () => [{ name: "records", columns: [] }],
  declared: async () => [],
  check: async () => undefined,
  async *read(study) {
    yield madeUpBlock(study);
  },
  async *flow(study) {
    const columns = [0, ...boundedFeatures(study)].map(() => new Float64Array(rows));
    yield { rows, columns, labels: null };
  },
  preflight: async (study) => ({ rows, contentHash: sha256(`made up for ${study.name}`) }),
  async *reopen(study) {
    yield madeUpBlock(study);
  },
  profile: () => {
    throw new ConsiliumError("TABLE_UNREADABLE", "a made-up table has no profile");
  },
};

/** The same as an agent asks for them, in its own process. */
export const madeUpTables = new TablesHere(madeUpRows, {
  kernels: async () => openInlineGram(),
  examine: async () => ({ configuration: { path: "", fault: null }, tables: [], strangers: [] }),
  tableCheck: () => Promise.reject(new ConsiliumError("TABLE_UNREADABLE", "a made-up table has no check")),
});

export const madeUpSources: ResolvedTables = {
  names: madeUpRows.names,
  unit: () => ({ kind: "row", declared: true }),
  hasDeclaredColumns: () => true,
  source: () => null,
  overlaps: [],
  resolve: async () => undefined,
};

const rows = 2;

function madeUpBlock(study: Study): ColumnBlock {
  const columns = study.features.map((feature, j) =>
    Float64Array.from({ length: rows }, (_, r) => {
      if (feature.type !== "numeric") return 0;
      return feature.min + ((feature.max - feature.min) * (((j * 37 + r * 11) % 100) + 0.5)) / 100;
    }),
  );
  return { rows, columns, labels: study.label === undefined ? null : new Uint16Array(rows) };
}
