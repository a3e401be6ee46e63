// Original file: consilium/v1/federation.proto


export interface Delivery {
  'step'?: (string);
  'from'?: (string);
  'publicPart'?: (Buffer | Uint8Array | string);
  'signature'?: (Buffer | Uint8Array | string);
  'sealed'?: (Buffer | Uint8Array | string);
}

export interface Delivery__Output {
  'step': (string);
  'from': (string);
  'publicPart': (Buffer);
  'signature': (Buffer);
  'sealed': (Buffer);
}
