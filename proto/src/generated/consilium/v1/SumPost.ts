// Original file: consilium/v1/federation.proto

import type { SumKeys as _consilium_v1_SumKeys, SumKeys__Output as _consilium_v1_SumKeys__Output } from '../../consilium/v1/SumKeys.js';
import type { SumShares as _consilium_v1_SumShares, SumShares__Output as _consilium_v1_SumShares__Output } from '../../consilium/v1/SumShares.js';
import type { SumUnmask as _consilium_v1_SumUnmask, SumUnmask__Output as _consilium_v1_SumUnmask__Output } from '../../consilium/v1/SumUnmask.js';

export interface SumPost {
  'studyId'?: (string);
  'step'?: (string);
  'attempt'?: (number);
  'keys'?: (_consilium_v1_SumKeys | null);
  'shares'?: (_consilium_v1_SumShares | null);
  'survivorsSignature'?: (Buffer | Uint8Array | string);
  'unmask'?: (_consilium_v1_SumUnmask | null);
  'post'?: "keys"|"shares"|"survivorsSignature"|"unmask";
}

export interface SumPost__Output {
  'studyId': (string);
  'step': (string);
  'attempt': (number);
  'keys'?: (_consilium_v1_SumKeys__Output | null);
  'shares'?: (_consilium_v1_SumShares__Output | null);
  'survivorsSignature'?: (Buffer);
  'unmask'?: (_consilium_v1_SumUnmask__Output | null);
  'post'?: "keys"|"shares"|"survivorsSignature"|"unmask";
}
