// Original file: consilium/v1/federation.proto

import type { Roster as _consilium_v1_Roster, Roster__Output as _consilium_v1_Roster__Output } from '../../consilium/v1/Roster.js';
import type { Delivery as _consilium_v1_Delivery, Delivery__Output as _consilium_v1_Delivery__Output } from '../../consilium/v1/Delivery.js';
import type { ExchangeTask as _consilium_v1_ExchangeTask, ExchangeTask__Output as _consilium_v1_ExchangeTask__Output } from '../../consilium/v1/ExchangeTask.js';
import type { StageTask as _consilium_v1_StageTask, StageTask__Output as _consilium_v1_StageTask__Output } from '../../consilium/v1/StageTask.js';
import type { Long } from '@grpc/proto-loader';

export interface Task {
  'studyId'?: (string);
  'step'?: (string);
  'attempt'?: (number);
  'deadlineInMs'?: (number | string | Long);
  'roster'?: (_consilium_v1_Roster | null);
  'deliveries'?: (_consilium_v1_Delivery)[];
  'exchange'?: (_consilium_v1_ExchangeTask | null);
  'sum'?: (_consilium_v1_StageTask | null);
  'rows'?: (_consilium_v1_StageTask | null);
  'kind'?: "exchange"|"sum"|"rows";
}

export interface Task__Output {
  'studyId': (string);
  'step': (string);
  'attempt': (number);
  'deadlineInMs': (number);
  'roster': (_consilium_v1_Roster__Output | null);
  'deliveries': (_consilium_v1_Delivery__Output)[];
  'exchange'?: (_consilium_v1_ExchangeTask__Output | null);
  'sum'?: (_consilium_v1_StageTask__Output | null);
  'rows'?: (_consilium_v1_StageTask__Output | null);
  'kind'?: "exchange"|"sum"|"rows";
}
