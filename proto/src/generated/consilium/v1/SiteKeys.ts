// Original file: consilium/v1/federation.proto

import type { SumKeys as _consilium_v1_SumKeys, SumKeys__Output as _consilium_v1_SumKeys__Output } from '../../consilium/v1/SumKeys.js';

export interface SiteKeys {
  'siteId'?: (string);
  'keys'?: (_consilium_v1_SumKeys | null);
}

export interface SiteKeys__Output {
  'siteId': (string);
  'keys': (_consilium_v1_SumKeys__Output | null);
}
