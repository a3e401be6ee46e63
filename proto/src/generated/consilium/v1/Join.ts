// Original file: consilium/v1/federation.proto


export interface Join {
  'exchangeKey'?: (Buffer | Uint8Array | string);
  'signature'?: (Buffer | Uint8Array | string);
}

export interface Join__Output {
  'exchangeKey': (Buffer);
  'signature': (Buffer);
}
