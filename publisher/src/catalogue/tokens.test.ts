import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addReaderToken, listReaderTokens, revokeReaderToken } from "@consilium/runtime/release/readerTokens";
import { afterAll, expect, it } from "vitest";
import { Tokens } from "./tokens.js";

const root = await mkdtemp(join(tmpdir(), "consilium-tokens-"));
afterAll(() => rm(root, { recursive: true, force: true }));
const folder = () => mkdtemp(join(root, "t-"));
const [one, two] = ["one-0123456789", "two-0123456789"];
const now = Date.parse("2026-01-01T00:00:00Z");

it("opens the release that a token is for, at once, and no other", async () => {
  const state = await folder();
  const tokens = new Tokens(state, () => now);
  expect((await tokens.permits("anything"))(one)).toBe(false);
  const { token } = await addReaderToken(state, { release: one, label: "Dr A", now });
  expect((await tokens.permits(token))(one)).toBe(true);
  expect((await tokens.permits(token))(two)).toBe(false);
  expect((await tokens.permits(undefined))(one)).toBe(false);
  expect((await tokens.permits(`${token}x`))(one)).toBe(false);
  expect((await tokens.permits("x".repeat(1000)))(one)).toBe(false);
  const { token: every } = await addReaderToken(state, { release: "*", label: "", now });
  expect((await tokens.permits(every))(two)).toBe(true);
  expect((await tokens.permits(token))(one)).toBe(true);
});

it("ends with its time", async () => {
  const state = await folder();
  const { token } = await addReaderToken(state, { release: one, label: "", now, expiresAtMs: now + 1000 });
  expect((await new Tokens(state, () => now + 999).permits(token))(one)).toBe(true);
  expect((await new Tokens(state, () => now + 1000).permits(token))(one)).toBe(false);
});

it("stores hashes only, for the owner only", async () => {
  const state = await folder();
  const { token } = await addReaderToken(state, { release: one, label: "", now });
  const text = await readFile(join(state, "tokens.json"), "utf8");
  expect(text).not.toContain(token.slice(20));
  expect((await stat(join(state, "tokens.json"))).mode & 0o777).toBe(0o600);
});

it("refuses a damaged file, and what is no release", async () => {
  const state = await folder();
  await expect(addReaderToken(state, { release: "../x", label: "", now })).rejects.toMatchObject({
    code: "CONFIG_INVALID",
  });
  await writeFile(join(state, "tokens.json"), '{"tokens": [], "more": 1}');
  await expect(new Tokens(state).permits("x")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

it("opens nothing once it is revoked, and changes made at once all stay", async () => {
  const state = await folder();
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, i) => addReaderToken(state, { release: one, label: `reader ${i}`, now })),
  );
  const tokens = new Tokens(state, () => now);
  for (const { token } of made) expect((await tokens.permits(token))(one)).toBe(true);
  await revokeReaderToken(state, made[3]!.id);
  expect((await tokens.permits(made[3]!.token))(one)).toBe(false);
  expect((await tokens.permits(made[4]!.token))(one)).toBe(true);
  const listed = await listReaderTokens(state);
  expect(listed).toHaveLength(7);
  expect(JSON.stringify(listed)).not.toContain("sha256");
  await expect(revokeReaderToken(state, made[3]!.id)).rejects.toMatchObject({ code: "API_TOKEN_UNKNOWN" });
});
