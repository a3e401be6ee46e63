// Original file: consilium/v1/federation.proto


export interface SurvivorsSignature {
  'siteId'?: (string);
  'signature'?: (Buffer | Uint8Array | string);
}

export interface SurvivorsSignature__Output {
  'siteId': (string);
  'signature': (Buffer);
}
