import type { CelFunction, Overload } from './declarations.js';
import {
  CelError,
  CelMap,
  Duration,
  isError,
  isList,
  noSuchOverload,
  Timestamp,
  typeNameOf,
  type Value,
} from './values.js';
import { isSimple, runtimeName, type CelType } from './types.js';

/**
 * How a function is called: as the one signature that the checker found, or, where several fit (`overload` is empty), as the first whose
 * arguments have the right types at run time.
 *
 * Source: cel-go v0.26.0, common/decls/decls.go, `Bindings`, and interpreter/interpretable.go.
 */
export function invocation(fn: CelFunction, overload: string): (args: readonly Value[]) => Value {
  const { run } = fn;
  if (run !== undefined) return (args) => run(...args) ?? unsupported(fn.name, args);
  const runnable = fn.overloads.filter((one) => one.run !== undefined);
  const one = runnable.length === 1 ? runnable[0] : runnable.find(({ id }) => id === overload);
  const candidates = one === undefined ? runnable : [one];
  return (args) => {
    const fitting = candidates.find((candidate) => fits(candidate, fn, args));
    return fitting?.run?.(...args) ?? noSignature(fn.name, args);
  };
}

/** Of a type that lacks the function altogether; texts and times say so in their own way. */
function unsupported(name: string, [first]: readonly Value[]): CelError {
  const isReceiver = typeof first === 'string' || first instanceof Duration || first instanceof Timestamp;
  return isReceiver ? noSuchOverload() : new CelError(`no such overload: ${name}`);
}

function noSignature(name: string, args: readonly Value[]): CelError {
  return args.find(isError) ?? new CelError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`);
}

const fits = ({ args: types }: Overload, { isUnguarded }: CelFunction, args: readonly Value[]): boolean =>
  types.length === args.length && (isUnguarded === true || types.every((type, index) => isOfType(args[index]!, type)));

/** Whether a value has a type, as far as the first element of a list or map shows. */
function isOfType(value: Value, type: CelType): boolean {
  if (type.kind === 'parameter') return true;
  if (isSimple(type, 'dyn')) return true;
  if (runtimeName(type) !== typeNameOf(value)) return false;
  if (type.kind === 'list' && isList(value)) return value.length === 0 || isOfType(value[0]!, type.element);
  if (type.kind === 'map' && value instanceof CelMap) {
    const [entry] = value.all();
    return entry === undefined || (isOfType(entry[0], type.key) && isOfType(entry[1], type.value));
  }
  return true;
}
