// Original file: consilium/v1/federation.proto

import type { VersionRange as _consilium_v1_VersionRange, VersionRange__Output as _consilium_v1_VersionRange__Output } from '../../consilium/v1/VersionRange.js';

export interface EnrollRequest {
  'tokenSecret'?: (Buffer | Uint8Array | string);
  'renewal'?: (boolean);
  'certificateRequest'?: (Buffer | Uint8Array | string);
  'signingKey'?: (Buffer | Uint8Array | string);
  'signingKeyProof'?: (Buffer | Uint8Array | string);
  'versions'?: (_consilium_v1_VersionRange | null);
  'proof'?: "tokenSecret"|"renewal";
}

export interface EnrollRequest__Output {
  'tokenSecret'?: (Buffer);
  'renewal'?: (boolean);
  'certificateRequest': (Buffer);
  'signingKey': (Buffer);
  'signingKeyProof': (Buffer);
  'versions': (_consilium_v1_VersionRange__Output | null);
  'proof'?: "tokenSecret"|"renewal";
}
