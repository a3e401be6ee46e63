// Made from examples/studies by scripts/studyTemplates.ts; a test compares the two.

/** What an example study of each method says that is not about its columns. */
export const studyTemplates = {
  "cart-dps-adaboost": {
    "analysis": "boosted-trees",
    "variant": "paper",
    "privacy": "privacy: { epsilon: 1, delta: 0.00001 }",
    "parameters": "  trees: 5\n  depth: 2"
  },
  "counts": {
    "analysis": "describe",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 0.5, delta: 0.00001 }",
    "parameters": "  conditions:\n    # A record meets a condition where it meets all that is listed; an empty list is met by every record.\n    - { name: all, all: [] }\n    # Such as:\n    # - { name: adults, all: [{ column: age, atLeast: 18 }] }\n    # - { name: obese adults, all: [{ column: age, atLeast: 18 }, { column: body_mass_index, atLeast: 30 }] }"
  },
  "describe": {
    "analysis": "describe",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 3, delta: 0.00001 }",
    "parameters": "  # Intervals of equal width of the columns below. Better: declare edges for each of them, as edges: [18, 40, 65].\n  bins: 10\n  # Combinations of two columns, counted too:\n  # tables: [[age, body_mass_index]]"
  },
  "dp-additive": {
    "analysis": "boosted-trees",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 4, delta: 0.00001 }",
    "parameters": "  # Every sum updates all curves at once.\n  epochs: 6\n  # A fifth of the rows is kept out of training and tells how well the curves do.\n  evaluation: { heldOut: 0.2, share: 0.05 }"
  },
  "dp-histboost": {
    "analysis": "boosted-trees",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 4, delta: 0.00001 }",
    "parameters": "  # The defaults, written out.\n  trees: 10\n  depth: 4\n  # A fifth of the rows is kept out of training and tells how well the trees do.\n  evaluation: { heldOut: 0.2, share: 0.05 }"
  },
  "dp-ka": {
    "analysis": "k-anonymous-selection",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 4, delta: 0.00001 }",
    "parameters": "  # Rows of a group at least. Trees and bins are left out: they follow from the rows to expect.\n  k: 5"
  },
  "dp-pca": {
    "analysis": "pca",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 1, delta: 0.00001 }",
    "parameters": "  components: 4\n  # Public choices, never read from data. The bounds below leave room upwards, so rows are expected under the middle of\n  # them, and closer together than rows that fill the ranges.\n  centre: 0.3\n  radius: 0.8"
  },
  "dp-pcc": {
    "analysis": "correlation-tree",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 4, delta: 0.00001 }",
    "parameters": "  # Depth and bins are left out: they follow from the noise and the rows to expect.\n  # A fifth of the rows is kept out of training and tells how well the tree does.\n  evaluation: { heldOut: 0.2, share: 0.05 }"
  },
  "dp-pcc-s": {
    "analysis": "correlation-tree",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 8, delta: 0.00001 }",
    "parameters": "  # Depth, bins and blocks are left out: they follow from the noise and the rows to expect.\n  # A fifth of the rows is kept out of training and tells how well the tree does.\n  evaluation: { heldOut: 0.2, share: 0.05 }"
  },
  "dpdis-pca": {
    "analysis": "pca",
    "variant": "paper",
    "privacy": "privacy: { epsilon: 1, delta: 0.00001 }",
    "parameters": "  components: 4\n  scale: declared # every column to [0, 1] by its bounds; otherwise area would drown the rest"
  },
  "elfed-pca": {
    "analysis": "pca",
    "variant": "paper",
    "privacy": "privacy: { epsilon: 1, delta: 0.00001 }",
    "parameters": "  components: 4\n  scale: declared # every column to [0, 1] by its bounds; otherwise area would drown the rest"
  },
  "felp": {
    "analysis": "feature-selection",
    "variant": "paper",
    "privacy": "privacy: { epsilon: 10, delta: 0.00001 }",
    "parameters": "  select: 3\n  subsamples: 20\n  beta: 0.9"
  },
  "felp-a": {
    "analysis": "feature-selection",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 1, delta: 0.00001 }",
    "parameters": "  select: 3\n  # Public choices, never read from data. The bounds below leave room upwards, so rows are expected under the middle of\n  # them, and no farther apart than this.\n  centre: 0.3\n  radius: 1"
  },
  "felp-s": {
    "analysis": "feature-selection",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 4, delta: 0.00001 }",
    "parameters": "  # Features to select. The number of blocks is left out: it follows from maxRowsPerSite.\n  select: 3"
  },
  "greedy-hamdist": {
    "analysis": "k-anonymous-selection",
    "variant": "paper",
    "privacy": "privacy: none",
    "parameters": "  k: 10"
  },
  "pearson-tree": {
    "analysis": "correlation-tree",
    "variant": "paper",
    "privacy": "privacy: { epsilon: 1, delta: 0.00001 }",
    "parameters": "  depth: 2"
  },
  "regression": {
    "analysis": "regression",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 4, delta: 0.00001 }",
    "parameters": "  # Odds ratios of the label's second level. For a number to explain: family: linear, and outcome: its column.\n  family: logistic\n  # A fifth of the rows is kept out of the fit and tells how well the model predicts.\n  evaluation: { heldOut: 0.2, share: 0.05 }"
  },
  "survival": {
    "analysis": "survival",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 1, delta: 0.00001 }",
    "parameters": "  # The status that counts; rows of every other one are censored at their time, but those named as `competing`.\n  event: dead\n  # Of equal width, from 0 to the horizon; or declare edges of the time.\n  intervals: 100",
    "columns": "# Whether the event came by the end of follow-up, or why the patient was not followed longer.\nlabel:\n  name: status\n  levels: [alive, dead, lost to follow-up]\n\n# One number: the time of follow-up, from 0 to the horizon, where those still followed are censored.\n# At most one category: the groups that are compared.\nfeatures:\n  - { name: months, type: numeric, min: 0, max: 60, unit: months, below: reject-row }\n  - { name: arm, type: categorical, levels: [standard, new] }\n"
  },
  "synthetic-table": {
    "analysis": "synthetic-table",
    "variant": "sound",
    "privacy": "privacy: { epsilon: 1, delta: 0.00001 }",
    "parameters": "  # Intervals of equal width of a numeric column that declares no edges.\n  bins: 10\n  # How many rows to draw; left out, as many as the noisy counts say that there are records.\n  # rows: 5000\n  # How many decimals a numeric column's values have; left out, any number of the interval.\n  # decimals: [[months, 0]]",
    "columns": "# Every column is drawn, and none is an outcome. Bounds, edges and levels are public and declared, never read from the\n# data. Alike levels stand side by side: where there are many, neighbours are counted together at first.\nfeatures:\n  - { name: months, type: numeric, min: 0, max: 60, unit: months, below: reject-row,\n      edges: [3, 6, 12, 18, 24, 36, 48, 60] }\n  - { name: arm, type: categorical, levels: [standard, new] }\n  - { name: status, type: categorical, levels: [alive, lost to follow-up, dead] }\n"
  },
  "xgb-ka": {
    "analysis": "k-anonymous-selection",
    "variant": "paper",
    "privacy": "privacy: none",
    "parameters": "  k: 10\n  trees: 10\n  depth: 2"
  }
} as const;
