// Original file: consilium/v1/releases.proto

import type { Long } from '@grpc/proto-loader';

export interface RenderedFile {
  'name'?: (string);
  'bytes'?: (number | string | Long);
  'sha256'?: (Buffer | Uint8Array | string);
}

export interface RenderedFile__Output {
  'name': (string);
  'bytes': (number);
  'sha256': (Buffer);
}
