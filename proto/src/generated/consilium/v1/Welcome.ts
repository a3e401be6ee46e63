// Original file: consilium/v1/federation.proto


export interface Welcome {
  'protocol'?: (number);
  'software'?: (string);
  'federation'?: (string);
  'heartbeatMs'?: (number);
}

export interface Welcome__Output {
  'protocol': (number);
  'software': (string);
  'federation': (string);
  'heartbeatMs': (number);
}
