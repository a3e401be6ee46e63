import { readdirSync, readFileSync } from "node:fs";

/** A process as the system tells of it: its own processor seconds, and those of children that it has waited for. */
export interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  readonly own: number;
  readonly waitedFor: number;
}

/**
 * Processor seconds of a process and of the trees below it. What a tree had used when it was last looked at still counts once it has
 * ended, so that the sum never falls.
 */
export class ProcessorTime {
  readonly #pid: number;
  readonly #look: () => readonly ProcessTime[];
  readonly #trees = new Map<number, number>();

  constructor(pid = process.pid, look: () => readonly ProcessTime[] = running) {
    this.#pid = pid;
    this.#look = look;
  }

  seconds(): number {
    const all = this.#look();
    const children = new Map<number, ProcessTime[]>();
    for (const one of all) children.set(one.parent, [...(children.get(one.parent) ?? []), one]);
    for (const child of children.get(this.#pid) ?? []) {
      const tree = [child];
      for (const { pid } of tree) tree.push(...(children.get(pid) ?? []));
      const used = tree.reduce((sum, { own, waitedFor }) => sum + own + waitedFor, 0);
      this.#trees.set(child.pid, Math.max(this.#trees.get(child.pid) ?? 0, used));
    }
    const own = all.find(({ pid }) => pid === this.#pid)?.own ?? 0;
    return [...this.#trees.values()].reduce((sum, used) => sum + used, own);
  }
}

function running(): ProcessTime[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((name) => {
      try {
        const fields = readFileSync(`/proc/${name}/stat`, "utf8")
          .replace(/^.*\) /, "")
          .split(" ")
          .map(Number);
        const [user, system, ofChildren, systemOfChildren] = fields.slice(11, 15).map((ticks) => ticks / 100);
        return [
          {
            pid: Number(name),
            parent: fields[1]!,
            own: user! + system!,
            waitedFor: ofChildren! + systemOfChildren!,
          },
        ];
      } catch {
        // It has ended.
        return [];
      }
    });
}
