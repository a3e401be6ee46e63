import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../testing/data/writeTable.js";
import { tablePlace } from "../place.js";
import { fileText } from "./fileBytes.js";

const folder = temporaryFolder();
const bytes = randomBytes(5 * 2 ** 18 + 7);
const digest = (one: Uint8Array) => createHash("sha256").update(one).digest("hex");
const textFile = (file: string) =>
  ({ file, hasHeader: false, encoding: "utf-8", place: tablePlace("t") }) as const;
describe.each([
  ["as it is", join(folder, "t.csv"), bytes],
  ["packed", join(folder, "t.csv.gz"), gzipSync(bytes)],
])("the text of a file %s", (_, file, written) => {
  writeFileSync(file, written);

  test("is whole where each piece is taken after a while", async () => {
    const pieces: Buffer[] = [];
    for await (const piece of fileText(textFile(file))) {
      await setTimeout(20);
      pieces.push(Buffer.from(piece));
    }
    expect(digest(Buffer.concat(pieces))).toBe(digest(bytes));
  });
});

test("a file is closed by a reader that stops early", async () => {
  const file = join(folder, "early.csv");
  writeFileSync(file, bytes);
  for await (const piece of fileText(textFile(file))) if (piece.length > 0) break;
  const open = readdirSync("/proc/self/fd").map((fd) => join("/proc/self/fd", fd));
  expect(open.filter((fd) => existsSync(fd)).map((fd) => readlinkSync(fd))).not.toContain(file);
});
