// Original file: consilium/v1/federation.proto


export interface Progress {
  'studyId'?: (string);
  'step'?: (string);
  'fraction'?: (number | string);
}

export interface Progress__Output {
  'studyId': (string);
  'step': (string);
  'fraction': (number);
}
