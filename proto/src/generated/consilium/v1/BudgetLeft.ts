// Original file: consilium/v1/federation.proto


export interface BudgetLeft {
  'epsilon'?: (number | string);
  'delta'?: (number | string);
}

export interface BudgetLeft__Output {
  'epsilon': (number);
  'delta': (number);
}
