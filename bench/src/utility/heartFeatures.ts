const number = (name: string, min: number, max: number, constant: number, edges: readonly number[]) => ({
  name,
  type: "numeric",
  min,
  max,
  missing: { constant },
  edges,
});
/** What was not recorded is a level of its own. */
const category = (name: string, levels: readonly string[]) => ({
  name,
  type: "categorical",
  levels,
  missing: "own-level",
});
/**
 * Columns of UCI Heart Disease as a study file declares them: bounds and edges from what physicians know of the measures,
 * not from the table.
 * @param words - how the codes of two columns read, the first code first
 */
export function heartFeatures({
  sex,
  exang,
}: {
  readonly sex: readonly string[];
  readonly exang: readonly string[];
}) {
  return [
    number("age", 20, 90, 55, [40, 45, 50, 55, 60, 65]),
    category("sex", sex),
    category("cp", ["1", "2", "3", "4"]),
    number("trestbps", 0, 250, 130, [110, 120, 130, 140, 150, 160]),
    number("chol", 0, 700, 230, [1, 180, 210, 240, 270, 300]),
    number("thalach", 50, 220, 140, [100, 115, 130, 145, 160, 175]),
    category("exang", exang),
    number("oldpeak", -5, 10, 0.8, [0.1, 0.6, 1.1, 1.6, 2.1, 3.1]),
    category("slope", ["1", "2", "3"]),
    category("thal", ["3", "6", "7"]),
  ];
}
