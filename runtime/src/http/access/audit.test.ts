import { expect, it } from "vitest";
import { auditCondition } from "./audit.js";

it("narrows to what is given, each as a value and never as SQL", () => {
  expect(auditCondition({ limit: 5 })).toEqual({ sql: "id < ?", values: [Number.MAX_SAFE_INTEGER] });
  expect(auditCondition({ limit: 5, people: true }).sql).toBe("id < ? AND actor IS NOT NULL");
  expect(auditCondition({ before: 9, limit: 5, study: "a' OR 1", kind: "joined" })).toEqual({
    sql: "id < ? AND study = ? AND kind = ?",
    values: [9, "a' OR 1", "joined"],
  });
  expect(auditCondition({ limit: 5, site: "a", from: 100, until: 200 })).toEqual({
    sql: "id < ? AND site = ? AND at >= ? AND at < ?",
    values: [Number.MAX_SAFE_INTEGER, "a", 100, 200],
  });
});
