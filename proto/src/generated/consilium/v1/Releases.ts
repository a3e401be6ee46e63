// Original file: consilium/v1/releases.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DepositReply as _consilium_v1_DepositReply, DepositReply__Output as _consilium_v1_DepositReply__Output } from '../../consilium/v1/DepositReply.js';
import type { DepositRequest as _consilium_v1_DepositRequest, DepositRequest__Output as _consilium_v1_DepositRequest__Output } from '../../consilium/v1/DepositRequest.js';

export interface ReleasesClient extends grpc.Client {
  Deposit(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_DepositRequest, _consilium_v1_DepositReply__Output>;
  Deposit(options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_DepositRequest, _consilium_v1_DepositReply__Output>;
  deposit(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_DepositRequest, _consilium_v1_DepositReply__Output>;
  deposit(options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_DepositRequest, _consilium_v1_DepositReply__Output>;
  
}

export interface ReleasesHandlers extends grpc.UntypedServiceImplementation {
  Deposit: grpc.handleBidiStreamingCall<_consilium_v1_DepositRequest__Output, _consilium_v1_DepositReply>;
  
}

export interface ReleasesDefinition extends grpc.ServiceDefinition {
  Deposit: MethodDefinition<_consilium_v1_DepositRequest, _consilium_v1_DepositReply, _consilium_v1_DepositRequest__Output, _consilium_v1_DepositReply__Output>
}
