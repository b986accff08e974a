import type { Pod } from './objects/pod.js';

/** Whether a pod has ended (phase `Succeeded` or `Failed`): it uses nothing of its node, and has no grace period. */
export const hasEnded = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';
