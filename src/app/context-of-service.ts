import { randomUUID } from 'node:crypto';
import { Access } from '../auth/access.js';
import { ANONYMOUS } from '../auth/caller.js';
import type { RequestContext } from './request-context.js';
import { WithheldValues } from './withheld-values.js';

/** The context of a question that no caller sends: of the service itself, or of a program on its own machine. It may see everything. */
export function contextOfService(now: Date, signal: AbortSignal): RequestContext {
  return {
    now,
    requestId: 'service',
    caller: ANONYMOUS,
    access: Access.everything,
    address: '',
    withheld: new WithheldValues(),
    signal,
    nextDecisionId: randomUUID,
    decisionIds: [],
  };
}
