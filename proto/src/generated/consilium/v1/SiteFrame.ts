// Original file: consilium/v1/federation.proto

import type { Hello as _consilium_v1_Hello, Hello__Output as _consilium_v1_Hello__Output } from '../../consilium/v1/Hello.js';
import type { Heartbeat as _consilium_v1_Heartbeat, Heartbeat__Output as _consilium_v1_Heartbeat__Output } from '../../consilium/v1/Heartbeat.js';
import type { Decision as _consilium_v1_Decision, Decision__Output as _consilium_v1_Decision__Output } from '../../consilium/v1/Decision.js';
import type { ExchangePost as _consilium_v1_ExchangePost, ExchangePost__Output as _consilium_v1_ExchangePost__Output } from '../../consilium/v1/ExchangePost.js';
import type { StepFault as _consilium_v1_StepFault, StepFault__Output as _consilium_v1_StepFault__Output } from '../../consilium/v1/StepFault.js';
import type { EndReceipt as _consilium_v1_EndReceipt, EndReceipt__Output as _consilium_v1_EndReceipt__Output } from '../../consilium/v1/EndReceipt.js';
import type { SumPost as _consilium_v1_SumPost, SumPost__Output as _consilium_v1_SumPost__Output } from '../../consilium/v1/SumPost.js';
import type { Countersignature as _consilium_v1_Countersignature, Countersignature__Output as _consilium_v1_Countersignature__Output } from '../../consilium/v1/Countersignature.js';
import type { UploadHeader as _consilium_v1_UploadHeader, UploadHeader__Output as _consilium_v1_UploadHeader__Output } from '../../consilium/v1/UploadHeader.js';
import type { Question as _consilium_v1_Question, Question__Output as _consilium_v1_Question__Output } from '../../consilium/v1/Question.js';

export interface SiteFrame {
  'hello'?: (_consilium_v1_Hello | null);
  'heartbeat'?: (_consilium_v1_Heartbeat | null);
  'decision'?: (_consilium_v1_Decision | null);
  'exchangePost'?: (_consilium_v1_ExchangePost | null);
  'stepFault'?: (_consilium_v1_StepFault | null);
  'endReceipt'?: (_consilium_v1_EndReceipt | null);
  'sumPost'?: (_consilium_v1_SumPost | null);
  'countersignature'?: (_consilium_v1_Countersignature | null);
  'vector'?: (_consilium_v1_UploadHeader | null);
  'question'?: (_consilium_v1_Question | null);
  'frame'?: "hello"|"heartbeat"|"decision"|"exchangePost"|"stepFault"|"endReceipt"|"sumPost"|"countersignature"|"vector"|"question";
}

export interface SiteFrame__Output {
  'hello'?: (_consilium_v1_Hello__Output | null);
  'heartbeat'?: (_consilium_v1_Heartbeat__Output | null);
  'decision'?: (_consilium_v1_Decision__Output | null);
  'exchangePost'?: (_consilium_v1_ExchangePost__Output | null);
  'stepFault'?: (_consilium_v1_StepFault__Output | null);
  'endReceipt'?: (_consilium_v1_EndReceipt__Output | null);
  'sumPost'?: (_consilium_v1_SumPost__Output | null);
  'countersignature'?: (_consilium_v1_Countersignature__Output | null);
  'vector'?: (_consilium_v1_UploadHeader__Output | null);
  'question'?: (_consilium_v1_Question__Output | null);
  'frame'?: "hello"|"heartbeat"|"decision"|"exchangePost"|"stepFault"|"endReceipt"|"sumPost"|"countersignature"|"vector"|"question";
}
