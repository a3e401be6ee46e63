import type { Sha256, SiteId, StudyId } from "@consilium/core/ids";
import { maxQuestions } from "@consilium/core/limits";
import { inEnglish } from "@consilium/core/testing/inEnglish";
import type { AggregatorFrame } from "@consilium/proto/generated/consilium/v1/AggregatorFrame";
import { createLogger } from "@consilium/runtime/log";
import { openTestStore } from "@consilium/runtime/testing/store/store";
import { beforeEach, describe, expect, it } from "vitest";
import type { SiteSession } from "../roster/presence.js";
import { migrations } from "../store/schema.js";
import { Questions } from "./questions.js";
import { StudyRecords } from "./records.js";

const study = "x-0123456789" as StudyId;
const [site, sibling, stranger] = ["hospital-a", "hospital-b", "hospital-c"] as SiteId[];
const hash = "ab".repeat(32) as Sha256;
const idOf = (k: number) => k.toString(16).padStart(32, "0");

let now: number;
let records: StudyRecords;
let questions: Questions;
let sent: [SiteId, AggregatorFrame][];
let connected: Set<SiteId>;
let changes: number;

beforeEach(() => {
  [now, sent, changes] = [1_000, [], 0];
  connected = new Set([site!, sibling!]);
  records = new StudyRecords(openTestStore(migrations));
  const sites = [site!, sibling!];
  records.create({ id: study, name: "x", text: "{}", hash, software: "0.1.0", createdAt: 1, sites });
  questions = new Questions({
    records,
    presence: { session: (of) => (connected.has(of) ? session(of) : null) },
    now: () => now,
    log: createLogger({ service: "test", level: "silent" }),
    changed: () => changes++,
  });
});

const session = (of: SiteId) =>
  ({ site: of, send: (frame: AggregatorFrame) => void sent.push([of, frame]) }) as unknown as SiteSession;
const ask = (of: SiteId, questionId: string, text = "Why?", studyId = study) =>
  questions.asked(session(of), { kind: "question", studyId, questionId, text });
const told = (of: SiteId, questionId: string, text: string) => [
  of,
  { frame: "answer", answer: { studyId: study, questionId, text } },
];

describe("a hospital's question", () => {
  it("is kept once, confirmed each time, and answered once, to the hospital that asked alone", () => {
    ask(site!, idOf(1));
    ask(site!, idOf(1));
    expect(sent).toEqual([told(site!, idOf(1), ""), told(site!, idOf(1), "")]);
    expect(questions.of(study)).toMatchObject([{ id: idOf(1), site, text: "Why?", answer: null }]);
    sent = [];
    questions.answer(study, idOf(1), "<i>Because.</i>", "olga");
    expect(sent).toEqual([told(site!, idOf(1), "<i>Because.</i>")]);
    expect(questions.of(study)).toMatchObject([{ answer: "<i>Because.</i>", answeredBy: "olga" }]);
    expect(inEnglish(() => questions.answer(study, idOf(1), "Another.", "olga"))).toThrow(/answered already/);
    expect(inEnglish(() => questions.answer(study, idOf(2), "What?", "olga"))).toThrow(/no such question/);
    expect(changes).toBe(2);
    expect(records.trail({ limit: 10 })).toMatchObject([
      { kind: "answered a question", actor: "olga", site, study, detail: "<i>Because.</i>" },
      { kind: "asked a question", actor: null, site, study, detail: "Why?" },
    ]);
  });

  it("is answered at the next connection where the hospital was away", () => {
    ask(site!, idOf(1));
    connected.delete(site!);
    sent = [];
    questions.answer(study, idOf(1), "Because.", "olga");
    expect(sent).toEqual([]);
    questions.connected(session(sibling!));
    expect(sent).toEqual([]);
    questions.connected(session(site!));
    expect(sent).toEqual([told(site!, idOf(1), "Because.")]);
    now += 31 * 86_400_000;
    questions.connected(session(site!));
    expect(sent).toHaveLength(1);
  });

  it("of a hospital that was not invited, of no study, beyond the limit or under another's id is not kept", () => {
    ask(stranger!, idOf(1));
    ask(site!, idOf(1), "Why?", "no-0123456789" as StudyId);
    expect(sent).toEqual([]);
    for (let k = 0; k <= maxQuestions; k++) ask(site!, idOf(k), `Why ${k}?`);
    expect(questions.of(study)).toHaveLength(maxQuestions);
    sent = [];
    ask(sibling!, idOf(1), "Mine!");
    ask(site!, idOf(1), "Another text");
    expect(sent).toEqual([]);
    ask(sibling!, idOf(100));
    expect(sent).toEqual([told(sibling!, idOf(100), "")]);
  });

  it.each(["", "\u001b[2J", "a\u202eb", "ä".repeat(2_049)])("is not answered with %j", (text) => {
    ask(site!, idOf(1));
    expect(() => questions.answer(study, idOf(1), text, "olga")).toThrow(/text/);
    expect(questions.of(study)).toMatchObject([{ answer: null }]);
  });
});
