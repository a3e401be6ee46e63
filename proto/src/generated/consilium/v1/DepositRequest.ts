// Original file: consilium/v1/releases.proto

import type { DepositHeader as _consilium_v1_DepositHeader, DepositHeader__Output as _consilium_v1_DepositHeader__Output } from '../../consilium/v1/DepositHeader.js';
import type { DataChunk as _consilium_v1_DataChunk, DataChunk__Output as _consilium_v1_DataChunk__Output } from '../../consilium/v1/DataChunk.js';
import type { DepositCertificate as _consilium_v1_DepositCertificate, DepositCertificate__Output as _consilium_v1_DepositCertificate__Output } from '../../consilium/v1/DepositCertificate.js';

export interface DepositRequest {
  'header'?: (_consilium_v1_DepositHeader | null);
  'data'?: (_consilium_v1_DataChunk | null);
  'certificate'?: (_consilium_v1_DepositCertificate | null);
  'part'?: "header"|"data"|"certificate";
}

export interface DepositRequest__Output {
  'header'?: (_consilium_v1_DepositHeader__Output | null);
  'data'?: (_consilium_v1_DataChunk__Output | null);
  'certificate'?: (_consilium_v1_DepositCertificate__Output | null);
  'part'?: "header"|"data"|"certificate";
}
