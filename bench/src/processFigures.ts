import { readFile } from "node:fs/promises";

/** The kernel counts processor time in hundredths of a second. */
const tickMs = 10;

/** Of all threads of a process. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may have spaces. User and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return tickMs * (Number(fields[11]) + Number(fields[12]));
}

export async function peakMemoryMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}
