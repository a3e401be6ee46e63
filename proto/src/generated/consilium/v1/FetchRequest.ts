// Original file: consilium/v1/federation.proto

import type { Long } from '@grpc/proto-loader';

export interface FetchRequest {
  'studyId'?: (string);
  'sha256'?: (Buffer | Uint8Array | string);
  'offset'?: (number | string | Long);
}

export interface FetchRequest__Output {
  'studyId': (string);
  'sha256': (Buffer);
  'offset': (number);
}
