import type { Random } from '../../bench/generator/random.js';
import type { Ledger } from './ledger.js';
import type { ServiceProcess } from '../support/service-process.js';

/** What everybody shares who takes part. */
export interface Phase {
  readonly replicas: readonly ServiceProcess[];
  readonly ledger: Ledger;
  /** Whether something will be killed: then every writer has to be able to ask again what became of its request. */
  readonly careful: boolean;
  /** Whether something has been killed: answers may be lost, and the service may say that it cannot answer. */
  readonly isDisturbed: () => boolean;
  /** Whether it is over: what has begun is ended, and nothing new begins. */
  readonly isOver: () => boolean;
}

export function anyReplica({ replicas }: Pick<Phase, 'replicas'>, random: Random): () => ServiceProcess {
  return () => replicas[random.below(replicas.length)]!;
}
