// Original file: consilium/v1/federation.proto

import type { TableColumn as _consilium_v1_TableColumn, TableColumn__Output as _consilium_v1_TableColumn__Output } from '../../consilium/v1/TableColumn.js';
import type { BudgetLeft as _consilium_v1_BudgetLeft, BudgetLeft__Output as _consilium_v1_BudgetLeft__Output } from '../../consilium/v1/BudgetLeft.js';

export interface TableSchema {
  'name'?: (string);
  'columns'?: (_consilium_v1_TableColumn)[];
  'budget'?: (_consilium_v1_BudgetLeft | null);
}

export interface TableSchema__Output {
  'name': (string);
  'columns': (_consilium_v1_TableColumn__Output)[];
  'budget': (_consilium_v1_BudgetLeft__Output | null);
}
