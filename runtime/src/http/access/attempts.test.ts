import { ConsiliumError } from "@consilium/core/errors";
import { describe, expect, it } from "vitest";
import { Attempts } from "./attempts.js";

function guesser() {
  const clock = { at: 1_000_000 };
  const attempts = new Attempts(() => clock.at);
  /** @returns whether it was let through */
  const fail = (address: string, account = "ada", device: string | null = null): boolean => {
    try {
      attempts.begin({ address, account, device });
      return true;
    } catch (thrown) {
      if (thrown instanceof ConsiliumError && thrown.code === "RATE_LIMITED") return false;
      throw thrown;
    }
  };
  const burst = (count: number, one: (i: number) => boolean) =>
    Array.from({ length: count }, (_, i) => one(i)).filter(Boolean).length;
  return { clock, attempts, fail, burst };
}

describe("failed attempts", () => {
  it("are five at once of one address at one account, ten over all, then one in a while", () => {
    const { clock, fail, burst } = guesser();
    expect(burst(20, () => fail("192.0.2.1"))).toBe(5);
    expect(burst(20, (i) => fail("192.0.2.1", `other-${i}`))).toBe(5);
    expect(fail("192.0.2.2")).toBe(true);
    clock.at += 120_000;
    expect(burst(20, () => fail("192.0.2.1"))).toBe(1);
  });

  it("of many addresses at one account are limited together, and its owner's browser is not", () => {
    const { fail, burst } = guesser();
    expect(burst(300, (i) => fail(`198.51.100.${i % 250}`))).toBe(100);
    expect(fail("203.0.113.9")).toBe(false);
    expect(fail("203.0.113.9", "grace")).toBe(true);
    expect(fail("198.51.100.1", "ada", "device of ada")).toBe(true);
    expect(burst(50, () => fail("198.51.100.1", "ada", "device of ada"))).toBe(9);
  });

  it("of one IPv6 network count as of one address, however they are written", () => {
    const { fail, burst } = guesser();
    const addresses = ["2001:db8::1", "2001:db8:0:0:9::", "2001:0DB8:0:0:1:2:3:4", "2001:db8::ffff:1"];
    expect(burst(20, (i) => fail(addresses[i % addresses.length]!))).toBe(5);
    expect(fail("2001:db8:0:1::1")).toBe(true);
    expect(burst(20, (i) => fail(i % 2 === 0 ? "::ffff:192.0.2.7" : "192.0.2.7"))).toBe(5);
  });

  it("are taken back by success, and count while it is not known", () => {
    const { attempts, fail, burst } = guesser();
    const undo = Array.from({ length: 5 }, () =>
      attempts.begin({ address: "192.0.2.1", account: "ada", device: null }),
    );
    expect(fail("192.0.2.1")).toBe(false);
    for (const succeed of undo) succeed();
    expect(burst(20, () => fail("192.0.2.1"))).toBe(5);
  });

  it("take a bounded amount of memory", () => {
    const { attempts, fail } = guesser();
    for (let i = 0; i < 30_000; i++) fail(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, `account-${i}`);
    expect(attempts.size).toBeLessThanOrEqual(20_000);
  });
});
