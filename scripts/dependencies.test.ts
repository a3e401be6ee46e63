import { describe, expect, it } from "vitest";
import { dependenciesDocument, dependencyFaults, type Manifest, projectPackages } from "./dependencies.js";
import { readProjectFile } from "./repository.js";

const document =
  "# D\n\n## `core`\n\n- `zod`: schemas.\n- `gone`: once needed.\n- `idle`: unused: nothing imports it.\n";

function faults(manifest: Manifest, imported: readonly string[]): string[] {
  const one = { folder: "core", manifest, imports: (name: string) => imported.includes(name) };
  return dependencyFaults(document, [one]).map(({ what }) => what);
}

describe("docs/DEPENDENCIES.md", () => {
  it("gives a reason for every runtime dependency, and every version is pinned exactly", () => {
    expect(dependencyFaults(readProjectFile(dependenciesDocument), projectPackages())).toEqual([]);
  });

  it("fails on a missing reason, a stale one, one that lies about use, and on a range", () => {
    expect(
      faults({ dependencies: { zod: "^4.0.0", ml: "1.0.0", idle: "1.0.0" } }, ["zod", "ml", "idle"]),
    ).toEqual([
      "zod is not pinned exactly: ^4.0.0",
      "core: no reason for ml",
      "core: idle is imported, its reason says unused",
      "core: gone is no dependency of it",
    ]);
    expect(faults({ dependencies: { zod: "4.0.0", gone: "1.5.6-r.1", idle: "1.0.0" } }, ["gone"])).toEqual([
      "core: zod is imported by nothing",
    ]);
  });
});
