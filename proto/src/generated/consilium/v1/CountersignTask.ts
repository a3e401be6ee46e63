// Original file: consilium/v1/federation.proto


export interface CountersignTask {
  'statement'?: (string);
}

export interface CountersignTask__Output {
  'statement': (string);
}
