import { defaultBudgetYaml } from "../privacy/defaultBudget.js";

/** What holds where the hospital has written no policy, as a file to begin with. */
export const policySuggestion = `# Which studies this hospital takes part in. Every key may be left out.
# The agent reads the file again before it judges a study.

# sound: privacy is proven. paper: it is claimed by a method's authors and not proven.
variants: [sound]

# person: every study waits for somebody at this hospital.
# automatic: nobody is asked; then perStudy must say what one study may cost.
approval: person

# Every study must bring together so many hospitals.
minimumSites: 3

# Whose privacy is spent together. The budget is for all studies together and permanently.
populations:
  default: { ${defaultBudgetYaml} }
`;
