// Original file: consilium/v1/federation.proto


export interface VersionRange {
  'lowest'?: (number);
  'highest'?: (number);
  'software'?: (string);
}

export interface VersionRange__Output {
  'lowest': (number);
  'highest': (number);
  'software': (string);
}
