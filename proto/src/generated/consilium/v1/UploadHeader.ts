// Original file: consilium/v1/federation.proto

import type { Long } from '@grpc/proto-loader';

export interface UploadHeader {
  'studyId'?: (string);
  'step'?: (string);
  'attempt'?: (number);
  'totalBytes'?: (number | string | Long);
  'sha256'?: (Buffer | Uint8Array | string);
}

export interface UploadHeader__Output {
  'studyId': (string);
  'step': (string);
  'attempt': (number);
  'totalBytes': (number);
  'sha256': (Buffer);
}
