// Original file: consilium/v1/federation.proto


export interface ExchangeTask {
}

export interface ExchangeTask__Output {
}
