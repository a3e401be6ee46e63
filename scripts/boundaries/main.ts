import { fileURLToPath } from "node:url";
import { sizeFaults } from "../../tools/size.js";
import { breachesIn, describeBreach, nativeBreaches, sourceFacts } from "./check.js";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const facts = sourceFacts(root);
const breaches = [...breachesIn(facts), ...nativeBreaches(root, facts)];
const faults = [...breaches.map(describeBreach), ...sizeFaults(facts)];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
