import type { KubernetesRules } from '../../core/kubernetes/kubernetes-rules.js';
import type { Revision } from '../../storage/revision.js';
import { rulesOfRevision } from '../reads/rules-of-revision.js';
import type { StateKey } from './cluster-states.js';

/** The state of a revision, by default under the rules of its own version of Kubernetes. */
export const stateKeyOf = (revision: Revision, rules?: KubernetesRules): StateKey => ({
  clusterId: revision.clusterId,
  revision: revision.number,
  loadedKinds: revision.loadedKinds,
  rules: rules ?? rulesOfRevision(revision).rules,
});
