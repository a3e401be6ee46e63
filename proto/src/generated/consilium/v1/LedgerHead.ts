// Original file: consilium/v1/federation.proto


export interface LedgerHead {
  'head'?: (string);
  'signature'?: (Buffer | Uint8Array | string);
}

export interface LedgerHead__Output {
  'head': (string);
  'signature': (Buffer);
}
