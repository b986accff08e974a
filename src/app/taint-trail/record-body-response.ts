import type { TaintAttempt } from '../../core/audit/attributed-change.js';
import { defined } from '../../core/collections/defined.js';
import type { PodEviction, TaintEffects } from '../../core/taint-effects/taint-effects.js';
import { trailRecordContent } from '../../contract/taint-trail/trail-record-content.js';
import { hasForm } from '../../contract/has-form.js';
import type { Response } from '../../contract/schema.js';
import type { AskedChange } from '../taint-changes/change-details.js';
import { askedChangeResponse } from '../taint-changes/taint-change-response.js';
import { podEvictionResponse, taintEffectsResponse } from '../taint-changes/taint-effects-response.js';

type Body = Response<typeof trailRecordContent>;
type FormOfKind<Kind extends Body['kind']> = Extract<Body, { readonly kind: Kind }>;

/** What `commit-change` and evidence write, where it is answered in another form. */
interface WrittenParts {
  readonly request?: AskedChange;
  readonly effects?: TaintEffects;
  readonly effect?: WrittenEvictions;
  readonly requested?: TaintAttempt['requested'];
}

interface WrittenEvictions {
  readonly evictions: string | NonNullable<NonNullable<FormOfKind<'change'>['effect']>['counts']>;
  readonly pods?: readonly PodEviction[];
}

/**
 * What a record says, as it is answered.
 * @throws {Error} where the record was tampered with, so that it says what no record of its kind does
 */
export function recordBodyResponse(body: Readonly<Record<string, unknown>>): Body {
  const { request, effects, effect, requested } = body as WrittenParts;
  const response: unknown = {
    ...body,
    ...defined({
      request: request && askedChangeResponse(request),
      effects: effects && taintEffectsResponse(effects, 'pods'),
      effect: effect && evictionsResponse(effect),
      requested: requested && requestedResponse(requested),
    }),
  };
  if (!hasForm(trailRecordContent, response)) throw new Error('The record has not the form of its kind.');
  return response;
}

function evictionsResponse({ evictions, pods = [] }: WrittenEvictions): FormOfKind<'change'>['effect'] {
  return { counts: typeof evictions === 'string' ? null : evictions, pods: pods.map(podEvictionResponse) };
}

function requestedResponse({
  taints,
  unschedulable,
  resourceVersion,
}: TaintAttempt['requested']): FormOfKind<'attempt'>['requested'] {
  const setTaints = typeof taints === 'string' ? undefined : taints.value;
  const setCordon = typeof unschedulable === 'string' ? undefined : unschedulable.value;
  return {
    taints: typeof taints === 'string' ? taints : 'set',
    unschedulable: typeof unschedulable === 'string' ? unschedulable : 'set',
    ...defined({ taintsSet: setTaints, unschedulableSet: setCordon, resourceVersion }),
  };
}
