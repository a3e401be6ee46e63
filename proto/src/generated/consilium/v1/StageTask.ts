// Original file: consilium/v1/federation.proto

import type { BroadcastItem as _consilium_v1_BroadcastItem, BroadcastItem__Output as _consilium_v1_BroadcastItem__Output } from '../../consilium/v1/BroadcastItem.js';
import type { DeliveredShares as _consilium_v1_DeliveredShares, DeliveredShares__Output as _consilium_v1_DeliveredShares__Output } from '../../consilium/v1/DeliveredShares.js';

export interface StageTask {
  'broadcasts'?: (_consilium_v1_BroadcastItem)[];
  'shares'?: (_consilium_v1_DeliveredShares)[];
}

export interface StageTask__Output {
  'broadcasts': (_consilium_v1_BroadcastItem__Output)[];
  'shares': (_consilium_v1_DeliveredShares__Output)[];
}
