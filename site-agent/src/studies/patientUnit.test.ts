import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SiteId } from "@consilium/core/ids";
import { plainKernels } from "@consilium/core/linalg/plain";
import { unwrap } from "@consilium/core/result";
import { noiseWeight, planStudy, type SumStage } from "@consilium/core/study/plan";
import { answered } from "@consilium/methods/testing/families";
import { parseStudy, type Study } from "@consilium/methods/testing/studies";
import { osRandom } from "@consilium/runtime/random";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { processSecret } from "../data/rowHash.js";
import type { TableConfig } from "../data/tableConfig.js";
import { ConfiguredTables } from "../data/tables.js";
import { unitOf } from "../data/tableUnit.js";
import { chargingOf } from "../policy/unitCost.js";

/**
 * A whole patient more or less, with more rows than the hospital's bound, in a study that names no patient: the site's
 * vector changes by no more than the ledger charges for.
 */

const folder = mkdtempSync(join(tmpdir(), "consilium-unit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const maxRows = 3;
const study: Study = unwrap(
  parseStudy({
    name: "rows",
    table: "visits",
    analysis: "pca",
    method: "dp-pca",
    features: ["a", "b"].map((name) => ({ name, type: "numeric", min: 0, max: 1 })),
    parameters: { components: 1, form: "two-round" },
    privacy: { epsilon: 1, delta: 1e-6 },
    participation: { maxRowsPerSite: 1_000 },
  }),
);
const plan = planStudy(study);
const stage = plan.stages[0] as SumStage;

interface Row {
  readonly who: string;
  readonly a: number;
  readonly b: number;
}

let written = 0;

async function vectorOf(rows: readonly Row[], unit: TableConfig["unit"]): Promise<BigInt64Array> {
  const path = join(folder, `${written++}.csv`);
  writeFileSync(path, `who,a,b\n${rows.map(({ who, a, b }) => `${who},${a},${b}\n`).join("")}`);
  const config = { name: "visits", path, nullValues: [], unit } satisfies TableConfig;
  const tables = new ConfiguredTables([config], folder, processSecret);
  const approval = await tables.preflight(study, { minimumRows: 0, refuseConstant: false });
  const vector = await answered(stage.id, {
    study,
    site: "a" as SiteId,
    sites: 3,
    broadcasts: new Map(),
    sharedSeed: null,
    blocks: tables.reopen(study, approval),
    kernels: plainKernels(),
    checks: osRandom,
    random: {
      bytes: () => {
        throw new Error("noise is added elsewhere");
      },
    },
  });
  return new BigInt64Array(vector.buffer, vector.byteOffset, vector.length);
}

/** Σ w_j·(q_j - q'_j)² of two tables, exactly. */
async function distance(a: readonly Row[], b: readonly Row[], unit: TableConfig["unit"]): Promise<bigint> {
  const [first, second] = [await vectorOf(a, unit), await vectorOf(b, unit)];
  const weight = noiseWeight(stage.noise!.weights);
  return first.reduce((sum, q, j) => sum + BigInt(weight(j)) * (q - second[j]!) ** 2n, 0n);
}

const corner = fc.constantFrom(0, 1, 0.5);
const rowOf = (who: fc.Arbitrary<string>): fc.Arbitrary<Row> => fc.record({ who, a: corner, b: corner });

describe("a patient with more rows than the hospital's bound", () => {
  const patients = { patient: { column: "who", maxRows } };
  const { factor } = unwrap(chargingOf(study, plan, unitOf({ unit: patients })));
  const stated = BigInt(stage.noise!.event.l2SensitivitySquared);

  it("changes a study of rows by no more than the ledger charges", async () => {
    expect(factor).toBe(maxRows ** 2);
    let largest = 0n;
    await fc.assert(
      fc.asyncProperty(
        fc.array(rowOf(fc.constantFrom("p", "q", "r")), { minLength: 1, maxLength: 8 }),
        fc.array(rowOf(fc.constant("victim")), { minLength: maxRows + 1, maxLength: 8 }),
        fc.integer({ min: 0, max: 8 }),
        async (others, own, at) => {
          const withPatient = [...others.slice(0, at), ...own, ...others.slice(at)];
          const found = await distance(withPatient, others, patients);
          if (found > largest) largest = found;
          expect(found).toBeLessThanOrEqual(BigInt(factor) * stated);
        },
      ),
      { numRuns: 15 },
    );
    // The bound is of use: a patient's rows come to more than one row's worth.
    expect(largest).toBeGreaterThan(stated);
  });

  it("is not held by the weakened twin, which takes a table's rows as they come", async () => {
    const own = Array.from({ length: 8 }, (): Row => ({ who: "victim", a: 1, b: 1 }));
    const others: Row[] = [{ who: "p", a: 0, b: 0 }];
    expect(await distance([...others, ...own], others, "rows")).toBeGreaterThan(BigInt(factor) * stated);
    expect(await distance([...others, ...own], others, patients)).toBeLessThanOrEqual(
      BigInt(factor) * stated,
    );
  });

  it("is bounded by the study's own column and number where it names them", async () => {
    const named = { ...study, patient: { column: "who", maxRows: 1 } };
    const charging = unwrap(chargingOf(named, planStudy(named), unitOf({ unit: patients })));
    expect(charging).toEqual({ unit: "patient", factor: 1 });
  });
});
