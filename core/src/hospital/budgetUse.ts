/** Of what is used of a population's budget: whether somebody should be told. */

/** A part of the limit; above it a hospital is warned. */
export const budgetWarnPart = 0.75;
/** In days: so long a study without a proof that sent data is a warning; what it sent stays in the ledger's total. */
export const unprovenWarnDays = 30;

/** @param use.limit - null: the hospital sets none */
export function isNearlySpent(use: { readonly held: number; readonly limit: number | null }): boolean {
  return use.limit !== null && use.held > budgetWarnPart * use.limit;
}

/** In whole percent, rounded down. */
export function usedPercent(use: { readonly held: number; readonly limit: number }): number {
  return Math.floor((100 * use.held) / use.limit + 1e-9);
}

/** Whether it is running, or has sent data of late. */
export function isOfLate(
  study: { readonly lastAt: string; readonly isRunning: boolean },
  now: number,
): boolean {
  return study.isRunning || now - Date.parse(study.lastAt) < unprovenWarnDays * 86_400_000;
}
