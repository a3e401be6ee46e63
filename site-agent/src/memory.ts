import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join, posix } from "node:path";

/** Where Linux shows control groups, and those of this process. */
interface ControlGroups {
  readonly mounts: string;
  readonly own: string;
}

/**
 * Memory, in bytes, that this process may use: the machine's, or less where its control group or one above that has a limit (`memory.max` of
 * version 2, `memory.limit_in_bytes` of version 1). Node's `constrainedMemory` looks at no group above its own, and has a number of 64
 * bits where there is no limit.
 */
export function usableMemory(groups: Partial<ControlGroups> = {}): number {
  const { mounts = "/sys/fs/cgroup", own = "/proc/self/cgroup" } = groups;
  const limits = textOf(own).split("\n").flatMap(limitFiles);
  return Math.min(totalmem(), ...limits.map((file) => limitOf(textOf(join(mounts, file)))));
}

/** Limits of a group, a line of `/proc/self/cgroup`, and of all above it: a container sees its own group at the top. */
function limitFiles(line: string): string[] {
  const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
  if (controllers === "") return upwards(path!).map((group) => join(group, "memory.max"));
  if (controllers?.split(",").includes("memory") !== true) return [];
  return upwards(path!).map((group) => join("memory", group, "memory.limit_in_bytes"));
}

/** A folder and all above it; one that leads out of what is mounted begins at the top. */
function upwards(path: string): string[] {
  const group = posix.resolve("/", path);
  return group === "/" ? [group] : [group, ...upwards(posix.dirname(group))];
}

function limitOf(text: string): number {
  return /^\d+$/.test(text) && Number(text) > 0 ? Number(text) : Number.POSITIVE_INFINITY;
}

/** Empty where there is no such file. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
