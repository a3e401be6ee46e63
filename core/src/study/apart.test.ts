import { describe, expect, it } from "vitest";
import type { SiteId } from "../ids.js";
import { allApart, fewOfGroup, leastTogether, toldApart } from "./apart.js";

type Study = Parameters<typeof toldApart>[0];

const six = ["st-anna", "bern", "cuno", "dora", "emil", "7"];
const ward = (levels: string[], more: object = {}) =>
  ({
    name: "ward",
    type: "categorical",
    levels,
    missing: "reject-row",
    ...more,
  }) as Study["features"][number];
const age = {
  name: "age",
  type: "numeric",
  min: 0,
  max: 120,
  missing: "reject-row",
} as Study["features"][number];
const studyOf = (change: Partial<Study>): Study => ({
  features: [age],
  label: undefined,
  columns: undefined,
  where: undefined,
  omop: undefined,
  participation: { tolerateColluding: 1 },
  ...change,
});
const clinic = [{ name: "clinic", type: "categorical", levels: [...six, "other"] }] as Study["columns"];
const apart = (change: Partial<Study>, hospitals: readonly string[] = six) =>
  toldApart(studyOf(change), hospitals);

describe("a level that is a hospital", () => {
  it.each([
    ["as it is", "st-anna", "st-anna"],
    ["in capitals", "ST-Anna", "st-anna"],
    ["between blanks, one of which does not break", " \u00a0st-anna\u2007\t", "st-anna"],
    ["with characters that do not show", "st-\u200ban\u00adna", "st-anna"],
    ["a number", "7", "7"],
    ["composed for decomposed", "Cafe\u0301", "CAFÉ"],
    ["decomposed for composed", "CAFÉ", "Cafe\u0301"],
    ["with a sharp s", "Großhadern", "GROSSHADERN"],
    ["with a dotted capital I", "İzmir", "izmir"],
    ["with an i without its dot", "ızmir", "IZMIR"],
    ["with a final sigma", "ΚΟΣ", "κος"],
    ["with a blank that does not break", "St\u00a0Clare", "st clare"],
    ["a truth value", "TRUE", "true"],
  ])("is known %s", (_, level, hospital) => {
    const hospitals = [hospital, "bern", "cuno", "dora"];
    const expected = { hospitals: [hospital], more: 0, at: ["ward"], least: 3 };
    expect(apart({ features: [ward([level, "others"])] }, hospitals)).toEqual(expected);
    expect(apart({ label: { name: "ward", levels: ["x", level] } }, hospitals)).toEqual(expected);
  });

  it("is another where it differs by more", () => {
    for (const level of ["stanna", "st-ann", "st-anna-2", "70", "7.0", "07", "annast", ""])
      expect(apart({ features: [ward([level, "others"])] })).toBeNull();
  });

  it("counts where a map makes it, and where a map takes it for something else", () => {
    const map = { Anna: "st-anna", rest: "others" };
    expect(apart({ features: [ward(["st-anna", "others"], { map })] })?.hospitals).toEqual(["st-anna"]);
    const hidden = { "St-Anna": "north", elsewhere: "north", x: "south" };
    expect(apart({ features: [ward(["north", "south"], { map: hidden })] })?.hospitals).toEqual(["st-anna"]);
    const numbers = [{ below: 3, level: "bern" }, { level: "others" }];
    expect(apart({ features: [ward(["bern", "others"], { map: numbers })] })?.hospitals).toEqual(["bern"]);
  });
});

describe("hospitals that stand together", () => {
  const mapped = (map: Record<string, string>, more: object = {}) =>
    apart({ features: [ward([...new Set(Object.values(map))], { map })], ...more });

  it("are enough from three on, and from two more than may collude", () => {
    const halves = { "st-anna": "n", bern: "n", cuno: "n", dora: "s", emil: "s", 7: "s" };
    expect(mapped(halves)).toBeNull();
    expect(mapped(halves, { participation: { tolerateColluding: 2 } })).toMatchObject({ more: 3, least: 4 });
    expect(
      [0, 1, 2, 5].map((tolerateColluding) => leastTogether({ participation: { tolerateColluding } })),
    ).toEqual([3, 3, 4, 7]);
  });

  it("are too few where nobody names them and all others are named", () => {
    const left = { "st-anna": "n", bern: "n", cuno: "n", dora: "n", emil: "s" };
    expect(mapped(left)?.hospitals).toEqual(["emil", "7"]);
  });

  it("are told apart by two columns together", () => {
    const halves = { "st-anna": "n", bern: "n", cuno: "n", dora: "s", emil: "s", 7: "s" };
    const shifted = { bern: "e", cuno: "e", dora: "e", "st-anna": "w", emil: "w", 7: "w" };
    const columns = [
      ward(["n", "s"], { map: halves }),
      { ...ward(["e", "w"], { map: shifted }), name: "other" },
    ];
    expect(apart({ features: columns })).toEqual({
      hospitals: ["st-anna", "bern", "cuno"],
      more: 3,
      at: ["ward", "other"],
      least: 3,
    });
  });
});

describe("a condition", () => {
  const of = (where: string, hospitals?: readonly string[]) => apart({ columns: clinic, where }, hospitals);
  it.each([
    'clinic = "st-anna"',
    'clinic != "st-anna"',
    'not (clinic = "st-anna") and age >= 18',
    'clinic = "st-anna" or age > 119',
    'clinic in ("st-anna", "bern")',
    'clinic not in ("st-anna", "bern", "cuno", "dora")',
    'age < 40 and (clinic = "other" or clinic in ("7"))',
  ])("%s names too few", (where) => {
    expect(of(where)?.at).toEqual(["where"]);
  });

  it.each(['clinic in ("st-anna", "bern", "cuno")', 'clinic = "other"', "age > 8", "clinic is not missing"])(
    "%s does not",
    (where) => expect(of(where)).toBeNull(),
  );

  it("of which the rest is too few names them", () => {
    expect(of('clinic in ("st-anna", "bern", "cuno")', six.slice(0, 4))?.hospitals).toEqual(["dora"]);
  });

  it.each(["age >= 5", "age between 5 and 9", "age != 1 or age = 2", "born > 2015-01-31", "age < born_age"])(
    "%s compares with no hospital's name",
    (where) => {
      const columns = [
        { name: "born", type: "date" },
        { name: "born_age", type: "numeric" },
      ] as Study["columns"];
      expect(apart({ columns, where }, ["1", "2", "3", "5", "9", "2015-01-31"])).toBeNull();
    },
  );

  it("reads a level by what becomes it", () => {
    const map = { "st-anna": "a", bern: "a", cuno: "a", dora: "b", emil: "b", 7: "b" };
    const features = [ward(["a", "b"], { map })];
    expect(apart({ features, where: 'ward = "a"' })).toBeNull();
    expect(
      apart({ features: [ward(["a", "b"], { map: { ...map, dora: "a" } })], where: 'ward = "b"' }),
    ).not.toBeNull();
  });
});

it("all hospitals have their names among the facts, and a sentence has three and the number of the others", () => {
  const study = studyOf({ features: [ward(six)] });
  expect(allApart(study, six)).toEqual({ hospitals: six, at: ["ward"], least: 3 });
  expect(toldApart(study, six)).toMatchObject({ hospitals: six.slice(0, 3), more: 3 });
});

it("what stands beside a name counts as one where others may be hospitals too", () => {
  const study = studyOf({ columns: clinic, where: 'clinic in ("st-anna", "bern", "other")' });
  expect(toldApart(study, ["st-anna"], false)).toBeNull();
  expect(
    toldApart(studyOf({ columns: clinic, where: 'clinic = "st-anna"' }), ["st-anna"], false)?.hospitals,
  ).toEqual(["st-anna"]);
});

it("a group of sites is too small by those who are there", () => {
  const sites = six as SiteId[];
  const groups = [
    { name: "north", sites: sites.slice(0, 3) },
    { name: "south", sites: sites.slice(3) },
  ];
  const study = { participation: { tolerateColluding: 1 }, parameters: { siteGroups: groups } };
  expect(fewOfGroup(study, sites)).toBeNull();
  expect(fewOfGroup(study, sites.slice(1))).toEqual({ group: "north", sites: 2, least: 3 });
  expect(fewOfGroup({ ...study, participation: { tolerateColluding: 2 } }, sites)?.least).toBe(4);
  expect(fewOfGroup({ ...study, parameters: {} }, [])).toBeNull();
});
