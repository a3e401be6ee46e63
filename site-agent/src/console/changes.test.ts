import type { StudyId } from "@consilium/core/ids";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { spend, testLedger } from "../../testing/ledger/ledger.js";
import { EgressLog } from "../outbox/egressLog.js";
import { Approvals } from "../studies/approvals.js";
import { SiteRecords } from "../studies/records.js";
import { Changes } from "./changes.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const id = "vitals-0123456789" as StudyId;

function site() {
  const { ledger, store } = testLedger();
  const records = new SiteRecords(store);
  const approvals = new Approvals(store);
  const status = { connected: true, lastFault: null };
  const policy = { status: vi.fn(() => ({ path: "", state: "absent", sha256: null, fault: null }) as const) };
  const egress = new EgressLog(store);
  const changes = new Changes({ records, egress, ledger, policy, connection: { status } });
  return { ledger, egress, approvals, status, policy, changes };
}

describe("what pages are told", () => {
  it("differs in what is different, and in nothing else", () => {
    const { changes, approvals, ledger, egress, status } = site();
    const before = changes.now();
    expect(changes.now()).toEqual(before);
    approvals.wait({ id, hash: sha256("x"), text: "{}", name: "vitals" }, 5_000, 1);
    const waiting = changes.now();
    expect(waiting).toEqual({ ...before, waiting: 1, studies: waiting.studies });
    expect(waiting.studies).not.toBe(before.studies);
    approvals.wait({ id, hash: sha256("x"), text: "{}", name: "vitals" }, 9_000, 1);
    expect(changes.now().studies).not.toBe(waiting.studies);
    spend(ledger, "other-0123456789", 1);
    expect(changes.now().ledger).toBe("3");
    const sent = {
      at: 1,
      step: "s",
      whom: "a",
      bytes: 1,
      sha256: sha256("y"),
      charge: null,
      isRoutine: false,
    };
    egress.record({ ...sent, study: null, what: "heartbeat" });
    expect(changes.now().egress).toBe("0");
    egress.record({ ...sent, study: id, what: "w" });
    expect(changes.now().egress).toBe("1");
    status.connected = false;
    expect(changes.now().connected).toBe(false);
  });

  it("is told once per difference, while anybody watches", () => {
    const { changes, ledger, policy } = site();
    const told = vi.fn();
    const end = changes.subscribe(told);
    vi.advanceTimersByTime(3_000);
    expect(told).not.toHaveBeenCalled();
    spend(ledger, "other-0123456789", 1);
    vi.advanceTimersByTime(3_000);
    expect(told).toHaveBeenCalledTimes(1);
    end();
    policy.status.mockClear();
    spend(ledger, "another-0123456789", 1);
    vi.advanceTimersByTime(3_000);
    expect(told).toHaveBeenCalledTimes(1);
    expect(policy.status).not.toHaveBeenCalled();
  });
});
