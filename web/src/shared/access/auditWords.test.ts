import { type EventService, events } from "@consilium/core/logging/events";
import { expect, it } from "vitest";
import { hospitalAudit } from "../../hospital/access";
import { operatorAudit } from "../../operator/auditWords";

/** Of the event catalogue what an audit log has: each has these fields. */
const { fields: audited } = events["approved the study"];

const kindsOf = (service: EventService) =>
  Object.entries(events)
    .filter(([, event]) => JSON.stringify(event.fields) === JSON.stringify(audited))
    .filter(([, event]) => (event.by as readonly string[]).includes(service))
    .map(([kind]) => kind)
    // In the log for what has no event of its own; the audit log has its own kind.
    .filter((kind) => kind !== "changed by an administrator");

it.each([
  ["site-console", hospitalAudit],
  ["aggregator", operatorAudit],
] as const)("every kind that the %s records has words", (service, { kinds }) => {
  const recorded = kindsOf(service);
  expect(recorded.length).toBeGreaterThan(15);
  expect(recorded.filter((kind) => !(kind in kinds))).toEqual([]);
});

it.each([hospitalAudit, operatorAudit])("no two kinds of an audit log have the same words", ({ kinds }) => {
  const words = Object.values(kinds);
  expect(words.filter((one, at) => words.indexOf(one) !== at)).toEqual([]);
});
