import { rulesOfGates } from '../../kubernetes/toleration.js';
import { internText } from '../../cluster/intern-table.js';
import { patchBetween, type PatchOperation } from '../../json/patch-between.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { WholePod } from '../../kubernetes/objects/whole-pod.js';
import { admitPod, type Admission, type NewPod, type RefusedPod } from '../admission-chain.js';
import type { ClusterAdmission } from '../admission-in.js';
import { namespacePolicy } from '../pod-security/namespace-policy.js';
import { STOCK_POD_SECURITY } from '../pod-security/pod-security-configuration.js';
import { priorityWays, runtimeClassWays, serviceAccountWays } from './name-changes.js';
import { lastOfEach, type RefusalChange, type Way } from './refusal-change.js';
import { demandedAmounts, overLimitWays, withinLimitRanges } from './resource-changes.js';
import { securityChanges } from './security-changes.js';

/** Changes of a refused pod that get it past its refusal. */
export interface RefusalFix {
  readonly changes: readonly RefusalChange[];
  /** From the pod as it was sent to the changed one. `why` is the summary of the change. */
  readonly patch: readonly PatchOperation[];
  /** As it was sent, changed. */
  readonly pod: WholePod;
  /** Of the changed pod: it is admitted, or refused for something else. */
  readonly admission: Admission;
}

/** Changed pods that are admitted for one refusal. */
const MOST_ADMISSIONS = 40;
/** Refusals that are answered one after another. */
const MOST_REFUSALS = 8;
const MOST_FIXES = 4;

/**
 * The smallest changes of a pod's manifest that end its refusal, found by answering one refusal after another until the pod is admitted.
 * Each changed pod has been taken through the same admission. Where a refusal is left that nothing here answers, as that of an exceeded
 * quota, the fix says so in `admission`.
 *
 * Those that get the pod admitted come first, then those with the fewest changes. Empty where nothing is known that helps: some refusals
 * mean another program, such as that of a volume of the host.
 *
 * @param request as it was given to `admitPod`
 * @param refused what `admitPod` said
 */
export function fixesForRefusal(request: NewPod, refused: RefusedPod, into: ClusterAdmission): readonly RefusalFix[] {
  const found: RefusalFix[] = [];
  let left = MOST_ADMISSIONS;
  const keep = (attempt: Attempt): void => {
    const fix = fixOf(request, attempt);
    const key = internText(fix.pod);
    if (!known.has(key)) found.push(fix);
    known.add(key);
  };
  const known = new Set<string>();
  /** @returns whether anything was found that gets past the refusal */
  const explore = ({ way: made, admission: at, seen }: RefusedAttempt): boolean => {
    let isPast = false;
    for (const way of waysPast(edited(request, made), at, into)) {
      if (left <= 0 || found.length >= MOST_FIXES) break;
      left--;
      const all = lastOfEach([...made, ...way]);
      const admission = admitPod(edited(request, all), into);
      if (admission.outcome === 'admitted') {
        keep({ way: all, admission });
        isPast = true;
        continue;
      }
      const { by, message } = admission.refusal;
      if (seen.includes(message)) continue;
      const next = { way: all, admission, seen: [...seen, message] };
      const isFurther = seen.length < MOST_REFUSALS && explore(next);
      const isLater = by !== 'validation' || !isAfterValidation(at);
      if (!isFurther && isLater) keep(next);
      isPast ||= isFurther || isLater;
    }
    return isPast;
  };
  explore({ way: [], admission: refused, seen: [refused.refusal.message] });
  return found.sort(inOrder);
}

interface Attempt {
  readonly way: Way;
  readonly admission: Admission;
}

interface RefusedAttempt extends Attempt {
  readonly admission: RefusedPod;
  /** Messages of the refusals that have led here. */
  readonly seen: readonly string[];
}

const isAfterValidation = ({ steps }: RefusedPod): boolean => steps.some(({ by }) => by === 'validation');

const inOrder = (a: RefusalFix, b: RefusalFix): number =>
  Number(a.admission.outcome === 'refused') - Number(b.admission.outcome === 'refused') ||
  a.changes.length - b.changes.length;

const sentOf = ({ whole, pod }: NewPod): WholePod => whole ?? pod;

function edited(request: NewPod, way: Way): NewPod {
  const edit = (pod: WholePod | Pod): WholePod => way.reduce<WholePod>((changed, change) => change.edit(changed), pod);
  return { ...request, pod: edit(request.pod), ...(request.whole && { whole: edit(request.whole) }) };
}

function fixOf(request: NewPod, { way, admission }: Attempt): RefusalFix {
  const sent = sentOf(request);
  const summaries = new Map<string, string>();
  let before = sent;
  for (const { edit, summary } of way) {
    const after = edit(before);
    for (const { path } of patchBetween(before, after, () => '')) summaries.set(path, summary);
    before = after;
  }
  const why = (pointer: string): string => {
    const related = [...summaries].filter(
      ([path]) => `${path}/`.startsWith(`${pointer}/`) || `${pointer}/`.startsWith(`${path}/`),
    );
    return [...new Set(related.map(([, summary]) => summary))].join('; ');
  };
  return {
    changes: way.map(({ by, summary, condition }) => ({ by, summary, condition })),
    patch: patchBetween(sent, before, why),
    pod: before,
    admission,
  };
}

/** The ways to get past one refusal, the least first. */
function waysPast(
  request: NewPod,
  { refusal, pod }: RefusedPod,
  { surroundings, configuration, gates }: ClusterAdmission,
): readonly Way[] {
  const sent = sentOf(request);
  const { limitRanges, quotas } = surroundings;
  switch (refusal.by) {
    case 'validation':
      return overLimitWays(sent, pod);
    case 'LimitRanger':
      return withinLimitRanges(sent, limitRanges);
    case 'ServiceAccount':
      return serviceAccountWays(sent, surroundings);
    case 'PodSecurity': {
      const { defaults } = configuration.podSecurity ?? STOCK_POD_SECURITY;
      const { enforce } = namespacePolicy(surroundings.namespace?.metadata.labels ?? {}, defaults).policy;
      const way = securityChanges(enforce, sent);
      return way === undefined ? [] : [way];
    }
    case 'Priority':
      return priorityWays(sent, surroundings);
    case 'RuntimeClass':
      return runtimeClassWays(sent, surroundings);
    case 'ResourceQuota':
      return demandedAmounts(sent, pod, { quotas, limitRanges, rules: rulesOfGates(gates) });
    default:
      return [];
  }
}
