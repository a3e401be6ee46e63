import { english as methodsEnglish } from "@consilium/methods-paper/english";
import { german as methodsGerman } from "@consilium/methods-paper/german";
import { describe, expect, it } from "vitest";
import { englishWith, english as ownEnglish } from "./english.js";
import { germanWith, german as ownGerman } from "./german.js";
import { speaker } from "./language.js";
import type { AnySaid, Name, Param } from "./said.js";

const [english, german] = [
  { ...ownEnglish, ...methodsEnglish },
  { ...ownGerman, ...methodsGerman },
];
const [sayEnglish, sayGerman] = [englishWith(methodsEnglish), germanWith(methodsGerman)];

/** Words that no German sentence has; commands and keys are between backticks. */
const stray = /\b(the|of|and|is|are|with|this|that|from|not|each|which)\b/;

/** Parameters that stand for whatever a function asks of them: a number, a name, a list, a sentence; `asked` collects their names. */
function anyParams(asked: Set<string>, count: number): never {
  return new Proxy({} as Record<string, Param>, {
    get: (_, name: string) => {
      asked.add(name);
      return Object.assign([`${name}-x`], {
        code: `${name}-x`,
        valueOf: () => count,
        toString: () => `${name}-x`,
      }) as unknown as Param;
    },
  }) as never;
}

describe.each(Object.keys(english))("%s", (code) => {
  it("is said in both languages, with the same parameters", () => {
    for (const count of [1, 2]) {
      const inEnglish = new Set<string>();
      const inGerman = new Set<string>();
      const texts = [
        sayEnglish({ code, params: anyParams(inEnglish, count) }),
        sayGerman({ code, params: anyParams(inGerman, count) }),
      ];
      for (const text of texts) expect(text).toMatch(/\S/);
      expect([...inGerman].sort()).toEqual([...inEnglish].sort());
      expect(texts[1]!.replaceAll(/`[^`]*`/g, "")).not.toMatch(stray);
      // One that only joins its parameters is the same in both.
      const own = [...inEnglish].reduce((text, name) => text.replaceAll(`${name}-x`, ""), texts[0]!);
      if (/\p{Letter}/u.test(own)) expect(texts[1]).not.toBe(texts[0]);
    }
  });
});

describe("what is sent, of one and of several", () => {
  const rows: AnySaid = { code: "dp-ka.rows", params: {} };
  const blocks = { blocks: 20, features: 3, label: "dead" as Name };
  const nodes = { attributes: 5, label: "dead" as Name, steps: 0 };
  it.each<[string, AnySaid["params"], RegExp, RegExp]>([
    ["sent.precise", { what: rows, min: 31, max: 31 }, /within ±31 of the true/, /um höchstens 31 von der/],
    [
      "sent.precise",
      { what: rows, min: 19, max: 25 },
      /within ±19 to ±25, depending on the table, of the true/,
      /um höchstens 19 bis 25, je nach Tabelle, von der/,
    ],
    ["dp-pcc-s.sent", { ...blocks, level: 1, nodes: 1 }, /rows and the root of/, /und die Wurzel des/],
    ["dp-pcc-s.sent", { ...blocks, level: 2, nodes: 2 }, /each of the 2 nodes of/, /jeden der 2 Knoten der/],
    ["cart-dps-adaboost.nodes", { ...nodes, nodes: 1 }, /attributes at the root of a/, /an der Wurzel eines/],
    [
      "cart-dps-adaboost.nodes",
      { ...nodes, nodes: 2 },
      /in each of the 2 nodes of a/,
      /in jedem der 2 Knoten/,
    ],
  ])("says %s of %j", (code, params, english, german) => {
    expect(sayEnglish({ code, params })).toMatch(english);
    expect(sayGerman({ code, params })).toMatch(german);
  });
});

it("says the same codes in both languages", () => {
  expect(Object.keys(german).sort()).toEqual(Object.keys(english).sort());
});

describe("a language", () => {
  const sentences = {
    "a.count": ({ n }: { n: number }, { count }: { count: (n: number, one: string) => string }) =>
      count(n, "site"),
    "a.list": ({ all }: { all: Param[] }, { list }: { list: (all: Param[]) => string }) => list(all),
    "a.number": ({ n }: { n: number }, { number }: { number: (n: number) => string }) => number(n),
    "a.while": ({ ms }: { ms: number }, { duration }: { duration: (ms: number) => string }) => duration(ms),
    "a.outer": ({ of }: { of: AnySaid }, { say }: { say: (of: AnySaid) => string }) => `because ${say(of)}`,
  };
  const say = speaker(sentences, {
    tag: "de-DE",
    and: "und",
    more: "weitere",
    units: [
      ["Tag", "Tage"],
      ["Stunde", "Stunden"],
      ["Minute", "Minuten"],
      ["Sekunde", "Sekunden"],
    ],
    to: "bis",
    percent: " %",
    confidence: "95-%-KI",
    noise: "95-%-Rauschintervall",
    notReached: "nicht erreicht",
  });

  it.each<[string, Record<string, Param>, string]>([
    ["a.count", { n: 1 }, "1 site"],
    ["a.count", { n: 12_000 }, "12.000 sites"],
    [
      "a.list",
      { all: ["a", 2, { code: "a.count", params: { n: 1 } }] as unknown as Param[] },
      "a, 2 und 1 site",
    ],
    ["a.list", { all: [] }, ""],
    ["a.number", { n: 0.123456 }, "0,1235"],
    ["a.while", { ms: 7 * 86_400_000 }, "7 Tage"],
    ["a.while", { ms: 90_000 }, "90 Sekunden"],
    ["a.while", { ms: 400 }, "0 Sekunden"],
    ["a.outer", { of: { code: "a.number", params: { n: 1.5 } } }, "because 1,5"],
  ])("says %s of %j", (code, params, text) => {
    expect(say({ code, params })).toBe(text);
  });

  it("has no words for a newer program's code, nor for a name that every object has", () => {
    expect(say({ code: "b.newer", params: {} })).toBeNull();
    expect(say({ code: "constructor", params: {} })).toBeNull();
  });

  it.each<[string, unknown]>([
    ["a.count", {}],
    ["a.count", { n: "many" }],
    ["a.list", { all: 5 }],
    ["a.while", { ms: {} }],
    ["a.outer", { of: null }],
    ["a.outer", null],
  ])("has no words of %s for the parameters %j", (code, params) => {
    expect(say({ code, params } as AnySaid)).toBeNull();
  });

  it("says no list that is within itself without end", () => {
    let all: Param = [];
    for (let depth = 0; depth < 100_000; depth++) all = [all];
    expect(say({ code: "a.list", params: { all } })).toBeNull();
  });
});
