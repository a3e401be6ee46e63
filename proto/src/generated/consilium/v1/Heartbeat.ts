// Original file: consilium/v1/federation.proto

import type { Long } from '@grpc/proto-loader';

export interface Heartbeat {
  'sequence'?: (number | string | Long);
  'nowMs'?: (number | string | Long);
}

export interface Heartbeat__Output {
  'sequence': (number);
  'nowMs': (number);
}
