// Original file: consilium/v1/federation.proto

import type { Join as _consilium_v1_Join, Join__Output as _consilium_v1_Join__Output } from '../../consilium/v1/Join.js';

export interface Decision {
  'studyId'?: (string);
  'join'?: (_consilium_v1_Join | null);
  'refusalCode'?: (string);
  'awaitingApproval'?: (boolean);
  'mayPublish'?: (boolean);
  'decision'?: "join"|"refusalCode"|"awaitingApproval";
}

export interface Decision__Output {
  'studyId': (string);
  'join'?: (_consilium_v1_Join__Output | null);
  'refusalCode'?: (string);
  'awaitingApproval'?: (boolean);
  'mayPublish': (boolean);
  'decision'?: "join"|"refusalCode"|"awaitingApproval";
}
