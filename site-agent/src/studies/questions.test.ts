import type { ConsiliumError } from "@consilium/core/errors";
import type { StudyId } from "@consilium/core/ids";
import { maxPersonTextBytes, maxQuestions } from "@consilium/core/limits";
import { Door, type Egress } from "@consilium/gate/door";
import { outboundBytes } from "@consilium/proto/frames";
import { createLogger } from "@consilium/runtime/log";
import { osRandom } from "@consilium/runtime/random";
import { openStore } from "@consilium/runtime/store/store";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { beforeEach, describe, expect, it } from "vitest";
import { AuditLog } from "../socket/auditLog.js";
import { migrations } from "../store/schema.js";
import { Approvals } from "./approvals.js";
import { Questions } from "./questions.js";
import { SiteRecords } from "./records.js";

const id = "vitals-0123456789" as StudyId;
const other = "other-0123456789" as StudyId;

let now: number;
let isConnected: boolean;
let said: { studyId: string; questionId: string; text: string }[];
let egress: Egress[];
let audit: AuditLog;
let records: SiteRecords;
let questions: Questions;
let restart: () => void;

beforeEach(() => {
  [now, isConnected, said, egress] = [1_000_000, true, [], []];
  const store = openStore(":memory:", migrations);
  records = new SiteRecords(store);
  audit = new AuditLog(store, () => now);
  const approvals = new Approvals(store);
  for (const [index, study] of [id, other].entries())
    approvals.wait({ id: study, hash: sha256(study), text: "{}", name: "vitals" }, 5_000_000, index);
  const door = new Door({
    log: (line) => egress.push(line),
    charged: () => {
      throw new Error("nothing was charged");
    },
    bytesOf: outboundBytes,
    now: () => now,
  });
  restart = () => {
    questions = new Questions({
      store,
      records,
      auditLog: audit,
      door,
      random: osRandom,
      now: () => now,
      log: createLogger({ service: "test", level: "silent" }),
      send: (message) => {
        if (!isConnected) return;
        const frame = message.take();
        if (frame.frame === "question") said.push(frame.question);
      },
    });
  };
  restart();
});

const codeOf = (call: () => void): string | null => {
  try {
    call();
    return null;
  } catch (thrown) {
    return (thrown as ConsiliumError).code;
  }
};
const answer = (questionId: string, text: string | null, studyId = id) =>
  questions.answered({ kind: "answer", studyId, questionId, text });

describe("a question to the operator", () => {
  it("leaves word by word, without who asks, is in the egress log, and in the audit log with its answer", () => {
    questions.ask(id, "Why 30 bins?\nWe have 12.", "mary");
    const [sent] = said;
    expect(sent).toEqual({
      studyId: id,
      questionId: expect.stringMatching(/^[0-9a-f]{32}$/),
      text: "Why 30 bins?\nWe have 12.",
    });
    const frame = outboundBytes({ frame: "question", question: sent! });
    expect(frame.toString()).not.toContain("mary");
    expect(egress).toMatchObject([
      { study: id, what: "question to the operator", bytes: frame.length, sha256: sha256(frame) },
    ]);
    answer(sent!.questionId, null);
    expect(questions.of(id)).toMatchObject([
      { askedBy: "mary", receivedAt: expect.any(String), answer: null },
    ]);
    answer(sent!.questionId, "<b>12</b> will do.");
    expect(questions.of(id)).toMatchObject([{ answer: "<b>12</b> will do." }]);
    const { questionId } = sent!;
    expect(questions.answeredSince(now - 1)).toEqual([
      { id: questionId, study: id, name: "vitals", answeredAt: new Date(now).toISOString() },
    ]);
    expect(questions.answeredSince(now)).toEqual([]);
    expect(audit.after(0, 10)).toMatchObject([
      { actor: "mary", kind: "asked the operator", study: id, detail: "Why 30 bins?\nWe have 12." },
      { actor: "the operator", kind: "answered a question", study: id, detail: "<b>12</b> will do." },
    ]);
  });

  it("is sent again until it is confirmed, across restarts, and not after", () => {
    isConnected = false;
    questions.ask(id, "Why?", "mary");
    expect([said, egress]).toEqual([[], []]);
    restart();
    isConnected = true;
    questions.sendAgain();
    questions.sendAgain();
    expect(said.map(({ text }) => text)).toEqual(["Why?", "Why?"]);
    expect(egress).toHaveLength(2);
    answer(said[0]!.questionId, null);
    questions.sendAgain();
    expect(said).toHaveLength(2);
    expect(records.hasQuestions()).toBe(true);
  });

  it("keeps its first answer, and takes none for what nobody asked", () => {
    questions.ask(id, "Why?", "mary");
    const { questionId } = said[0]!;
    answer(questionId, "Because.", other);
    answer("0".repeat(32), "Because.");
    expect(questions.of(id)).toMatchObject([{ answer: null, receivedAt: null }]);
    answer(questionId, "Because.");
    answer(questionId, "Something else.");
    answer(questionId, "Because.");
    expect(questions.of(id)).toMatchObject([{ answer: "Because." }]);
    expect(audit.count()).toBe(2);
  });

  it.each([
    ["nothing", " \n "],
    ["control characters", "a\u001b[2Jb"],
    ["a character that turns what follows", "a\u202eb"],
    ["half a surrogate pair", "a\ud800"],
    ["more bytes than a frame takes", "ä".repeat(maxPersonTextBytes / 2 + 1)],
  ])("may not be %s", (_, text) => {
    expect(codeOf(() => questions.ask(id, text, "mary"))).toBe("FIELD_INVALID");
    expect(said).toEqual([]);
  });

  it("is of a study that this hospital is to decide on or is in", () => {
    expect(codeOf(() => questions.ask("no-0123456789" as StudyId, "Why?", "mary"))).toBe("STUDY_UNKNOWN");
    records.end(id, "cancelled", now);
    expect(codeOf(() => questions.ask(id, "Why?", "mary"))).toBe("STUDY_STATE");
    expect(codeOf(() => questions.ask(other, "Why?", "mary"))).toBeNull();
  });

  it("is one of ten within an hour over all studies, and of twenty about one", () => {
    for (let k = 0; k < 10; k++) questions.ask(k % 2 === 0 ? id : other, `Why ${k}?`, "mary");
    expect(codeOf(() => questions.ask(id, "Why?", "mary"))).toBe("RATE_LIMITED");
    for (let k = 5; k < maxQuestions; k++) {
      now += 3_600_000;
      questions.ask(id, `Why ${k}?`, "mary");
    }
    now += 3_600_000;
    expect(codeOf(() => questions.ask(id, "Why?", "mary"))).toBe("RATE_LIMITED");
    expect(questions.of(id)).toHaveLength(maxQuestions);
    expect(codeOf(() => questions.ask(other, "Why?", "mary"))).toBeNull();
  });
});
