import type { AuditEventView } from "@consilium/core/access/views";
import { expect, it } from "vitest";
import { auditText, byStudy } from "./auditExport";

const event = (id: number, changes: Partial<AuditEventView> = {}): AuditEventView => ({
  ...{ id, at: "2026-03-04T12:00:00.000Z", actor: null, kind: "joined", study: null, site: null, detail: "" },
  ...changes,
});

const words = { kinds: { joined: "asked the operator" }, itself: "the aggregator" } as const;

it("writes CSV that a spreadsheet shows and does not compute", () => {
  const text = auditText(
    [event(2, { actor: '=HYPERLINK("x")', detail: "a, b" }), event(1, { kind: "new" })],
    "csv",
    words,
  );
  expect(text).toBe(
    "id,at,who,actor,kind,what,study,site,detail\r\n" +
      `2,2026-03-04T12:00:00.000Z,"'=HYPERLINK(""x"")","'=HYPERLINK(""x"")",joined,asked the operator,,,"a, b"\r\n` +
      "1,2026-03-04T12:00:00.000Z,the aggregator,,new,new,,,\r\n",
  );
});

it("writes each event as a line of JSON", () => {
  const lines = auditText([event(2), event(1)], "jsonl", words)
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    [event(2), event(1)].map((one) => ({ ...one, who: "the aggregator", what: "asked the operator" })),
  );
});

it("groups by study, newest first, and what is of none last", () => {
  const events = [event(5), event(4, { study: "b" }), event(3, { study: "a" }), event(2, { study: "b" })];
  expect(byStudy(events).map(({ study, events: own }) => [study, own.map(({ id }) => id)])).toEqual([
    ["b", [4, 2]],
    ["a", [3]],
    [null, [5]],
  ]);
});
