import { Duplex } from "node:stream";
import { serialize } from "node:v8";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Frames, sendMessage } from "./frames.js";

function bytesOf(messages: readonly unknown[]): Buffer {
  const parts: Buffer[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _, done) => {
      parts.push(bytes);
      done();
    },
  });
  for (const message of messages) sendMessage(stream, message);
  return Buffer.concat(parts);
}

const message = fc.oneof(
  fc.record({ id: fc.nat(), answer: fc.float64Array({ maxLength: 50 }) }),
  fc.record({ part: fc.array(fc.bigInt()), found: fc.option(fc.string()) }),
  fc.constant(null),
);

it("brings messages as they were sent, however their bytes come, and keeps what follows", () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 5 }),
      fc.uint8Array({ maxLength: 3 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (messages, rest, sizes) => {
        const bytes = Buffer.concat([bytesOf(messages), rest]);
        const frames = new Frames();
        const came: unknown[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const end = at + sizes[i % sizes.length]!;
          frames.add(bytes.subarray(at, end));
          at = end;
          for (let next = frames.next(); next !== null; next = frames.next()) came.push(next.message);
        }
        expect(came).toEqual(messages);
        expect(frames.rest()).toEqual(Buffer.from(rest));
      },
    ),
  );
});

it("takes no message that is too long, before it has come, and nothing that is no message", () => {
  const frames = new Frames(100);
  frames.add(bytesOf([new Uint8Array(200)]).subarray(0, 4));
  expect(() => frames.next()).toThrow(RangeError);
  const others = new Frames();
  const body = serialize({ id: 1 }).fill(0xff);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  others.add(Buffer.concat([head, body]));
  expect(() => others.next()).toThrow();
});
