// Original file: consilium/v1/federation.proto


export interface Fault {
  'code'?: (string);
  'message'?: (string);
  'studyId'?: (string);
}

export interface Fault__Output {
  'code': (string);
  'message': (string);
  'studyId': (string);
}
