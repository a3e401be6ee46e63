/**
 * Regressions over real processes, without noise, beside what R says of the same rows at one place: `coxph`, `glm` and `lm` on four public
 * tables, at outcomes of 27 to 1.9 %.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { regressionModelSchema } from "@consilium/methods/regression/model";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LocalFederation } from "../../scripts/localFederation.js";
import { datasetFolder } from "../accuracy/tables.js";

const tablesFolder = datasetFolder("survival-tables");
const oracles = process.env.CONSILIUM_ORACLES ?? "";
if (oracles === "") {
  if (process.env.CONSILIUM_FORBID_SKIPS === "1") throw new Error("CONSILIUM_ORACLES is not set");
  process.stderr.write("\nSKIPPED: regressions beside R, because CONSILIUM_ORACLES is not set\n");
}

/** Shares of the rows: one hospital has hardly any. */
const shares = { "hospital-a": 0.55, "hospital-b": 0.3, "hospital-c": 0.13, "hospital-d": 0.02 };
const hospitals = Object.keys(shares);

type Row = Readonly<Record<string, string>>;

const number = (name: string, min: number, max: number, more: object = {}) => ({
  name,
  type: "numeric",
  min,
  max,
  missing: "reject-row",
  ...more,
});
const category = (name: string, levels: readonly string[]) => ({
  name,
  type: "categorical",
  levels,
  missing: "reject-row",
});
const fromZero = { below: "reject-row" };
const label = (name: string) => ({ name, levels: ["0", "1"] });
const tumour = [
  number("age", 20, 95),
  number("nodes", 0, 60),
  number("grade", 1, 3),
  category("size", ["<=20", "20-50", ">50"]),
  category("hormon", ["no", "yes"]),
];
const adult = number("age", 15, 95);
const sex = category("sex", ["female", "male"]);

interface Oracle {
  readonly table: string;
  readonly study: object;
  /** How far a coefficient may lie from R's, in R's standard errors, and by which part of it a standard error may differ. */
  readonly within?: { readonly estimate: number; readonly stdError: number };
}

const logistic = { family: "logistic", evaluation: "none" };
/** Hazards that are constant in intervals, beside ones of each event's own time. */
const oftenEnough = { estimate: 0.25, stdError: 0.05 };

const fits: Readonly<Record<string, Oracle>> = {
  relapse_cox: {
    table: "relapse",
    study: {
      label: label("relapse"),
      features: [number("years", 0, 20, fromZero), ...tumour],
      parameters: { family: "cox", time: "years", event: "1", intervals: 60 },
    },
    within: oftenEnough,
  },
  relapse_cox_7y: {
    table: "relapse",
    study: {
      label: label("relapse"),
      features: [number("years", 0, 7, fromZero), ...tumour],
      parameters: { family: "cox", time: "years", event: "1", intervals: 30 },
    },
    within: oftenEnough,
  },
  colon_cox_death: {
    table: "colon",
    study: {
      label: label("death"),
      features: [
        number("death_days", 0, 3400, fromZero),
        category("arm", ["Obs", "Lev", "Lev+5FU"]),
        sex,
        adult,
        number("nodes", 0, 40),
        number("obstruct", 0, 1),
        number("extent", 1, 4),
      ],
      parameters: { family: "cox", time: "death_days", event: "1", intervals: 60 },
    },
  },
  colon_perforation_logistic_3pc: {
    table: "colon",
    study: { label: label("perfor"), features: [adult, sex, number("nodes", 0, 40)], parameters: logistic },
  },
  colon_node4_logistic_27pc: {
    table: "colon",
    study: { label: label("node4"), features: [adult, sex, number("extent", 1, 4)], parameters: logistic },
  },
  nafld_death_logistic_8pc: {
    table: "nafld",
    study: {
      label: label("death"),
      features: [number("age", 18, 100), number("male", 0, 1)],
      parameters: logistic,
    },
  },
  nafld_death_2y_logistic: {
    table: "nafld",
    study: {
      label: label("death_2y"),
      features: [number("age", 18, 100), number("male", 0, 1)],
      parameters: logistic,
    },
  },
  nafld_death_poisson_per_year: {
    table: "nafld",
    study: {
      features: [
        number("deaths", 0, 1, fromZero),
        number("years", 0.002, 25, fromZero),
        number("age", 18, 100),
        number("male", 0, 1),
      ],
      parameters: { family: "poisson", outcome: "deaths", exposure: "years" },
    },
  },
  pbc_ascites_logistic_8pc: {
    table: "pbc",
    study: {
      label: label("ascites"),
      features: [number("age", 20, 90), number("bili", 0, 30), number("albumin", 1, 5)],
      parameters: logistic,
    },
  },
  pbc_linear_bili_on_albumin_protime: {
    table: "pbc",
    study: {
      features: [
        number("albumin", 1, 5),
        number("bili", 0, 30),
        number("protime", 8, 20),
        number("age", 20, 90),
      ],
      parameters: { family: "linear", outcome: "albumin" },
    },
  },
};

/** R's own figures of a fit. */
interface Expected {
  readonly n: number;
  readonly coefficients: Readonly<Record<string, number>>;
  readonly standardErrors: Readonly<Record<string, number>>;
  /** Of a Cox or a Poisson regression. */
  readonly events?: number;
  /** Of a Poisson regression. */
  readonly personYears?: number;
}

/** Columns that R makes of others before it fits. */
const made: Readonly<Record<string, (row: Row) => Row>> = {
  nafld: (row) => ({
    ...row,
    deaths: row.death!,
    years: String(Math.max(1, Number(row.days)) / 365.25),
  }),
};

describe.skipIf(tablesFolder === null || oracles === "")("beside R", () => {
  let folder: string;
  let federation: LocalFederation;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "consilium-oracles-"));
    federation = await LocalFederation.create(join(folder, "home"), "oracles");
    const paths = new Map(hospitals.map((id) => [id, {} as Record<string, string>]));
    for (const table of new Set(Object.values(fits).map((one) => one.table))) {
      const rows = await rowsOf(table);
      const names = Object.keys(rows[0]!);
      let from = 0;
      for (const [id, share] of Object.entries(shares)) {
        const to = id === hospitals.at(-1) ? rows.length : from + Math.round(share * rows.length);
        const path = join(folder, `${id}-${table}.csv`);
        const lines = rows.slice(from, to).map((row) => names.map((name) => row[name]).join());
        await writeFile(path, `${[names.join(), ...lines].join("\n")}\n`);
        paths.get(id)![table] = path;
        from = to;
      }
    }
    for (const [id, tables] of paths)
      await federation.addSite({ id, tables, allowNoPrivacy: true, policy: { budget: null } });
    await federation.waitForSites();
  });
  afterAll(async () => {
    await federation?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function rowsOf(table: string): Promise<Row[]> {
    const [header, ...lines] = (await readFile(join(tablesFolder!, `${table}.csv`), "utf8"))
      .trim()
      .split("\n");
    const names = header!.split(",");
    const make = made[table] ?? ((row) => row);
    return lines.map((line) => {
      const cells = line.split(",");
      return make(Object.fromEntries(names.map((name, i) => [name, cells[i]!])));
    });
  }

  it.each(Object.entries(fits))(
    "%s",
    async (key, { table, study, within = { estimate: 0.05, stdError: 0.02 } }) => {
      const { id } = await federation.startStudy({
        name: key.replaceAll("_", "-").slice(0, 40),
        table,
        analysis: "regression",
        ...study,
        privacy: "none",
        participation: { minimumSites: 4, maxRowsPerSite: 20_000, phaseDeadline: "60s" },
      });
      const { release } = await federation.waitForRelease(id);
      const model = regressionModelSchema.parse(await (await fetch(`${release!.url}model.json`)).json());
      const all = JSON.parse(await readFile(join(oracles, "r_survival.json"), "utf8"));
      const expected = all[key] as Expected;
      expect(model.coefficients).toHaveLength(Object.keys(expected.coefficients).length);
      expect(model.convergence.arrived).toBe(true);
      if (model.rows !== null) expect(model.rows.count).toBeCloseTo(expected.n, 1);
      if (model.events !== null) expect(model.events.total.count).toBeCloseTo(expected.events!, 1);
      if (expected.personYears !== undefined)
        expect(model.events!.exposure.count / expected.personYears).toBeCloseTo(1, 5);
      if (key === "nafld_death_2y_logistic")
        expect(model.positives!.count / model.rows!.count).toBeCloseTo(all.nafld_death_2y_share, 5);
      for (const { name, found } of model.coefficients) {
        const named = name === "(intercept)" ? "(Intercept)" : name.replace("=", "");
        const stdError = expected.standardErrors[named]!;
        expect(Math.abs(found!.coefficient - expected.coefficients[named]!) / stdError, name).toBeLessThan(
          within.estimate,
        );
        expect(Math.abs(found!.stdError / stdError - 1), name).toBeLessThan(within.stdError);
      }
    },
  );
});
