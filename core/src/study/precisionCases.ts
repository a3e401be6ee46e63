import { answerOf } from "@consilium/gate/answer";
import type { ForecastSays } from "@consilium/words/says/forecast";
import { methodKey } from "../method/method.js";
import { epsilonFromRho } from "../privacy/conversions.js";
import { lines } from "../said.js";
import type { ExpectedPrecision, Forecast, ForecastInput, PrecisionCase } from "./expectedPrecision.js";
import { rowsExpected, sitesAtLeast } from "./soundSums.js";
import type { Study } from "./study.js";

const line = lines<ForecastSays>();

/** Rows of a site that are plausible where nobody has said how many to expect. */
const plausibleRows = [1_000, 10_000, 100_000];

/** The most rows of a site are set with room: a tenth of them is plausible as well. */
const room = 10;

/**
 * Numbers of rows that each site may have, the fewest first: two at least, for one alone would be taken for what is known.
 * @param maxRowsPerSite - at least 2
 */
export function rowsToAssume(maxRowsPerSite: number): number[] {
  const plausible = plausibleRows.filter((rows) => rows <= maxRowsPerSite);
  if (plausible.length > 1) return plausible;
  const fewest = Math.max(1, Math.floor(maxRowsPerSite / room));
  return [fewest, maxRowsPerSite];
}

type ForecastOf = (study: Study, input: Pick<ForecastInput, "rows">) => Promise<Forecast>;

/**
 * The forecast of a study: by the rows that it expects, or for each number of rows that its sites may have. One case without lines, but
 * with a remark why, where there is none.
 */
export async function precisionCases(study: Study, pause?: () => Promise<void>): Promise<PrecisionCase[]> {
  const rows = rowsExpected(study);
  const without = (remark: string): PrecisionCase[] => [
    { rows, rowsPerSite: null, lines: [], remarks: [remark] },
  ];
  if (study.variant !== "sound") return without(line("forecast.unproven", {}));
  if (study.privacy === "none") return without(line("forecast.no-noise", {}));
  const load = study[methodKey].precision;
  if (load === undefined) return without(line("forecast.no-interval", {}));
  const precision = await load();
  const forecastOf: ForecastOf = (given, input) => precision(given, { ...input, answer: answerOf, pause });
  const { expectedRows, maxRowsPerSite } = study.participation;
  if (expectedRows !== undefined) {
    const forecast = await forecastOf(study, { rows });
    if (forecast.lines.length === 0) return without(line("forecast.no-interval", {}));
    const enough = await enoughFor(study, forecastOf, forecast);
    const remarks = enough === null ? forecast.remarks : [...forecast.remarks, enough];
    return [{ rows, rowsPerSite: null, lines: forecast.lines, remarks }];
  }
  const cases: PrecisionCase[] = [];
  for (const rowsPerSite of rowsToAssume(maxRowsPerSite)) {
    const assumed = rowsPerSite * sitesAtLeast(study);
    cases.push({ rows: assumed, rowsPerSite, ...(await forecastOf(study, { rows: assumed })) });
  }
  return cases.some(({ lines: told }) => told.length > 0) ? cases : without(line("forecast.no-interval", {}));
}

const isUseful = ({ likely, useful }: ExpectedPrecision) =>
  useful === null || (likely !== null && likely <= useful);

/** Rows and ε are tried at these multiples. */
const multiples = [1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32];

/** Rows or ε that would do for figures that are likely to be too wide. Null where all are of use. */
async function enoughFor(study: Study, forecastOf: ForecastOf, now: Forecast): Promise<string | null> {
  const { privacy } = study;
  const wide = now.lines.flatMap((one, at) => (isUseful(one) ? [] : [at]));
  if (wide.length === 0 || privacy === "none") return null;
  const rows = rowsExpected(study);
  const isEnough = async (given: Study, input: Pick<ForecastInput, "rows">) => {
    const { lines: told } = await forecastOf(given, input);
    return wide.every((at) => told[at] !== undefined && isUseful(told[at]));
  };
  const { delta, rho } = privacy;
  const epsilon = rho === undefined ? privacy.epsilon : epsilonFromRho({ rho, delta });
  const withLarger = (times: number): Study => ({ ...study, privacy: { epsilon: epsilon * times, delta } });
  const byRows = await firstEnough((many) => isEnough(study, { rows: Math.round(rows * many) }));
  const byEpsilon = await firstEnough((larger) => isEnough(withLarger(larger), { rows }));
  return line("forecast.enough", {
    wide: wide.length,
    figures: now.lines.length,
    rows: byRows === null ? null : Number((rows * byRows).toPrecision(2)),
    epsilon: byEpsilon === null ? null : Number((epsilon * byEpsilon).toPrecision(2)),
  });
}

/** The first of the multiples that is enough, by halving; null where none is. */
async function firstEnough(isEnough: (multiple: number) => Promise<boolean>): Promise<number | null> {
  let [low, high] = [0, multiples.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isEnough(multiples[middle]!)) high = middle;
    else low = middle + 1;
  }
  return multiples[low] ?? null;
}
