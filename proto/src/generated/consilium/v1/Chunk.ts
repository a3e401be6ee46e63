// Original file: consilium/v1/federation.proto

import type { Long } from '@grpc/proto-loader';

export interface Chunk {
  'offset'?: (number | string | Long);
  'data'?: (Buffer | Uint8Array | string);
}

export interface Chunk__Output {
  'offset': (number);
  'data': (Buffer);
}
