// Original file: consilium/v1/federation.proto


export interface Envelope {
  'to'?: (string);
  'sealed'?: (Buffer | Uint8Array | string);
}

export interface Envelope__Output {
  'to': (string);
  'sealed': (Buffer);
}
