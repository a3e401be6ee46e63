// `npm run check`: format, lint, types, boundaries, generated code, documents, unit and property tests of a few seconds.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install, makeApiTypes, must, mustAll, root } from "./prepare.mjs";

const node = process.execPath;
const bin = (path) => `${root}node_modules/${path}`;

const isTestSupport = /\.test\.tsx?$|\/test[A-Z]\w*\.tsx?$|\/testing\//;

install();
makeApiTypes();
step("format and lint");
must(node, [bin("@biomejs/biome/bin/biome"), "check", "."]);
step("types");
must(node, [bin("typescript/bin/tsc"), "-p", "tsconfig.check.json"]);
must(node, [bin("typescript/bin/tsc"), "-p", "web/tsconfig.json"]);
must(node, [bin("typescript/bin/tsc"), "-p", "docs/tsconfig.json"]);
step("boundaries and reading limits, plain words, APIs and kernels");
const typeScript = (...args) => [node, ["--import", "tsx", ...args]];
await mustAll([
  typeScript("scripts/boundaries/main.ts"),
  typeScript("scripts/words.ts"),
  // The sources, not what was built of them some time ago.
  [...typeScript("scripts/openapi.ts", "--check"), { TSX_TSCONFIG_PATH: `${root}tsconfig.check.json` }],
  [node, ["kernels/scripts/build.mjs", "--check"]],
]);
step("what is built");
checkBuiltFiles();
step("generated types");
checkGeneratedTypes();
if (!process.argv.includes("--no-tests")) {
  step("unit and property tests");
  must(node, [bin("vitest/vitest.mjs"), "run", "--project", "unit*"]);
}

function step(name) {
  process.stderr.write(`\n— ${name}\n`);
}

/** What is built is shipped: product code only. What tests share stands in `<package>/testing`. */
function checkBuiltFiles() {
  const { references } = JSON.parse(readFileSync(`${root}tsconfig.json`, "utf8"));
  const found = references.flatMap(({ path }) => {
    const { files } = JSON.parse(
      execFileSync(node, [bin("typescript/bin/tsc"), "--showConfig", "-p", `${root}${path}`], {
        encoding: "utf8",
      }),
    );
    return files.map((file) => join(path, file)).filter((file) => isTestSupport.test(file));
  });
  if (found.length === 0) return;
  process.stderr.write(
    `${found.join("\n")}\n${found.length} files of tests would be built and shipped: move them to <package>/testing\n`,
  );
  process.exit(1);
}

/** The committed types of the wire must be what the .proto files say now. */
function checkGeneratedTypes() {
  const fresh = mkdtempSync(join(tmpdir(), "consilium-proto-"));
  try {
    const { generate } = JSON.parse(readFileSync(`${root}proto/package.json`, "utf8")).scripts;
    const args = generate
      .split(" ")
      .slice(1)
      .map((arg) => (arg.startsWith("--outDir=") ? `--outDir=${fresh}` : arg));
    must(node, [bin("@grpc/proto-loader/build/bin/proto-loader-gen-types.js"), ...args], {
      cwd: `${root}proto`,
    });
    const committed = `${root}proto/src/generated`;
    const files = (folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
        .sort();
    const names = files(fresh);
    const same =
      JSON.stringify(names) === JSON.stringify(files(committed)) &&
      names.every((name) => readFileSync(fresh + name, "utf8") === readFileSync(committed + name, "utf8"));
    if (same) return;
    process.stderr.write(
      "proto/src/generated is not what the .proto files say: npm run generate --workspace proto\n",
    );
    process.exit(1);
  } finally {
    rmSync(fresh, { recursive: true });
  }
}
