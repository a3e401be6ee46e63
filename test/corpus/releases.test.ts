/** Releases outlive versions: whole folders as readers fetched them. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyReleaseFolder } from "@consilium/runtime/release/verifyFolder";
import { afterAll, expect, it } from "vitest";
import { place } from "../../tools/corpus/place.js";
import { releasedExamples } from "../../tools/corpus/releases.js";

const rootPem = readFileSync(join(place.releases, "root.pem"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "consilium-corpus-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const names = Object.keys(releasedExamples);
const filesOf = (at: string) =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const verdictOf = async (at: string) => {
  const verified = await verifyReleaseFolder(at, { rootPem });
  return verified.ok ? "ok" : verified.error.code;
};

it.each(names)("%s verifies as a folder, and not with a byte changed or a file gone", async (name) => {
  const at = mkdtempSync(join(folder, "release-"));
  execFileSync("tar", ["-C", at, "-xzf", join(place.releases, `${name}.tar.gz`)]);
  expect(await verdictOf(at)).toBe("ok");
  // One of each kind: `publisher/everyByte.test.ts` changes each byte of a release.
  for (const file of ["certificate.json", "certificate.jws", "model.json"].map((one) => join(at, one))) {
    const bytes = readFileSync(file);
    const changed = Buffer.from(bytes);
    changed[changed.length >> 1]! ^= 1;
    writeFileSync(file, changed);
    expect(await verdictOf(at), file).toBe("RELEASE_CORRUPT");
    writeFileSync(file, bytes);
  }
  rmSync(join(at, "README.md"));
  expect(await verdictOf(at)).toBe("RELEASE_CORRUPT");
});

it("hold every kind of file that a release may have", () => {
  const kinds = new Set(
    filesOf(folder).map((file) => file.slice(file.lastIndexOf("/") + 1).replace(/^.*\./, "")),
  );
  for (const kind of ["csv", "parquet", "onnx", "svg", "json", "jws", "cff"]) expect(kinds).toContain(kind);
  expect(readdirSync(place.releases).sort()).toEqual(
    [...names.map((name) => `${name}.tar.gz`), "root.pem"].sort(),
  );
});
