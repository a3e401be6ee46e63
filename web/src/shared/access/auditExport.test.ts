import type { AuditEventView } from "@consilium/core/access/views";
import { expect, it } from "vitest";
import { detailText } from "./auditDetail";
import { auditText, byStudy } from "./auditExport";

const event = (id: number, changes: Partial<AuditEventView> = {}): AuditEventView => ({
  id,
  at: "2026-03-04T12:00:00.000Z",
  actor: null,
  kind: "joined",
  study: null,
  site: null,
  detail: "",
  ...changes,
});

const words = { kinds: { joined: "asked the operator" }, itself: "the aggregator", hasSites: true } as const;

it("writes CSV in words, one column for each thing, that a spreadsheet shows and does not compute", () => {
  const events = [
    event(3, { kind: "refused", site: "st-mary", detail: "REFUSED_BY_SITE" }),
    event(2, { actor: '=HYPERLINK("x")', detail: "a, b" }),
    event(1, { kind: "new" }),
  ];
  expect(auditText(events, "csv", words)).toBe(
    "id,at,who,what,study,site,detail\r\n" +
      "3,2026-03-04T12:00:00.000Z,st-mary,refused,,st-mary,a person at the site has refused the study (REFUSED_BY_SITE)\r\n" +
      `2,2026-03-04T12:00:00.000Z,"'=HYPERLINK(""x"")",asked the operator,,,"a, b"\r\n` +
      "1,2026-03-04T12:00:00.000Z,the aggregator,new,,,\r\n",
  );
  expect(auditText([], "csv", { ...words, hasSites: false })).toBe("id,at,who,what,study,detail\r\n");
});

it("leaves what people wrote as it is, and names that only look like a code", () => {
  expect(detailText({ kind: "asked a question", detail: "DISK_FULL?" })).toBe("DISK_FULL?");
  expect(detailText({ kind: "dropped", detail: "first 2 DISK_FULL" })).toMatch(
    /^first 2 the disk .*\(DISK_FULL\)$/,
  );
  expect(detailText({ kind: "refused", detail: "NO_SUCH_CODE" })).toBe("NO_SUCH_CODE");
  expect(detailText({ kind: "ended", detail: "released" })).toBe("released");
  expect(detailText({ kind: "ended", detail: "failed DISK_FULL" })).toMatch(
    /^failed the disk .*\(DISK_FULL\)$/,
  );
});

it("writes each event as a line of JSON, as the API has it", () => {
  const lines = auditText([event(2), event(1)], "jsonl", words)
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([event(2), event(1)]);
});

it("groups by study, newest first, and what is of none last", () => {
  const events = [event(5), event(4, { study: "b" }), event(3, { study: "a" }), event(2, { study: "b" })];
  expect(byStudy(events).map(({ study, events: own }) => [study, own.map(({ id }) => id)])).toEqual([
    ["b", [4, 2]],
    ["a", [3]],
    [null, [5]],
  ]);
});
