import type { Taint } from '../../../src/core/kubernetes/objects/taints.js';
import { describeTaints as textOf } from '../../../src/core/kubectl-text/describe-taints.js';
import type { Op } from '../op.js';

export const describeTaints: Op = { answer: (input) => textOf((input['taints'] ?? []) as unknown as Taint[]) };
