// Original file: consilium/v1/federation.proto


export interface EnrollResponse {
  'federation'?: (string);
  'siteId'?: (string);
  'chain'?: (Buffer | Uint8Array | string)[];
}

export interface EnrollResponse__Output {
  'federation': (string);
  'siteId': (string);
  'chain': (Buffer)[];
}
