import { expect, it } from "vitest";
import { type Instances, withInstance } from "./instances.js";

/** When instances last alternated, after streams of these at 1, 2, 3 and so on. */
function alternatedAfter(...streams: string[]): number | null {
  const last = streams.reduce<Instances | undefined>(
    (before, instance, index) => withInstance(before, instance, index + 1),
    undefined,
  );
  return last!.alternatedAt;
}

it("tells agents that take turns from one that restarts or dials again", () => {
  expect(alternatedAfter("a", "a", "a")).toBeNull();
  expect(alternatedAfter("a", "b", "b", "c")).toBeNull();
  expect(alternatedAfter("a", "b", "a")).toBe(3);
  expect(alternatedAfter("a", "b", "a", "a", "c")).toBe(3);
  expect(alternatedAfter("a", "b", "c", "a", "b")).toBe(5);
});

it("keeps few instances of a site, however often it dials", () => {
  let held: Instances | undefined;
  for (let n = 0; n < 100; n++) held = withInstance(held, `${n}`, n);
  expect(held?.known).toHaveLength(8);
  expect(held?.known[0]).toBe("99");
});
