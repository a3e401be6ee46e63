import { plainKernels } from "@consilium/core/linalg/plain";
import { fitCox } from "../../regression/fits/cox.js";
import type { Fit, Next } from "../../regression/fits/fit.js";
import { fitLinear } from "../../regression/fits/linear.js";
import { fitLogistic } from "../../regression/fits/logistic.js";
import { fitPoisson } from "../../regression/fits/poisson.js";
import type { OpenedSum, Start } from "../../regression/openedSum.js";
import { pooledNext } from "../../regression/predicting.js";

/** Drawn tables of every family, summed at one place with normal noise: how often intervals hold, coefficient by coefficient. */

/** Uniform numbers in [0, 1), reproducible. */
export function uniforms(seed: number): () => number {
  let [a, b, c, d] = [0x9e3779b9 ^ seed, 0x243f6a88, 0xb7e15162, seed | 1];
  const next = () => {
    const t = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return (t >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 20; i++) next();
  return () => (Math.floor(next() * 2 ** 26) * 2 ** 27 + Math.floor(next() * 2 ** 27)) / 2 ** 53;
}

export class Draws {
  readonly uniform: () => number;
  #spare: number | null = null;

  constructor(seed: number) {
    this.uniform = uniforms(seed);
  }

  normal(): number {
    if (this.#spare !== null) {
      const value = this.#spare;
      this.#spare = null;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.uniform()));
    const angle = 2 * Math.PI * this.uniform();
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  exponential(): number {
    return -Math.log(1 - this.uniform());
  }

  /** [MT00] */
  gamma(shape: number): number {
    if (shape < 1) return this.gamma(shape + 1) * this.uniform() ** (1 / shape);
    const d = shape - 1 / 3;
    const c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal();
      const v = (1 + c * x) ** 3;
      if (v <= 0) continue;
      if (Math.log(1 - this.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  poisson(mean: number): number {
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.normal()));
    const least = Math.exp(-mean);
    let [count, product] = [0, this.uniform()];
    while (product > least) {
      count++;
      product *= this.uniform();
    }
    return count;
  }
}

export type Column = (draws: Draws) => readonly number[];

const clipped = (value: number, most: number) => Math.min(most, Math.max(-most, value));
export const number =
  (width = 1 / 6): Column =>
  (r) => [clipped(r.normal(), 3) * width];
export const level =
  (part: number): Column =>
  (r) => [(r.uniform() < part ? 1 : 0) - 0.5];
export const skewed: Column = (r) => [Math.min(r.exponential() / 12, 1) - 0.5];
const shifted =
  (column: Column, by: number): Column =>
  (r) =>
    column(r).map((value) => value + by);
export const creatinine: Column = (r) => [
  (Math.min(12, Math.max(0.2, Math.exp(0.3 * r.normal()))) - 0.2) / 11.8 - 0.5,
];
const correlated: Column = (r) => {
  const z = r.normal();
  const y = 0.95 * z + Math.sqrt(1 - 0.95 ** 2) * r.normal();
  return [clipped(z, 3) / 6, clipped(y, 3) / 6];
};

/** ρ of (ε, δ) for zero-concentrated privacy, by the optimal conversion. */
export function rhoOf(epsilon: number, delta = 1e-5): number {
  if (!Number.isFinite(epsilon)) return Number.POSITIVE_INFINITY;
  const deltaOf = (rho: number) => {
    let best = Number.POSITIVE_INFINITY;
    for (let l = -5; l <= 15; l += 0.002) {
      const a = 1 + Math.exp(l);
      best = Math.min(best, (a - 1) * (a * rho - epsilon) + a * Math.log1p(-1 / a) - Math.log(a - 1));
    }
    return best;
  };
  let [low, high] = [1e-6, 50];
  for (let i = 0; i < 60; i++) {
    const middle = Math.sqrt(low * high);
    if (deltaOf(middle) < Math.log(delta)) low = middle;
    else high = middle;
  }
  return low;
}

/** Three sites, of which one may collude. */
const sites = 1.5;
const sigmaOf = (sensitivitySquared: number, rho: number) =>
  Number.isFinite(rho) ? Math.sqrt((sensitivitySquared / (2 * rho)) * sites) : 0;
const budgetOf = ({ epsilon, noiseFactor = 1 }: Cell) => rhoOf(epsilon) / noiseFactor;

/** Adds noise to a symmetric matrix: s on the diagonal, s/√2 off it. */
function addSymmetric(matrix: Float64Array, d: number, s: number, draws: Draws, from = d): void {
  if (s === 0) return;
  for (let i = 0; i < d; i++)
    for (let j = i; j < d; j++) {
      // Between two intervals of a Cox regression there is nothing to ask for.
      if (i !== j && i >= from && j >= from) continue;
      const noise = draws.normal() * s * (i === j ? 1 : Math.SQRT1_2);
      matrix[i * d + j] = matrix[i * d + j]! + noise;
      if (i !== j) matrix[j * d + i] = matrix[j * d + i]! + noise;
    }
}

export interface Cell {
  readonly rows: number;
  readonly epsilon: number;
  readonly columns: readonly Column[];
  readonly effects: readonly number[];
  /** Sums that are asked for with noise, where they are not as many as a study asks for. */
  readonly sums?: number;
  /** By which the variance of the noise is larger: of a sum over fewer sites than expected. */
  readonly noiseFactor?: number;
}

interface Table {
  readonly d: number;
  /** [rows × p] */
  readonly x: Float64Array;
  readonly rows: number;
}

function drawnColumns(cell: Cell, draws: Draws, hasIntercept: boolean): Table {
  const p = cell.effects.length;
  const d = p + (hasIntercept ? 1 : 0);
  const x = new Float64Array(cell.rows * d);
  for (let r = 0; r < cell.rows; r++) {
    let j = r * d;
    if (hasIntercept) x[j++] = 1;
    for (const column of cell.columns) for (const value of column(draws)) x[j++] = value;
  }
  return { d, x, rows: cell.rows };
}

/** Where a study of these columns asks for its next sum. Columns of ±½ alone are those of levels. */
function nextOf(
  { x, d, rows }: Table,
  {
    family,
    intervals,
    start,
  }: {
    readonly family: "logistic" | "poisson" | "cox";
    readonly intervals: number;
    readonly start: Start | null;
  },
): Next {
  const from = family === "cox" ? 0 : 1;
  const names = Array.from({ length: d - from }, (_, i) => i + from);
  const isLevel = (j: number) => {
    for (let r = 0; r < rows; r++) if (Math.abs(x[r * d + j]!) !== 0.5) return false;
    return true;
  };
  const column = (j: number) => ({
    name: `${j}`,
    feature: j,
    level: isLevel(j) ? 1 : null,
    offset: isLevel(j) ? 0.5 : 0,
    range: 1,
  });
  const intercept = { name: "", feature: null, level: null, offset: 0, range: 1 };
  return pooledNext(
    {
      family,
      intervals,
      columns: d,
      design: {
        columns: [...(from === 1 ? [intercept] : []), ...names.map(column)],
        hasIntercept: from === 1,
        blocks: names.map((j) => ({ feature: j, from: j, width: 1 })),
      },
    },
    start,
    plainKernels(),
  );
}

const none = { squares: null, squaresStdDev: 0, bounded: null, boundedStdDev: 0 };

function etaOf({ x, d }: Table, r: number, beta: ArrayLike<number>): number {
  let eta = 0;
  for (let j = 0; j < d; j++) eta += x[r * d + j]! * beta[j]!;
  return eta;
}

function addRecord(
  { g, G }: { readonly g: Float64Array; readonly G: Float64Array },
  { x, d }: Table,
  r: number,
  residual: number,
  weight: number,
) {
  const from = r * d;
  for (let i = 0; i < d; i++) {
    const xi = x[from + i]!;
    g[i] = g[i]! + residual * xi;
    const left = weight * xi;
    const row = i * d;
    for (let j = i; j < d; j++) G[row + j] = G[row + j]! + left * x[from + j]!;
  }
}

function mirrored(G: Float64Array, d: number): Float64Array {
  for (let i = 0; i < d; i++) for (let j = 0; j < i; j++) G[i * d + j] = G[j * d + i]!;
  return G;
}

export interface Drawn {
  readonly fit: Fit;
  /** [d] */
  readonly truth: Float64Array;
}

/** Parts of ρ of a path's sums, the last one's at the end however many there are. */
const logisticShares = (sums: number) => [...[0.02, 0.05, 0.06, 0.09, 0.18].slice(0, sums - 1), 0.6];
const otherShares = (sums: number) => [...[0.04, 0.06, 0.1, 0.2].slice(0, sums), 0.6];

/** The intercept at which so much of the rows has the outcome. */
function interceptFor(cell: Cell, prevalence: number): number {
  const draws = new Draws(9);
  const table = drawnColumns({ ...cell, rows: 100_000 }, draws, false);
  const eta = Float64Array.from({ length: table.rows }, (_, r) => etaOf(table, r, cell.effects));
  let [low, high] = [-25, 30];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    let sum = 0;
    for (const value of eta) sum += 1 / (1 + Math.exp(-middle - value));
    if (sum / eta.length < prevalence) low = middle;
    else high = middle;
  }
  return low;
}

export function logisticCell(cell: Cell & { readonly prevalence: number }): (draws: Draws) => Promise<Drawn> {
  const truth = Float64Array.of(interceptFor(cell, cell.prevalence), ...cell.effects);
  const rho = budgetOf(cell);
  return async (draws) => {
    const table = drawnColumns(cell, draws, true);
    const { d, rows } = table;
    const squared = 1 + (d - 1) / 4;
    const y = Float64Array.from({ length: rows }, (_, r) =>
      draws.uniform() < 1 / (1 + Math.exp(-etaOf(table, r, truth))) ? 1 : 0,
    );
    const hasNoise = Number.isFinite(rho);
    const sums = hasNoise ? (cell.sums ?? 6) : 25;
    const shares = logisticShares(sums);
    let turn = 0;
    const ask = async (beta: Float64Array): Promise<OpenedSum> => {
      const k = turn === 0 ? 4 : 11;
      const s = sigmaOf(turn === 0 ? (squared / 4) * (1 + k / 4) : squared, rho * (shares[turn++] ?? 1));
      const sum = { g: new Float64Array(d), G: new Float64Array(d * d) };
      for (let r = 0; r < rows; r++) {
        const p = 1 / (1 + Math.exp(-etaOf(table, r, beta)));
        addRecord(sum, table, r, y[r]! - p, p * (1 - p));
      }
      mirrored(sum.G, d);
      const informationStdDev = (s * Math.sqrt(squared)) / Math.sqrt(k);
      for (let j = 0; j < d; j++) sum.g[j] = sum.g[j]! + (s > 0 ? s * draws.normal() : 0);
      addSymmetric(sum.G, d, informationStdDev, draws);
      return { score: sum.g, information: sum.G, scoreStdDev: s, informationStdDev, ...none };
    };
    return {
      fit: await fitLogistic({
        d,
        sums,
        hasNoise,
        ask,
        next: nextOf(table, { family: "logistic", intervals: 0, start: null }),
      }),
      truth,
    };
  };
}

/** κ with the least variance of r(d) where a column's whole range moves the logarithm by 1. */
function bestWeight(sensitivity: (k: number) => number, squared: number): number {
  let [best, at] = [Number.POSITIVE_INFINITY, 1];
  for (let i = 0; i < 60; i++) {
    const k = 0.1 * 300 ** (i / 59);
    const value = sensitivity(k) * (1 + squared / (2 * k));
    if (value < best) [best, at] = [value, k];
  }
  return at;
}

export function poissonCell(
  cell: Cell & {
    readonly mean: number;
    readonly frailty: number;
    readonly most: number;
    readonly cap: number;
  },
): (draws: Draws) => Promise<Drawn> {
  const { mean, frailty, most: Y, cap: C } = cell;
  const early = drawnColumns({ ...cell, rows: 100_000 }, new Draws(2), false);
  let average = 0;
  for (let r = 0; r < early.rows; r++) average += Math.exp(etaOf(early, r, cell.effects)) / early.rows;
  const truth = Float64Array.of(Math.log(mean / average), ...cell.effects);
  const rho = budgetOf(cell);
  const hasNoise = Number.isFinite(rho);
  const sums = hasNoise ? (cell.sums ?? 4) : 25;
  const shares = otherShares(sums);
  return async (draws) => {
    const table = drawnColumns(cell, draws, true);
    const { d, rows } = table;
    const squared = 1 + (d - 1) / 4;
    const R = Math.max(Y, C);
    const exposure = Float64Array.from({ length: rows }, () => 0.25 + 0.75 * draws.uniform());
    const y = Float64Array.from({ length: rows }, (_, r) => {
      const frail = frailty > 0 ? draws.gamma(1 / frailty) * frailty : 1;
      const count = draws.poisson(exposure[r]! * Math.exp(etaOf(table, r, truth)) * frail);
      return hasNoise ? Math.min(count, Y) : count;
    });
    const s0 = sigmaOf(2, rho * shares[0]!);
    const noise = () => (s0 > 0 ? s0 * draws.normal() : 0);
    const start = {
      events: Float64Array.of(y.reduce((sum, value) => sum + value, 0) + noise() * Y),
      exposures: Float64Array.of(exposure.reduce((sum, value) => sum + value, 0) + noise()),
      eventsStdDev: s0 * Y,
      exposuresStdDev: s0,
    };
    const sensitivity = (k: number) =>
      squared * Math.max(Y * Y, (1 + k) * C * C, (Y - C) ** 2 + k * C * C) + R ** 2 / 4 + 0.25;
    const k = bestWeight(sensitivity, squared);
    let turn = 1;
    const ask = async (beta: Float64Array): Promise<OpenedSum> => {
      const s = sigmaOf(sensitivity(k), rho * (shares[turn++] ?? 1));
      const sum = { g: new Float64Array(d), G: new Float64Array(d * d) };
      let [squares, bounded] = [0, 0];
      for (let r = 0; r < rows; r++) {
        const mu = exposure[r]! * Math.exp(Math.min(60, etaOf(table, r, beta)));
        const isBounded = hasNoise && mu - y[r]! > C;
        const residual = isBounded ? -C : y[r]! - mu;
        squares += residual ** 2;
        if (isBounded) bounded++;
        addRecord(sum, table, r, residual, hasNoise ? Math.min(mu, C) : mu);
      }
      mirrored(sum.G, d);
      const informationStdDev = (s * Math.sqrt(squared)) / Math.sqrt(k);
      for (let j = 0; j < d; j++) sum.g[j] = sum.g[j]! + (s > 0 ? s * draws.normal() : 0);
      addSymmetric(sum.G, d, informationStdDev, draws);
      return {
        score: sum.g,
        information: sum.G,
        scoreStdDev: s,
        informationStdDev,
        squares: squares + (s > 0 ? 2 * R * s * draws.normal() : 0),
        squaresStdDev: 2 * R * s,
        bounded,
        boundedStdDev: 2 * s,
      };
    };
    return {
      fit: await fitPoisson({
        d,
        sums,
        hasNoise,
        largest: R,
        start,
        ask,
        next: nextOf(table, { family: "poisson", intervals: 0, start }),
      }),
      truth,
    };
  };
}

export function coxCell(
  cell: Cell & { readonly hazard: number; readonly cap: number; readonly intervals: number },
): (draws: Draws) => Promise<Drawn> {
  const { hazard, cap, intervals: K } = cell;
  const early = drawnColumns({ ...cell, rows: 100_000 }, new Draws(3), false);
  let average = 0;
  for (let r = 0; r < early.rows; r++) average += Math.exp(etaOf(early, r, cell.effects)) / early.rows;
  const offset = Math.log(average) - 0.3;
  const rho = budgetOf(cell);
  const hasNoise = Number.isFinite(rho);
  const sums = hasNoise ? (cell.sums ?? 4) : 25;
  const shares = otherShares(sums);
  const p = cell.effects.length;
  const truth = Float64Array.of(
    ...cell.effects,
    ...Array.from({ length: K }, () => Math.log(hazard) - offset),
  );
  return async (draws) => {
    const table = drawnColumns(cell, draws, false);
    const { rows } = table;
    const d = p + K;
    const squared = 1 + p / 4;
    const time = new Float64Array(rows);
    const event = new Uint8Array(rows);
    for (let r = 0; r < rows; r++) {
      const eta = etaOf(table, r, cell.effects) - offset;
      const until = draws.exponential() / (hazard * Math.exp(eta));
      const censored = 0.2 + 1.4 * draws.uniform();
      time[r] = Math.min(until, censored, 0.999999);
      event[r] = until <= censored && until < 1 ? 1 : 0;
    }
    const s0 = sigmaOf(1 + 1 / K, rho * shares[0]!);
    const events = new Float64Array(K);
    const exposures = new Float64Array(K);
    for (let r = 0; r < rows; r++) {
      const k = Math.min(K - 1, Math.max(0, Math.ceil(time[r]! * K) - 1));
      if (event[r] === 1) events[k] = events[k]! + 1;
      for (let i = 0; i <= k; i++) exposures[i] = exposures[i]! + Math.min(time[r]! - i / K, 1 / K);
    }
    const noise = () => (s0 > 0 ? s0 * draws.normal() : 0);
    const start = {
      events: events.map((value) => value + noise()),
      exposures: exposures.map((value) => value + noise()),
      eventsStdDev: s0,
      exposuresStdDev: s0,
    };
    const C = cap;
    const sensitivity = (k: number) =>
      Math.max(
        C * C * squared * (1 + k) + 0.25,
        squared,
        (C - 1) ** 2 * squared + k * C * C * squared,
        (C - 1) ** 2 * (squared - 1) + 1 + C * C + k * C * C * squared,
      );
    const weight = bestWeight(sensitivity, squared);
    let turn = 1;
    const ask = async (point: Float64Array): Promise<OpenedSum> => {
      const s = sigmaOf(sensitivity(weight), rho * (shares[turn++] ?? 1));
      const g = new Float64Array(d);
      const G = new Float64Array(d * d);
      let bounded = 0;
      for (let r = 0; r < rows; r++) {
        const eta = etaOf(table, r, point);
        let total = 0;
        let isCut = false;
        let last = 0;
        for (let k = 0; k < K && k / K < time[r]!; k++) {
          last = k;
          const lived = Math.min(time[r]!, (k + 1) / K) - k / K;
          let u = Math.exp(Math.min(50, eta + point[p + k]!)) * lived;
          if (hasNoise && total + u > C) {
            u = C - total;
            isCut = true;
          }
          total += u;
          g[p + k] = g[p + k]! - u;
          G[(p + k) * (d + 1)] = G[(p + k) * (d + 1)]! + u;
          for (let j = 0; j < p; j++) G[j * d + p + k] = G[j * d + p + k]! + u * table.x[r * p + j]!;
          if (isCut) break;
        }
        const e = event[r] === 1 && !isCut ? 1 : 0;
        if (isCut) bounded++;
        if (e === 1) g[p + last] = g[p + last]! + 1;
        for (let i = 0; i < p; i++) {
          const xi = table.x[r * p + i]!;
          g[i] = g[i]! + (e - total) * xi;
          for (let j = i; j < p; j++) G[i * d + j] = G[i * d + j]! + total * xi * table.x[r * p + j]!;
        }
      }
      mirrored(G, d);
      const informationStdDev = (s * Math.sqrt(squared)) / Math.sqrt(weight);
      for (let j = 0; j < d; j++) g[j] = g[j]! + (s > 0 ? s * draws.normal() : 0);
      addSymmetric(G, d, informationStdDev, draws, p);
      return {
        score: g,
        information: G,
        scoreStdDev: s,
        informationStdDev,
        ...none,
        bounded,
        boundedStdDev: 2 * s,
      };
    };
    return {
      fit: await fitCox({
        columns: p,
        sums,
        hasNoise,
        start,
        ask,
        next: nextOf(table, { family: "cox", intervals: K, start }),
      }),
      truth,
    };
  };
}

export function linearCell(
  cell: Cell & { readonly residual: "normal" | "gamma" | "varying"; readonly robust: number },
): (draws: Draws) => Promise<Drawn> {
  const { residual, robust } = cell;
  const rho = budgetOf(cell);
  const truth = Float64Array.of(residual === "gamma" ? -0.3 + 3.5 / 60 : 0, ...cell.effects);
  return async (draws) => {
    const table = drawnColumns(cell, draws, true);
    const { d, rows, x } = table;
    const squared = 1 + (d - 1) / 4;
    const y = Float64Array.from({ length: rows }, (_, r) => {
      const mean = etaOf(table, r, truth);
      if (residual === "gamma") {
        const own = 2 + 3 * (x[r * d + d - 1]! + 0.5);
        return mean + ((draws.gamma(0.5) * own) / 0.5 - own) / 60;
      }
      if (residual === "varying")
        return mean + (draws.normal() * Math.exp(6 * Math.abs(x[r * d + 1]!) - 1)) / 24;
      return clipped(mean + draws.normal() / 12, 0.5);
    });
    const s = sigmaOf((squared + 0.25) ** 2, rho * (1 - robust));
    const sum = { g: new Float64Array(d), G: new Float64Array(d * d) };
    let squares = 0;
    for (let r = 0; r < rows; r++) {
      addRecord(sum, table, r, y[r]!, 1);
      squares += y[r]! ** 2;
    }
    mirrored(sum.G, d);
    addSymmetric(sum.G, d, s, draws);
    const noisy = (deviation: number) => (deviation > 0 ? deviation * draws.normal() : 0);
    const gram: OpenedSum = {
      score: sum.g.map((value) => value + noisy(s * Math.SQRT1_2)),
      information: sum.G,
      scoreStdDev: s * Math.SQRT1_2,
      informationStdDev: s,
      squares: squares + noisy(s),
      squaresStdDev: s,
      bounded: null,
      boundedStdDev: 0,
    };
    const second = async (b: Float64Array, c: number) => {
      const out = { g: new Float64Array(d), G: new Float64Array(d * d) };
      for (let r = 0; r < rows; r++) {
        const q = clipped((y[r]! - etaOf(table, r, b)) / c, 1);
        addRecord(out, table, r, 0, q * q);
      }
      mirrored(out.G, d);
      addSymmetric(out.G, d, sigmaOf(squared ** 2, rho * robust), draws);
      return { sums: out.G };
    };
    return { fit: await fitLinear(robust > 0 ? { gram, squares: second } : { gram }), truth };
  };
}

const base: readonly Column[] = [number(), number(), level(0.3)];
const effects = [3, -1.8, 0.8];
/** A column of 40 standard deviations between its bounds. */
const wide: readonly Column[] = [shifted(number(1 / 40), 0.1), number(), level(0.3)];
const twelve = {
  columns: [...Array.from({ length: 6 }, () => number()), ...Array.from({ length: 5 }, () => level(0.3))],
  effects: [3, -1.8, 1, 0, 1, -1, 0.8, 0.5, 0, -0.5, 0.3],
};

export const logisticCells = {
  base: { rows: 10_000, epsilon: 1, prevalence: 0.1, columns: base, effects },
  base3: { rows: 10_000, epsilon: 1, prevalence: 0.03, columns: base, effects },
  base1: { rows: 50_000, epsilon: 1, prevalence: 0.01, columns: base, effects },
  small: { rows: 2_000, epsilon: 4, prevalence: 0.1, columns: base, effects },
  tiny: { rows: 500, epsilon: 4, prevalence: 0.3, columns: base, effects },
  none: { rows: 20_000, epsilon: Number.POSITIVE_INFINITY, prevalence: 0.01, columns: base, effects },
  offCentre: {
    rows: 20_000,
    epsilon: 4,
    prevalence: 0.03,
    columns: [level(0.05), number(), level(0.3)],
    effects: [3.5, 1, 0.8],
  },
  rareLevel: {
    rows: 20_000,
    epsilon: 4,
    prevalence: 0.1,
    columns: [number(), level(0.01), level(0.3)],
    effects: [2, -2, 0.8],
  },
  rareReference: {
    rows: 20_000,
    epsilon: 4,
    prevalence: 0.1,
    columns: [number(), level(0.99), level(0.3)],
    effects: [2, 2, 0.8],
  },
  strong: { rows: 10_000, epsilon: 4, prevalence: 0.1, columns: base, effects: [9, -6, 2] },
  skewed: {
    rows: 20_000,
    epsilon: 1,
    prevalence: 0.1,
    columns: [skewed, number(), level(0.3)],
    effects: [6, -1.8, 0.8],
  },
  wide2: {
    rows: 50_000,
    epsilon: 4,
    prevalence: 0.1,
    columns: [shifted(number(1 / 40), -0.4), shifted(number(1 / 40), -0.4), level(0.3)],
    effects: [20, 20, 0.8],
  },
  creatinine: {
    rows: 20_000,
    epsilon: 4,
    prevalence: 0.1,
    columns: [creatinine, number(), level(0.3)],
    effects: [25.5, -1.8, 0.8],
  },
  correlated: {
    rows: 20_000,
    epsilon: 1,
    prevalence: 0.1,
    columns: [correlated, level(0.3)],
    effects: [3, -1.8, 0.8],
  },
  twelve: { rows: 20_000, epsilon: 1, prevalence: 0.1, ...twelve },
  wide: { rows: 20_000, epsilon: 4, prevalence: 0.1, columns: wide, effects: [20, -1.8, 0.8] },
  wide10: { rows: 20_000, epsilon: 4, prevalence: 0.1, columns: wide, effects: [10, -1.8, 0.8] },
  creatinine15: {
    rows: 20_000,
    epsilon: 4,
    prevalence: 0.1,
    columns: [creatinine, number(), level(0.3)],
    effects: [14.9, -1.8, 0.8],
  },
  rareCommon: {
    rows: 50_000,
    epsilon: 1,
    prevalence: 0.2,
    columns: [number(), level(0.01), level(0.3)],
    effects: [2, 3, 0.8],
  },
} as const;

const skew: readonly Column[] = [skewed, number(), level(0.3)];
const counts = { mean: 0.6, frailty: 0, most: 6, cap: 4, columns: base, effects };

export const poissonCells = {
  base: { rows: 20_000, epsilon: 4, ...counts },
  base1: { rows: 20_000, epsilon: 1, ...counts },
  frail: { rows: 20_000, epsilon: 4, ...counts, frailty: 1, most: 12 },
  frailFew: { rows: 2_000, epsilon: 4, ...counts, frailty: 1, most: 12 },
  few: { rows: 50_000, epsilon: 1, ...counts, mean: 0.03, most: 2, cap: 0.5 },
  frailNone: { rows: 10_000, epsilon: Number.POSITIVE_INFINITY, ...counts, frailty: 1 },
  none: { rows: 10_000, epsilon: Number.POSITIVE_INFINITY, ...counts, mean: 0.03 },
  skewed: {
    rows: 20_000,
    epsilon: 4,
    ...counts,
    most: 20,
    cap: 12,
    columns: skew,
    effects: [5, -1.8, 0.8],
  },
  correlated: { rows: 20_000, epsilon: 1, ...counts, columns: [correlated, level(0.3)] },
} as const;

const follow = { intervals: 5, columns: base, effects };

export const coxCells = {
  base: { rows: 20_000, epsilon: 1, hazard: 0.095, cap: 0.7, ...follow },
  fewer: { rows: 4_000, epsilon: 4, hazard: 0.095, cap: 0.7, ...follow },
  rare: { rows: 50_000, epsilon: 4, hazard: 0.0115, cap: 0.3, ...follow },
  usual: { rows: 4_000, epsilon: 4, hazard: 0.9, cap: 2, ...follow },
  skewed: {
    rows: 20_000,
    epsilon: 4,
    hazard: 0.095,
    cap: 0.7,
    ...follow,
    columns: skew,
    effects: [5, -1.8, 0.8],
  },
  skewedFewer: {
    rows: 10_000,
    epsilon: 4,
    hazard: 0.095,
    cap: 0.7,
    ...follow,
    columns: skew,
    effects: [5, -1.8, 0.8],
  },
  wide: {
    rows: 50_000,
    epsilon: 4,
    hazard: 0.095,
    cap: 0.7,
    ...follow,
    columns: wide,
    effects: [20, -1.8, 0.8],
  },
  rareLevel: {
    rows: 20_000,
    epsilon: 4,
    hazard: 0.095,
    cap: 0.7,
    ...follow,
    columns: [number(), level(0.02), level(0.3)],
    effects: [3, 1.5, 0.8],
  },
  correlated: {
    rows: 20_000,
    epsilon: 1,
    hazard: 0.095,
    cap: 0.7,
    ...follow,
    columns: [correlated, level(0.3)],
  },
  none: { rows: 4_000, epsilon: Number.POSITIVE_INFINITY, hazard: 0.9, cap: 2, ...follow },
} as const;

const straight = { columns: base, effects: [0.25, -0.15, 0.8 / 12] };
const varying = { ...straight, residual: "varying" } as const;
const gamma = { columns: base, effects: [0, 0, 3 / 60], residual: "gamma" } as const;

export const linearCells = {
  base: { rows: 5_000, epsilon: 4, ...straight, residual: "normal", robust: 0 },
  few: { rows: 500, epsilon: 4, ...straight, residual: "normal", robust: 0 },
  base1: { rows: 4_000, epsilon: 1, ...straight, residual: "normal", robust: 0.1 },
  varying: { rows: 5_000, epsilon: 4, ...varying, robust: 0.1 },
  gamma: { rows: 20_000, epsilon: 4, ...gamma, robust: 0.1 },
  none: { rows: 2_000, epsilon: Number.POSITIVE_INFINITY, ...straight, residual: "normal", robust: 0 },
  wide: {
    rows: 20_000,
    epsilon: 1,
    columns: wide,
    effects: [1.7, -0.15, 0.8 / 12],
    residual: "normal",
    robust: 0.1,
  },
  correlated: {
    rows: 4_000,
    epsilon: 1,
    ...straight,
    columns: [correlated, level(0.3)],
    residual: "normal",
    robust: 0.1,
  },
} as const;

/** A cell by what it is called in research/regression-coverage.md. */
export interface NamedCell {
  readonly name: string;
  readonly draw: () => (draws: Draws) => Promise<Drawn>;
  /** [d] lower values of the columns of levels, null of others. */
  readonly lows: (d: number) => readonly (number | null)[];
}

const epsilonsOf = { "¼": 0.25, "1": 1, "4": 4, none: Number.POSITIVE_INFINITY } as const;
const numberOf = (rows: number) => String(rows).replace(/(?=(\d{3})+$)(?!^)/g, ",");
/** Columns of levels are the last of a cell, and beside an intercept one later. */
const lowsOf = (levels: readonly number[], hasIntercept: boolean) => (d: number) =>
  Array.from({ length: d }, (_, j) => (levels.includes(j - (hasIntercept ? 1 : 0)) ? -0.5 : null));

/** The grid: rows, ε and prevalence by family, with three and with eleven columns; and the cells that are hard. */
export function coverageGrid(): NamedCell[] {
  const cells: NamedCell[] = [];
  const three = { columns: base, effects };
  const add = (name: string, draw: NamedCell["draw"], levels: readonly number[], hasIntercept: boolean) =>
    cells.push({ name, draw, lows: lowsOf(levels, hasIntercept) });
  for (const rows of [500, 2_000, 10_000, 50_000])
    for (const [called, epsilon] of Object.entries(epsilonsOf))
      for (const [shape, columns] of Object.entries({ "": three, ", 11 columns": twelve })) {
        const own = `${numberOf(rows)} rows, ε ${called}${shape}`;
        const common = { rows, epsilon, ...columns };
        const levels = columns === three ? [2] : [6, 7, 8, 9, 10];
        for (const prevalence of [0.5, 0.1, 0.03, 0.01]) {
          if (rows * prevalence < 25) continue;
          add(
            `logistic, ${own}, ${100 * prevalence} %`,
            () => logisticCell({ ...common, prevalence }),
            levels,
            true,
          );
        }
        for (const [mean, most, cap] of [
          [0.6, 6, 4],
          [0.1, 3, 1],
          [0.03, 2, 0.5],
          [0.01, 2, 0.5],
        ] as const) {
          if (rows * mean < 25) continue;
          add(
            `Poisson, ${own}, mean ${mean}`,
            () => poissonCell({ ...common, mean, frailty: 0, most, cap }),
            levels,
            true,
          );
        }
        for (const [events, hazard, cap] of [
          [55, 0.9, 2],
          [10, 0.095, 0.7],
          [3, 0.027, 0.3],
          [1, 0.0088, 0.3],
        ] as const) {
          if ((rows * events) / 100 < 25) continue;
          add(
            `Cox, ${own}, ${events} % events`,
            () => coxCell({ ...common, hazard, cap, intervals: 5 }),
            levels,
            false,
          );
        }
        const straightEffects = columns.effects.map((value) => value / 12);
        add(
          `linear, ${own}`,
          () =>
            linearCell({
              ...common,
              effects: straightEffects,
              residual: "normal",
              robust: rows >= 2_000 && Number.isFinite(epsilon) ? 0.1 : 0,
            }),
          [],
          true,
        );
      }
  const hard: Readonly<Record<string, readonly number[]>> = {
    offCentre: [0, 2],
    rareLevel: [1, 2],
    rareReference: [1, 2],
    rareCommon: [1, 2],
    twelve: [6, 7, 8, 9, 10],
  };
  for (const [name, cell] of Object.entries(logisticCells))
    add(`logistic, ${name}`, () => logisticCell(cell), hard[name] ?? [2], true);
  for (const [name, cell] of Object.entries(poissonCells))
    add(`Poisson, ${name}`, () => poissonCell(cell), [2], true);
  for (const [name, cell] of Object.entries(coxCells))
    add(`Cox, ${name}`, () => coxCell(cell), name === "rareLevel" ? [1, 2] : [2], false);
  for (const [name, cell] of Object.entries(linearCells))
    add(`linear, ${name}`, () => linearCell(cell), [], true);
  // A site of three dropped out: two are left of which one may collude, and each adds noise for one of three.
  add(
    "logistic, base, a site dropped out",
    () => logisticCell({ ...logisticCells.base, noiseFactor: 2 / 3 }),
    [2],
    true,
  );
  add("Cox, fewer, a site dropped out", () => coxCell({ ...coxCells.fewer, noiseFactor: 2 / 3 }), [2], false);
  add(
    "Poisson, base1, a site dropped out",
    () => poissonCell({ ...poissonCells.base1, noiseFactor: 2 / 3 }),
    [2],
    true,
  );
  add(
    "linear, base1, a site dropped out",
    () => linearCell({ ...linearCells.base1, noiseFactor: 2 / 3 }),
    [],
    true,
  );
  return cells;
}
