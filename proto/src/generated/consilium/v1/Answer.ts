// Original file: consilium/v1/federation.proto


export interface Answer {
  'studyId'?: (string);
  'questionId'?: (string);
  'text'?: (string);
}

export interface Answer__Output {
  'studyId': (string);
  'questionId': (string);
  'text': (string);
}
