import type { EgressView } from "@consilium/core/hospital/ledgerViews";
import type { StudyId } from "@consilium/core/ids";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import { egressCsv } from "./egressCsv.js";

const left: EgressView = {
  at: "2026-05-06T07:08:09.010Z",
  lastAt: "2026-05-06T07:08:09.010Z",
  messages: 1,
  isChained: false,
  study: "vitals-0123456789" as StudyId,
  step: "moments",
  what: "masked vector",
  whom: "the aggregator",
  bytes: 4096,
  sha256: sha256("x"),
  charge: null,
};

describe("the egress log as CSV", () => {
  it("has one line per thing that left, and its charge where there is one", () => {
    const charge = {
      entry: 7,
      population: "default",
      epsilon: 0.25,
      delta: 1e-6,
      unit: "patient" as const,
      claimedEpsilon: null,
    };
    const lines = egressCsv([left, { ...left, charge }]).split("\r\n");
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(
      /^at,study,stage,what,whom,bytes,sha256,ledger entry,.*,last at,messages,hash of$/,
    );
    expect(lines[1]).toBe(
      `2026-05-06T07:08:09.010Z,vitals-0123456789,moments,masked vector,the aggregator,4096,${left.sha256},,,,,,,${left.at},1,the message`,
    );
    expect(lines[2]).toMatch(/,7,default,0\.25,0\.000001,patient,,2026-05-06T07:08:09\.010Z,1,the message$/);
  });

  it("quotes what needs it, and gives a spreadsheet no formula", () => {
    const [, line] = egressCsv([{ ...left, step: '=cmd|"x",1', what: 'a "b", c' }]).split("\r\n");
    expect(line).toContain(`,"'=cmd|""x"",1","a ""b"", c",`);
  });
});
