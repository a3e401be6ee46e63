import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventStreamParser } from "./eventStream.js";

function parse(...pieces: string[]) {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece)).map((event) => event.data);
}

/** The example of the HTML standard, section 9.2.6, and what it says comes of it. */
describe("an event stream as the HTML standard has it", () => {
  it("joins data lines and ignores comments", () => {
    expect(parse("data: YHOO\ndata: +2\ndata: 10\n\n")).toEqual(["YHOO\n+2\n10"]);
    expect(
      parse(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"),
    ).toEqual(["first event", "second event", " third event"]);
  });

  it("fires for empty data, not for none, and drops what the end cuts off", () => {
    expect(parse("data\n\ndata\ndata\n\ndata:")).toEqual(["", "\n"]);
    expect(parse("event: x\n\n")).toEqual([]);
  });

  it("keeps the last id until another comes and reads type and retry", () => {
    const parser = new EventStreamParser();
    const events = parser.push("id: 7\nevent: view\nretry: 1500\ndata: a\n\ndata: b\n\n");
    expect(events).toEqual([
      { type: "view", data: "a", lastEventId: "7" },
      { type: "message", data: "b", lastEventId: "7" },
    ]);
    expect(parser.retryMs).toBe(1500);
  });

  it("takes CR, LF and CR LF for a line's end and drops a byte order mark", () => {
    expect(parse("\ufeffdata: a\r\n\r\n", "data: b\r\r", "data: c\n\n")).toEqual(["a", "b", "c"]);
  });
});

describe("a stream cut anywhere", () => {
  it("gives the same events", () => {
    const text = 'data: {"a":1}\r\n\r\n: still here\n\ndata: x\ndata: y\r\rid: 3\ndata: z\n\n';
    const whole = parse(text);
    expect(whole).toEqual(['{"a":1}', "x\ny", "z"]);
    fc.assert(
      fc.property(fc.array(fc.nat({ max: text.length })), (cuts) => {
        const sorted = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = sorted.slice(1).map((end, index) => text.slice(sorted[index], end));
        expect(parse(...pieces)).toEqual(whole);
      }),
    );
  });

  it("never throws, whatever comes", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (pieces) => {
        const parser = new EventStreamParser();
        for (const piece of pieces) parser.push(piece);
      }),
    );
  });
});
