// Original file: consilium/v1/federation.proto

import type { LedgerHead as _consilium_v1_LedgerHead, LedgerHead__Output as _consilium_v1_LedgerHead__Output } from '../../consilium/v1/LedgerHead.js';

export interface Welcome {
  'protocol'?: (number);
  'software'?: (string);
  'federation'?: (string);
  'heartbeatMs'?: (number);
  'ledgerHead'?: (_consilium_v1_LedgerHead | null);
}

export interface Welcome__Output {
  'protocol': (number);
  'software': (string);
  'federation': (string);
  'heartbeatMs': (number);
  'ledgerHead': (_consilium_v1_LedgerHead__Output | null);
}
