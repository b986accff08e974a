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
import { redundantToleration } from './rules/redundant-toleration.js';
import { toleratesEverything } from './rules/tolerates-everything.js';
import { unmatchedToleration } from './rules/unmatched-toleration.js';

/**
 * Every rule about a pod, stored or submitted as a manifest. To add one, add a file to rules/, a code to finding.ts and
 * a line to this list.
 */
export const podRules: readonly PodRule[] = [
  // The API server refuses it.
  refusedByApiServer,
  // Tolerates more than was likely meant.
  toleratesEverything,
  broadToleration,
  emptyEffect,
  // Has no effect, or no longer has one.
  unmatchedToleration,
  duplicateToleration,
  redundantToleration,
  legacyKey,
  // Lacks something that was likely meant.
  poolNotSelected,
  defaultTolerationBlocked,
  earlyEviction,
  memoryPressureNotTolerated,
];
