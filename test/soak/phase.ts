import type { Random } from '../../bench/generator/random.js';
import type { Ledger } from './ledger.js';
import type { ServiceProcess } from '../support/service-process.js';

/** What all participants share. */
export interface Phase {
  readonly replicas: readonly ServiceProcess[];
  readonly ledger: Ledger;
  /** Whether something will be killed: then every writer must be able to repeat its request. */
  readonly careful: boolean;
  /** Whether something has been killed: responses may be lost, and the service may be unavailable. */
  readonly isDisturbed: () => boolean;
  /** Whether the phase is over: running requests are finished, and no new one starts. */
  readonly isOver: () => boolean;
}

export function anyReplica({ replicas }: Pick<Phase, 'replicas'>, random: Random): () => ServiceProcess {
  return () => replicas[random.below(replicas.length)]!;
}
