// Original file: consilium/v1/federation.proto


export interface Bounds {
  'min'?: (number | string);
  'max'?: (number | string);
}

export interface Bounds__Output {
  'min': (number);
  'max': (number);
}
