// Original file: consilium/v1/federation.proto


export interface FormatRange {
  'lowest'?: (number);
  'highest'?: (number);
}

export interface FormatRange__Output {
  'lowest': (number);
  'highest': (number);
}
