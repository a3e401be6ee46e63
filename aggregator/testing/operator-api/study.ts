/** A study file of the least that one needs, for tests. */
export const smallStudy = {
  name: "small",
  table: "people",
  analysis: "pca",
  privacy: { epsilon: 1, delta: 1e-5 },
  parameters: { components: 1 },
  participation: { maxRowsPerSite: 100 },
  features: [
    { name: "height", type: "numeric", min: 0, max: 250 },
    { name: "weight", type: "numeric", min: 0, max: 300 },
  ],
};
