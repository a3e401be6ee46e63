// Original file: consilium/v1/releases.proto

import type { Long } from '@grpc/proto-loader';

export interface DepositHeader {
  'content'?: (string);
  'dataBytes'?: (number | string | Long);
  'dataSha256'?: (Buffer | Uint8Array | string);
}

export interface DepositHeader__Output {
  'content': (string);
  'dataBytes': (number);
  'dataSha256': (Buffer);
}
