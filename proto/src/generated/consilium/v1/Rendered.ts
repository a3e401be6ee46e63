// Original file: consilium/v1/releases.proto

import type { RenderedFile as _consilium_v1_RenderedFile, RenderedFile__Output as _consilium_v1_RenderedFile__Output } from '../../consilium/v1/RenderedFile.js';

export interface Rendered {
  'files'?: (_consilium_v1_RenderedFile)[];
}

export interface Rendered__Output {
  'files': (_consilium_v1_RenderedFile__Output)[];
}
