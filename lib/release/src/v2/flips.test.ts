/** No bit of a release can change unseen. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identifySigner, identifySite } from "@consilium/runtime/release/verifyFolder";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { unpackRelease } from "../../testing/released.js";
import { certificateFile, signatureFile } from "./schema.js";
import { verifyRelease } from "./verify.js";

const seed = 20_261_128;
const flips = 600;

const temporary = mkdtempSync(join(tmpdir(), "consilium-flips-"));
afterAll(() => rmSync(temporary, { recursive: true }));
const { folder, rootPem } = unpackRelease(temporary);
const files = new Map(
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(folder.length + 1), new Uint8Array(readFileSync(path))]),
);
const names = [...files.keys()].sort();

async function faultOf(changed: ReadonlyMap<string, Uint8Array>): Promise<string> {
  const found = await verifyRelease({
    certificate: changed.get(certificateFile)!,
    signature: changed.get(signatureFile)!,
    present: names.filter((name) => name !== certificateFile && name !== signatureFile),
    digest: async (name) => ({ bytes: changed.get(name)!.length, sha256: sha256(changed.get(name)!) }),
    identify: identifySigner(rootPem),
    identifySite: identifySite(rootPem),
  });
  return found.ok ? "none" : found.error.code;
}

it("of version 0.1 verifies as it is", async () => {
  expect(names.length).toBeGreaterThan(10);
  expect(await faultOf(files)).toBe("none");
});

it(`is refused after each of ${flips} flips of a bit, drawn from seed ${seed}`, async () => {
  const tried = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(7), fc.nat(2), async (file, place, bit, part) => {
      // A third of the certificate, a third of its signature, a third of all others.
      const name = [certificateFile, signatureFile, names[file % names.length]!][part]!;
      const bytes = Uint8Array.from(files.get(name)!);
      bytes[place % bytes.length]! ^= 1 << bit;
      tried.add(name);
      expect(await faultOf(new Map([...files, [name, bytes]])), `${name} ${place % bytes.length}`).toBe(
        "RELEASE_CORRUPT",
      );
    }),
    { seed, numRuns: flips, endOnFailure: true },
  );
  expect([...tried].sort()).toEqual(names);
});
