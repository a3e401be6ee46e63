import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson } from "@consilium/core/canonicalJson";
import type { Member } from "@consilium/release/members";
import type { Authority } from "@consilium/runtime/identity/authority";
import { issueMembers } from "@consilium/runtime/identity/issueMembers";
import { testFederation } from "@consilium/runtime/testing/identity/federation";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MembersOnFile } from "./publishedMembers.js";

const federation = await testFederation();
const issuer = {
  federation: "test-federation",
  rootPem: federation.root.certificatePem,
};
const member: Member = {
  name: "North",
  signingKeyFingerprint: sha256("north"),
  from: "2025-01-01T00:00:00.000Z",
  until: null,
};
const signedOn = (day: number, root: Authority = federation.root) =>
  issueMembers(root, [member], `2026-01-0${day}T00:00:00.000Z`);

let state: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "consilium-members-"));
});
afterEach(() => rm(state, { recursive: true, force: true }));

it("shows exactly the bytes that the root signed, after a restart too", async () => {
  const members = await MembersOnFile.open(state, issuer);
  expect(members.bytes).toBeNull();
  await members.replace(signedOn(1));
  await members.replace(signedOn(2));
  const again = await MembersOnFile.open(state, issuer);
  expect(again.bytes).toEqual(await readFile(join(state, "members.json")));
  expect(again.bytes).toEqual(Buffer.from(members.bytes!));
  expect(Buffer.from(members.bytes!).toString()).toContain("2026-01-02");
});

it("takes the same list again, and no other of that time or before", async () => {
  const members = await MembersOnFile.open(state, issuer);
  const first = signedOn(2);
  await members.replace(first);
  await members.replace(first);
  // ECDSA signs the same text otherwise each time.
  await expect(members.replace(signedOn(2))).rejects.toMatchObject({ code: "FIELD_INVALID" });
  await expect(members.replace(signedOn(1))).rejects.toThrow(
    "got one of 2026-01-01T00:00:00.000Z, already have one of 2026-01-02T00:00:00.000Z",
  );
  expect(members.bytes).toEqual(first);
});

it("takes none of the issuing key, of another root, another federation or nobody", async () => {
  const members = await MembersOnFile.open(state, issuer);
  await members.replace(signedOn(1));
  const before = members.bytes;
  const { privateKey } = federation.issuer;
  const unsigned = JSON.parse(Buffer.from(signedOn(2)).toString()) as Record<string, unknown>;
  delete unsigned.signature;
  const lists = [
    signedOn(2, { ...federation.root, privateKey }),
    signedOn(2, (await testFederation()).root),
    signedOn(2, { ...federation.root, federation: "another" }),
    Buffer.from(canonicalJson(unsigned as never)),
    Buffer.from("{}"),
  ];
  for (const list of lists)
    await expect(members.replace(list)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  await expect(members.replace(new Uint8Array((1 << 20) + 1))).rejects.toMatchObject({
    code: "FIELD_INVALID",
  });
  expect(members.bytes).toBe(before);
});

it("does not start with a stored list that was changed", async () => {
  const text = Buffer.from(signedOn(1)).toString();
  await writeFile(join(state, "members.json"), text.replace("North", "South"));
  await expect(MembersOnFile.open(state, issuer)).rejects.toThrow("its signature is not the root's");
});
