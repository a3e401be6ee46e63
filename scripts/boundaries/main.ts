import { fileURLToPath } from "node:url";
import { sizeFaults } from "../readingList.js";
import { breachesIn, describeBreach, sourceFacts } from "./check.js";

const facts = sourceFacts(fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, ""));
const faults = [...breachesIn(facts).map(describeBreach), ...sizeFaults(facts)];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
