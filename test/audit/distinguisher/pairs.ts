import { levelsOf } from "@consilium/core/study/features";
import { noiseWeight } from "@consilium/core/study/plan";
import type { Study } from "@consilium/core/study/study";
import { foldRecords, type Proposal } from "@consilium/gate/fold";
import type { BlocksQuery } from "@consilium/gate/query";
import seedrandom from "seedrandom";
import type { Integers } from "../auditedMethod.js";
import { squaredDistance } from "../sensitivity.js";
import { placesOf } from "./places.js";
import type { SearchedStage } from "./stages.js";
import { type Fold, type Row, type Table, type Unit, vectorOf } from "./vectors.js";

/** Two tables that differ in one unit, and what the stage makes of them. */
export interface FoundPair {
  readonly smaller: Integers;
  readonly larger: Integers;
  /** The squared step over the one that is charged. */
  readonly ratio: number;
  /** Pairs that were tried. */
  readonly tried: number;
}

const orders = ["last", "first", "first of reversed", "shuffled"] as const;

interface Pair {
  readonly others: readonly Unit[];
  readonly unit: Unit;
  /** Of the larger table's records; the smaller one has the others as they are. */
  readonly order: (typeof orders)[number];
  readonly proposal: Proposal;
  readonly lots: "seeded" | "zeros";
}

interface Tried extends Omit<FoundPair, "tried"> {
  readonly pair: Pair;
}

/** Longest table that is filled up to a capacity: folds of longer ones take too long. */
const longestFilled = 1200;
/** Times as many tries: few records share a block, and most tables' answers hardly move. */
const blocksNeed = 4;
/** Rows drawn for each part of a block, to find some of both classes there. */
const rowsOfPlace = 40;

/**
 * The pair of neighbours with the largest squared step that is found: extremes first, then at random, then one coordinate of the
 * best after the other, and last with every capacity just not full, full and overfull, in several orders.
 * @param budget - pairs tried at random, and again as many from the best on
 * @param seed - the same pair again
 */
export async function searchPair(
  stage: SearchedStage,
  {
    budget,
    seed,
    fold = foldRecords,
  }: { readonly budget: number; readonly seed: string; readonly fold?: Fold },
): Promise<FoundPair> {
  const search = new Search(stage, fold, seed);
  await search.extremes();
  const each = search.ofBlocks ? blocksNeed * budget : budget;
  await search.places(each);
  for (let i = 0; i < each; i++) await search.try(search.drawn());
  for (let i = 0; i < each; i++) await search.try(search.changed());
  await search.partsTogether();
  await search.capacities();
  const { smaller, larger, ratio } = search.best!;
  return { smaller, larger, ratio, tried: search.tried };
}

class Search {
  readonly #stage: SearchedStage;
  readonly #fold: Fold;
  readonly #uniform: () => number;
  readonly #cells: readonly (readonly number[])[];
  readonly #odd = [Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  readonly #labels: number;
  readonly #rowsMost: number;
  readonly ofBlocks: boolean;
  readonly #weight: (index: number) => number;
  readonly #charged: number;
  /** The best where the unit falls into a part of a block, by block · parts + part. */
  readonly #byPlace = new Map<Proposal, Map<number, Tried>>();
  tried = 0;
  best: Tried | null = null;

  constructor(stage: SearchedStage, fold: Fold, seed: string) {
    const { study, noise, charged, proposals } = stage;
    this.#stage = stage;
    this.#fold = fold;
    this.#uniform = seedrandom(seed);
    this.#cells = cellsOf(study);
    this.#labels = study.label?.levels.length ?? 1;
    this.#rowsMost = study.patient?.maxRows ?? 1;
    this.ofBlocks = proposals[0]!.query.kind === "blocks";
    this.#weight = noiseWeight(noise.weights);
    const records = charged.kind === "group" ? charged.records : 1;
    this.#charged = noise.event.l2SensitivitySquared * records ** 2;
  }

  async try(pair: Pair): Promise<void> {
    const { study } = this.#stage;
    const { others, unit, order, proposal, lots } = pair;
    const table: Table = others.map((one, id) => ({ id, unit: one }));
    const added = { id: others.length, unit };
    const options = { study, proposal, fold: this.#fold, lots };
    const smaller = await vectorOf({ ...options, table });
    const larger = await vectorOf({ ...options, table: this.#ordered(table, added, order) });
    const ratio = Number(squaredDistance(smaller, larger, this.#weight)) / this.#charged;
    const tried: Tried = { pair, smaller, larger, ratio };
    this.tried++;
    if (this.best === null || ratio >= this.best.ratio) this.best = tried;
    this.#keepByPlace(tried);
  }

  #ordered(table: Table, added: Table[number], order: Pair["order"]): Table {
    switch (order) {
      case "last":
        return [...table, added];
      case "first":
        return [added, ...table];
      case "first of reversed":
        return [added, ...[...table].reverse()];
      case "shuffled":
        return shuffled([...table, added], seedrandom("order"));
    }
  }

  #keepByPlace(tried: Tried): void {
    const { proposal, unit, others } = tried.pair;
    if (!this.ofBlocks || tried.ratio < 0.1) return;
    const placeOf = placer(proposal);
    const place = placeOf(unit[0]!);
    const known = this.#byPlace.get(proposal) ?? new Map<number, Tried>();
    this.#byPlace.set(proposal, known);
    if (tried.ratio <= (known.get(place)?.ratio ?? 0)) return;
    const pair = { ...tried.pair, others: others.filter(([row]) => placeOf(row!) === place) };
    known.set(place, { ...tried, pair });
  }

  /** All cells at one of their extremes, alone and among equal rows at another. */
  async extremes(): Promise<void> {
    const at = (place: number, label: number): Unit => [
      { values: this.#cells.map((cells) => cells[place % cells.length]!), label },
    ];
    for (const proposal of this.#stage.proposals)
      for (let place = 0; place < 3; place++)
        for (let label = 0; label < this.#labels; label++)
          for (const others of this.ofBlocks ? [0, 2] : [0])
            await this.try({
              others: Array.from({ length: others }, () => at(place + 1, (label + 1) % this.#labels)),
              unit: this.#repeated(at(place, label)),
              order: "last",
              proposal,
              lots: "seeded",
            });
  }

  /** As many rows as a patient may have. */
  #repeated([row]: Unit): Unit {
    return Array.from({ length: this.#rowsMost }, () => row!);
  }

  drawn(): Pair {
    const like = this.#unit();
    let unit = this.#unit();
    // Half of the time the unit is like the others but for a few cells.
    if (this.#below(2) === 0) {
      unit = like;
      for (let changes = 1 + this.#below(4); changes > 0; changes--) unit = this.#rowChanged(unit);
    }
    const size = this.ofBlocks ? this.#below(6) : Math.max(0, this.#below(8) - 5);
    const isMixed = this.#below(3) === 0;
    const others = Array.from({ length: size }, () => (isMixed ? this.#unit() : like));
    return { others, unit, order: "last", ...this.#asked() };
  }

  #asked(): Pick<Pair, "proposal" | "lots"> {
    return { proposal: this.#proposal(), lots: this.#below(2) === 0 ? "zeros" : "seeded" };
  }

  #proposal(): Proposal {
    const { proposals } = this.#stage;
    return proposals[this.#below(proposals.length)]!;
  }

  /** The best pair with something else in one place. */
  changed(): Pair {
    const { pair } = this.best!;
    const { others, unit } = pair;
    const kind = this.#below(this.ofBlocks ? 8 : 4);
    if (kind === 0) return { ...pair, proposal: this.#proposal() };
    if (kind === 1 && this.#rowsMost > 1) {
      // Up to two rows more than are taken.
      const rows = 1 + this.#below(this.#rowsMost + 2);
      return { ...pair, unit: Array.from({ length: rows }, (_, r) => unit[r] ?? this.#row()) };
    }
    if (kind < 5 || others.length === 0) return { ...pair, unit: this.#rowChanged(unit) };
    if (kind === 5) return { ...pair, others: [...others, others[this.#below(others.length)]!] };
    if (kind === 6) return { ...pair, others: others.slice(1) };
    // All that are alike change alike, so that a block stays of one mind.
    const one = others[this.#below(others.length)]!;
    const other = this.#rowChanged(one);
    return { ...pair, others: others.map((each) => (each === one ? other : each)) };
  }

  #rowChanged(unit: Unit): Unit {
    const at = this.#below(unit.length);
    return unit.map((row, r) => {
      if (r !== at) return row;
      const place = this.#below(this.#cells.length + 1);
      if (place === this.#cells.length) return { ...row, label: this.#below(this.#labels) };
      return { ...row, values: row.values.map((value, f) => (f === place ? this.#cell(f) : value)) };
    });
  }

  /** Equal rows with one of another class, all in the same part of one of the first two blocks. */
  async places(budget: number): Promise<void> {
    for (const proposal of this.#stage.proposals) {
      const { query } = proposal;
      if (query.kind !== "blocks" || query.deal !== "record") continue;
      const placeOf = placer(proposal);
      const places = Array.from({ length: 2 * query.parts }, (): Row[] => []);
      for (let i = 0; i < rowsOfPlace * query.blocks * query.parts; i++) {
        const row = this.#row();
        places[placeOf(row)]?.push(row);
      }
      for (const rows of places)
        for (let i = 0; i < budget / places.length && rows.length > 1; i++) {
          const [row, other] = [rows[this.#below(rows.length)]!, rows[this.#below(rows.length)]!];
          if (row.label === other.label) continue;
          const others = [[other], [other], [other]];
          await this.try({ others, unit: [row], order: "last", proposal, lots: "seeded" });
        }
    }
  }

  /** Rows that a block holds; as many as a table where it keeps none. */
  #capacityOf({ rowsMost }: BlocksQuery): number {
    return rowsMost ?? this.#stage.study.participation.maxRowsPerSite;
  }

  /** Of two parts of a full block one record each: one comes, and the other, which came last, has no room. */
  async partsTogether(): Promise<void> {
    for (const [proposal, byPlace] of this.#byPlace) {
      const { query } = proposal;
      if (query.kind !== "blocks") continue;
      const kept = [...byPlace];
      const capacity = this.#capacityOf(query);
      for (const [place, { pair: one }] of kept)
        for (const [at, { pair: other }] of kept) {
          const sameBlock = Math.floor(place / query.parts) === Math.floor(at / query.parts);
          const both = [...one.others, ...other.others, other.unit];
          if (place === at || !sameBlock || both.length > capacity) continue;
          const room = Array.from({ length: capacity - both.length }, () => both[0]!);
          for (const order of orders) await this.try({ ...one, others: [...room, ...both], order });
        }
    }
  }

  /** The best pair in a table that is as long as something may be, one record shorter and longer, in every order. */
  async capacities(): Promise<void> {
    const { pair } = this.best!;
    const { query } = pair.proposal;
    const { maxRowsPerSite } = this.#stage.study.participation;
    const capacities =
      query.kind === "blocks" ? [this.#capacityOf(query), maxRowsPerSite * query.blocks] : [maxRowsPerSite];
    const sizes = capacities.flatMap((size) => (this.ofBlocks ? [size - 1, size, size + 1] : [size + 1]));
    for (const size of [pair.others.length, ...new Set(sizes)]) {
      if (size > longestFilled) continue;
      const filler = pair.others[0] ?? pair.unit;
      const room = Array.from({ length: Math.max(0, size - pair.others.length) }, () => filler);
      for (const order of orders) {
        // In another order a lot would fall to another record, which is no other table: but for lots that are all alike.
        const isDealt = query.kind === "blocks" && query.deal === "lot" && order !== "last";
        const lots = isDealt ? "zeros" : pair.lots;
        await this.try({ ...pair, others: [...room, ...pair.others], order, lots });
        if (room.length > 0) await this.try({ ...pair, others: [...pair.others, ...room], order, lots });
      }
    }
    if (this.ofBlocks) await this.#mixed(Math.max(...sizes));
    // Of a patient more rows than are used, all alike.
    for (const rows of this.#rowsMost === 1 ? [] : [this.#rowsMost + 1, 2 * this.#rowsMost])
      await this.try({ ...pair, unit: Array.from({ length: rows }, () => pair.unit[0]!) });
  }

  /** A table of all kinds of rows that overfills every block, in every order. */
  async #mixed(size: number): Promise<void> {
    const { pair } = this.best!;
    const { query } = pair.proposal;
    const isDealt = query.kind === "blocks" && query.deal === "lot";
    const others = Array.from({ length: Math.min(2 * size, longestFilled) }, () => [this.#row()]);
    for (const order of orders)
      await this.try({ ...pair, others, order, lots: isDealt ? "zeros" : pair.lots });
  }

  #unit(): Unit {
    const rows = this.#rowsMost === 1 ? 1 : 1 + this.#below(this.#rowsMost + 1);
    return Array.from({ length: rows }, () => this.#row());
  }

  #row(): Row {
    return { values: this.#cells.map((_, f) => this.#cell(f)), label: this.#below(this.#labels) };
  }

  #cell(f: number): number {
    const cells = this.#cells[f]!;
    const feature = this.#stage.study.features[f]!;
    if (feature.type === "categorical") return cells[this.#below(cells.length)]!;
    if (this.#uniform() < 0.03) return this.#odd[this.#below(this.#odd.length)]!;
    if (this.#uniform() < 0.6) return cells[this.#below(cells.length)]!;
    return feature.min + this.#uniform() * (feature.max - feature.min);
  }

  #below(bound: number): number {
    return Math.floor(this.#uniform() * bound);
  }
}

/** Where a method puts a row that falls into a block, as `placesOf`. */
function placer(proposal: Proposal): (row: Row) => number {
  const placeOf = placesOf(proposal);
  return ({ values, label }) => placeOf({ values: Float64Array.from(values), label, draw: -1 });
}

/** Values at which methods treat a cell otherwise than just beside: bounds, edges, an ulp below and above them; a level beyond the last. */
function cellsOf({ features }: Study): number[][] {
  return features.map((feature) => {
    if (feature.type === "categorical")
      return Array.from({ length: levelsOf(feature).length + 1 }, (_, k) => k);
    const { min, max, edges = [] } = feature;
    const beside = [min, max, ...edges].flatMap((value) => [nextTo(value, -1), nextTo(value, 1)]);
    return [min, max, (min + max) / 2, ...edges, ...beside];
  });
}

/** The double above, or below. */
function nextTo(value: number, steps: 1 | -1): number {
  if (value === 0) return steps * Number.MIN_VALUE;
  const word = new BigInt64Array(Float64Array.of(value).buffer);
  word[0] = word[0]! + BigInt(value > 0 ? steps : -steps);
  return new Float64Array(word.buffer)[0]!;
}

function shuffled<T>(items: T[], uniform: () => number): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(uniform() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}
