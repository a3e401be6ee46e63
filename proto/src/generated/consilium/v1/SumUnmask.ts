// Original file: consilium/v1/federation.proto

import type { RevealedShare as _consilium_v1_RevealedShare, RevealedShare__Output as _consilium_v1_RevealedShare__Output } from '../../consilium/v1/RevealedShare.js';
import type { SumShares as _consilium_v1_SumShares, SumShares__Output as _consilium_v1_SumShares__Output } from '../../consilium/v1/SumShares.js';

export interface SumUnmask {
  'shares'?: (_consilium_v1_RevealedShare)[];
  'nextShares'?: (_consilium_v1_SumShares | null);
}

export interface SumUnmask__Output {
  'shares': (_consilium_v1_RevealedShare__Output)[];
  'nextShares': (_consilium_v1_SumShares__Output | null);
}
