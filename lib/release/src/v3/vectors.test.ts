import { readFileSync } from "node:fs";
import { epsilonAt, rhoOf } from "@consilium/gate/cost";
import { lengthOf, sensitivitySquared } from "@consilium/gate/query";
import { expect, it } from "vitest";
import type { PlanFacts, ProvedSum } from "./schema.js";
import { eventOf, queryOf } from "./terms.js";

interface Vector extends Pick<ProvedSum, "query" | "scale" | "noise"> {
  readonly unit: PlanFacts["unit"];
  readonly delta: number;
  readonly expected: Readonly<Record<"length" | "deltaSquared" | "rho" | "epsilon", number>>;
}

/** Made by vectors.py beside them, in 60 decimal digits. */
const vectors = JSON.parse(
  readFileSync(new URL("../../testing/vectors.json", import.meta.url), "utf8"),
) as Vector[];

it("are forty, of every kind of query", () => {
  expect(vectors.length).toBe(40);
  expect(new Set(vectors.map(({ query }) => query.kind)).size).toBe(5);
});

it.each(vectors.map((one, index) => [index, one] as const))("vector %i: Δ², ρ and ε", (_, vector) => {
  const { unit, delta, expected, ...stage } = vector;
  const event = eventOf({ id: "stage", kind: "sum", ringBits: 64, broadcasts: [], ...stage } as never, unit);
  const sum = event.kind === "group" ? event.event : event;
  if (sum.kind !== "distributed-discrete-gaussian") throw new Error("no sum");
  const own = rhoOf(event);
  const found = {
    length: lengthOf(queryOf(stage)),
    deltaSquared: sum.l2SensitivitySquared,
    rho: own,
    epsilon: epsilonAt(own, delta),
  };
  for (const name of ["length", "deltaSquared", "rho", "epsilon"] as const)
    expect(Math.abs(found[name] / expected[name] - 1), name).toBeLessThan(1e-12);
  expect(sensitivitySquared(queryOf(stage))).toBeGreaterThan(0);
});
