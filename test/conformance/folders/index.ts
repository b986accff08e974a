import { judgeAdmission } from './admission.js';
import { judgeAuditAttribution } from './audit-attribution.js';
import { judgeAuditKubectl } from './audit-kubectl.js';
import { judgeEviction } from './eviction.js';
import { judgeConditions } from './conditions.js';
import type { Folder } from './folder.js';
import { judgeQuota } from './quota.js';
import { judgeScheduling } from './scheduling.js';
import { judgeWire, judgeWireTogether, stopWire } from './wire.js';

/** Every folder of recorded scenarios that this project judges, by its name. */
export const folders: ReadonlyMap<string, Folder> = new Map<string, Folder>([
  ['admission', { each: judgeAdmission }],
  ['eviction', { each: judgeEviction }],
  ['audit', { each: judgeAuditKubectl, together: judgeAuditAttribution }],
  ['conditions', { each: (file) => judgeConditions(file) }],
  ['quota', { each: judgeQuota }],
  ['scheduling', { each: judgeScheduling }],
  ['wire', { each: judgeWire, together: judgeWireTogether, close: stopWire }],
]);
