import { ConsiliumError } from "@consilium/core/errors";
import { type CatalogueEvent, type EventMessage, events } from "@consilium/core/logging/events";
import { type EventField, eventFields } from "@consilium/core/logging/fields";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ecsFaults } from "../../testing/logging/ecsFaults.js";
import { createLogger } from "../log.js";
import { logAudited } from "./audited.js";
import { traceId } from "./ecs.js";
import { logOutput } from "./output.js";

const origin = { version: "0.1.0", node: "st-mary" };
const catalogue = Object.entries(events) as [EventMessage, CatalogueEvent][];

function capture(format: "json" | "ecs" | "text") {
  const lines: string[] = [];
  const stream = logOutput(
    { format, stream: "stderr" },
    { origin, stream: { write: (line) => void lines.push(line) } },
  );
  const log = createLogger({ service: "site-agent", level: "debug", stream });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

function sample(type: EventField["type"]): string | number | boolean {
  if (type === "long") return 7;
  if (type === "boolean") return true;
  if (type === "ip") return "192.0.2.1";
  return type === "date" ? "2026-11-23T18:00:00.000Z" : "text";
}

describe("a line in ECS fields", () => {
  it.each(catalogue)("holds the schema, types included: %s", (message, event) => {
    const { log, parsed } = capture("ecs");
    const fields = Object.fromEntries(event.fields.map((name) => [name, sample(eventFields[name].type)]));
    log[event.level](message, fields, new ConsiliumError("UPLOAD_HASH", "vector", { cause: new Error("x") }));
    const line = parsed()[0]!;
    expect(ecsFaults(line)).toEqual([]);
    for (const name of event.fields)
      if (name !== "fault") expect(line[eventFields[name].ecs], name).toBe(fields[name]);
    expect(line).toMatchObject({
      message: event.says ?? message,
      "log.level": event.level,
      "event.action": event.action,
      "event.category": [event.category],
      "service.name": "site-agent",
      "service.version": "0.1.0",
      "service.node.name": "st-mary",
      "error.code": "UPLOAD_HASH",
      "error.type": "peer",
      "error.message": "vector",
    });
  });

  it("leaves out what is no field of its event, or not of its type, whatever a caller without types gives", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...catalogue),
        fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(eventFields)), fc.string()), fc.anything()),
        ([message, { level }], fields) => {
          const { log, parsed } = capture("ecs");
          try {
            log[level](message, fields as object);
          } catch {
            // Such as a text that JSON has no form for: nothing is written.
            return;
          }
          for (const line of parsed()) expect(ecsFaults(line)).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("has no text of another library's error, nor an unknown message", () => {
    const { log, lines, parsed } = capture("ecs");
    const secret = "4711-JANE-DOE";
    log.error(
      "a step failed",
      { study: "s" },
      Object.assign(new Error(secret), { row: secret, code: secret }),
    );
    log.error(secret as "a step failed", { step: "x" });
    log.error("a step failed", { [secret]: secret, patient: secret } as object);
    expect(lines.join("")).not.toContain("JANE");
    expect(parsed()[0]?.["error.stack_trace"]).toContain("ecs.test.ts");
  });

  it("has the same trace for a study's lines in all services", () => {
    const { log, parsed } = capture("ecs");
    log.info("joined a study", { study: "pca-1", table: "t" });
    log.child("studies").info("a study ended", { study: "pca-1", outcome: "released" });
    expect(parsed().map((line) => line["trace.id"])).toEqual([traceId("pca-1"), traceId("pca-1")]);
    expect(traceId("pca-1")).toMatch(/^[0-9a-f]{32}$/);
    expect(traceId("pca-2")).not.toBe(traceId("pca-1"));
  });
});

describe("a line as text", () => {
  it("is one line, whatever a field holds", () => {
    const { log, lines } = capture("text");
    log
      .child("studies")
      .warn("this site does not take part", { study: "s", code: "X", reason: 'a\nb = "c"' });
    expect(lines).toEqual([
      expect.stringMatching(
        /^\d{4}-.*Z WARN {2}site-agent\/studies: this site does not take part study=s code=X reason="a\\nb = \\"c\\""\n$/,
      ),
    ]);
  });
});

describe("the audit log's lines", () => {
  it("are events, each at its level", () => {
    const { log, parsed } = capture("ecs");
    const audited = logAudited(log);
    audited({ kind: "signed in", actor: "ada", detail: "" });
    audited({ kind: "sign-in failed", actor: null, detail: "ada" });
    audited({ kind: "opened", study: "s", site: null, detail: "join" });
    audited({ kind: "POST /api/things", actor: "ada" });
    expect(parsed().map((line) => [line["event.action"], line["log.level"], line["user.name"]])).toEqual([
      ["signed-in", "info", "ada"],
      ["sign-in-failed", "warn", undefined],
      ["step-opened", "debug", undefined],
      ["setting-changed", "info", "ada"],
    ]);
    expect(parsed().flatMap(ecsFaults)).toEqual([]);
    expect(parsed()[3]?.["consilium.detail"]).toBe("POST /api/things");
  });
});
