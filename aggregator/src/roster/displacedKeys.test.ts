import type { Sha256, SiteId } from "@consilium/core/ids";
import { expect, it } from "vitest";
import { DisplacedKeys } from "./displacedKeys.js";
import { EventSampler } from "./eventSampler.js";

const site = "st-mary" as SiteId;
const key = "a".repeat(64) as Sha256;
const enrolled = "b".repeat(64) as Sha256;
const day = 24 * 3_600_000;

function displacedKeys() {
  const lines: string[] = [];
  const clock = { now: 1_000 };
  const now = () => clock.now;
  const events = new EventSampler(({ detail }) => void lines.push(detail), now);
  return { keys: new DisplacedKeys(events, now), lines, clock };
}

it("counts the attempts, and writes one line in ten minutes with how many came meanwhile", () => {
  const { keys, lines, clock } = displacedKeys();
  for (let i = 0; i < 50; i++) {
    keys.note(site, key, "10.0.0.9");
    clock.now += 1_000;
  }
  expect(lines).toEqual([`key ${"a".repeat(16)}, from 10.0.0.9`]);
  expect(keys.of(site, enrolled)).toMatchObject({ fingerprint: key, attempts: 50, firstAt: 1_000 });
  clock.now = 1_000 + 10 * 60_000;
  keys.note(site, key, "10.0.0.9");
  expect(lines[1]).toMatch(/; 49 more since the previous line$/);
});

it("is silent of a key that is enrolled again, and of one that stopped a day ago", () => {
  const { keys, clock } = displacedKeys();
  keys.note(site, key, "10.0.0.9");
  expect(keys.of(site, key)).toBeNull();
  expect(keys.of("st-john" as SiteId, enrolled)).toBeNull();
  clock.now += day - 1;
  expect(keys.of(site, enrolled)).not.toBeNull();
  clock.now += 1;
  expect(keys.of(site, enrolled)).toBeNull();
});

it("writes a line for each site and key of its own", () => {
  const { keys, lines } = displacedKeys();
  keys.note(site, key, "10.0.0.9");
  keys.note("st-john" as SiteId, key, "10.0.0.9");
  keys.note(site, enrolled, "10.0.0.9");
  expect(lines).toHaveLength(3);
});
