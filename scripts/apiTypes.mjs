// The types of the HTTP APIs, from their OpenAPI documents: made before anything is compiled, and not committed.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const folder = new URL("../runtime/src/http/openapi/", import.meta.url);

// It is a dependency of runtime/, beside the version of TypeScript that it needs.
const require = createRequire(new URL("../runtime/package.json", import.meta.url));
const { default: nodesOf, astToString } = require("openapi-typescript");
mkdirSync(new URL("generated/", folder), { recursive: true });
for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const nodes = await nodesOf(readFileSync(new URL(file, folder), "utf8"), { defaultNonNullable: false });
  const text = `// Made by scripts/apiTypes.mjs from ${file}.\n\n${astToString(nodes)}`;
  const to = new URL(`generated/${file.replace(/\.json$/, ".ts")}`, folder);
  // An unchanged file keeps its time, and what was compiled of it stays.
  if (!existsSync(to) || readFileSync(to, "utf8") !== text) writeFileSync(to, text);
}
