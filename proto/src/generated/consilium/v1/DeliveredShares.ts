// Original file: consilium/v1/federation.proto


export interface DeliveredShares {
  'from'?: (string);
  'selfMaskCommitment'?: (Buffer | Uint8Array | string);
  'signature'?: (Buffer | Uint8Array | string);
  'sealed'?: (Buffer | Uint8Array | string);
  'ciphertexts'?: (Buffer | Uint8Array | string);
}

export interface DeliveredShares__Output {
  'from': (string);
  'selfMaskCommitment': (Buffer);
  'signature': (Buffer);
  'sealed': (Buffer);
  'ciphertexts': (Buffer);
}
