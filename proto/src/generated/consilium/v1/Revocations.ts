// Original file: consilium/v1/federation.proto


export interface Revocations {
  'list'?: (Buffer | Uint8Array | string);
  'confirmation'?: (Buffer | Uint8Array | string);
}

export interface Revocations__Output {
  'list': (Buffer);
  'confirmation': (Buffer);
}
