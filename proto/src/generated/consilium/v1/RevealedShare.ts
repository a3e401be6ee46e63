// Original file: consilium/v1/federation.proto


export interface RevealedShare {
  'of'?: (string);
  'selfMask'?: (boolean);
  'share'?: (Buffer | Uint8Array | string);
}

export interface RevealedShare__Output {
  'of': (string);
  'selfMask': (boolean);
  'share': (Buffer);
}
