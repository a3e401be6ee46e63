/** What verifies a release of format 2 is changed by nobody: a mistake found later is mended in a version of its own. */
import { readFileSync } from "node:fs";
import { sha256 } from "@consilium/secure-sum/crypto/hash";
import { expect, it } from "vitest";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

/** Where a module of another folder lies may change, and which names are imported from it with that. */
const withoutImports = (text: string) => text.replace(/^import [^;]*;\n/gm, "").trimStart();

it("format 2 is frozen", () => {
  const hashes = ["schema.ts", "statement.ts", "verify.ts"].map((name) => [
    name,
    sha256(withoutImports(read(name))),
  ]);
  expect(Object.fromEntries(hashes)).toEqual({
    "schema.ts": "3a24accce3db7d2f5a9342bfda94b75d4f5ed8adfb4e41d6a171ded4d63501e8",
    "statement.ts": "497821855d8e6d560673be9bfd025c6a0205a3cc6aacf6eadd0d7562410a90c5",
    "verify.ts": "c4a4cfeb587eba0f0143d0f8cf159ec834bef1c7261e2169da83e1a5df9340f6",
  });
});
