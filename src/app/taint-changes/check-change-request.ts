import type { Selector } from '../../core/kubernetes/label-selector.js';
import { FieldPath } from '../../core/kubernetes/field-path.js';
import { readTaintEdit } from '../../core/taint-change/read-taint-edit.js';
import type { TaintEdit } from '../../core/taint-change/taint-edit.js';
import { defined } from '../../core/collections/defined.js';
import type { changeTaints, revertTaintChange } from '../../contract/taint-changes/questions.js';
import { InvalidRequestError } from '../errors/invalid-request-error.js';
import type { ErrorDetail } from '../errors/service-error.js';
import type { RequestOf } from '../request-of.js';
import { applyOptionsFault } from '../applying/apply-options.js';
import { MAX_APPROVAL_SECONDS } from '../approvals/approval-limit.js';
import { selectorIn } from '../label-selector-parameter.js';

/** The members of any change that are recorded. */
export type GivenRecord = Omit<RequestOf<typeof revertTaintChange>, 'id' | 'force'>;

type RecordedMembers = Omit<GivenRecord, 'cluster'>;

/** A change as it was given. */
type GivenChange = Omit<RequestOf<typeof changeTaints>, 'cluster'>;

/** The nodes of a change. */
export type Targets =
  | { readonly names: readonly { readonly name: string; readonly place: Place }[] }
  | { readonly selector: Selector; readonly text: string }
  | { readonly all: true };

export interface Place {
  readonly field: string;
  readonly pointer: string;
}

const LONGEST = { reason: 4096, link: 2048, onBehalfOf: 256, idempotencyKey: 255 } as const;
const IN_THE_PAST = 'in-the-past';
/** Maximum time until a change expires, in milliseconds: ten years. */
const MAX_EXPIRY = 10 * 366 * 86_400_000;

/**
 * Validates a change as far as possible without the cluster, and reports every error.
 * @throws {InvalidRequestError}
 */
export function checkChange(
  given: RequestOf<typeof changeTaints>,
  now: Date,
): { readonly edit: TaintEdit; readonly targets: Targets } {
  const { edit, targets, errors } = readChange(given, now);
  if (errors.length > 0) throw new InvalidRequestError(errors);
  return { edit, targets: targets! };
}

function readChange(
  given: GivenChange,
  now: Date | undefined,
): {
  readonly edit: TaintEdit;
  readonly targets: Targets | undefined;
  readonly errors: readonly ErrorDetail[];
  readonly targetErrors: readonly ErrorDetail[];
} {
  const at = new Places(given.root);
  const faults: ErrorDetail[] = [];
  const targets = readTargets(given, at, faults);
  const targetErrors = [...faults];
  const { taints, labels, unschedulable, overwrite } = given;
  const { edit, errors } = readTaintEdit(defined({ taints, labels, unschedulable, overwrite }), FieldPath.of(BODY));
  faults.push(...errors.map(({ code, message, field, pointer }) => ({ code, message, ...at.moved(field, pointer) })));
  faults.push(...recordFaults(given, at, now));
  return { edit, targets, errors: faults, targetErrors };
}

const TARGETS = ['nodes', 'labelSelector', 'allNodes'] as const;

/**
 * The errors in the members of a rejected change that can be found without the cluster.
 * @param invalid the members that were rejected and are not among the given ones
 */
export function changeErrors(
  given: Omit<GivenChange, 'root'>,
  { invalid, now }: { readonly invalid: ReadonlySet<string>; readonly now: Date | undefined },
): readonly ErrorDetail[] {
  const { errors, targetErrors } = readChange({ ...given, root: '' }, now);
  const areTargetsKnown = !TARGETS.some((name) => invalid.has(name));
  return errors.filter(
    (error) =>
      (areTargetsKnown || !targetErrors.includes(error)) &&
      !(invalid.has('apply') && error.pointer === '/applyOptions'),
  );
}

/** The errors in the members of a change that are recorded. */
export const recordErrors = (
  given: Omit<RecordedMembers, 'root'>,
  { now }: { readonly now: Date | undefined },
): readonly ErrorDetail[] => recordFaults({ ...given, root: '' }, new Places(''), now);

/** @throws {InvalidRequestError} */
export function checkRecord(given: GivenRecord, now: Date): void {
  const faults = recordFaults(given, new Places(given.root), now);
  if (faults.length > 0) throw new InvalidRequestError(faults);
}

function recordFaults(
  given: RecordedMembers & { readonly expiresAt?: string; readonly approveBy?: string },
  at: Places,
  now: Date | undefined,
): ErrorDetail[] {
  const faults: ErrorDetail[] = [];
  const complain = (name: string, code: string, message: string): void => {
    faults.push({
      ...(name === 'idempotencyKey' && at.isRest ? { field: 'Idempotency-Key' } : at.of(name)),
      code,
      message,
    });
  };
  if (given.dryRun !== true && (given.reason ?? '').trim() === '') {
    complain('reason', 'required', 'is required: every recorded change has a reason');
  }
  for (const [name, longest] of Object.entries(LONGEST)) {
    const text = given[name as keyof typeof LONGEST];
    if (text === undefined) continue;
    if (text.length > longest)
      complain(name, 'too-long', `must have at most ${longest} characters, but has ${text.length}`);
    else if (text.includes('\0')) complain(name, 'invalid', 'must not contain the character U+0000');
    else if (text.trim() === '' && name !== 'reason') complain(name, 'invalid', 'must not be empty');
  }
  if (given.link !== undefined && given.link.length <= LONGEST.link && !isWebAddress(given.link)) {
    complain('link', 'invalid', 'must be an http or https URL');
  }
  if (given.applyOptions !== undefined && given.apply !== true) {
    complain('applyOptions', 'conflicting-fields', 'is only allowed with apply');
  }
  const wrong = given.applyOptions && applyOptionsFault(given.applyOptions);
  if (wrong !== undefined) {
    const { field, pointer } = at.of('applyOptions');
    faults.push({
      field: `${field}.${wrong.member}`,
      pointer: `${pointer}/${wrong.member}`,
      code: 'conflicting-fields',
      message: wrong.message,
    });
  }
  if (now !== undefined) faults.push(...deadlineFaults(given, at, now));
  return faults;
}

/** The times by which a change must be made or approved. */
type Deadlines = Pick<GivenChange, 'approveBy' | 'expiresAt'>;

function deadlineFaults({ approveBy, expiresAt }: Deadlines, at: Places, now: Date): ErrorDetail[] {
  const past = { code: IN_THE_PAST, message: `must be in the future: the server time is ${now.toISOString()}` };
  const faults: ErrorDetail[] = [];
  const check = (name: keyof Deadlines, given: string | undefined, longest: number, within: string): void => {
    if (given === undefined) return;
    const left = new Date(given).getTime() - now.getTime();
    if (left <= 0) faults.push({ ...at.of(name), ...past });
    else if (left > longest)
      faults.push({ ...at.of(name), code: 'too-late', message: `must be within ${within} from now` });
  };
  check('approveBy', approveBy, MAX_APPROVAL_SECONDS * 1000, `${MAX_APPROVAL_SECONDS / 86_400} days`);
  check('expiresAt', expiresAt, MAX_EXPIRY, 'ten years');
  return faults;
}

/**
 * Checks the deadlines of a request again, right before its change is stored.
 * @throws {InvalidRequestError}
 */
export function checkDeadlines({ root = '', ...given }: Deadlines & { readonly root?: string }, now: Date): void {
  const faults = deadlineFaults(given, new Places(root), now);
  if (faults.length > 0) throw new InvalidRequestError(faults);
}

/** Whether a request is refused only because a deadline has passed, which an equal request may have met. */
export const isTooLate = (error: unknown): boolean =>
  error instanceof InvalidRequestError && error.details.every(({ code }) => code === IN_THE_PAST);

function readTargets(
  { nodes, labelSelector, allNodes }: GivenChange,
  at: Places,
  faults: ErrorDetail[],
): Targets | undefined {
  const said = [
    ...(nodes === undefined ? [] : ['nodes']),
    ...(labelSelector === undefined ? [] : ['labelSelector']),
    ...(allNodes === true ? ['allNodes'] : []),
  ];
  if (said.length !== 1) {
    const message = `give exactly one of nodes, labelSelector and allNodes${said.length > 1 ? `, not ${said.join(' and ')}` : ''}`;
    faults.push({ ...at.of(said[1] ?? 'nodes'), code: said.length > 1 ? 'conflicting-fields' : 'required', message });
    return undefined;
  }
  if (nodes !== undefined) {
    if (nodes.length === 0)
      faults.push({ ...at.of('nodes'), code: 'required', message: 'must name at least one node' });
    const names = new Map<string, Place>();
    for (const [index, name] of nodes.entries()) {
      const place = at.of('nodes', index);
      if (name === '') faults.push({ ...place, code: 'invalid', message: 'resource name may not be empty' });
      else if (!names.has(name)) names.set(name, place);
    }
    return { names: [...names].map(([name, place]) => ({ name, place })) };
  }
  if (labelSelector === undefined) return { all: true };
  if (labelSelector.trim() === '') {
    const message = 'resource(s) were provided, but no name was specified; set allNodes to select every node';
    faults.push({ ...at.of('labelSelector'), code: 'invalid-selector', message });
    return undefined;
  }
  const text = labelSelector.trim();
  const selector = selectorIn(text, at.of('labelSelector'), faults);
  return selector && { selector, text };
}

/** Place under which the body is parsed; it does not appear in errors. */
const BODY = 'body';

/** Converts places in a request to fields and JSON pointers. */
class Places {
  constructor(private readonly root: string) {}

  get isRest(): boolean {
    return this.root === '';
  }

  of(name: string, index?: number): Place {
    const path = FieldPath.of(BODY).child(name);
    const place = index === undefined ? path : path.index(index);
    return this.moved(place.toString(), place.toPointer());
  }

  moved(field = BODY, pointer = `/${BODY}`): Place {
    const { root } = this;
    const rest = field.slice(BODY.length);
    return {
      field: root === '' ? rest.replace(/^\./, '') : `${root}${rest}`,
      pointer: `${root === '' ? '' : `/${root}`}${pointer.slice(BODY.length + 1)}`,
    };
  }
}

function isWebAddress(text: string): boolean {
  try {
    return ['http:', 'https:'].includes(new URL(text).protocol);
  } catch {
    return false;
  }
}
