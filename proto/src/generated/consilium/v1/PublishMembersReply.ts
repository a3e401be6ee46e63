// Original file: consilium/v1/releases.proto


export interface PublishMembersReply {
}

export interface PublishMembersReply__Output {
}
