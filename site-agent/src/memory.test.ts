import { mkdirSync, writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../testing/data/writeTable.js";
import { usableMemory } from "./memory.js";

/** Control groups as Linux shows them: the groups of the process, and files of limits. */
function played(own: string, limits: Readonly<Record<string, string>>): number {
  const mounts = temporaryFolder();
  for (const [path, text] of Object.entries(limits)) {
    mkdirSync(dirname(join(mounts, path)), { recursive: true });
    writeFileSync(join(mounts, path), `${text}\n`);
  }
  writeFileSync(join(mounts, "own"), own);
  return usableMemory({ mounts, own: join(mounts, "own") });
}

const gibibyte = 1024 ** 3;
/** What version 1 shows where there is no limit: the largest multiple of a page in 63 bits. */
const none = "9223372036854771712";
const both = "9:name=systemd:/a\n4:memory:/a/b\n2:cpu,cpuacct:/c\n0::/\n";

it.each<[string, string, Record<string, string>, number]>([
  ["is a group's limit of version 2", "0::/a\n", { "a/memory.max": "4194304" }, 4_194_304],
  [
    "is the least of a group's limit and of those above it",
    "0::/a/b/c\n",
    {
      "a/b/c/memory.max": "max",
      "a/b/memory.max": "7000000",
      "a/memory.max": "5000000",
      "memory.max": "6000000",
    },
    5_000_000,
  ],
  ["is a container's, which sees its own group at the top", "0::/\n", { "memory.max": "4194304" }, 4_194_304],
  [
    "is one at the top where the group's folder is not shown",
    "0::/docker/ab\n",
    { "memory.max": "4194304" },
    4_194_304,
  ],
  [
    "is one at the top where the group lies outside of what is shown",
    "0::/../../x\n",
    { "memory.max": "5" },
    5,
  ],
  ["is a group's limit of version 1", both, { "memory/a/b/memory.limit_in_bytes": "4194304" }, 4_194_304],
  [
    "is one above it, of version 1",
    both,
    { "memory/a/b/memory.limit_in_bytes": none, "memory/a/memory.limit_in_bytes": "5000000" },
    5_000_000,
  ],
  [
    "is not that of another controller's group",
    both,
    { "c/memory.max": "5", "memory/c/memory.limit_in_bytes": "5" },
    totalmem(),
  ],
  ["is the machine's without a limit", "0::/a\n", { "a/memory.max": "max", "memory.max": "max" }, totalmem()],
  [
    "is the machine's without a limit of version 1",
    both,
    { "memory/a/b/memory.limit_in_bytes": none },
    totalmem(),
  ],
  [
    "is the machine's where a limit is larger",
    "0::/a\n",
    { "a/memory.max": String(1024 * gibibyte * 1024) },
    totalmem(),
  ],
  ["is the machine's where files say nothing", "", {}, totalmem()],
  ["is the machine's where a limit is no number", "0::/\n", { "memory.max": "?" }, totalmem()],
])("%s", (_, own, limits, bytes) => expect(played(own, limits)).toBe(bytes));

it("is the machine's where there are no control groups", () => {
  const mounts = temporaryFolder();
  expect(usableMemory({ mounts, own: join(mounts, "absent") })).toBe(totalmem());
});
