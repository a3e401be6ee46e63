// Original file: consilium/v1/federation.proto


export interface SumKeys {
  'maskKey'?: (Buffer | Uint8Array | string);
  'sealKey'?: (Buffer | Uint8Array | string);
  'signature'?: (Buffer | Uint8Array | string);
}

export interface SumKeys__Output {
  'maskKey': (Buffer);
  'sealKey': (Buffer);
  'signature': (Buffer);
}
