// Original file: consilium/v1/federation.proto

import type { VersionRange as _consilium_v1_VersionRange, VersionRange__Output as _consilium_v1_VersionRange__Output } from '../../consilium/v1/VersionRange.js';

export interface CheckRequest {
  'versions'?: (_consilium_v1_VersionRange | null);
}

export interface CheckRequest__Output {
  'versions': (_consilium_v1_VersionRange__Output | null);
}
