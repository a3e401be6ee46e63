import { sayEnglish } from "@consilium/words/english";
import { sayGerman } from "@consilium/words/german";
import { expect, it } from "vitest";
import { readSaid } from "../readSaid.js";
import { countedTexts } from "./countedText.js";
import type { Counted } from "./finding.js";
import { flowFigure, flowTable, flowTexts } from "./flow.js";
import type { Flow } from "./flowSchema.js";

const around = (value: number, half = 100) => ({ value, low: value - half, high: value + half });
const flow: Flow = {
  unit: "rows",
  read: around(300, 245),
  used: around(400),
  leftOut: [{ cause: "type", ...around(-150) }],
  beyond: [
    { column: "age", side: "above", bound: 120, ...around(120) },
    { column: "age", side: "below", bound: 0, ...around(900) },
  ],
  invited: 5,
  taking: 4,
  counted: 4,
  finished: 3,
};

it("says a number below 0 as 0 with its noise, and the table keeps it as it is", () => {
  const leftOut = flowTexts(flow).find(
    (one) => one.startsWith("flow.left-out") || one.includes("flow.left-out"),
  );
  expect(leftOut).toContain('{"code":"flow.type","params":{"high":100,"low":0,"value":0}}');
  expect(flowTable(flow).rows).toContainEqual(["left out", "type", -150, -250, -50]);
});

it("tells of bounds what stands out among all that were counted, and of whom a later result is without", () => {
  const texts = flowTexts(flow).join("\n");
  expect(texts).toContain('"flow.below"');
  expect(texts).not.toContain('"flow.above"');
  expect(texts).toContain('flow.gone {"counted":4,"finished":3}');
  expect(JSON.stringify(flowFigure(flow))).toContain("flow.gone");
  expect(flowTexts({ ...flow, finished: 4 }).join()).not.toContain("flow.gone");
});

const sayBoth = (texts: readonly string[]) =>
  texts.map((one) => [sayEnglish(readSaid(one)!)!, sayGerman(readSaid(one)!)!]);

/** Of a small ε: the flow's count and the method's of the same rows. */
const rough: Flow = { ...flow, read: around(2_900, 6_000), used: around(7_000, 6_000), finished: 4 };
const byMethod = (half: number, of: Partial<Counted> = {}): Counted => ({
  of: "used",
  name: null,
  unit: "rows",
  ...around(1_900, half),
  ...of,
});

it("gives one number of rows used: the one with the narrower interval", () => {
  const used = (counted: readonly Counted[]) => {
    const texts = countedTexts({ counted, flow: rough });
    return sayBoth([...texts.counted, ...texts.flow])
      .map(([english]) => english!)
      .filter((one) => /^rows used:/i.test(one));
  };
  expect(used([byMethod(400)])).toEqual([expect.stringMatching(/^Rows used: 1,900 /)]);
  expect(used([byMethod(9_000)])).toEqual(["Rows used: too imprecise to interpret"]);
  expect(used([])).toEqual(["Rows used: too imprecise to interpret"]);
  // Other counts are no second answer to the same question.
  const others = [
    byMethod(9_000, { unit: "patients" }),
    byMethod(9_000, { of: "held-out" }),
    byMethod(9_000, { name: "arm = a" }),
  ];
  expect(countedTexts({ counted: others, flow: rough }).counted).toHaveLength(3);
  const figure = JSON.stringify(flowFigure(rough, [byMethod(400)]));
  expect(figure).toContain("1900");
  expect(figure).not.toContain("7000");
  expect(JSON.stringify(flowFigure(rough))).toContain("flow.used-imprecise");
});

it("says each number with its own interval, and the number read by itself", () => {
  const precise = { ...flow, read: around(5_000), used: around(4_910) };
  const texts = sayBoth(flowTexts(precise)).slice(0, 2);
  expect(texts[0]![0]).toMatch(/^Rows used: 4,910 \(95% noise interval 4,810 to 5,010\)$/);
  expect(texts[1]![0]).toMatch(/^Rows read at 4 hospitals: 5,000 \(95% noise interval 4,900 to 5,100\)$/);
  expect(texts[1]![1]).toMatch(/^Gelesene Zeilen in 4 Krankenhäusern: /);
  expect(sayBoth(flowTexts(rough))[0]![1]).toBe("Verwendete Zeilen: zu ungenau für eine Aussage");
});
