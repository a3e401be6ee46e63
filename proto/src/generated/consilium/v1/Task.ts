// Original file: consilium/v1/federation.proto

import type { Delivery as _consilium_v1_Delivery, Delivery__Output as _consilium_v1_Delivery__Output } from '../../consilium/v1/Delivery.js';
import type { ExchangeTask as _consilium_v1_ExchangeTask, ExchangeTask__Output as _consilium_v1_ExchangeTask__Output } from '../../consilium/v1/ExchangeTask.js';
import type { StageTask as _consilium_v1_StageTask, StageTask__Output as _consilium_v1_StageTask__Output } from '../../consilium/v1/StageTask.js';
import type { SumKeysTask as _consilium_v1_SumKeysTask, SumKeysTask__Output as _consilium_v1_SumKeysTask__Output } from '../../consilium/v1/SumKeysTask.js';
import type { SumSharesTask as _consilium_v1_SumSharesTask, SumSharesTask__Output as _consilium_v1_SumSharesTask__Output } from '../../consilium/v1/SumSharesTask.js';
import type { SumSurvivorsTask as _consilium_v1_SumSurvivorsTask, SumSurvivorsTask__Output as _consilium_v1_SumSurvivorsTask__Output } from '../../consilium/v1/SumSurvivorsTask.js';
import type { SumUnmaskTask as _consilium_v1_SumUnmaskTask, SumUnmaskTask__Output as _consilium_v1_SumUnmaskTask__Output } from '../../consilium/v1/SumUnmaskTask.js';
import type { CountersignTask as _consilium_v1_CountersignTask, CountersignTask__Output as _consilium_v1_CountersignTask__Output } from '../../consilium/v1/CountersignTask.js';
import type { Long } from '@grpc/proto-loader';

export interface Task {
  'studyId'?: (string);
  'step'?: (string);
  'attempt'?: (number);
  'deadlineInMs'?: (number | string | Long);
  'roster'?: (Buffer | Uint8Array | string);
  'deliveries'?: (_consilium_v1_Delivery)[];
  'exchange'?: (_consilium_v1_ExchangeTask | null);
  'sum'?: (_consilium_v1_StageTask | null);
  'rows'?: (_consilium_v1_StageTask | null);
  'sumKeys'?: (_consilium_v1_SumKeysTask | null);
  'sumShares'?: (_consilium_v1_SumSharesTask | null);
  'sumSurvivors'?: (_consilium_v1_SumSurvivorsTask | null);
  'sumUnmask'?: (_consilium_v1_SumUnmaskTask | null);
  'countersign'?: (_consilium_v1_CountersignTask | null);
  'planHash'?: (Buffer | Uint8Array | string);
  'kind'?: "exchange"|"sum"|"rows"|"sumKeys"|"sumShares"|"sumSurvivors"|"sumUnmask"|"countersign";
}

export interface Task__Output {
  'studyId': (string);
  'step': (string);
  'attempt': (number);
  'deadlineInMs': (number);
  'roster': (Buffer);
  'deliveries': (_consilium_v1_Delivery__Output)[];
  'exchange'?: (_consilium_v1_ExchangeTask__Output | null);
  'sum'?: (_consilium_v1_StageTask__Output | null);
  'rows'?: (_consilium_v1_StageTask__Output | null);
  'sumKeys'?: (_consilium_v1_SumKeysTask__Output | null);
  'sumShares'?: (_consilium_v1_SumSharesTask__Output | null);
  'sumSurvivors'?: (_consilium_v1_SumSurvivorsTask__Output | null);
  'sumUnmask'?: (_consilium_v1_SumUnmaskTask__Output | null);
  'countersign'?: (_consilium_v1_CountersignTask__Output | null);
  'planHash': (Buffer);
  'kind'?: "exchange"|"sum"|"rows"|"sumKeys"|"sumShares"|"sumSurvivors"|"sumUnmask"|"countersign";
}
