// Original file: consilium/v1/federation.proto

import type { SurvivorProof as _consilium_v1_SurvivorProof, SurvivorProof__Output as _consilium_v1_SurvivorProof__Output } from '../../consilium/v1/SurvivorProof.js';
import type { SurvivorsSignature as _consilium_v1_SurvivorsSignature, SurvivorsSignature__Output as _consilium_v1_SurvivorsSignature__Output } from '../../consilium/v1/SurvivorsSignature.js';
import type { SiteKeys as _consilium_v1_SiteKeys, SiteKeys__Output as _consilium_v1_SiteKeys__Output } from '../../consilium/v1/SiteKeys.js';

export interface SumUnmaskTask {
  'survivors'?: (_consilium_v1_SurvivorProof)[];
  'signatures'?: (_consilium_v1_SurvivorsSignature)[];
  'nextKeys'?: (_consilium_v1_SiteKeys)[];
}

export interface SumUnmaskTask__Output {
  'survivors': (_consilium_v1_SurvivorProof__Output)[];
  'signatures': (_consilium_v1_SurvivorsSignature__Output)[];
  'nextKeys': (_consilium_v1_SiteKeys__Output)[];
}
