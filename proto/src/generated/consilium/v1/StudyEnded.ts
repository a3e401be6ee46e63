// Original file: consilium/v1/federation.proto


export interface StudyEnded {
  'studyId'?: (string);
  'outcome'?: (string);
  'code'?: (string);
}

export interface StudyEnded__Output {
  'studyId': (string);
  'outcome': (string);
  'code': (string);
}
