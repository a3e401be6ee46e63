/** So many features f0, f1 and so on of a study: numbers of [0, 1]. */
export const unitFeatures = (count: number) =>
  Array.from({ length: count }, (_, j) => ({ name: `f${j}`, type: "numeric", min: 0, max: 1 }));
