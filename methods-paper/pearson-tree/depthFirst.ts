import type { PearsonLevel, PearsonSplit } from "./splits.js";

/** A node by its level, from 0 at the root, and its place there: its branches are 2·place and 2·place + 1 of the next level. */
export interface NodePlace {
  readonly level: number;
  readonly place: number;
}

/**
 * The order in which the published method splits nodes, by steps 6 to 9 of [WYL20]. It goes one level down, takes that
 * level's next branch, and goes up again where none is left. An attribute that splits a node is removed from the whole tree; with
 * the last attribute the run ends, and every node that is not split is a leaf. Both sides replay it from the splits alone.
 */
export class DepthFirstRun {
  readonly #levels: (PearsonSplit | null)[][];
  readonly #attributes: number;
  readonly #asked = new Set<number>();
  /** Branches that wait to be visited, the next one last. */
  readonly #waiting: NodePlace[] = [{ level: 0, place: 0 }];

  /** @param attributes - how many the study has */
  constructor(depth: number, attributes: number) {
    this.#levels = Array.from({ length: depth }, (_, level) => new Array<null>(2 ** level).fill(null));
    this.#attributes = attributes;
  }

  /** The node to visit; null once the run has ended. */
  get next(): NodePlace | null {
    return this.#asked.size === this.#attributes ? null : (this.#waiting.at(-1) ?? null);
  }

  /** The tree so far: null for leaves and for nodes not visited yet. */
  get levels(): readonly PearsonLevel[] {
    return this.#levels;
  }

  /** The attributes that some split has taken. */
  get asked(): ReadonlySet<number> {
    return this.#asked;
  }

  /**
   * Says what became of the node to visit.
   * @param split - null makes it a leaf
   * @throws RangeError if the run has ended
   */
  visited(split: PearsonSplit | null): void {
    const { next } = this;
    if (next === null) throw new RangeError("the depth-first run has ended");
    const { level, place } = next;
    this.#waiting.pop();
    this.#levels[level]![place] = split;
    if (split === null) return;
    this.#asked.add(split.attribute);
    if (level + 1 === this.#levels.length) return;
    this.#waiting.push({ level: level + 1, place: 2 * place + 1 }, { level: level + 1, place: 2 * place });
  }
}
