import { type Expr, childrenOf } from '../cel/ast.js';
import { parseTimestamp } from '../cel/libraries/timestamps.js';
import { parseExpression } from '../cel/parser.js';
import { CelCompileError, CelUnsupported, PlanError, Program } from '../cel/program.js';
import { type CelType, formatType, isSimple } from '../cel/types.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { THE_ONE, type Setting } from '../cluster/setting.js';
import { checkSchema, type FileFault } from '../json/check-schema.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { GUARDRAIL_ENVIRONMENT, type TestInputs } from './facts.js';
import type { Guardrail, GuardrailSpec } from './guardrail.js';
import { GUARDRAILS_SCHEMA } from './guardrails-schema.js';

export type ReadGuardrails =
  | {
      readonly guardrails: readonly Guardrail[];
      /** What is stored. */
      readonly content: JsonObject;
    }
  /** Everything that is wrong, rule by rule. */
  | { readonly faults: readonly FileFault[] };

/** Reads a document of guardrails, given as JSON, and compiles its expressions. */
export function readGuardrails(document: JsonValue): ReadGuardrails {
  const faults = [...checkSchema(GUARDRAILS_SCHEMA, document)];
  const given = faults.some(({ pointer }) => pointer === '' || pointer === '/guardrails') ? [] : itemsOf(document);
  faults.push(...duplicates(given, '/guardrails', 'rule'));
  const guardrails: Guardrail[] = [];
  for (const [index, item] of given.entries()) {
    const at = `/guardrails/${index}`;
    // Expressions are compiled only where the schema holds, so that nothing is reported twice.
    if (faults.some(({ pointer }) => pointer === at || pointer.startsWith(`${at}/`))) continue;
    const rule = readOne(item as unknown as GuardrailSpec, at, faults);
    if (rule !== undefined) guardrails.push(rule);
  }
  if (faults.length > 0) return { faults };
  return { guardrails, content: { guardrails: given as JsonObject[] } };
}

/** By stored setting, which never changes. */
const known = new WeakMap<Setting, StoredGuardrails>();

/** `isUnreadable`: they were stored by a version with another format, so nothing is known to hold. */
export type StoredGuardrails = { readonly guardrails: readonly Guardrail[]; readonly isUnreadable: boolean };

/** The guardrails that are stored for a cluster. */
export function guardrailsIn(state: ClusterState): StoredGuardrails {
  const setting = state.setting('Guardrails', THE_ONE);
  if (setting === undefined) return { guardrails: [], isUnreadable: false };
  let read = known.get(setting);
  if (read === undefined) {
    const result = readGuardrails({ apiVersion: 'kube-placement/v1', kind: 'Guardrails', ...setting.content });
    read = 'faults' in result ? { guardrails: [], isUnreadable: true } : { ...result, isUnreadable: false };
    known.set(setting, read);
  }
  return read;
}

function itemsOf(document: JsonValue): readonly JsonValue[] {
  const items = isJsonObject(document) && Object.hasOwn(document, 'guardrails') ? document['guardrails'] : undefined;
  return Array.isArray(items) ? items : [];
}

function duplicates(items: readonly JsonValue[], at: string, what: string): readonly FileFault[] {
  const first = new Map<string, number>();
  return items.flatMap((item, index): FileFault[] => {
    const name = isJsonObject(item) ? item['name'] : undefined;
    if (typeof name !== 'string') return [];
    const before = first.get(name);
    if (before === undefined) {
      first.set(name, index);
      return [];
    }
    const message = `names are unique, and ${what} ${before + 1} has this one`;
    return [{ pointer: `${at}/${index}/name`, code: 'duplicate', message }];
  });
}

function readOne(spec: GuardrailSpec, at: string, faults: FileFault[]): Guardrail | undefined {
  const before = faults.length;
  const { action, approvals, messageExpression, tests = [] } = spec;
  const program = compiled(spec.require, 'bool', `${at}/require`, faults);
  const messageProgram =
    messageExpression === undefined
      ? undefined
      : compiled(messageExpression, 'string', `${at}/messageExpression`, faults);
  faults.push(...duplicates(tests as unknown as readonly JsonValue[], `${at}/tests`, 'case'));
  for (const [index, { given }] of tests.entries()) timeFaults(given, `${at}/tests/${index}/given`, faults);
  if (approvals !== undefined && action !== 'requireApproval') {
    const message = `only rules with action requireApproval ask for approvals, not those with ${action}`;
    faults.push({ pointer: `${at}/approvals`, code: 'conflicting-fields', message });
  }
  if (program === undefined) return undefined;
  const reads = approvalsReadBy(spec.require);
  const readsSome = reads.approvals || reads.approvers;
  if (readsSome && action === 'refuse') {
    const message = 'nobody has approved a change when it is asked, so it would be refused: use requireApproval';
    faults.push({ pointer: `${at}/action`, code: 'conflicting-fields', message });
  }
  if (readsSome && approvals !== undefined) {
    const message = 'the expression reads the approvals of the change, so it decides itself how many are enough';
    faults.push({ pointer: `${at}/approvals`, code: 'conflicting-fields', message });
  }
  return faults.length > before ? undefined : { ...spec, program, messageProgram, reads };
}

/** Compiles an expression; every fault has its line and column. */
function compiled(
  source: string,
  wanted: 'bool' | 'string',
  pointer: string,
  faults: FileFault[],
): Program | undefined {
  const say = (message: string): void => void faults.push({ pointer, code: 'invalid-expression', message });
  try {
    return Program.compile(source, GUARDRAIL_ENVIRONMENT, (type) => {
      if (!isSimple(type, wanted)) throw new WrongType(type);
    });
  } catch (error) {
    if (error instanceof CelCompileError)
      for (const { at, message } of error.issues) say(`${placeOf(source, at)}: ${message}`);
    else if (error instanceof WrongType) say(`must be of type ${wanted}, not ${formatType(error.type)}`);
    else if (error instanceof PlanError || error instanceof CelUnsupported) say(error.message);
    else throw error;
    return undefined;
  }
}

class WrongType extends Error {
  override readonly name = 'WrongType';

  constructor(readonly type: CelType) {
    super(formatType(type));
  }
}

/** `line:column`, both from 1. @param at in code points */
function placeOf(source: string, at: number): string {
  const before = Array.from(source).slice(0, at).join('').split('\n');
  return `${before.length}:${Array.from(before.at(-1)!).length + 1}`;
}

/** Whether an expression reads who has approved a change. A change that is passed on as a whole counts as read. */
function approvalsReadBy(source: string): Guardrail['reads'] {
  const reads = { approvals: false, approvers: false };
  const visit = (expr: Expr): void => {
    if (expr.kind === 'select' && isChange(expr.operand)) {
      if (expr.field === 'approvals') reads.approvals = true;
      if (expr.field === 'approvers') reads.approvers = true;
      return;
    }
    if (isChange(expr)) reads.approvals = reads.approvers = true;
    childrenOf(expr).forEach(visit);
  };
  visit(parseExpression(source));
  return reads;
}

const isChange = (expr: Expr): boolean => expr.kind === 'ident' && (expr.name === 'change' || expr.name === '.change');

function timeFaults(given: TestInputs | undefined, at: string, faults: FileFault[]): void {
  const times = [
    ['/now', given?.now],
    ['/change/expiresAt', given?.change?.['expiresAt']],
  ] as const;
  for (const [pointer, time] of times) {
    if (typeof time !== 'string' || parseTimestamp(time) !== undefined) continue;
    faults.push({
      pointer: `${at}${pointer}`,
      code: 'invalid',
      message: `must be a time as in RFC 3339, not ${JSON.stringify(time)}`,
    });
  }
}
