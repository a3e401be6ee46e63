import type { StudyId } from "@consilium/core/ids";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { beforeEach, describe, expect, it } from "vitest";
import { testLedger } from "../../testing/ledger/ledger.js";
import { Approvals } from "../studies/approvals.js";
import { approvalRecords } from "./approvalRecords.js";

const id = "vitals-0123456789" as StudyId;

let made: ReturnType<typeof testLedger>;
beforeEach(() => {
  made = testLedger();
});

function approve(record: string, study = id): void {
  const { ledger, store } = made;
  store.transaction(() => ledger.approve(study, new Approvals(store).keepRecord(study, record)));
}
const found = (given: string = id) => approvalRecords(made.store, made.ledger.entries(), given);

describe("records of approvals", () => {
  it("come in their order, each with the entry that has its hash", () => {
    approve("one");
    approve("elsewhere", "vitals-9999999999" as StudyId);
    approve("two");
    expect(found()).toEqual({
      study: id,
      records: [
        { text: "one", entry: { sequence: 2, record: sha256("one") } },
        { text: "two", entry: { sequence: 4, record: sha256("two") } },
      ],
      missing: [],
    });
    expect(found("vitals-01").study).toBe(id);
    expect(made.ledger.verify().ok).toBe(true);
  });

  it("are told apart where a text was changed, put in another's place, or removed", () => {
    approve("one");
    made.store.run("UPDATE approval_records SET record = 'onf'");
    const [changed] = found().records;
    expect(sha256(changed!.text)).not.toBe(changed!.entry!.record);
    made.store.run("UPDATE approval_records SET hash = ?", sha256("onf"));
    const missing = [{ sequence: 2, record: sha256("one") }];
    expect(found()).toEqual({ study: id, records: [{ text: "onf", entry: null }], missing });
    made.store.run("DELETE FROM approval_records");
    expect(found()).toEqual({ study: id, records: [], missing });
  });

  it("are of a study that is known, by as much of its id as no other has", () => {
    approve("one");
    approve("two", "vitals-9999999999" as StudyId);
    expect(() => found("vit")).toThrow(expect.objectContaining({ code: "USAGE" }));
    expect(() => found("other")).toThrow(expect.objectContaining({ code: "STUDY_UNKNOWN" }));
  });

  it("are gone with the transaction that was to decide", () => {
    expect(() =>
      made.store.transaction(() => {
        approve("one");
        throw new RangeError("no");
      }),
    ).toThrow("no");
    expect(made.ledger.entries().map(({ entry }) => entry.kind)).toEqual(["open"]);
    expect(() => found()).toThrow(expect.objectContaining({ code: "STUDY_UNKNOWN" }));
  });
});
