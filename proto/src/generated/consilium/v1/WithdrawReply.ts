// Original file: consilium/v1/releases.proto


export interface WithdrawReply {
}

export interface WithdrawReply__Output {
}
