import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makePrivateFolder, readFileIfThere, writeFileDurable } from "./durableFile.js";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "consilium-durable-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("writes with the given mode, replaces, and leaves no temporary file", async () => {
  const path = join(folder, "key.pem");
  await writeFileDurable(path, "first", { mode: 0o600 });
  await writeFileDurable(path, new Uint8Array([1, 2, 3]), { mode: 0o600 });
  expect([...(await readFile(path))]).toEqual([1, 2, 3]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["key.pem"]);
});

it("leaves the old content when the new one cannot be put in place", async () => {
  const path = join(folder, "taken");
  await makePrivateFolder(join(path, "inside"));
  await expect(writeFileDurable(path, "x")).rejects.toThrow();
  expect(await readdir(path)).toEqual(["inside"]);
  expect(await readdir(folder)).toEqual(["taken"]);
});

it("makes folders that only the owner can enter", async () => {
  const path = join(folder, "a", "b");
  await makePrivateFolder(path);
  await makePrivateFolder(path);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

it("tells a file that is not there from one that cannot be read", async () => {
  const path = join(folder, "content");
  expect(await readFileIfThere(path)).toBeNull();
  await writeFileDurable(path, "x");
  expect(String(await readFileIfThere(path))).toBe("x");
  await expect(readFileIfThere(folder)).rejects.toMatchObject({ code: "EISDIR" });
  await expect(readFileIfThere(join(path, "below"))).rejects.toMatchObject({ code: "ENOTDIR" });
});
