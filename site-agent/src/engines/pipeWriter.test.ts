import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { PipeWriter } from "./pipeWriter.js";

const after: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of after.splice(0).reverse()) await end();
});

/** The two ends of a pipe of the operating system; nothing is read at the far end before `resume`. */
async function pipe(): Promise<{ near: Socket; far: Socket }> {
  const folder = await mkdtemp(join(tmpdir(), "consilium-pipe-"));
  after.push(() => rm(folder, { recursive: true }));
  const server = createServer({ pauseOnConnect: true }).listen(join(folder, "pipe"));
  await once(server, "listening");
  const far = once(server, "connection");
  const near = connect(join(folder, "pipe"));
  await once(near, "connect");
  const [accepted] = (await far) as [Socket];
  after.push(() => {
    near.destroy();
    accepted.destroy();
    server.close();
  });
  return { near, far: accepted };
}

/** Writes until the system takes no more, and one piece waits that is smaller than a stream's own buffer. */
async function fill(writer: PipeWriter, near: Socket): Promise<void> {
  const kibibyte = new Uint8Array(1024);
  while (near.writableLength === 0) await writer.send([kibibyte]);
  expect(near.writableLength).toBeLessThan(near.writableHighWaterMark);
}

it("waits for what a full pipe does not take, until it is read", async () => {
  const { near, far } = await pipe();
  const writer = new PipeWriter(near);
  await fill(writer, near);
  let isFlushed = false;
  const flushed = writer.flush().then(() => {
    isFlushed = true;
  });
  await turn();
  expect(isFlushed).toBe(false);
  far.resume();
  await expect.poll(() => near.writableLength).toBe(0);
  await turn();
  expect(isFlushed).toBe(true);
  await flushed;
});

it.each(["near", "far"] as const)("stops waiting where the %s end is closed", async (closed) => {
  const { near, far } = await pipe();
  const writer = new PipeWriter(near);
  await fill(writer, near);
  const large = writer.send([new Uint8Array(8 * 1024 ** 2)]);
  const flushed = writer.flush();
  (closed === "near" ? near : far).destroy();
  await Promise.all([large, flushed]);
  await writer.flush();
  await writer.send([new Uint8Array(1)]);
  expect(writer.isOpen).toBe(false);
});

it("waits with more than a few megabytes until they are written, and says when bytes may be changed", async () => {
  const { near, far } = await pipe();
  const writer = new PipeWriter(near);
  const done: string[] = [];
  const sent = writer
    .send([new Uint8Array(2 * 1024 ** 2), new Uint8Array(6 * 1024 ** 2)], () => done.push("written"))
    .then(() => done.push("sent"));
  await turn();
  expect(done).toEqual([]);
  far.resume();
  await sent;
  expect(done).toEqual(["written", "sent"]);
});
