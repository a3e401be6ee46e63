// Original file: consilium/v1/releases.proto


export interface Committed {
  'releaseId'?: (string);
  'url'?: (string);
}

export interface Committed__Output {
  'releaseId': (string);
  'url': (string);
}
