// Original file: consilium/v1/federation.proto

import type { Member as _consilium_v1_Member, Member__Output as _consilium_v1_Member__Output } from '../../consilium/v1/Member.js';

export interface Roster {
  'members'?: (_consilium_v1_Member)[];
}

export interface Roster__Output {
  'members': (_consilium_v1_Member__Output)[];
}
