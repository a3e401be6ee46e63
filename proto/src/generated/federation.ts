import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Admits as _consilium_v1_Admits, Admits__Output as _consilium_v1_Admits__Output } from './consilium/v1/Admits.js';
import type { AggregatorFrame as _consilium_v1_AggregatorFrame, AggregatorFrame__Output as _consilium_v1_AggregatorFrame__Output } from './consilium/v1/AggregatorFrame.js';
import type { Answer as _consilium_v1_Answer, Answer__Output as _consilium_v1_Answer__Output } from './consilium/v1/Answer.js';
import type { Bounds as _consilium_v1_Bounds, Bounds__Output as _consilium_v1_Bounds__Output } from './consilium/v1/Bounds.js';
import type { BroadcastItem as _consilium_v1_BroadcastItem, BroadcastItem__Output as _consilium_v1_BroadcastItem__Output } from './consilium/v1/BroadcastItem.js';
import type { BudgetLeft as _consilium_v1_BudgetLeft, BudgetLeft__Output as _consilium_v1_BudgetLeft__Output } from './consilium/v1/BudgetLeft.js';
import type { CheckReply as _consilium_v1_CheckReply, CheckReply__Output as _consilium_v1_CheckReply__Output } from './consilium/v1/CheckReply.js';
import type { CheckRequest as _consilium_v1_CheckRequest, CheckRequest__Output as _consilium_v1_CheckRequest__Output } from './consilium/v1/CheckRequest.js';
import type { Chunk as _consilium_v1_Chunk, Chunk__Output as _consilium_v1_Chunk__Output } from './consilium/v1/Chunk.js';
import type { CountersignTask as _consilium_v1_CountersignTask, CountersignTask__Output as _consilium_v1_CountersignTask__Output } from './consilium/v1/CountersignTask.js';
import type { Countersignature as _consilium_v1_Countersignature, Countersignature__Output as _consilium_v1_Countersignature__Output } from './consilium/v1/Countersignature.js';
import type { Decision as _consilium_v1_Decision, Decision__Output as _consilium_v1_Decision__Output } from './consilium/v1/Decision.js';
import type { DeliveredShares as _consilium_v1_DeliveredShares, DeliveredShares__Output as _consilium_v1_DeliveredShares__Output } from './consilium/v1/DeliveredShares.js';
import type { Delivery as _consilium_v1_Delivery, Delivery__Output as _consilium_v1_Delivery__Output } from './consilium/v1/Delivery.js';
import type { EndReceipt as _consilium_v1_EndReceipt, EndReceipt__Output as _consilium_v1_EndReceipt__Output } from './consilium/v1/EndReceipt.js';
import type { EnrollRequest as _consilium_v1_EnrollRequest, EnrollRequest__Output as _consilium_v1_EnrollRequest__Output } from './consilium/v1/EnrollRequest.js';
import type { EnrollResponse as _consilium_v1_EnrollResponse, EnrollResponse__Output as _consilium_v1_EnrollResponse__Output } from './consilium/v1/EnrollResponse.js';
import type { Envelope as _consilium_v1_Envelope, Envelope__Output as _consilium_v1_Envelope__Output } from './consilium/v1/Envelope.js';
import type { ExchangePost as _consilium_v1_ExchangePost, ExchangePost__Output as _consilium_v1_ExchangePost__Output } from './consilium/v1/ExchangePost.js';
import type { ExchangeTask as _consilium_v1_ExchangeTask, ExchangeTask__Output as _consilium_v1_ExchangeTask__Output } from './consilium/v1/ExchangeTask.js';
import type { Fault as _consilium_v1_Fault, Fault__Output as _consilium_v1_Fault__Output } from './consilium/v1/Fault.js';
import type { FederationClient as _consilium_v1_FederationClient, FederationDefinition as _consilium_v1_FederationDefinition } from './consilium/v1/Federation.js';
import type { FetchRequest as _consilium_v1_FetchRequest, FetchRequest__Output as _consilium_v1_FetchRequest__Output } from './consilium/v1/FetchRequest.js';
import type { FormatRange as _consilium_v1_FormatRange, FormatRange__Output as _consilium_v1_FormatRange__Output } from './consilium/v1/FormatRange.js';
import type { Heartbeat as _consilium_v1_Heartbeat, Heartbeat__Output as _consilium_v1_Heartbeat__Output } from './consilium/v1/Heartbeat.js';
import type { Hello as _consilium_v1_Hello, Hello__Output as _consilium_v1_Hello__Output } from './consilium/v1/Hello.js';
import type { Invitation as _consilium_v1_Invitation, Invitation__Output as _consilium_v1_Invitation__Output } from './consilium/v1/Invitation.js';
import type { Join as _consilium_v1_Join, Join__Output as _consilium_v1_Join__Output } from './consilium/v1/Join.js';
import type { LedgerHead as _consilium_v1_LedgerHead, LedgerHead__Output as _consilium_v1_LedgerHead__Output } from './consilium/v1/LedgerHead.js';
import type { Member as _consilium_v1_Member, Member__Output as _consilium_v1_Member__Output } from './consilium/v1/Member.js';
import type { Question as _consilium_v1_Question, Question__Output as _consilium_v1_Question__Output } from './consilium/v1/Question.js';
import type { RevealedShare as _consilium_v1_RevealedShare, RevealedShare__Output as _consilium_v1_RevealedShare__Output } from './consilium/v1/RevealedShare.js';
import type { Revocations as _consilium_v1_Revocations, Revocations__Output as _consilium_v1_Revocations__Output } from './consilium/v1/Revocations.js';
import type { Roster as _consilium_v1_Roster, Roster__Output as _consilium_v1_Roster__Output } from './consilium/v1/Roster.js';
import type { SiteFrame as _consilium_v1_SiteFrame, SiteFrame__Output as _consilium_v1_SiteFrame__Output } from './consilium/v1/SiteFrame.js';
import type { SiteKeys as _consilium_v1_SiteKeys, SiteKeys__Output as _consilium_v1_SiteKeys__Output } from './consilium/v1/SiteKeys.js';
import type { Speaks as _consilium_v1_Speaks, Speaks__Output as _consilium_v1_Speaks__Output } from './consilium/v1/Speaks.js';
import type { StageTask as _consilium_v1_StageTask, StageTask__Output as _consilium_v1_StageTask__Output } from './consilium/v1/StageTask.js';
import type { StepFault as _consilium_v1_StepFault, StepFault__Output as _consilium_v1_StepFault__Output } from './consilium/v1/StepFault.js';
import type { StudyEnded as _consilium_v1_StudyEnded, StudyEnded__Output as _consilium_v1_StudyEnded__Output } from './consilium/v1/StudyEnded.js';
import type { SumKeys as _consilium_v1_SumKeys, SumKeys__Output as _consilium_v1_SumKeys__Output } from './consilium/v1/SumKeys.js';
import type { SumKeysTask as _consilium_v1_SumKeysTask, SumKeysTask__Output as _consilium_v1_SumKeysTask__Output } from './consilium/v1/SumKeysTask.js';
import type { SumPost as _consilium_v1_SumPost, SumPost__Output as _consilium_v1_SumPost__Output } from './consilium/v1/SumPost.js';
import type { SumShares as _consilium_v1_SumShares, SumShares__Output as _consilium_v1_SumShares__Output } from './consilium/v1/SumShares.js';
import type { SumSharesTask as _consilium_v1_SumSharesTask, SumSharesTask__Output as _consilium_v1_SumSharesTask__Output } from './consilium/v1/SumSharesTask.js';
import type { SumSurvivorsTask as _consilium_v1_SumSurvivorsTask, SumSurvivorsTask__Output as _consilium_v1_SumSurvivorsTask__Output } from './consilium/v1/SumSurvivorsTask.js';
import type { SumUnmask as _consilium_v1_SumUnmask, SumUnmask__Output as _consilium_v1_SumUnmask__Output } from './consilium/v1/SumUnmask.js';
import type { SumUnmaskTask as _consilium_v1_SumUnmaskTask, SumUnmaskTask__Output as _consilium_v1_SumUnmaskTask__Output } from './consilium/v1/SumUnmaskTask.js';
import type { SurvivorProof as _consilium_v1_SurvivorProof, SurvivorProof__Output as _consilium_v1_SurvivorProof__Output } from './consilium/v1/SurvivorProof.js';
import type { SurvivorsSignature as _consilium_v1_SurvivorsSignature, SurvivorsSignature__Output as _consilium_v1_SurvivorsSignature__Output } from './consilium/v1/SurvivorsSignature.js';
import type { TableColumn as _consilium_v1_TableColumn, TableColumn__Output as _consilium_v1_TableColumn__Output } from './consilium/v1/TableColumn.js';
import type { TableSchema as _consilium_v1_TableSchema, TableSchema__Output as _consilium_v1_TableSchema__Output } from './consilium/v1/TableSchema.js';
import type { Task as _consilium_v1_Task, Task__Output as _consilium_v1_Task__Output } from './consilium/v1/Task.js';
import type { UploadHeader as _consilium_v1_UploadHeader, UploadHeader__Output as _consilium_v1_UploadHeader__Output } from './consilium/v1/UploadHeader.js';
import type { UploadReply as _consilium_v1_UploadReply, UploadReply__Output as _consilium_v1_UploadReply__Output } from './consilium/v1/UploadReply.js';
import type { UploadRequest as _consilium_v1_UploadRequest, UploadRequest__Output as _consilium_v1_UploadRequest__Output } from './consilium/v1/UploadRequest.js';
import type { VersionRange as _consilium_v1_VersionRange, VersionRange__Output as _consilium_v1_VersionRange__Output } from './consilium/v1/VersionRange.js';
import type { Welcome as _consilium_v1_Welcome, Welcome__Output as _consilium_v1_Welcome__Output } from './consilium/v1/Welcome.js';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  consilium: {
    v1: {
      Admits: MessageTypeDefinition<_consilium_v1_Admits, _consilium_v1_Admits__Output>
      AggregatorFrame: MessageTypeDefinition<_consilium_v1_AggregatorFrame, _consilium_v1_AggregatorFrame__Output>
      Answer: MessageTypeDefinition<_consilium_v1_Answer, _consilium_v1_Answer__Output>
      Bounds: MessageTypeDefinition<_consilium_v1_Bounds, _consilium_v1_Bounds__Output>
      BroadcastItem: MessageTypeDefinition<_consilium_v1_BroadcastItem, _consilium_v1_BroadcastItem__Output>
      BudgetLeft: MessageTypeDefinition<_consilium_v1_BudgetLeft, _consilium_v1_BudgetLeft__Output>
      CheckReply: MessageTypeDefinition<_consilium_v1_CheckReply, _consilium_v1_CheckReply__Output>
      CheckRequest: MessageTypeDefinition<_consilium_v1_CheckRequest, _consilium_v1_CheckRequest__Output>
      Chunk: MessageTypeDefinition<_consilium_v1_Chunk, _consilium_v1_Chunk__Output>
      CountersignTask: MessageTypeDefinition<_consilium_v1_CountersignTask, _consilium_v1_CountersignTask__Output>
      Countersignature: MessageTypeDefinition<_consilium_v1_Countersignature, _consilium_v1_Countersignature__Output>
      Decision: MessageTypeDefinition<_consilium_v1_Decision, _consilium_v1_Decision__Output>
      DeliveredShares: MessageTypeDefinition<_consilium_v1_DeliveredShares, _consilium_v1_DeliveredShares__Output>
      Delivery: MessageTypeDefinition<_consilium_v1_Delivery, _consilium_v1_Delivery__Output>
      EndReceipt: MessageTypeDefinition<_consilium_v1_EndReceipt, _consilium_v1_EndReceipt__Output>
      EnrollRequest: MessageTypeDefinition<_consilium_v1_EnrollRequest, _consilium_v1_EnrollRequest__Output>
      EnrollResponse: MessageTypeDefinition<_consilium_v1_EnrollResponse, _consilium_v1_EnrollResponse__Output>
      Envelope: MessageTypeDefinition<_consilium_v1_Envelope, _consilium_v1_Envelope__Output>
      ExchangePost: MessageTypeDefinition<_consilium_v1_ExchangePost, _consilium_v1_ExchangePost__Output>
      ExchangeTask: MessageTypeDefinition<_consilium_v1_ExchangeTask, _consilium_v1_ExchangeTask__Output>
      Fault: MessageTypeDefinition<_consilium_v1_Fault, _consilium_v1_Fault__Output>
      Federation: SubtypeConstructor<typeof grpc.Client, _consilium_v1_FederationClient> & { service: _consilium_v1_FederationDefinition }
      FetchRequest: MessageTypeDefinition<_consilium_v1_FetchRequest, _consilium_v1_FetchRequest__Output>
      FormatRange: MessageTypeDefinition<_consilium_v1_FormatRange, _consilium_v1_FormatRange__Output>
      Heartbeat: MessageTypeDefinition<_consilium_v1_Heartbeat, _consilium_v1_Heartbeat__Output>
      Hello: MessageTypeDefinition<_consilium_v1_Hello, _consilium_v1_Hello__Output>
      Invitation: MessageTypeDefinition<_consilium_v1_Invitation, _consilium_v1_Invitation__Output>
      Join: MessageTypeDefinition<_consilium_v1_Join, _consilium_v1_Join__Output>
      LedgerHead: MessageTypeDefinition<_consilium_v1_LedgerHead, _consilium_v1_LedgerHead__Output>
      Member: MessageTypeDefinition<_consilium_v1_Member, _consilium_v1_Member__Output>
      Question: MessageTypeDefinition<_consilium_v1_Question, _consilium_v1_Question__Output>
      RevealedShare: MessageTypeDefinition<_consilium_v1_RevealedShare, _consilium_v1_RevealedShare__Output>
      Revocations: MessageTypeDefinition<_consilium_v1_Revocations, _consilium_v1_Revocations__Output>
      Roster: MessageTypeDefinition<_consilium_v1_Roster, _consilium_v1_Roster__Output>
      SiteFrame: MessageTypeDefinition<_consilium_v1_SiteFrame, _consilium_v1_SiteFrame__Output>
      SiteKeys: MessageTypeDefinition<_consilium_v1_SiteKeys, _consilium_v1_SiteKeys__Output>
      Speaks: MessageTypeDefinition<_consilium_v1_Speaks, _consilium_v1_Speaks__Output>
      StageTask: MessageTypeDefinition<_consilium_v1_StageTask, _consilium_v1_StageTask__Output>
      StepFault: MessageTypeDefinition<_consilium_v1_StepFault, _consilium_v1_StepFault__Output>
      StudyEnded: MessageTypeDefinition<_consilium_v1_StudyEnded, _consilium_v1_StudyEnded__Output>
      SumKeys: MessageTypeDefinition<_consilium_v1_SumKeys, _consilium_v1_SumKeys__Output>
      SumKeysTask: MessageTypeDefinition<_consilium_v1_SumKeysTask, _consilium_v1_SumKeysTask__Output>
      SumPost: MessageTypeDefinition<_consilium_v1_SumPost, _consilium_v1_SumPost__Output>
      SumShares: MessageTypeDefinition<_consilium_v1_SumShares, _consilium_v1_SumShares__Output>
      SumSharesTask: MessageTypeDefinition<_consilium_v1_SumSharesTask, _consilium_v1_SumSharesTask__Output>
      SumSurvivorsTask: MessageTypeDefinition<_consilium_v1_SumSurvivorsTask, _consilium_v1_SumSurvivorsTask__Output>
      SumUnmask: MessageTypeDefinition<_consilium_v1_SumUnmask, _consilium_v1_SumUnmask__Output>
      SumUnmaskTask: MessageTypeDefinition<_consilium_v1_SumUnmaskTask, _consilium_v1_SumUnmaskTask__Output>
      SurvivorProof: MessageTypeDefinition<_consilium_v1_SurvivorProof, _consilium_v1_SurvivorProof__Output>
      SurvivorsSignature: MessageTypeDefinition<_consilium_v1_SurvivorsSignature, _consilium_v1_SurvivorsSignature__Output>
      TableColumn: MessageTypeDefinition<_consilium_v1_TableColumn, _consilium_v1_TableColumn__Output>
      TableSchema: MessageTypeDefinition<_consilium_v1_TableSchema, _consilium_v1_TableSchema__Output>
      Task: MessageTypeDefinition<_consilium_v1_Task, _consilium_v1_Task__Output>
      UploadHeader: MessageTypeDefinition<_consilium_v1_UploadHeader, _consilium_v1_UploadHeader__Output>
      UploadReply: MessageTypeDefinition<_consilium_v1_UploadReply, _consilium_v1_UploadReply__Output>
      UploadRequest: MessageTypeDefinition<_consilium_v1_UploadRequest, _consilium_v1_UploadRequest__Output>
      VersionRange: MessageTypeDefinition<_consilium_v1_VersionRange, _consilium_v1_VersionRange__Output>
      Welcome: MessageTypeDefinition<_consilium_v1_Welcome, _consilium_v1_Welcome__Output>
    }
  }
}

