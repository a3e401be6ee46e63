import type { StudyId } from "@consilium/core/ids";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import { spend, testLedger } from "../../testing/ledger/ledger.js";
import { EgressLog } from "../ledger/egressLog.js";
import { Approvals } from "../studies/approvals.js";
import { SiteRecords } from "../studies/records.js";
import { AuditLog } from "./auditLog.js";
import { changesNow } from "./changes.js";

const id = "vitals-0123456789" as StudyId;

function site() {
  const { ledger, store } = testLedger();
  const records = new SiteRecords(store);
  const approvals = new Approvals(store);
  const status = { connected: true, lastFault: null };
  const policy = { status: () => ({ path: "", state: "absent", sha256: null, fault: null }) as const };
  const egress = new EgressLog(store);
  const auditLog = new AuditLog(store, () => 1);
  const now = () => changesNow({ records, egress, ledger, policy, connection: { status }, auditLog });
  return { auditLog, ledger, egress, approvals, status, now };
}

describe("what pages are told", () => {
  it("differs in what is different, and in nothing else", () => {
    const { now, approvals, ledger, egress, status, auditLog } = site();
    const before = now();
    expect(now()).toEqual(before);
    approvals.wait({ id, hash: sha256("x"), text: "{}", name: "vitals" }, 5_000, 1);
    const waiting = now();
    expect(waiting).toEqual({ ...before, waiting: 1, studies: waiting.studies });
    expect(waiting.studies).not.toBe(before.studies);
    approvals.wait({ id, hash: sha256("x"), text: "{}", name: "vitals" }, 9_000, 1);
    expect(now().studies).not.toBe(waiting.studies);
    const offered = now().studies;
    auditLog.record({ actor: "ada", kind: "asked the operator", study: id, detail: "Why?" });
    expect(now().studies).not.toBe(offered);
    spend(ledger, "other-0123456789", 1);
    expect(now().ledger).toBe("3");
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
    expect(now().egress).toBe("0");
    egress.record({ ...sent, study: id, what: "w" });
    expect(now().egress).toBe("1");
    status.connected = false;
    expect(now().connected).toBe(false);
  });
});
