// Original file: consilium/v1/releases.proto


export interface WithdrawRequest {
  'withdrawal'?: (Buffer | Uint8Array | string);
}

export interface WithdrawRequest__Output {
  'withdrawal': (Buffer);
}
