// Original file: consilium/v1/releases.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DepositReply as _consilium_v1_DepositReply, DepositReply__Output as _consilium_v1_DepositReply__Output } from '../../consilium/v1/DepositReply.js';
import type { DepositRequest as _consilium_v1_DepositRequest, DepositRequest__Output as _consilium_v1_DepositRequest__Output } from '../../consilium/v1/DepositRequest.js';
import type { DescribeRequest as _consilium_v1_DescribeRequest, DescribeRequest__Output as _consilium_v1_DescribeRequest__Output } from '../../consilium/v1/DescribeRequest.js';
import type { PublishMembersReply as _consilium_v1_PublishMembersReply, PublishMembersReply__Output as _consilium_v1_PublishMembersReply__Output } from '../../consilium/v1/PublishMembersReply.js';
import type { PublishMembersRequest as _consilium_v1_PublishMembersRequest, PublishMembersRequest__Output as _consilium_v1_PublishMembersRequest__Output } from '../../consilium/v1/PublishMembersRequest.js';
import type { PublishedRelease as _consilium_v1_PublishedRelease, PublishedRelease__Output as _consilium_v1_PublishedRelease__Output } from '../../consilium/v1/PublishedRelease.js';
import type { WithdrawReply as _consilium_v1_WithdrawReply, WithdrawReply__Output as _consilium_v1_WithdrawReply__Output } from '../../consilium/v1/WithdrawReply.js';
import type { WithdrawRequest as _consilium_v1_WithdrawRequest, WithdrawRequest__Output as _consilium_v1_WithdrawRequest__Output } from '../../consilium/v1/WithdrawRequest.js';

export interface ReleasesClient extends grpc.Client {
  Deposit(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_DepositRequest, _consilium_v1_DepositReply__Output>;
  Deposit(options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_DepositRequest, _consilium_v1_DepositReply__Output>;
  deposit(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_DepositRequest, _consilium_v1_DepositReply__Output>;
  deposit(options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_DepositRequest, _consilium_v1_DepositReply__Output>;
  
  Describe(argument: _consilium_v1_DescribeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_PublishedRelease__Output>): grpc.ClientUnaryCall;
  Describe(argument: _consilium_v1_DescribeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_consilium_v1_PublishedRelease__Output>): grpc.ClientUnaryCall;
  Describe(argument: _consilium_v1_DescribeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_PublishedRelease__Output>): grpc.ClientUnaryCall;
  Describe(argument: _consilium_v1_DescribeRequest, callback: grpc.requestCallback<_consilium_v1_PublishedRelease__Output>): grpc.ClientUnaryCall;
  describe(argument: _consilium_v1_DescribeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_PublishedRelease__Output>): grpc.ClientUnaryCall;
  describe(argument: _consilium_v1_DescribeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_consilium_v1_PublishedRelease__Output>): grpc.ClientUnaryCall;
  describe(argument: _consilium_v1_DescribeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_PublishedRelease__Output>): grpc.ClientUnaryCall;
  describe(argument: _consilium_v1_DescribeRequest, callback: grpc.requestCallback<_consilium_v1_PublishedRelease__Output>): grpc.ClientUnaryCall;
  
  PublishMembers(argument: _consilium_v1_PublishMembersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_PublishMembersReply__Output>): grpc.ClientUnaryCall;
  PublishMembers(argument: _consilium_v1_PublishMembersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_consilium_v1_PublishMembersReply__Output>): grpc.ClientUnaryCall;
  PublishMembers(argument: _consilium_v1_PublishMembersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_PublishMembersReply__Output>): grpc.ClientUnaryCall;
  PublishMembers(argument: _consilium_v1_PublishMembersRequest, callback: grpc.requestCallback<_consilium_v1_PublishMembersReply__Output>): grpc.ClientUnaryCall;
  publishMembers(argument: _consilium_v1_PublishMembersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_PublishMembersReply__Output>): grpc.ClientUnaryCall;
  publishMembers(argument: _consilium_v1_PublishMembersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_consilium_v1_PublishMembersReply__Output>): grpc.ClientUnaryCall;
  publishMembers(argument: _consilium_v1_PublishMembersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_PublishMembersReply__Output>): grpc.ClientUnaryCall;
  publishMembers(argument: _consilium_v1_PublishMembersRequest, callback: grpc.requestCallback<_consilium_v1_PublishMembersReply__Output>): grpc.ClientUnaryCall;
  
  Withdraw(argument: _consilium_v1_WithdrawRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_WithdrawReply__Output>): grpc.ClientUnaryCall;
  Withdraw(argument: _consilium_v1_WithdrawRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_consilium_v1_WithdrawReply__Output>): grpc.ClientUnaryCall;
  Withdraw(argument: _consilium_v1_WithdrawRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_WithdrawReply__Output>): grpc.ClientUnaryCall;
  Withdraw(argument: _consilium_v1_WithdrawRequest, callback: grpc.requestCallback<_consilium_v1_WithdrawReply__Output>): grpc.ClientUnaryCall;
  withdraw(argument: _consilium_v1_WithdrawRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_WithdrawReply__Output>): grpc.ClientUnaryCall;
  withdraw(argument: _consilium_v1_WithdrawRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_consilium_v1_WithdrawReply__Output>): grpc.ClientUnaryCall;
  withdraw(argument: _consilium_v1_WithdrawRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_WithdrawReply__Output>): grpc.ClientUnaryCall;
  withdraw(argument: _consilium_v1_WithdrawRequest, callback: grpc.requestCallback<_consilium_v1_WithdrawReply__Output>): grpc.ClientUnaryCall;
  
}

export interface ReleasesHandlers extends grpc.UntypedServiceImplementation {
  Deposit: grpc.handleBidiStreamingCall<_consilium_v1_DepositRequest__Output, _consilium_v1_DepositReply>;
  
  Describe: grpc.handleUnaryCall<_consilium_v1_DescribeRequest__Output, _consilium_v1_PublishedRelease>;
  
  PublishMembers: grpc.handleUnaryCall<_consilium_v1_PublishMembersRequest__Output, _consilium_v1_PublishMembersReply>;
  
  Withdraw: grpc.handleUnaryCall<_consilium_v1_WithdrawRequest__Output, _consilium_v1_WithdrawReply>;
  
}

export interface ReleasesDefinition extends grpc.ServiceDefinition {
  Deposit: MethodDefinition<_consilium_v1_DepositRequest, _consilium_v1_DepositReply, _consilium_v1_DepositRequest__Output, _consilium_v1_DepositReply__Output>
  Describe: MethodDefinition<_consilium_v1_DescribeRequest, _consilium_v1_PublishedRelease, _consilium_v1_DescribeRequest__Output, _consilium_v1_PublishedRelease__Output>
  PublishMembers: MethodDefinition<_consilium_v1_PublishMembersRequest, _consilium_v1_PublishMembersReply, _consilium_v1_PublishMembersRequest__Output, _consilium_v1_PublishMembersReply__Output>
  Withdraw: MethodDefinition<_consilium_v1_WithdrawRequest, _consilium_v1_WithdrawReply, _consilium_v1_WithdrawRequest__Output, _consilium_v1_WithdrawReply__Output>
}
