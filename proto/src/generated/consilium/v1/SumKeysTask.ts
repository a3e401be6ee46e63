// Original file: consilium/v1/federation.proto


export interface SumKeysTask {
}

export interface SumKeysTask__Output {
}
