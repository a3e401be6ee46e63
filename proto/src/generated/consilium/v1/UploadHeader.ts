// Original file: consilium/v1/federation.proto

import type { SumKeys as _consilium_v1_SumKeys, SumKeys__Output as _consilium_v1_SumKeys__Output } from '../../consilium/v1/SumKeys.js';
import type { LedgerHead as _consilium_v1_LedgerHead, LedgerHead__Output as _consilium_v1_LedgerHead__Output } from '../../consilium/v1/LedgerHead.js';
import type { Long } from '@grpc/proto-loader';

export interface UploadHeader {
  'studyId'?: (string);
  'step'?: (string);
  'attempt'?: (number);
  'totalBytes'?: (number | string | Long);
  'sha256'?: (Buffer | Uint8Array | string);
  'transcriptSignature'?: (Buffer | Uint8Array | string);
  'nextKeys'?: (_consilium_v1_SumKeys | null);
  'ledgerHead'?: (_consilium_v1_LedgerHead | null);
  'content'?: (Buffer | Uint8Array | string);
}

export interface UploadHeader__Output {
  'studyId': (string);
  'step': (string);
  'attempt': (number);
  'totalBytes': (number);
  'sha256': (Buffer);
  'transcriptSignature': (Buffer);
  'nextKeys': (_consilium_v1_SumKeys__Output | null);
  'ledgerHead': (_consilium_v1_LedgerHead__Output | null);
  'content': (Buffer);
}
