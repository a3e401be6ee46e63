// Original file: consilium/v1/federation.proto

import type { BroadcastItem as _consilium_v1_BroadcastItem, BroadcastItem__Output as _consilium_v1_BroadcastItem__Output } from '../../consilium/v1/BroadcastItem.js';

export interface StageTask {
  'broadcasts'?: (_consilium_v1_BroadcastItem)[];
}

export interface StageTask__Output {
  'broadcasts': (_consilium_v1_BroadcastItem__Output)[];
}
