// Original file: consilium/v1/federation.proto

import type { LedgerHead as _consilium_v1_LedgerHead, LedgerHead__Output as _consilium_v1_LedgerHead__Output } from '../../consilium/v1/LedgerHead.js';

export interface Countersignature {
  'studyId'?: (string);
  'signature'?: (Buffer | Uint8Array | string);
  'ledgerHead'?: (_consilium_v1_LedgerHead | null);
  'ledgerEntries'?: (Buffer | Uint8Array | string)[];
  'software'?: (string);
}

export interface Countersignature__Output {
  'studyId': (string);
  'signature': (Buffer);
  'ledgerHead': (_consilium_v1_LedgerHead__Output | null);
  'ledgerEntries': (Buffer)[];
  'software': (string);
}
