import { unwrap } from "@consilium/core/result";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { confirmRevocations } from "@consilium/runtime/identity/confirmRevocations";
import { issueRevocations } from "@consilium/runtime/identity/issueRevocations";
import { verifyRevocations } from "@consilium/runtime/identity/revocations";
import type { Revocation } from "@consilium/runtime/identity/revoked";
import { openStore, type Store } from "@consilium/runtime/store/store";
import { type TestFederation, testFederation } from "@consilium/runtime/testing/identity/federation";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { ExpelledList } from "./expelledList.js";
import { SiteRecords } from "./records.js";

const start = Date.now();
const hour = 3_600_000;
const day = 24 * hour;
let federation: TestFederation;
let rootPem: string;
let first: Uint8Array;
let second: Uint8Array;
beforeAll(async () => {
  federation = await testFederation("harbour", start);
  rootPem = federation.root.certificatePem;
  const gone = { siteId: "gone", signingKeyFingerprint: "a".repeat(64), reason: "", revokedAt: start };
  first = issueRevocations(federation.root, undefined, [], start);
  second = issueRevocations(federation.root, read(first), [gone as Revocation], start + 1);
});

let store: Store;
let now: number;
beforeEach(() => {
  store = openStore(":memory:", migrations);
  now = start;
});

const read = (bytes: Uint8Array) => unwrap(verifyRevocations(bytes, { rootPem, knownSequence: 0 }));
/** As after a restart. */
const opened = () =>
  new ExpelledList({ records: new SiteRecords(store), rootPem, maxAgeMs: day, now: () => now });
const confirmed = (bytes: Uint8Array, at = now) =>
  confirmRevocations(federation.issuer, { bytes, sequence: read(bytes).sequence }, at);
const faultOf = (list: ExpelledList) => list.fault()?.code ?? "none";
const codeOf = (work: () => void) => {
  try {
    work();
  } catch (thrown) {
    return (thrown as { code?: string }).code ?? String(thrown);
  }
  return "taken";
};

it("stops new studies a day after the last confirmation, over restarts too", () => {
  const list = opened();
  expect(faultOf(list)).toBe("REVOCATIONS_UNCONFIRMED");
  list.take(first, confirmed(first));
  expect(faultOf(list)).toBe("none");
  now += day;
  expect([faultOf(list), faultOf(opened())]).toEqual(["none", "none"]);
  now += 1;
  expect([faultOf(list), faultOf(opened())]).toEqual(["REVOCATIONS_UNCONFIRMED", "REVOCATIONS_UNCONFIRMED"]);
  expect(inEnglish(() => list.demandInDate())).toThrow(/number 1\): last confirmed 1d ago, the limit is 1d/);
  list.take(first, confirmed(first));
  expect(faultOf(opened())).toBe("none");
});

it("is not made fresh by an old confirmation, sent again", () => {
  const list = opened();
  const old = confirmed(first);
  list.take(first, old);
  now += day + 1;
  list.take(first, old);
  expect(faultOf(list)).toBe("REVOCATIONS_UNCONFIRMED");
  list.take(first, confirmed(first));
  list.take(first, old);
  expect(faultOf(list)).toBe("none");
});

it("lets the confirmation of one list say nothing of the next", () => {
  const list = opened();
  list.take(first, confirmed(first));
  expect(codeOf(() => list.take(second, confirmed(first)))).toBe("REVOCATIONS_INVALID");
  expect(list.list?.sequence).toBe(1);
  expect(codeOf(() => list.take(second, new Uint8Array()))).toBe("REVOCATIONS_INVALID");
  expect([list.list?.sequence, faultOf(list), faultOf(opened())]).toEqual([1, "none", "none"]);
  list.take(second, confirmed(second));
  expect(faultOf(list)).toBe("none");
});

it("takes no older list, and no other one of the same number", () => {
  const list = opened();
  list.take(second, confirmed(second));
  expect(codeOf(() => list.take(first, confirmed(first)))).toBe("REVOCATIONS_STALE");
  const another = issueRevocations(federation.root, read(first), [], start + 2);
  expect(codeOf(() => list.take(another, confirmed(another)))).toBe("REVOCATIONS_INVALID");
  expect(codeOf(() => list.take(second, confirmed(second)))).toBe("taken");
  expect(list.view()).toMatchObject({ number: 2, sites: 1, fault: null });
});

it("stops new studies after the day by which the authority was to sign again", () => {
  const list = opened();
  list.take(first, confirmed(first));
  now = Date.parse(list.view().nextUpdate!);
  list.take(first, confirmed(first));
  expect(faultOf(list)).toBe("none");
  now += 1;
  list.take(first, confirmed(first));
  expect(faultOf(list)).toBe("REVOCATIONS_EXPIRED");
  const again = issueRevocations(federation.root, read(first), [], now);
  list.take(again, confirmed(again));
  expect(faultOf(list)).toBe("none");
});
