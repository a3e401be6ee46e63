// Original file: consilium/v1/federation.proto

import type { Join as _consilium_v1_Join, Join__Output as _consilium_v1_Join__Output } from '../../consilium/v1/Join.js';

export interface Member {
  'siteId'?: (string);
  'chain'?: (Buffer | Uint8Array | string)[];
  'join'?: (_consilium_v1_Join | null);
}

export interface Member__Output {
  'siteId': (string);
  'chain': (Buffer)[];
  'join': (_consilium_v1_Join__Output | null);
}
