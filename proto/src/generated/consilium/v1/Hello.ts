// Original file: consilium/v1/federation.proto

import type { VersionRange as _consilium_v1_VersionRange, VersionRange__Output as _consilium_v1_VersionRange__Output } from '../../consilium/v1/VersionRange.js';
import type { TableSchema as _consilium_v1_TableSchema, TableSchema__Output as _consilium_v1_TableSchema__Output } from '../../consilium/v1/TableSchema.js';
import type { Speaks as _consilium_v1_Speaks, Speaks__Output as _consilium_v1_Speaks__Output } from '../../consilium/v1/Speaks.js';
import type { Admits as _consilium_v1_Admits, Admits__Output as _consilium_v1_Admits__Output } from '../../consilium/v1/Admits.js';
import type { Long } from '@grpc/proto-loader';

export interface Hello {
  'versions'?: (_consilium_v1_VersionRange | null);
  'tables'?: (_consilium_v1_TableSchema)[];
  'nowMs'?: (number | string | Long);
  'instance'?: (Buffer | Uint8Array | string);
  'speaks'?: (_consilium_v1_Speaks | null);
  'admits'?: (_consilium_v1_Admits | null);
}

export interface Hello__Output {
  'versions': (_consilium_v1_VersionRange__Output | null);
  'tables': (_consilium_v1_TableSchema__Output)[];
  'nowMs': (number);
  'instance': (Buffer);
  'speaks': (_consilium_v1_Speaks__Output | null);
  'admits': (_consilium_v1_Admits__Output | null);
}
