// Original file: consilium/v1/federation.proto


export interface EndReceipt {
  'studyId'?: (string);
}

export interface EndReceipt__Output {
  'studyId': (string);
}
