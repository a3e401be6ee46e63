// Original file: consilium/v1/releases.proto


export interface DescribeRequest {
  'releaseId'?: (string);
}

export interface DescribeRequest__Output {
  'releaseId': (string);
}
