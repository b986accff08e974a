import {
  matchNodeSelector,
  matchRequiredNodeAffinity,
  requiredNodeAffinity,
} from '../../../src/core/kubernetes/node-selector.js';
import type { Node } from '../../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../../src/core/kubernetes/objects/pod.js';
import type { NodeSelector } from '../../../src/core/kubernetes/objects/selectors.js';
import type { Op } from '../op.js';
import { bothRefuse } from './refusal.js';

/** A node selector alone, or all that a pod demands of its node. */
type Input = { node: Node } & ({ nodeSelector: NodeSelector } | { pod: Pod });

export const nodeSelector: Op = {
  answer: (input) => {
    const asked = input as unknown as Input;
    const match =
      'pod' in asked
        ? matchRequiredNodeAffinity(requiredNodeAffinity(asked.pod), asked.node)
        : matchNodeSelector(asked.nodeSelector, asked.node);
    return match.matches || match.message === undefined
      ? { match: match.matches }
      : { match: false, error: match.message };
  },
  agree: bothRefuse,
};
