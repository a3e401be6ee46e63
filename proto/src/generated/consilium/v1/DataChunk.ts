// Original file: consilium/v1/releases.proto

import type { Long } from '@grpc/proto-loader';

export interface DataChunk {
  'offset'?: (number | string | Long);
  'data'?: (Buffer | Uint8Array | string);
}

export interface DataChunk__Output {
  'offset': (number);
  'data': (Buffer);
}
