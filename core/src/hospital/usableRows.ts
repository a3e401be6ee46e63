/** @param percent - the policy's `minimumUsable`: of the rows that a study means to use, below which people are told */
export const isFew = (used: number, meant: number, percent: number): boolean => 100 * used < percent * meant;
