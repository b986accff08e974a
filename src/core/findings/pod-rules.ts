import type { PodRule } from './pod-rule.js';
import { broadToleration } from './rules/broad-toleration.js';
import { defaultTolerationBlocked } from './rules/default-toleration-blocked.js';
import { duplicateToleration } from './rules/duplicate-toleration.js';
import { earlyEviction } from './rules/early-eviction.js';
import { emptyEffect } from './rules/empty-effect.js';
import { legacyKey } from './rules/legacy-key.js';
import { memoryPressureNotTolerated } from './rules/memory-pressure-not-tolerated.js';
import { poolNotSelected } from './rules/pool-not-selected.js';
import { refusedByApiServer } from './rules/refused-by-api-server.js';
import { swallowedToleration } from './rules/swallowed-toleration.js';
import { toleratesEverything } from './rules/tolerates-everything.js';
import { unmatchedToleration } from './rules/unmatched-toleration.js';

/** Every rule on a pod, whether stored or a manifest. To add one: a file in rules/, a code in finding.ts, a line here. */
export const podRules: readonly PodRule[] = [
  // What cannot be stored at all.
  refusedByApiServer,
  // What tolerates more than was likely meant.
  toleratesEverything,
  broadToleration,
  emptyEffect,
  // What does nothing, or nothing any more.
  unmatchedToleration,
  duplicateToleration,
  swallowedToleration,
  legacyKey,
  // What was likely meant and is not said.
  poolNotSelected,
  defaultTolerationBlocked,
  earlyEviction,
  memoryPressureNotTolerated,
];
