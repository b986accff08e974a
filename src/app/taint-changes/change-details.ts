import type { TaintEffects } from '../../core/taint-effects/taint-effects.js';
import type { NodeOutcome } from './node-outcome.js';

/** Who made a change. */
export interface ChangeAuthor {
  readonly name: string;
  readonly kind: 'anonymous' | 'token' | 'oidc' | 'service';
  readonly groups: readonly string[];
  /** The identity provider that vouches for the name; null for other kinds. */
  readonly issuer: string | null;
}

/** A change as it was asked for. */
export interface AskedChange {
  readonly nodes?: readonly string[];
  readonly labelSelector?: string;
  readonly allNodes?: boolean;
  /** kubectl's words, or what comes to the same. */
  readonly taints: readonly string[];
  readonly labels: readonly string[];
  readonly unschedulable: boolean | null;
  readonly overwrite: boolean;
  readonly perNode: boolean;
  /** Of a revert: whether changes made since were to be overridden. */
  readonly force: boolean;
}

/** What is stored of a change, besides what is searched. */
export interface ChangeDetails {
  readonly by: ChangeAuthor;
  readonly onBehalfOf: string | null;
  readonly reason: string;
  readonly link: string | null;
  readonly request: AskedChange;
  /** Commands that do the same to the cluster itself. */
  readonly kubectl: readonly string[];
  readonly counts: Readonly<Record<NodeOutcome['outcome'], number>>;
  /** What the change did, by the state that it was made on. */
  readonly effects: TaintEffects;
}
