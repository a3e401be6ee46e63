import type { ConsiliumError } from "@consilium/core/errors";
import type { LevelProfile, NumericProfile, ProfileReportView } from "@consilium/core/hospital/profileViews";
import { flowProposal, flowTable } from "@consilium/core/learning/flowTable";
import type { Result } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { levelsOf } from "@consilium/core/study/features";
import { countedFlow } from "@consilium/core/study/flowCells";
import { hidesTables } from "@consilium/core/study/hidesTables";
import type { Study } from "@consilium/core/study/study";
import { answerOf } from "@consilium/gate/answer";
import { osRandom } from "@consilium/runtime/random";
import { usedRows } from "./boundedRows.js";
import { declaredColumns } from "./columns.js";
import { Tally } from "./decode.js";
import { attempt } from "./fault.js";
import { type OpenedSource, openSource } from "./openSource.js";
import { fileInTable } from "./place.js";
import { processSecret, TableKeys } from "./rowHash.js";
import { type OpenOptions, tableFlow } from "./snapshot.js";
import type { ReadLimits } from "./source.js";
import type { TableConfig } from "./tableConfig.js";
import { orderByOf } from "./tableUnit.js";

/**
 * What the hospital sees of its table; core/src/hospital/profileViews.ts says what each number is. What the policy asks is added by the
 * agent, and the table check beside it.
 */
export type ProfileReport = Omit<ProfileReportView, "minimumUsable" | "check">;
type Flow = ProfileReportView["flow"];
type FlowOptions = Pick<OpenOptions, "secret" | "signal">;

interface Moments {
  min: number;
  max: number;
  mean: number;
  /** Values that are not missing. */
  count: number;
  /** Sum of squared distances from the mean. */
  squares: number;
}

/** Gathers a profile while blocks go by. */
export class ProfileCollector {
  readonly #study: Study;
  readonly #moments: Moments[];
  readonly #counts: (Float64Array | null)[];
  #rows = 0;

  constructor(study: Study) {
    this.#study = study;
    this.#moments = study.features.map(() => ({
      min: Infinity,
      max: -Infinity,
      mean: 0,
      count: 0,
      squares: 0,
    }));
    this.#counts = declaredColumns(study).map((column) => {
      if (column.type === "numeric") return null;
      return new Float64Array(column.type === "label" ? column.levels.length : levelsOf(column).length);
    });
  }

  add(block: ColumnBlock): void {
    this.#study.features.forEach((feature, k) => {
      const values = block.columns[k]!.subarray(0, block.rows);
      if (feature.type === "numeric") addMoments(this.#moments[k]!, values);
      else addCounts(this.#counts[k]!, values);
    });
    if (block.labels !== null) addCounts(this.#counts.at(-1)!, block.labels.subarray(0, block.rows));
    this.#rows += block.rows;
  }

  report(opened: OpenedSource, tally: Tally, flow?: Flow): ProfileReport {
    const study = this.#study;
    const columns = study.features.map((feature, k): NumericProfile | LevelProfile => {
      const counted = tally.columns[k]!;
      const { missing, rejectedRows, undeclared } = counted;
      const common = { name: feature.name, missing, rejectedRows };
      if (feature.type === "categorical")
        return { ...common, undeclared, ...levelProfile(levelsOf(feature), this.#counts[k]!) };
      const { min, max, mean, count, squares } = this.#moments[k]!;
      const any = count > 0;
      return {
        ...common,
        type: "numeric",
        unit: feature.unit ?? null,
        declared: { min: feature.min, max: feature.max },
        below: counted.below,
        above: counted.above,
        commonestBelow: commonestOf(counted.beyond, (value) => value < feature.min),
        commonestAbove: commonestOf(counted.beyond, (value) => value > feature.max),
        min: any ? min : null,
        mean: any ? mean : null,
        max: any ? max : null,
        stdDev: count > 1 ? Math.sqrt(squares / (count - 1)) : null,
        constant: any && min === max,
      };
    });
    const labelCounts = tally.columns.at(-1)!;
    return {
      table: opened.config.name,
      study: study.name,
      files: opened.files.length,
      rows: tally.rows,
      used: tally.used,
      rejected: tally.rows - tally.used - tally.overBound - tally.unsampled - tally.outside,
      outside: study.where === undefined ? null : { rows: tally.outside, open: tally.open },
      malformed: tally.malformed.rows,
      unsampled: tally.unsampled,
      maxRowsPerSite: study.participation.maxRowsPerSite,
      patients:
        study.patient === undefined
          ? null
          : {
              column: study.patient.column,
              maxRows: study.patient.maxRows,
              orderBy: orderByOf(opened.config) ?? null,
              patients: tally.patients,
              overBound: tally.overBound,
              withoutPatient: tally.withoutPatient,
            },
      flow,
      columns,
      label:
        study.label === undefined
          ? null
          : {
              name: study.label.name,
              missing: labelCounts.missing,
              undeclared: labelCounts.undeclared,
              rejectedRows: labelCounts.rejectedRows,
              ...levelProfile(study.label.levels, this.#counts.at(-1)!),
            },
      problems: tally.problemsInOrder().map((problem) => ({
        ...problem,
        file: fileInTable(opened.config, opened.files[problem.file]!),
      })),
    };
  }
}

/** The value of one side that most rows have; null without one. */
function commonestOf(
  counts: ReadonlyMap<number, number> | null,
  isThere: (value: number) => boolean,
): NumericProfile["commonestBelow"] {
  let most: NumericProfile["commonestBelow"] = null;
  for (const [value, rows] of counts ?? [])
    if (isThere(value) && rows > (most?.rows ?? 0)) most = { value, rows };
  return most;
}

/** Merges the moments of values into those before: the pairwise update of Chan, Golub and LeVeque. NaN is a missing value. */
function addMoments(moments: Moments, all: Float64Array): void {
  const values = hasMissing(all) ? all.filter((value) => !Number.isNaN(value)) : all;
  const n = values.length;
  if (n === 0) return;
  const { count: rows } = moments;
  let sum = 0;
  let { min, max } = moments;
  for (let r = 0; r < n; r++) {
    const value = values[r]!;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const mean = sum / n;
  let squares = 0;
  for (let r = 0; r < n; r++) {
    const distance = values[r]! - mean;
    squares += distance * distance;
  }
  const shift = mean - moments.mean;
  moments.min = min;
  moments.max = max;
  moments.squares += squares + (shift * shift * rows * n) / (rows + n);
  moments.mean += (shift * n) / (rows + n);
  moments.count += n;
}

/** In a loop of its own: `some` calls a function for each of a table's numbers, and takes ten times as long. */
function hasMissing(values: Float64Array): boolean {
  for (let r = 0; r < values.length; r++) if (Number.isNaN(values[r]!)) return true;
  return false;
}

function addCounts(counts: Float64Array, codes: Float64Array | Uint16Array): void {
  for (let r = 0; r < codes.length; r++) counts[codes[r]!]!++;
}

function levelProfile(
  levels: readonly string[],
  counts: Float64Array,
): Pick<LevelProfile, "type" | "levels" | "constant"> {
  return {
    type: "categorical",
    levels: levels.map((level, code) => ({ level, rows: counts[code]! })),
    constant: counts.filter((count) => count > 0).length === 1,
  };
}

/**
 * Reads a table through and describes it as the study would see it, bad cells included.
 * @returns an error only where the table cannot be read at all or lacks a declared column
 */
export function profileTable(
  config: TableConfig,
  study: Study,
  options: { readonly signal?: AbortSignal; readonly limits?: ReadLimits; readonly secret?: Uint8Array } = {},
): Promise<Result<ProfileReport, ConsiliumError>> {
  return attempt(config, options.signal, async () => {
    const opened = await openSource(config, study, options.limits);
    const tally = new Tally(study, true);
    const collector = new ProfileCollector(study);
    for await (const block of usedRows(opened, study, tally, {
      keys: TableKeys.derive(options.secret ?? processSecret, study),
      signal: options.signal,
      reuseBlock: true,
      anyRows: hidesTables(study),
    })) {
      collector.add(block);
    }
    return collector.report(opened, tally, await exactFlow(config, study, options));
  });
}

/** What the gate counts of the table before noise, by the code that makes a site's part of the sum; undefined where the study has none. */
async function exactFlow(config: TableConfig, study: Study, options: FlowOptions): Promise<Flow> {
  if (study.flow !== true) return undefined;
  const table = flowTable(study, tableFlow(config, study, options), osRandom);
  const { exact } = await answerOf(flowProposal(study), table);
  return {
    unit: study.patient === undefined ? "rows" : "patients",
    ...countedFlow(study, Array.from(exact, Number)),
  };
}
