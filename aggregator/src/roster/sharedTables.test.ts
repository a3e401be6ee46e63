import type { SiteId } from "@consilium/core/ids";
import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { parseStudy } from "@consilium/methods/testing/studies";
import { describe, expect, it } from "vitest";
import { smallStudy } from "../../testing/operator-api/study.js";
import { type AnnouncedTables, sharedTable, tableFaults, tableNames } from "./sharedTables.js";

type Columns = Readonly<Record<string, string>>;

/** @param said - of each site its tables with their columns' types */
function announcedOf(said: Readonly<Record<string, Readonly<Record<string, Columns>>>>): AnnouncedTables {
  return {
    site: (id) => ({ tables: Object.keys(said[id] ?? {}), speaks: null }),
    columnsOf: (id, table) => Object.entries(said[id]?.[table] ?? {}).map(([name, type]) => ({ name, type })),
  };
}

const people = { height: "number", weight: "number", ward: "text", seen: "date" };
const sites = ["a-one", "b-two", "c-three", "d-four"] as SiteId[];
const everywhere = (table: Readonly<Record<string, Columns>>) =>
  announcedOf(Object.fromEntries(sites.map((site) => [site, table])));
const study = (change: object = {}) => unwrap(parseStudy({ ...smallStudy, ...change }));
const feature = (name: string) => ({ name, type: "numeric", min: 0, max: 1 });

describe("the tables that sites share", () => {
  const announced = announcedOf({
    "a-one": { people, visits: { age: "any" } },
    "b-two": { people: { height: "number", weight: "text" } },
    "c-three": { people: {} },
    "d-four": {},
  });

  it("are listed with the sites that have them", () => {
    expect(tableNames(announced, sites)).toEqual([
      { name: "people", sites: ["a-one", "b-two", "c-three"] },
      { name: "visits", sites: ["a-one"] },
    ]);
  });

  it("have columns with their types, and which site lacks them", () => {
    const { withoutColumns, columns } = sharedTable(announced, sites, "people");
    expect(withoutColumns).toEqual(["c-three"]);
    expect(columns).toEqual([
      { name: "height", types: ["number"], missingAt: [] },
      { name: "weight", types: ["number", "text"], missingAt: [] },
      { name: "ward", types: ["text"], missingAt: ["b-two"] },
      { name: "seen", types: ["date"], missingAt: ["b-two"] },
    ]);
  });

  it("name the nearest where nobody has the table", () => {
    expect(inEnglish(() => sharedTable(announced, sites, "visit"))).toThrow(
      /no site shares a table "visit" .*"visits"/,
    );
  });
});

describe("a study that is held against them", () => {
  it("has no fault where every site has its columns", () => {
    expect(tableFaults(study(), sites, everywhere({ people }))).toEqual({ refusals: [], warnings: [] });
  });

  it("is refused for a column that no site has, with the sites and the nearest name", () => {
    const { refusals } = tableFaults(
      study({ features: [feature("height"), feature("wieght")] }),
      sites,
      everywhere({ people }),
    );
    expect(refusals).toEqual([
      {
        path: "features[1].name",
        message: 'no column "wieght" in table people at a-one, b-two, c-three, d-four (nearest: "weight")',
      },
    ]);
  });

  it("is refused for a misspelt column although only one site shares its columns", () => {
    const announced = announcedOf({ "a-one": { people }, "b-two": { people: {} }, "c-three": {} });
    const { refusals } = tableFaults(study({ features: [feature("hieght")] }), sites, announced);
    expect(refusals).toHaveLength(1);
    expect(tableFaults(study(), sites, announced).refusals).toEqual([]);
  });

  it("counts the label and the patient's column", () => {
    const change = {
      analysis: "boosted-trees",
      parameters: { trees: 1, depth: 1 },
      label: { name: "wrad", levels: ["a", "b"] },
      patient: { column: "pateint", maxRows: 2 },
    };
    const paths = tableFaults(study(change), sites, everywhere({ people })).refusals.map(({ path }) => path);
    expect(paths).toEqual(["label.name", "patient.column"]);
    // Whose row it is may be of any type.
    const patient = { column: "seen", maxRows: 2 };
    const label = { name: "ward", levels: ["a", "b"] };
    expect(tableFaults(study({ ...change, label, patient }), sites, everywhere({ people })).refusals).toEqual(
      [],
    );
  });

  it("is refused where the type does not fit, and told what does", () => {
    const { refusals } = tableFaults(study({ features: [feature("seen")] }), sites, everywhere({ people }));
    expect(refusals[0]?.message).toMatch(/column "seen" has the type date .*; declare it categorical/);
    const categorical = { name: "seen", type: "categorical", levels: ["2020-01-01", "2020-01-02"] };
    expect(
      tableFaults(study({ features: [feature("height"), categorical] }), sites, everywhere({ people }))
        .refusals,
    ).toEqual([]);
    // What another version calls a type says nothing.
    expect(
      tableFaults(study(), sites, everywhere({ people: { height: "quantity", weight: "number" } })).refusals,
    ).toEqual([]);
  });

  it("is warned about what some sites lack, and refused once too few are left", () => {
    const lacking = { people: { height: "number" } };
    const one = announcedOf({
      "a-one": lacking,
      "b-two": { people },
      "c-three": { people },
      "d-four": { people },
    });
    const { refusals, warnings } = tableFaults(study(), sites, one);
    expect(refusals).toEqual([]);
    expect(warnings).toEqual([
      'features[1].name: no column "weight" in table people at a-one (nearest: "height"); 3 of 4 sites can take part',
    ]);
    const two = announcedOf({
      "a-one": lacking,
      "b-two": lacking,
      "c-three": { people },
      "d-four": { people },
    });
    expect(tableFaults(study(), sites, two)).toMatchObject({ refusals: [{}], warnings: [] });
  });

  it("is refused for a table that too few have, and not for one that sites withhold", () => {
    const { refusals } = tableFaults(study({ table: "poeple" }), sites, everywhere({ people }));
    expect(refusals).toEqual([
      { path: "table", message: expect.stringContaining('no table "poeple" at a-one') },
    ]);
    expect(refusals[0]?.message).toContain('(nearest: "people")');
    expect(tableFaults(study({ table: "poeple" }), sites, announcedOf({}))).toEqual({
      refusals: [],
      warnings: [],
    });
  });

  it("is not judged by a list of tables or columns that may have been cut off", () => {
    const many = Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`t${i}`, {}]));
    expect(tableFaults(study(), sites, everywhere(many)).refusals).toEqual([]);
    const { t255, ...fewer } = many;
    expect(t255).toEqual({});
    expect(tableFaults(study(), sites, everywhere(fewer)).refusals).toHaveLength(1);
  });

  it("lists a limited number of faults", () => {
    const features = Array.from({ length: 300 }, (_, i) => feature(`x${i}`));
    expect(tableFaults(study({ features }), sites, everywhere({ people })).refusals).toHaveLength(100);
  });
});
