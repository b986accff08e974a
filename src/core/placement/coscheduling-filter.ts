import type { FilterPlugin } from './plugin.js';

export const COSCHEDULING = 'Coscheduling';

/**
 * The coscheduling plugin. It refuses no node: what becomes of a pod depends on its group (`groupReason`).
 *
 * Source: kubernetes-sigs/scheduler-plugins v0.35.4, pkg/coscheduling/core/core.go, `PreFilter`, `Permit`.
 */
export const coschedulingFilter: FilterPlugin = { name: COSCHEDULING, preFilter: () => ({ outcome: 'Skip' }) };
