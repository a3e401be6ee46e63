// Original file: consilium/v1/releases.proto


export interface DepositCertificate {
  'certificate'?: (Buffer | Uint8Array | string);
  'signature'?: (Buffer | Uint8Array | string);
}

export interface DepositCertificate__Output {
  'certificate': (Buffer);
  'signature': (Buffer);
}
