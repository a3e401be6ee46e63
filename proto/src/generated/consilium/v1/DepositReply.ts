// Original file: consilium/v1/releases.proto

import type { Rendered as _consilium_v1_Rendered, Rendered__Output as _consilium_v1_Rendered__Output } from '../../consilium/v1/Rendered.js';
import type { Committed as _consilium_v1_Committed, Committed__Output as _consilium_v1_Committed__Output } from '../../consilium/v1/Committed.js';

export interface DepositReply {
  'rendered'?: (_consilium_v1_Rendered | null);
  'committed'?: (_consilium_v1_Committed | null);
  'part'?: "rendered"|"committed";
}

export interface DepositReply__Output {
  'rendered'?: (_consilium_v1_Rendered__Output | null);
  'committed'?: (_consilium_v1_Committed__Output | null);
  'part'?: "rendered"|"committed";
}
