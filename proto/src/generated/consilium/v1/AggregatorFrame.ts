// Original file: consilium/v1/federation.proto

import type { Welcome as _consilium_v1_Welcome, Welcome__Output as _consilium_v1_Welcome__Output } from '../../consilium/v1/Welcome.js';
import type { Heartbeat as _consilium_v1_Heartbeat, Heartbeat__Output as _consilium_v1_Heartbeat__Output } from '../../consilium/v1/Heartbeat.js';
import type { Invitation as _consilium_v1_Invitation, Invitation__Output as _consilium_v1_Invitation__Output } from '../../consilium/v1/Invitation.js';
import type { Task as _consilium_v1_Task, Task__Output as _consilium_v1_Task__Output } from '../../consilium/v1/Task.js';
import type { StudyEnded as _consilium_v1_StudyEnded, StudyEnded__Output as _consilium_v1_StudyEnded__Output } from '../../consilium/v1/StudyEnded.js';
import type { Fault as _consilium_v1_Fault, Fault__Output as _consilium_v1_Fault__Output } from '../../consilium/v1/Fault.js';
import type { Revocations as _consilium_v1_Revocations, Revocations__Output as _consilium_v1_Revocations__Output } from '../../consilium/v1/Revocations.js';
import type { Answer as _consilium_v1_Answer, Answer__Output as _consilium_v1_Answer__Output } from '../../consilium/v1/Answer.js';

export interface AggregatorFrame {
  'welcome'?: (_consilium_v1_Welcome | null);
  'heartbeat'?: (_consilium_v1_Heartbeat | null);
  'invitation'?: (_consilium_v1_Invitation | null);
  'task'?: (_consilium_v1_Task | null);
  'studyEnded'?: (_consilium_v1_StudyEnded | null);
  'fault'?: (_consilium_v1_Fault | null);
  'revocations'?: (_consilium_v1_Revocations | null);
  'answer'?: (_consilium_v1_Answer | null);
  'frame'?: "welcome"|"heartbeat"|"invitation"|"task"|"studyEnded"|"fault"|"revocations"|"answer";
}

export interface AggregatorFrame__Output {
  'welcome'?: (_consilium_v1_Welcome__Output | null);
  'heartbeat'?: (_consilium_v1_Heartbeat__Output | null);
  'invitation'?: (_consilium_v1_Invitation__Output | null);
  'task'?: (_consilium_v1_Task__Output | null);
  'studyEnded'?: (_consilium_v1_StudyEnded__Output | null);
  'fault'?: (_consilium_v1_Fault__Output | null);
  'revocations'?: (_consilium_v1_Revocations__Output | null);
  'answer'?: (_consilium_v1_Answer__Output | null);
  'frame'?: "welcome"|"heartbeat"|"invitation"|"task"|"studyEnded"|"fault"|"revocations"|"answer";
}
