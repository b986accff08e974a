import type { JsonObject } from '../../../src/core/json/json-value.js';
import { judgeAuditKubectl } from './audit-kubectl.js';

/** Judges one recorded file: the differences found, in words; none when it agrees. */
export type Folder = (file: JsonObject) => readonly string[];

/** Every folder of recorded scenarios that this project judges, by its name. */
export const folders: ReadonlyMap<string, Folder> = new Map<string, Folder>([['audit', judgeAuditKubectl]]);
