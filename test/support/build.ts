import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** System tests run the built processes: they must be what the sources say. */
export default function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, [`${root}scripts/build.mjs`], { cwd: root, stdio: "inherit" });
}
