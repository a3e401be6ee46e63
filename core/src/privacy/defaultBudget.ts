/**
 * Lifetime budget of a population of patients where its hospital has decided nothing: for all studies of it together. [PHK23] calls ε up
 * to 1 strong and up to 10 reasonable: such a hospital stays well within. δ lies well below one in the number of a table's patients.
 */
export const defaultBudget = { epsilon: 3, delta: 1e-6 } as const;

/** The default budget as keys of YAML, for files that people edit. */
export const defaultBudgetYaml = `epsilon: ${defaultBudget.epsilon}, delta: ${defaultBudget.delta.toExponential(1)}`;
