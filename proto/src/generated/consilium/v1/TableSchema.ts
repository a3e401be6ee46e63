// Original file: consilium/v1/federation.proto

import type { TableColumn as _consilium_v1_TableColumn, TableColumn__Output as _consilium_v1_TableColumn__Output } from '../../consilium/v1/TableColumn.js';

export interface TableSchema {
  'name'?: (string);
  'columns'?: (_consilium_v1_TableColumn)[];
}

export interface TableSchema__Output {
  'name': (string);
  'columns': (_consilium_v1_TableColumn__Output)[];
}
