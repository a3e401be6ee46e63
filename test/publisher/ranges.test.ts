/**
 * What a reader that fetches by ranges relies on, over a real socket: the requests that DuckDB's httpfs, fsspec and
 * download managers make (RFC 9110 sections 13 and 14). It stands for DuckDB's HTTP extension where that cannot be
 * installed.
 */
import { readFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { type Cell, rowBytesOf, sampleContent } from "@consilium/publisher/testing/release";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PublisherProcess, type TestNetwork, testNetwork } from "./network.js";

const rows = Array.from({ length: 20_000 }, (_, row): Cell[] => [
  row,
  Math.sqrt(row),
  row % 2 ? "benign" : "malignant",
]);
const content = sampleContent({ rows: rows.length });

let network: TestNetwork;
let publisher: PublisherProcess;
let file: Buffer;
let etag: string;
let url: string;

beforeAll(async () => {
  network = await testNetwork();
  publisher = await network.start(await network.makePublisher());
  const done = await network.deposit(publisher, content, rowBytesOf(content, rows));
  url = `${done.url}data.parquet`;
  file = await readFile(join(publisher.state, "releases", content.id, "data.parquet"));
  etag = `"${sha256(file)}"`;
});
afterAll(() => network?.close());

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

/** A plain HTTP/1.1 request, so that nothing between changes or completes it. */
function ask(headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      );
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("one range", () => {
  it.each([
    ["the magic number at the start", "bytes=0-3", 0, 4],
    ["the footer's length and magic number, as a suffix", "bytes=-8", -8, undefined],
    ["the middle", "bytes=1000-1999", 1000, 2000],
    ["from an offset to the end", "bytes=500-", 500, undefined],
    ["beyond the end, cut there", "bytes=100-999999999", 100, undefined],
    ["a suffix longer than the file", "bytes=-999999999", 0, undefined],
  ])("%s", async (_what, range, from, to) => {
    const answer = await ask({ range });
    const expected = file.subarray(from, to);
    expect(answer.status).toBe(206);
    expect(answer.body.equals(expected)).toBe(true);
    const first = from < 0 ? file.length + from : from;
    expect(answer.headers["content-range"]).toBe(
      `bytes ${first}-${first + expected.length - 1}/${file.length}`,
    );
    expect(answer.headers["content-length"]).toBe(String(expected.length));
    expect(answer.headers.etag).toBe(etag);
    expect(answer.headers["accept-ranges"]).toBe("bytes");
    expect(answer.headers["content-encoding"]).toBeUndefined();
  });

  it("is not satisfiable beyond the end, and says how long the file is", async () => {
    const answer = await ask({ range: `bytes=${file.length}-` });
    expect(answer.status).toBe(416);
    expect(answer.headers["content-range"]).toBe(`bytes */${file.length}`);
    expect(answer.body.length).toBe(0);
  });

  it.each(["bytes=9-1", "bytes=x", "lines=1-2"])(
    "that is malformed or of another unit gives the whole: %s",
    async (range) => {
      const answer = await ask({ range });
      expect([answer.status, answer.body.equals(file)]).toEqual([200, true]);
    },
  );

  it("puts a file together again from pieces in any order", async () => {
    const pieces = new Map<number, Buffer>();
    const step = 7_919;
    const starts = [];
    for (let at = 0; at < file.length; at += step) starts.push(at);
    for (const at of starts.reverse()) {
      pieces.set(at, (await ask({ range: `bytes=${at}-${at + step - 1}` })).body);
    }
    const whole = Buffer.concat([...pieces].sort(([a], [b]) => a - b).map(([, piece]) => piece));
    expect(whole.equals(file)).toBe(true);
  });
});

it("several ranges come as multipart/byteranges", async () => {
  const answer = await ask({ range: "bytes=0-3,-8, 100-199" });
  expect(answer.status).toBe(206);
  const boundary = /^multipart\/byteranges; boundary=(\S+)$/.exec(
    String(answer.headers["content-type"]),
  )?.[1];
  expect(answer.headers["content-length"]).toBe(String(answer.body.length));
  expect(answer.headers["content-range"]).toBeUndefined();
  const text = answer.body.toString("latin1");
  const parts = text.split(`--${boundary}`);
  expect(parts.at(-1)).toBe("--\r\n");
  const expected = [
    [0, 4],
    [file.length - 8, file.length],
    [100, 200],
  ] as const;
  expect(parts.length).toBe(expected.length + 2);
  expected.forEach(([from, to], index) => {
    const [head, body] = parts[index + 1]!.split("\r\n\r\n", 2) as [string, string];
    expect(head).toContain(`Content-Range: bytes ${from}-${to - 1}/${file.length}`);
    const got = parts[index + 1]!.slice(head.length + 4, -2);
    expect(Buffer.from(got, "latin1").equals(file.subarray(from, to)), body.slice(0, 4)).toBe(true);
  });
});

describe("conditions", () => {
  it("If-Range with this tag keeps the range, with another or a date gives the whole", async () => {
    expect((await ask({ range: "bytes=0-9", "if-range": etag })).status).toBe(206);
    for (const other of ['"other"', `W/${etag}`, "Sat, 29 Oct 2994 19:43:31 GMT"]) {
      const answer = await ask({ range: "bytes=0-9", "if-range": other });
      expect([answer.status, answer.body.length]).toEqual([200, file.length]);
    }
  });

  it("If-None-Match with this tag says not modified, for HEAD too, whatever range is asked", async () => {
    for (const method of ["GET", "HEAD"]) {
      const answer = await ask({ "if-none-match": `"x", ${etag}`, range: "bytes=0-9" }, method);
      expect([answer.status, answer.body.length, answer.headers.etag]).toEqual([304, 0, etag]);
    }
    expect((await ask({ "if-none-match": '"x"' })).status).toBe(200);
  });

  it("If-Match with another tag fails", async () => {
    expect((await ask({ "if-match": '"x"' })).status).toBe(412);
    expect((await ask({ "if-match": etag })).status).toBe(200);
  });
});

describe("HEAD", () => {
  it("says what GET would, without a body; a Range means nothing to it", async () => {
    const get = await ask();
    const head = await ask({ range: "bytes=0-3" }, "HEAD");
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const name of ["content-length", "content-type", "etag", "accept-ranges", "cache-control"]) {
      expect(head.headers[name], name).toEqual(get.headers[name]);
    }
    expect(head.headers["content-length"]).toBe(String(file.length));
  });
});

it("other methods are refused", async () => {
  for (const method of ["PUT", "DELETE", "POST"]) expect((await ask({}, method)).status).toBe(404);
});
