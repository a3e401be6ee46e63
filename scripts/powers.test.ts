/**
 * `**` and Math.pow are the engine's own: two versions of Node give x ** 3, 10 ** -2 and 2 ** 0.5 with another last digit, and a result
 * that is computed anew would be another. Powers of 2 and 4 by whole numbers, and squares, are the same everywhere.
 */
import { expect, it } from "vitest";
import { filesOf, isTestOrGenerated, readProjectFile } from "./repository.js";

/** What comes to a result, or checks one. */
const sources = /^(?:methods|methods-paper|core\/src|gate\/src|lib\/release\/src|aggregator\/src)\/.*\.ts$/;

/** It finds a number by bisection and cuts it to 32 bits: the last digits of its powers are not seen. */
const cutShort = "core/src/privacy/conversions.ts";

/** Powers in a source that may differ between engines, each as it is written. */
function unlikePowers(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
  const powers = [...code.matchAll(/\*\*=?\s*/g)].flatMap(({ index, 0: operator }) => {
    const base = /[\w.!\])]+$/.exec(code.slice(0, index).trimEnd())?.[0] ?? "";
    const exponent = operandAt(code, index + operator.length);
    return isSameEverywhere(base, exponent) ? [] : [`${base} ** ${exponent}`];
  });
  return [...powers, ...(code.match(/Math\.pow\b/g) ?? [])];
}

const isSameEverywhere = (base: string, exponent: string): boolean =>
  /^\d+n$/.test(exponent) ||
  /^\d+n$/.test(base) ||
  exponent === "2" ||
  (/^\d+$/.test(base) && /^\d+$/.test(exponent)) ||
  (/^[24]$/.test(base) && !isFraction(exponent));

/** Whether a quotient stands in it that is not made whole. */
const isFraction = (exponent: string): boolean =>
  /\/|\d\.\d|Math\.(?:log|sqrt)/.test(exponent.replaceAll(/Math\.(?:floor|ceil|round|trunc)\(.*\)/g, ""));

/** What is written from here on to the end of a unary expression. */
function operandAt(code: string, from: number): string {
  let at = from;
  if (code[at] === "-") at++;
  let depth = 0;
  for (; at < code.length; at++) {
    const one = code[at]!;
    if (one === "(" || one === "[") depth++;
    else if (one === ")" || one === "]") {
      if (depth === 0) break;
      depth--;
    } else if (depth === 0 && !/[\w.!]/.test(one)) break;
  }
  return code.slice(from, at);
}

it("knows the powers that engines compute alike from the others", () => {
  const alike = [
    "2 ** -gridExponent",
    "4 ** (exponent - 1)",
    "x ** 2",
    "1024 ** 3",
    "10n ** BigInt(digits)",
    "2 ** (Math.floor(i / 2) - 5)",
    "2 ** Math.ceil(Math.log2(x))",
    "/** a paragraph */ 1",
  ];
  expect(alike.flatMap(unlikePowers)).toEqual([]);
  const unlike = [
    "x ** 3",
    "(z - m) ** 4",
    "10 ** -2",
    "10 ** digits",
    "2 ** (i / 2)",
    "2 ** 0.5",
    "x ** y",
    "Math.pow(2, 3)",
  ];
  expect(unlike.map((one) => unlikePowers(one).length)).toEqual(unlike.map(() => 1));
});

it("computes no result by a power that engines compute otherwise", () => {
  const files = filesOf(/\.ts$/).filter(
    (file) => sources.test(file) && !isTestOrGenerated(file) && !/\/(?:testing|dist)\//.test(file),
  );
  expect(files.length).toBeGreaterThan(300);
  const found = files
    .filter((file) => file !== cutShort)
    .flatMap((file) => unlikePowers(readProjectFile(file)).map((power) => `${file}: ${power}`));
  expect(found).toEqual([]);
});
