import type { Sha256, StudyId } from "@consilium/core/ids";
import { expect, test } from "vitest";
import { approvalOf } from "./approval.js";

test("an approval that an earlier version hashed is refused, with what to do", () => {
  const approved = { id: "s1" as StudyId, contentHash: "c".repeat(64) as Sha256, rows: 7 };
  expect(approvalOf(approved)).toEqual({ contentHash: approved.contentHash, rows: 7 });
  expect(() => approvalOf({ ...approved, contentHash: null })).toThrow(
    expect.objectContaining({ code: "TABLE_CHANGED", remedy: "start the study again and approve it again" }),
  );
});
