// Original file: consilium/v1/federation.proto


export interface Working {
  'studyId'?: (string);
  'step'?: (string);
}

export interface Working__Output {
  'studyId': (string);
  'step': (string);
}
