// Original file: consilium/v1/releases.proto


export interface PublishedRelease {
  'certificate'?: (Buffer | Uint8Array | string);
  'signature'?: (Buffer | Uint8Array | string);
  'withdrawal'?: (Buffer | Uint8Array | string);
}

export interface PublishedRelease__Output {
  'certificate': (Buffer);
  'signature': (Buffer);
  'withdrawal': (Buffer);
}
