// Original file: consilium/v1/federation.proto

import type { VersionRange as _consilium_v1_VersionRange, VersionRange__Output as _consilium_v1_VersionRange__Output } from '../../consilium/v1/VersionRange.js';
import type { Long } from '@grpc/proto-loader';

export interface CheckReply {
  'nowMs'?: (number | string | Long);
  'versions'?: (_consilium_v1_VersionRange | null);
  'certificateCode'?: (string);
  'certificateMessage'?: (string);
}

export interface CheckReply__Output {
  'nowMs': (number);
  'versions': (_consilium_v1_VersionRange__Output | null);
  'certificateCode': (string);
  'certificateMessage': (string);
}
