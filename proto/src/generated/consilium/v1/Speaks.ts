// Original file: consilium/v1/federation.proto

import type { FormatRange as _consilium_v1_FormatRange, FormatRange__Output as _consilium_v1_FormatRange__Output } from '../../consilium/v1/FormatRange.js';

export interface Speaks {
  'plan'?: (_consilium_v1_FormatRange | null);
  'statement'?: (_consilium_v1_FormatRange | null);
  'editions'?: ({[key: string]: number});
}

export interface Speaks__Output {
  'plan': (_consilium_v1_FormatRange__Output | null);
  'statement': (_consilium_v1_FormatRange__Output | null);
  'editions': ({[key: string]: number});
}
