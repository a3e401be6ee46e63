// Original file: consilium/v1/federation.proto

import type { SiteKeys as _consilium_v1_SiteKeys, SiteKeys__Output as _consilium_v1_SiteKeys__Output } from '../../consilium/v1/SiteKeys.js';

export interface SumSharesTask {
  'keys'?: (_consilium_v1_SiteKeys)[];
}

export interface SumSharesTask__Output {
  'keys': (_consilium_v1_SiteKeys__Output)[];
}
