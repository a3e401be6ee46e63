import { ConsiliumError } from "@consilium/core/errors";
import { describe, expect, it } from "vitest";
import { createLogger, errorFields, type LogLevel } from "./log.js";

function capture(level?: LogLevel) {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ service: "aggregator", stream, ...(level && { level }) });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe("the log", () => {
  it("writes one JSON object per line with level, time, service and component", () => {
    const { log, parsed } = capture();
    log.info("ready", { site: "pca-0123456789", releases: 4 });
    log.child("rounds").warn("a site revealed inconsistent shares", { site: "a", stage: "moments" });
    const [first, second] = parsed();
    expect(first).toMatchObject({ level: "info", service: "aggregator", msg: "ready", releases: 4 });
    expect(String(first?.time)).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(second).toMatchObject({ level: "warn", component: "rounds", stage: "moments", site: "a" });
  });

  it("obeys its level, in children too", () => {
    const { log, lines } = capture("warn");
    log.info("ready");
    log.child("x").debug("posted");
    log.child("x").error("the study failed");
    expect(lines.length).toBe(1);
    const { log: all, lines: allLines } = capture("debug");
    all.debug("posted");
    expect(allLines.length).toBe(1);
  });

  it("writes our errors with code, family and message", () => {
    const { log, parsed } = capture();
    log.error("a deposit failed", {}, new ConsiliumError("UPLOAD_HASH", "vector of site a"));
    expect(parsed()[0]?.error).toEqual({ code: "UPLOAD_HASH", family: "peer", message: "vector of site a" });
  });

  it("writes of other errors and of causes where and what kind, never a message or a property", () => {
    const { log, lines, parsed } = capture();
    const secret = "4711-JANE-DOE";
    class ParserError extends Error {
      readonly row = secret;
      readonly code = "EPARSE";
    }
    const inner = new ParserError(`could not convert '${secret}'\n    at ${secret}:1:2`, {
      cause: { secret },
    });
    log.error("a step failed", { study: "s" }, new ConsiliumError("COLUMN_TYPE", "row 17", { cause: inner }));
    log.error("a step failed", {}, inner);
    log.warn("a deposit was refused", {}, secret);
    log.error("a step failed", {}, Object.assign(new Error("x"), { code: secret }));
    expect(lines.join("")).not.toContain("JANE");
    expect(lines.join("")).not.toContain("could not");
    const first = parsed()[0]?.error as { causes: { name: string; code: string; frames: string[] }[] };
    expect(first.causes[0]).toMatchObject({ name: "ParserError", code: "EPARSE" });
    expect(first.causes[0]?.frames[0]).toContain("log.test.ts");
    expect(parsed()[1]?.error).toMatchObject({ code: "INTERNAL", family: "internal" });
  });

  it("ends with causes that go in circles", () => {
    const error = new Error("a");
    error.cause = error;
    expect(errorFields(error).causes?.length).toBe(5);
  });
});
