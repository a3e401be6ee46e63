// Original file: consilium/v1/federation.proto

import type { Long } from '@grpc/proto-loader';

export interface BroadcastItem {
  'stage'?: (string);
  'name'?: (string);
  'length'?: (number | string | Long);
  'sha256'?: (Buffer | Uint8Array | string);
  'values'?: (Buffer | Uint8Array | string);
}

export interface BroadcastItem__Output {
  'stage': (string);
  'name': (string);
  'length': (number);
  'sha256': (Buffer);
  'values': (Buffer);
}
