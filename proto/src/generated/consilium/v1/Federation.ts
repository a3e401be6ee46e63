// Original file: consilium/v1/federation.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AggregatorFrame as _consilium_v1_AggregatorFrame, AggregatorFrame__Output as _consilium_v1_AggregatorFrame__Output } from '../../consilium/v1/AggregatorFrame.js';
import type { CheckReply as _consilium_v1_CheckReply, CheckReply__Output as _consilium_v1_CheckReply__Output } from '../../consilium/v1/CheckReply.js';
import type { CheckRequest as _consilium_v1_CheckRequest, CheckRequest__Output as _consilium_v1_CheckRequest__Output } from '../../consilium/v1/CheckRequest.js';
import type { Chunk as _consilium_v1_Chunk, Chunk__Output as _consilium_v1_Chunk__Output } from '../../consilium/v1/Chunk.js';
import type { EnrollRequest as _consilium_v1_EnrollRequest, EnrollRequest__Output as _consilium_v1_EnrollRequest__Output } from '../../consilium/v1/EnrollRequest.js';
import type { EnrollResponse as _consilium_v1_EnrollResponse, EnrollResponse__Output as _consilium_v1_EnrollResponse__Output } from '../../consilium/v1/EnrollResponse.js';
import type { FetchRequest as _consilium_v1_FetchRequest, FetchRequest__Output as _consilium_v1_FetchRequest__Output } from '../../consilium/v1/FetchRequest.js';
import type { SiteFrame as _consilium_v1_SiteFrame, SiteFrame__Output as _consilium_v1_SiteFrame__Output } from '../../consilium/v1/SiteFrame.js';
import type { UploadReply as _consilium_v1_UploadReply, UploadReply__Output as _consilium_v1_UploadReply__Output } from '../../consilium/v1/UploadReply.js';
import type { UploadRequest as _consilium_v1_UploadRequest, UploadRequest__Output as _consilium_v1_UploadRequest__Output } from '../../consilium/v1/UploadRequest.js';

export interface FederationClient extends grpc.Client {
  Attend(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_SiteFrame, _consilium_v1_AggregatorFrame__Output>;
  Attend(options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_SiteFrame, _consilium_v1_AggregatorFrame__Output>;
  attend(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_SiteFrame, _consilium_v1_AggregatorFrame__Output>;
  attend(options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_SiteFrame, _consilium_v1_AggregatorFrame__Output>;
  
  Check(argument: _consilium_v1_CheckRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  Check(argument: _consilium_v1_CheckRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_consilium_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  Check(argument: _consilium_v1_CheckRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  Check(argument: _consilium_v1_CheckRequest, callback: grpc.requestCallback<_consilium_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  check(argument: _consilium_v1_CheckRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  check(argument: _consilium_v1_CheckRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_consilium_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  check(argument: _consilium_v1_CheckRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  check(argument: _consilium_v1_CheckRequest, callback: grpc.requestCallback<_consilium_v1_CheckReply__Output>): grpc.ClientUnaryCall;
  
  Enroll(argument: _consilium_v1_EnrollRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_EnrollResponse__Output>): grpc.ClientUnaryCall;
  Enroll(argument: _consilium_v1_EnrollRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_consilium_v1_EnrollResponse__Output>): grpc.ClientUnaryCall;
  Enroll(argument: _consilium_v1_EnrollRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_EnrollResponse__Output>): grpc.ClientUnaryCall;
  Enroll(argument: _consilium_v1_EnrollRequest, callback: grpc.requestCallback<_consilium_v1_EnrollResponse__Output>): grpc.ClientUnaryCall;
  enroll(argument: _consilium_v1_EnrollRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_EnrollResponse__Output>): grpc.ClientUnaryCall;
  enroll(argument: _consilium_v1_EnrollRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_consilium_v1_EnrollResponse__Output>): grpc.ClientUnaryCall;
  enroll(argument: _consilium_v1_EnrollRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_consilium_v1_EnrollResponse__Output>): grpc.ClientUnaryCall;
  enroll(argument: _consilium_v1_EnrollRequest, callback: grpc.requestCallback<_consilium_v1_EnrollResponse__Output>): grpc.ClientUnaryCall;
  
  FetchVector(argument: _consilium_v1_FetchRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_consilium_v1_Chunk__Output>;
  FetchVector(argument: _consilium_v1_FetchRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_consilium_v1_Chunk__Output>;
  fetchVector(argument: _consilium_v1_FetchRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_consilium_v1_Chunk__Output>;
  fetchVector(argument: _consilium_v1_FetchRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_consilium_v1_Chunk__Output>;
  
  SendRows(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_UploadRequest, _consilium_v1_UploadReply__Output>;
  SendRows(options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_UploadRequest, _consilium_v1_UploadReply__Output>;
  sendRows(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_UploadRequest, _consilium_v1_UploadReply__Output>;
  sendRows(options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_UploadRequest, _consilium_v1_UploadReply__Output>;
  
  SendVector(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_UploadRequest, _consilium_v1_UploadReply__Output>;
  SendVector(options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_UploadRequest, _consilium_v1_UploadReply__Output>;
  sendVector(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_UploadRequest, _consilium_v1_UploadReply__Output>;
  sendVector(options?: grpc.CallOptions): grpc.ClientDuplexStream<_consilium_v1_UploadRequest, _consilium_v1_UploadReply__Output>;
  
}

export interface FederationHandlers extends grpc.UntypedServiceImplementation {
  Attend: grpc.handleBidiStreamingCall<_consilium_v1_SiteFrame__Output, _consilium_v1_AggregatorFrame>;
  
  Check: grpc.handleUnaryCall<_consilium_v1_CheckRequest__Output, _consilium_v1_CheckReply>;
  
  Enroll: grpc.handleUnaryCall<_consilium_v1_EnrollRequest__Output, _consilium_v1_EnrollResponse>;
  
  FetchVector: grpc.handleServerStreamingCall<_consilium_v1_FetchRequest__Output, _consilium_v1_Chunk>;
  
  SendRows: grpc.handleBidiStreamingCall<_consilium_v1_UploadRequest__Output, _consilium_v1_UploadReply>;
  
  SendVector: grpc.handleBidiStreamingCall<_consilium_v1_UploadRequest__Output, _consilium_v1_UploadReply>;
  
}

export interface FederationDefinition extends grpc.ServiceDefinition {
  Attend: MethodDefinition<_consilium_v1_SiteFrame, _consilium_v1_AggregatorFrame, _consilium_v1_SiteFrame__Output, _consilium_v1_AggregatorFrame__Output>
  Check: MethodDefinition<_consilium_v1_CheckRequest, _consilium_v1_CheckReply, _consilium_v1_CheckRequest__Output, _consilium_v1_CheckReply__Output>
  Enroll: MethodDefinition<_consilium_v1_EnrollRequest, _consilium_v1_EnrollResponse, _consilium_v1_EnrollRequest__Output, _consilium_v1_EnrollResponse__Output>
  FetchVector: MethodDefinition<_consilium_v1_FetchRequest, _consilium_v1_Chunk, _consilium_v1_FetchRequest__Output, _consilium_v1_Chunk__Output>
  SendRows: MethodDefinition<_consilium_v1_UploadRequest, _consilium_v1_UploadReply, _consilium_v1_UploadRequest__Output, _consilium_v1_UploadReply__Output>
  SendVector: MethodDefinition<_consilium_v1_UploadRequest, _consilium_v1_UploadReply, _consilium_v1_UploadRequest__Output, _consilium_v1_UploadReply__Output>
}
