// Original file: consilium/v1/federation.proto

import type { Bounds as _consilium_v1_Bounds, Bounds__Output as _consilium_v1_Bounds__Output } from '../../consilium/v1/Bounds.js';

export interface TableColumn {
  'name'?: (string);
  'type'?: (string);
  'unit'?: (string);
  'bounds'?: (_consilium_v1_Bounds | null);
  'levels'?: (string)[];
}

export interface TableColumn__Output {
  'name': (string);
  'type': (string);
  'unit': (string);
  'bounds': (_consilium_v1_Bounds__Output | null);
  'levels': (string)[];
}
