// Original file: consilium/v1/federation.proto

import type { SurvivorProof as _consilium_v1_SurvivorProof, SurvivorProof__Output as _consilium_v1_SurvivorProof__Output } from '../../consilium/v1/SurvivorProof.js';
import type { SiteKeys as _consilium_v1_SiteKeys, SiteKeys__Output as _consilium_v1_SiteKeys__Output } from '../../consilium/v1/SiteKeys.js';

export interface SumSurvivorsTask {
  'survivors'?: (_consilium_v1_SurvivorProof)[];
  'nextKeys'?: (_consilium_v1_SiteKeys)[];
}

export interface SumSurvivorsTask__Output {
  'survivors': (_consilium_v1_SurvivorProof__Output)[];
  'nextKeys': (_consilium_v1_SiteKeys__Output)[];
}
