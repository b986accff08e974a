import { CheckApplicable } from '../app/applying/check-applicable.js';
import { TryApplication } from '../app/applying/try-application.js';
import { ChangeDeviceTaints } from '../app/device-taint-changes/change-device-taints.js';
import { IdempotentReplies } from '../app/taint-changes/idempotent-replies.js';
import { MakeChange } from '../app/taint-changes/make-change.js';
import { PresentTaintChange } from '../app/taint-changes/present-taint-change.js';
import { made } from './made.js';

export const DEVICE_TAINT_CHANGES = [
  made(ChangeDeviceTaints, IdempotentReplies, MakeChange, PresentTaintChange, CheckApplicable, TryApplication),
];
