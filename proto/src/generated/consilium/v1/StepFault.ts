// Original file: consilium/v1/federation.proto


export interface StepFault {
  'studyId'?: (string);
  'step'?: (string);
  'attempt'?: (number);
  'code'?: (string);
}

export interface StepFault__Output {
  'studyId': (string);
  'step': (string);
  'attempt': (number);
  'code': (string);
}
