// Original file: consilium/v1/federation.proto

import type { Long } from '@grpc/proto-loader';

export interface Invitation {
  'studyId'?: (string);
  'studyText'?: (string);
  'studyHash'?: (Buffer | Uint8Array | string);
  'deadlineInMs'?: (number | string | Long);
  'plan'?: (string);
}

export interface Invitation__Output {
  'studyId': (string);
  'studyText': (string);
  'studyHash': (Buffer);
  'deadlineInMs': (number);
  'plan': (string);
}
