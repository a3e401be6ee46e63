import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** System tests run the built processes: they must be what the sources say. `npm test` has built them already. */
export default function setup(): void {
  if (process.env.CONSILIUM_BUILT === "1") return;
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, [`${root}scripts/build.mjs`], { cwd: root, stdio: "inherit" });
}
