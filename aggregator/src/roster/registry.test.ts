import type { Sha256, SiteId } from "@consilium/core/ids";
import { beforeEach, describe, expect, it } from "vitest";
import { testIdentity as identity, testRegistry } from "../../testing/roster/registry.js";
import type { SiteRegistry } from "./registry.js";

const site = "hospital-a" as SiteId;
const hash = (digit: string) => digit.repeat(64) as Sha256;
const token = hash("1");
const key = hash("a");
const otherKey = hash("b");

let registry: SiteRegistry;
let invite: ReturnType<typeof testRegistry>["invite"];
beforeEach(() => {
  ({ registry, invite } = testRegistry());
  invite(site, token, 1_000);
});

describe("a site", () => {
  it("is invited, then enrolled, then renewed: the first date stays", () => {
    expect(registry.site(site)).toMatchObject({ id: site, enrolledAt: null, fingerprint: null, tables: [] });
    registry.enrolled(site, identity(key), 100);
    registry.enrolled(site, { ...identity(otherKey), software: "0.2.0" }, 200);
    expect(registry.site(site)).toMatchObject({ enrolledAt: 100, fingerprint: otherKey, software: "0.2.0" });
  });

  it("keeps the heads of each key's ledger apart", () => {
    const head = (sequence: number) => ({ head: `${sequence}`, signature: new Uint8Array(64), sequence });
    registry.enrolled(site, identity(key), 100);
    registry.keepLedgerHead(site, head(7));
    registry.keepLedgerHead(site, head(6));
    expect(registry.ledgerHead(site)?.sequence).toBe(7);
    registry.enrolled(site, identity(otherKey), 200);
    expect(registry.ledgerHead(site)).toBeNull();
    registry.keepLedgerHead(site, head(99));
    registry.enrolled(site, identity(key), 300);
    // A hospital that was displaced is still held against its own newest head, not the other's.
    expect(registry.ledgerHead(site)?.sequence).toBe(7);
  });

  it("is known by what it last said", () => {
    registry.enrolled(site, identity(key), 100);
    const columns = [{ name: "age", type: "number" }];
    const tables = [
      { name: "visits", columns, budget: null },
      { name: "labs", columns: [], budget: { epsilon: 2.5, delta: 1e-6 } },
    ];
    registry.greeted(site, { software: "0.3.0", speaks: null, admits: null, tables, clockSkewMs: -4 }, 300);
    registry.seen(site, { at: 400, clockSkewMs: -5 });
    expect(registry.site(site)).toMatchObject({
      software: "0.3.0",
      tables: ["visits", "labs"],
      clockSkewMs: -5,
      lastSeenAt: 400,
    });
    expect([registry.columnsOf(site, "visits"), registry.columnsOf(site, "labs")]).toEqual([columns, []]);
    expect([registry.budgetOf(site, "visits"), registry.budgetOf(site, "labs")]).toEqual([
      null,
      { epsilon: 2.5, delta: 1e-6 },
    ]);
    expect(registry.budgetOf(site, "nothing")).toBeNull();
    expect(registry.site(site)).toMatchObject({ speaks: null, admits: null });
    const span = { lowest: 3, highest: 3 };
    const speaks = { plan: span, statement: span, editions: { counts: 2 } };
    const admits = {
      analyses: ["pca"],
      variants: ["sound"],
      maxEpsilon: 0.5,
      maxDelta: null,
      minimumSites: 3,
      tolerateColluding: 0,
      perHospital: false,
      requires: [],
    };
    const said = { software: "0.3.0", speaks, admits, tables: tables.slice(1), clockSkewMs: 0 };
    registry.greeted(site, said, 500);
    expect(registry.site(site)).toMatchObject({ speaks, admits });
    expect(registry.columnsOf(site, "visits")).toEqual([]);
  });

  it("that nobody invited is not there, and the others are in order", () => {
    invite("b-first" as SiteId, hash("3"), 1_000);
    registry.greeted(
      "stranger" as SiteId,
      { software: "x", speaks: null, admits: null, tables: [], clockSkewMs: 0 },
      1,
    );
    expect(registry.site("stranger" as SiteId)).toBeNull();
    expect(registry.sites().map(({ id }) => id)).toEqual(["b-first", site]);
  });
});
