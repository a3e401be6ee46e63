// Original file: consilium/v1/releases.proto


export interface PublishMembersRequest {
  'list'?: (Buffer | Uint8Array | string);
}

export interface PublishMembersRequest__Output {
  'list': (Buffer);
}
