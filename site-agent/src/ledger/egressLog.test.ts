import type { StudyId } from "@consilium/core/ids";
import { openStore } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { describe, expect, it } from "vitest";
import { migrations } from "../store/schema.js";
import { chainedHash, EgressLog, type EgressRecord, linesPerDay } from "./egressLog.js";

const study = "vitals-0123456789" as StudyId;
const noon = Date.UTC(2026, 4, 6, 12);
const day = 86_400_000;

const sent = (content: string, more: Partial<EgressRecord> = {}): EgressRecord => ({
  at: noon,
  study,
  step: "join",
  what: "refusal",
  whom: "the aggregator",
  bytes: content.length,
  sha256: sha256(content),
  charge: null,
  isRoutine: false,
  ...more,
});

const emptyLog = () => new EgressLog(openStore(":memory:", migrations));

describe("the egress log", () => {
  it("has a line for each message, oldest first, and counts one that is repeated on the same day", () => {
    const log = emptyLog();
    log.record(sent("one"));
    log.record(sent("two", { at: noon + 1 }));
    log.record(sent("one", { at: noon + 2 }));
    log.record(sent("one", { at: noon + day }));
    log.record(sent("one", { at: noon + day, step: "moments" }));
    log.record(sent("one", { at: noon + day, charge: 7 }));
    const { isRoutine, ...first } = sent("one");
    expect(log.entries()).toMatchObject([
      { ...first, messages: 2, bytes: 6, lastAt: noon + 2, isChained: false },
      { sha256: sha256("two"), messages: 1 },
      { at: noon + day, messages: 1 },
      { step: "moments", messages: 1 },
      { charge: 7, messages: 1 },
    ]);
    expect(log.studyMessages()).toBe(6);
  });

  it("keeps a day of heartbeats in one line that a record of the network can be held against", () => {
    const log = emptyLog();
    const beats = Array.from({ length: 20 }, (_, i) => `heartbeat ${i}`);
    for (const [i, beat] of beats.entries())
      log.record(sent(beat, { at: noon + i, study: null, step: "", what: "heartbeat", isRoutine: true }));
    const hash = beats.map((beat) => sha256(beat)).reduce((line, next) => chainedHash(line, next));
    expect(log.entries()).toMatchObject([
      { study: null, messages: 20, sha256: hash, isChained: true, at: noon, lastAt: noon + 19 },
    ]);
    expect(log.studyMessages()).toBe(0);
  });

  it("does not grow with what somebody asks for again and again, and leaves nothing out", () => {
    const log = emptyLog();
    const count = linesPerDay + 500;
    for (let i = 0; i < count; i++) log.record(sent(`fault ${i}`, { what: "fault", step: `step-${i}` }));
    log.record(sent("a charged vector", { what: "fault", step: "moments", charge: 3 }));
    const entries = log.entries();
    expect(entries).toHaveLength(linesPerDay + 2);
    expect(entries.reduce((sum, { messages }) => sum + messages, 0)).toBe(count + 1);
    expect(entries[linesPerDay]).toMatchObject({ step: "", messages: 500, isChained: true });
    expect(entries.at(-1)).toMatchObject({ charge: 3, isChained: false });
  });
});
