import type { Pod } from './objects/pod.js';

/** Whether a pod holds nothing of its node any more, and no grace period applies to it (`Succeeded` and `Failed`). */
export const hasEnded = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';
