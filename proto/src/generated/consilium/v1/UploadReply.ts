// Original file: consilium/v1/federation.proto

import type { Long } from '@grpc/proto-loader';

export interface UploadReply {
  'received'?: (number | string | Long);
  'complete'?: (boolean);
}

export interface UploadReply__Output {
  'received': (number);
  'complete': (boolean);
}
