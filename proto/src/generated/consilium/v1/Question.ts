// Original file: consilium/v1/federation.proto


export interface Question {
  'studyId'?: (string);
  'questionId'?: (string);
  'text'?: (string);
}

export interface Question__Output {
  'studyId': (string);
  'questionId': (string);
  'text': (string);
}
