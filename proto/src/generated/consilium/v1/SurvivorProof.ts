// Original file: consilium/v1/federation.proto


export interface SurvivorProof {
  'siteId'?: (string);
  'transcriptSignature'?: (Buffer | Uint8Array | string);
}

export interface SurvivorProof__Output {
  'siteId': (string);
  'transcriptSignature': (Buffer);
}
