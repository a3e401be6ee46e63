import type { Sha256, StudyId } from "@consilium/core/ids";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import { expect, test } from "vitest";
import { approvalOf } from "./approval.js";

test("an approval that an earlier version hashed is refused, with what to do", async () => {
  const approved = { id: "s1" as StudyId, contentHash: "c".repeat(64) as Sha256, rows: 7 };
  expect(approvalOf(approved)).toEqual({ contentHash: approved.contentHash, rows: 7 });
  const refused = inEnglish(Promise.resolve({ ...approved, contentHash: null }).then(approvalOf));
  await expect(refused).rejects.toMatchObject({
    code: "TABLE_CHANGED",
    message: "study s1: an earlier version hashed the approved table",
    remedy: "start the study again and approve it again",
  });
});
