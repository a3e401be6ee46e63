// Original file: consilium/v1/federation.proto

import type { UploadHeader as _consilium_v1_UploadHeader, UploadHeader__Output as _consilium_v1_UploadHeader__Output } from '../../consilium/v1/UploadHeader.js';
import type { Chunk as _consilium_v1_Chunk, Chunk__Output as _consilium_v1_Chunk__Output } from '../../consilium/v1/Chunk.js';

export interface UploadRequest {
  'header'?: (_consilium_v1_UploadHeader | null);
  'chunk'?: (_consilium_v1_Chunk | null);
  'part'?: "header"|"chunk";
}

export interface UploadRequest__Output {
  'header'?: (_consilium_v1_UploadHeader__Output | null);
  'chunk'?: (_consilium_v1_Chunk__Output | null);
  'part'?: "header"|"chunk";
}
