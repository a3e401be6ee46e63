import type { ConsiliumError } from "@consilium/core/errors";
import type { Result } from "@consilium/core/result";
import type { ColumnBlock } from "@consilium/core/study/design";
import { levelsOf } from "@consilium/core/study/features";
import type { Study } from "@consilium/core/study/study";
import { declaredColumns } from "./columns.js";
import { type DataProblem, decodeTable, Tally } from "./decode.js";
import { attempt } from "./fault.js";
import { fileInTable } from "./files.js";
import { type OpenedSource, openSource } from "./openSource.js";
import type { ReadLimits } from "./source.js";
import type { TableConfig } from "./tableConfig.js";

/** A hospital's table as a study would see it. It stays at the hospital: it says much about the records. */
export interface ProfileReport {
  readonly table: string;
  readonly study: string;
  readonly files: number;
  /** Rows in the files; those the study would use; those that a missing value or a fault rules out. */
  readonly rows: number;
  readonly used: number;
  readonly rejected: number;
  readonly maxRowsPerSite: number;
  /** Whose rows they are, where the study names the patient. */
  readonly patients: PatientProfile | null;
  /** Features in the study's order. */
  readonly columns: readonly (NumericProfile | LevelProfile)[];
  readonly label: LevelProfile | null;
  /** Cells that keep the study from using the table; empty when there is nothing to correct. */
  readonly problems: readonly (Omit<DataProblem, "file"> & { readonly file: string | null })[];
}

export interface PatientProfile {
  readonly column: string;
  readonly maxRows: number;
  /** Patients of whom the study would use a row. */
  readonly patients: number;
  /** Usable rows left out because their patient has `maxRows` before them; not among the rejected ones. */
  readonly overBound: number;
  /** Rows rejected because their patient is missing; a row may count at a column as well. */
  readonly withoutPatient: number;
}

interface CommonProfile {
  readonly name: string;
  /** Cells without a value, in all rows. */
  readonly missing: number;
  /** Rows left out because this column's value is missing; a row may count at several columns. */
  readonly rejectedRows: number;
  /** Whether all used rows have one value. */
  readonly constant: boolean;
}

export interface NumericProfile extends CommonProfile {
  readonly type: "numeric";
  readonly unit: string | null;
  readonly declared: { readonly min: number; readonly max: number };
  /** Values of used rows below and above the declared bounds: they count as the bound. */
  readonly below: number;
  readonly above: number;
  /** Of the used values, after clamping; null without a used row. stdDev divides by n - 1 and needs two rows. */
  readonly min: number | null;
  readonly mean: number | null;
  readonly max: number | null;
  readonly stdDev: number | null;
}

export interface LevelProfile extends CommonProfile {
  readonly type: "categorical";
  /** In declared order, the level for missing values last where the study declares one. */
  readonly levels: readonly { readonly level: string; readonly rows: number }[];
}

interface Moments {
  min: number;
  max: number;
  mean: number;
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
    this.#moments = study.features.map(() => ({ min: Infinity, max: -Infinity, mean: 0, squares: 0 }));
    this.#counts = declaredColumns(study).map((column) => {
      if (column.type === "numeric") return null;
      return new Float64Array(column.type === "label" ? column.levels.length : levelsOf(column).length);
    });
  }

  add(block: ColumnBlock): void {
    this.#study.features.forEach((feature, k) => {
      const values = block.columns[k]!.subarray(0, block.rows);
      if (feature.type === "numeric") addMoments(this.#moments[k]!, this.#rows, values);
      else addCounts(this.#counts[k]!, values);
    });
    if (block.labels !== null) addCounts(this.#counts.at(-1)!, block.labels.subarray(0, block.rows));
    this.#rows += block.rows;
  }

  report(opened: OpenedSource, tally: Tally): ProfileReport {
    const study = this.#study;
    const columns = study.features.map((feature, k): NumericProfile | LevelProfile => {
      const counted = tally.columns[k]!;
      const common = { name: feature.name, missing: counted.missing, rejectedRows: counted.rejectedRows };
      if (feature.type === "categorical")
        return { ...common, ...levelProfile(levelsOf(feature), this.#counts[k]!) };
      const { min, max, mean, squares } = this.#moments[k]!;
      const any = this.#rows > 0;
      return {
        ...common,
        type: "numeric",
        unit: feature.unit ?? null,
        declared: { min: feature.min, max: feature.max },
        below: counted.below,
        above: counted.above,
        min: any ? min : null,
        mean: any ? mean : null,
        max: any ? max : null,
        stdDev: this.#rows > 1 ? Math.sqrt(squares / (this.#rows - 1)) : null,
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
      rejected: tally.rows - tally.used - tally.overBound,
      maxRowsPerSite: study.participation.maxRowsPerSite,
      patients:
        study.patient === undefined
          ? null
          : {
              ...study.patient,
              patients: tally.patients,
              overBound: tally.overBound,
              withoutPatient: tally.withoutPatient,
            },
      columns,
      label:
        study.label === undefined
          ? null
          : {
              name: study.label.name,
              missing: labelCounts.missing,
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

/** Merges the moments of `values` into those of `rows` values before: the pairwise update of Chan, Golub and LeVeque. */
function addMoments(moments: Moments, rows: number, values: Float64Array): void {
  const n = values.length;
  if (n === 0) return;
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
  options: { readonly signal?: AbortSignal; readonly limits?: ReadLimits } = {},
): Promise<Result<ProfileReport, ConsiliumError>> {
  return attempt(config, options.signal, async () => {
    const opened = await openSource(config, options.limits);
    const tally = new Tally(study);
    const collector = new ProfileCollector(study);
    for await (const block of decodeTable(opened, study, tally, {
      signal: options.signal,
      reuseBlock: true,
    })) {
      collector.add(block);
    }
    return collector.report(opened, tally);
  });
}
