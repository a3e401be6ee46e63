import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Committed as _consilium_v1_Committed, Committed__Output as _consilium_v1_Committed__Output } from './consilium/v1/Committed.js';
import type { DataChunk as _consilium_v1_DataChunk, DataChunk__Output as _consilium_v1_DataChunk__Output } from './consilium/v1/DataChunk.js';
import type { DepositCertificate as _consilium_v1_DepositCertificate, DepositCertificate__Output as _consilium_v1_DepositCertificate__Output } from './consilium/v1/DepositCertificate.js';
import type { DepositHeader as _consilium_v1_DepositHeader, DepositHeader__Output as _consilium_v1_DepositHeader__Output } from './consilium/v1/DepositHeader.js';
import type { DepositReply as _consilium_v1_DepositReply, DepositReply__Output as _consilium_v1_DepositReply__Output } from './consilium/v1/DepositReply.js';
import type { DepositRequest as _consilium_v1_DepositRequest, DepositRequest__Output as _consilium_v1_DepositRequest__Output } from './consilium/v1/DepositRequest.js';
import type { DescribeRequest as _consilium_v1_DescribeRequest, DescribeRequest__Output as _consilium_v1_DescribeRequest__Output } from './consilium/v1/DescribeRequest.js';
import type { PublishMembersReply as _consilium_v1_PublishMembersReply, PublishMembersReply__Output as _consilium_v1_PublishMembersReply__Output } from './consilium/v1/PublishMembersReply.js';
import type { PublishMembersRequest as _consilium_v1_PublishMembersRequest, PublishMembersRequest__Output as _consilium_v1_PublishMembersRequest__Output } from './consilium/v1/PublishMembersRequest.js';
import type { PublishedRelease as _consilium_v1_PublishedRelease, PublishedRelease__Output as _consilium_v1_PublishedRelease__Output } from './consilium/v1/PublishedRelease.js';
import type { ReleasesClient as _consilium_v1_ReleasesClient, ReleasesDefinition as _consilium_v1_ReleasesDefinition } from './consilium/v1/Releases.js';
import type { Rendered as _consilium_v1_Rendered, Rendered__Output as _consilium_v1_Rendered__Output } from './consilium/v1/Rendered.js';
import type { RenderedFile as _consilium_v1_RenderedFile, RenderedFile__Output as _consilium_v1_RenderedFile__Output } from './consilium/v1/RenderedFile.js';
import type { WithdrawReply as _consilium_v1_WithdrawReply, WithdrawReply__Output as _consilium_v1_WithdrawReply__Output } from './consilium/v1/WithdrawReply.js';
import type { WithdrawRequest as _consilium_v1_WithdrawRequest, WithdrawRequest__Output as _consilium_v1_WithdrawRequest__Output } from './consilium/v1/WithdrawRequest.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  consilium: {
    v1: {
      Committed: MessageTypeDefinition<_consilium_v1_Committed, _consilium_v1_Committed__Output>
      DataChunk: MessageTypeDefinition<_consilium_v1_DataChunk, _consilium_v1_DataChunk__Output>
      DepositCertificate: MessageTypeDefinition<_consilium_v1_DepositCertificate, _consilium_v1_DepositCertificate__Output>
      DepositHeader: MessageTypeDefinition<_consilium_v1_DepositHeader, _consilium_v1_DepositHeader__Output>
      DepositReply: MessageTypeDefinition<_consilium_v1_DepositReply, _consilium_v1_DepositReply__Output>
      DepositRequest: MessageTypeDefinition<_consilium_v1_DepositRequest, _consilium_v1_DepositRequest__Output>
      DescribeRequest: MessageTypeDefinition<_consilium_v1_DescribeRequest, _consilium_v1_DescribeRequest__Output>
      PublishMembersReply: MessageTypeDefinition<_consilium_v1_PublishMembersReply, _consilium_v1_PublishMembersReply__Output>
      PublishMembersRequest: MessageTypeDefinition<_consilium_v1_PublishMembersRequest, _consilium_v1_PublishMembersRequest__Output>
      PublishedRelease: MessageTypeDefinition<_consilium_v1_PublishedRelease, _consilium_v1_PublishedRelease__Output>
      Releases: SubtypeConstructor<typeof grpc.Client, _consilium_v1_ReleasesClient> & { service: _consilium_v1_ReleasesDefinition }
      Rendered: MessageTypeDefinition<_consilium_v1_Rendered, _consilium_v1_Rendered__Output>
      RenderedFile: MessageTypeDefinition<_consilium_v1_RenderedFile, _consilium_v1_RenderedFile__Output>
      WithdrawReply: MessageTypeDefinition<_consilium_v1_WithdrawReply, _consilium_v1_WithdrawReply__Output>
      WithdrawRequest: MessageTypeDefinition<_consilium_v1_WithdrawRequest, _consilium_v1_WithdrawRequest__Output>
    }
  }
}

