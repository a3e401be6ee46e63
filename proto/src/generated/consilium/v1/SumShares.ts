// Original file: consilium/v1/federation.proto

import type { Envelope as _consilium_v1_Envelope, Envelope__Output as _consilium_v1_Envelope__Output } from '../../consilium/v1/Envelope.js';

export interface SumShares {
  'selfMaskCommitment'?: (Buffer | Uint8Array | string);
  'signature'?: (Buffer | Uint8Array | string);
  'envelopes'?: (_consilium_v1_Envelope)[];
  'ciphertexts'?: (Buffer | Uint8Array | string);
}

export interface SumShares__Output {
  'selfMaskCommitment': (Buffer);
  'signature': (Buffer);
  'envelopes': (_consilium_v1_Envelope__Output)[];
  'ciphertexts': (Buffer);
}
