import {
  OPERATORS,
  type Call,
  type Comprehension,
  type Expr,
  type ListLiteral,
  type MapLiteral,
  type Select,
  type StructLiteral,
} from './ast.js';
import type { CelFunction, Overload } from './declarations.js';
import { CelUnsupported, type CelIssue } from './errors.js';
import { isDynOrError, mostGeneral, TypeMapping } from './type-mapping.js';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  formatType,
  INT,
  isDyn,
  isSimple,
  listOf,
  mapOf,
  NULL,
  objectType,
  optionalOf,
  parameter,
  parametersOf,
  sameType,
  STRING,
  typeOf,
  UINT,
  unwrapOptional,
  type CelType,
} from './types.js';
import { CelMap, typeNameOf, type Value } from './values.js';

/** What names in an expression mean. */
export interface Declarations {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: ReadonlyMap<string, CelFunction>;
  /** The names that are types, such as `int` and `net.IP`. */
  readonly types: ReadonlyMap<string, CelType>;
  /** The fields of the types with fields. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<string, CelType>>;
  /** Whether there is `cel.bind`, which the expressions of selectors of devices have. */
  readonly hasBindings?: true;
  /** The fields of the types of which an expression can make values, `Name{field: value}`; absent where it can make none. */
  readonly structs?: (name: string) => ((field: string) => CelType | undefined) | undefined;
}

/** What the checker has found out about each expression. */
export interface Checked {
  readonly types: ReadonlyMap<Expr, CelType>;
  /** The function of a call, and the signatures that fit; `isQualified` where what looks like the receiver is part of its name. */
  readonly calls: ReadonlyMap<Expr, ResolvedCall>;
  /** The variable or type that a name stands for, dots included. */
  readonly names: ReadonlyMap<Expr, ResolvedName>;
}

export interface ResolvedCall {
  readonly fn: CelFunction;
  readonly overloads: readonly string[];
  readonly isQualified: boolean;
}

export type ResolvedName = { readonly variable: string } | { readonly type: string };

/**
 * Finds the type of every expression.
 *
 * Source: cel-go v0.26.0, checker/checker.go, with comparisons across numeric types.
 *
 * @returns what is wrong, in the order in which it was found
 */
export function check(expr: Expr, declarations: Declarations): Checked & { readonly issues: readonly CelIssue[] } {
  const checker = new Checker(declarations);
  checker.check(expr);
  return checker.finish();
}

class Checker {
  private readonly types = new Map<Expr, CelType>();
  private readonly calls = new Map<Expr, ResolvedCall>();
  private readonly names = new Map<Expr, ResolvedName>();
  private readonly issues: CelIssue[] = [];
  private readonly scopes: Map<string, CelType>[] = [];
  private mapping = TypeMapping.empty();
  private freeVariables = 0;

  constructor(private readonly declared: Declarations) {}

  finish(): Checked & { readonly issues: readonly CelIssue[] } {
    for (const [expr, type] of this.types) this.types.set(expr, this.mapping.substitute(type, 'dyn'));
    const { types, calls, names, issues } = this;
    return { types, calls, names, issues };
  }

  check(expr: Expr): void {
    this.types.set(expr, this.typeOf(expr));
  }

  private typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case 'literal':
        return typeOfLiteral(expr.value);
      case 'ident':
        return this.ofName(expr, expr.name) ?? this.undeclared(expr.at, expr.name);
      case 'select':
        return this.ofSelect(expr);
      case 'call':
        return this.ofCall(expr);
      case 'list':
        return this.ofList(expr);
      case 'map':
        return this.ofMap(expr);
      case 'comprehension':
        return this.ofComprehension(expr);
      case 'struct':
        return this.ofStruct(expr);
    }
  }

  /** Of types that expressions may make values of; of others, such as messages, none is made here. */
  private ofStruct(expr: StructLiteral): CelType {
    const name = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name;
    const fields = this.declared.structs?.(name);
    if (fields === undefined) {
      if (this.declared.structs === undefined || this.declared.types.has(name)) {
        throw new CelUnsupported(`the message literal ${expr.name}{}`);
      }
      return this.undeclared(expr.at, expr.name);
    }
    for (const { name: field, value, isOptional, at } of expr.fields) {
      this.check(value);
      const type = fields(field);
      if (type === undefined) throw new CelUnsupported(`the field ${field} of ${name}`);
      const given = isOptional ? this.unwrapped(value) : this.get(value);
      if (!this.isAssignable(type, given)) {
        const texts = [formatType(type), formatType(given)];
        this.report(at, `expected type of field '${field}' is '${texts[0]}' but provided type is '${texts[1]}'`);
      }
    }
    return objectType(name);
  }

  private get(expr: Expr): CelType {
    return this.types.get(expr) ?? ERROR;
  }

  private report(at: number, message: string): CelType {
    this.issues.push({ at, message });
    return ERROR;
  }

  private undeclared(at: number, name: string): CelType {
    return this.report(at, `undeclared reference to '${name}' (in container '')`);
  }

  private mismatch(at: number, expected: CelType, found: CelType): CelType {
    return this.report(at, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  private ofName(expr: Expr, written: string): CelType | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written;
    for (let index = this.scopes.length - 1; index >= 0; index -= 1) {
      const local = this.scopes[index]!.get(name);
      if (local === undefined) continue;
      this.names.set(expr, { variable: name });
      return local;
    }
    const variable = this.declared.variables.get(name);
    if (variable !== undefined) {
      this.names.set(expr, { variable: name });
      return variable;
    }
    const type = this.declared.types.get(name);
    if (type === undefined && this.declared.structs?.(name) !== undefined) throw new CelUnsupported(`the type ${name}`);
    if (type === undefined) return undefined;
    this.names.set(expr, { type: name });
    return typeOf(type);
  }

  private ofSelect(expr: Select): CelType {
    const qualified = expr.isTest ? undefined : qualifiedName(expr);
    const named = qualified === undefined ? undefined : this.ofName(expr, qualified);
    if (named !== undefined) return named;
    const type = this.ofField(expr.at, expr.operand, expr.field, false);
    return expr.isTest ? BOOL : this.mapping.substitute(type, 'stay');
  }

  private ofField(at: number, operand: Expr, field: string, isOptional: boolean): CelType {
    this.check(operand);
    const operandType = this.mapping.substitute(this.get(operand), 'stay');
    const unwrapped = unwrapOptional(operandType);
    const target = unwrapped ?? operandType;
    const type = this.ofFieldOf(at, target, field);
    return unwrapped !== undefined || isOptional ? optionalOf(type) : type;
  }

  private ofFieldOf(at: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.value;
      case 'object': {
        if (this.declared.structs?.(target.name) !== undefined) throw new CelUnsupported(`a field of ${target.name}`);
        const fields = this.declared.objects.get(target.name);
        if (fields === undefined) return this.report(at, `unexpected failed resolution of '${target.name}'`);
        return fields.get(field) ?? this.report(at, `undefined field '${field}'`);
      }
      case 'parameter':
        this.isAssignable(DYN, target);
        return DYN;
      default:
        if (!isDynOrError(target)) this.report(at, `type '${formatType(target)}' does not support field selection`);
        return DYN;
    }
  }

  private ofCall(expr: Call): CelType {
    const { name, target, args, at } = expr;
    if (name === OPERATORS.optionalSelect) {
      const field = args[1]!;
      const type = this.ofField(
        at,
        args[0]!,
        field.kind === 'literal' && typeof field.value === 'string' ? field.value : '',
        true,
      );
      return this.mapping.substitute(type, 'stay');
    }
    for (const arg of args) this.check(arg);
    if (target === undefined) {
      const fn = this.declared.functions.get(name.startsWith('.') ? name.slice(1) : name);
      return fn === undefined ? this.undeclared(at, name) : this.resolve(expr, fn, undefined, false);
    }
    const prefix = qualifiedName(target);
    const qualified = prefix === undefined ? undefined : this.declared.functions.get(`${prefix}.${name}`);
    if (qualified !== undefined) return this.resolve(expr, qualified, undefined, true);
    this.check(target);
    const fn = this.declared.functions.get(name);
    return fn === undefined ? this.undeclared(at, name) : this.resolve(expr, fn, target, false);
  }

  private resolve(call: Call, fn: CelFunction, target: Expr | undefined, isQualified: boolean): CelType {
    const args = target === undefined ? call.args : [target, ...call.args];
    const argTypes = args.map((arg) => this.get(arg));
    if (fn.name === OPERATORS.and || fn.name === OPERATORS.or) return this.resolveLogical(call, fn, argTypes);
    const fitting: string[] = [];
    let result: CelType | undefined;
    for (const candidate of fn.overloads) {
      if (candidate.isMember !== (target !== undefined)) continue;
      const [candidateResult, ...candidateArgs] = this.instance(candidate);
      const mapping = this.mapping.assigning(argTypes, candidateArgs);
      if (mapping === undefined) continue;
      this.mapping = mapping;
      fitting.push(candidate.id);
      const type = mapping.substitute(candidateResult!, 'stay');
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(type, result)) result = DYN;
    }
    if (result === undefined) {
      const shown = argTypes.map((type) => formatType(this.mapping.substitute(type, 'dyn')));
      const receiver = target === undefined ? '' : `${shown.shift()}.`;
      return this.report(
        call.at,
        `found no matching overload for '${fn.name}' applied to '${receiver}(${shown.join(', ')})'`,
      );
    }
    this.calls.set(call, { fn, overloads: fitting, isQualified });
    return result;
  }

  private resolveLogical(call: Call, fn: CelFunction, argTypes: readonly CelType[]): CelType {
    let result: CelType = BOOL;
    for (const [index, type] of argTypes.entries()) {
      if (!this.isAssignable(type, BOOL)) result = this.mismatch(call.args[index]!.at, BOOL, type);
    }
    if (!isSimple(result, 'error')) this.calls.set(call, { fn, overloads: [fn.overloads[0]!.id], isQualified: false });
    return result;
  }

  /** The result and the arguments of a signature, its type parameters replaced by free ones. */
  private instance({ result, args }: Overload): readonly CelType[] {
    const names = new Set<string>();
    const types = [result, ...args];
    for (const type of types) collectParameters(type, names);
    if (names.size === 0) return types;
    const fresh = TypeMapping.empty();
    for (const name of names) fresh.add(parameter(name), this.freeVariable());
    return types.map((type) => fresh.substitute(type, 'stay'));
  }

  private ofList(expr: ListLiteral): CelType {
    let joined: CelType | undefined;
    for (const { value, isOptional } of expr.elements) {
      this.check(value);
      joined = this.join(joined, isOptional ? this.unwrapped(value) : this.get(value));
    }
    return listOf(joined ?? this.freeVariable());
  }

  private ofMap(expr: MapLiteral): CelType {
    let keyType: CelType | undefined;
    let valueType: CelType | undefined;
    for (const { key, value, isOptional } of expr.entries) {
      this.check(key);
      keyType = this.join(keyType, this.get(key));
      this.check(value);
      valueType = this.join(valueType, isOptional ? this.unwrapped(value) : this.get(value));
    }
    return mapOf(keyType ?? this.freeVariable(), valueType ?? this.freeVariable());
  }

  private unwrapped(expr: Expr): CelType {
    const type = this.get(expr);
    const unwrapped = unwrapOptional(type);
    if (unwrapped === undefined && !isDyn(type)) this.mismatch(expr.at, optionalOf(type), type);
    return unwrapped ?? type;
  }

  private join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    return this.isAssignable(previous, current) ? mostGeneral(previous, current) : DYN;
  }

  private ofComprehension(expr: Comprehension): CelType {
    this.check(expr.range);
    this.check(expr.init);
    const range = this.mapping.substitute(this.get(expr.range), 'stay');
    const accumulated = this.get(expr.init);
    this.scopes.push(new Map([[expr.accumulator, accumulated]]));
    const [first, second] = this.elementsOf(expr, range);
    const variables = new Map([[expr.variable, first]]);
    if (expr.secondVariable !== undefined) variables.set(expr.secondVariable, second);
    this.scopes.push(variables);
    this.check(expr.condition);
    this.expectType(expr.condition, BOOL);
    this.check(expr.step);
    this.expectType(expr.step, accumulated);
    this.scopes.pop();
    this.check(expr.result);
    this.scopes.pop();
    return this.mapping.substitute(this.get(expr.result), 'stay');
  }

  /** The types of the variables of a comprehension. */
  private elementsOf({ range, secondVariable }: Comprehension, type: CelType): readonly [CelType, CelType] {
    if (type.kind === 'list') return secondVariable === undefined ? [type.element, DYN] : [INT, type.element];
    if (type.kind === 'map') return [type.key, type.value];
    if (type.kind === 'parameter' || isDynOrError(type)) {
      this.isAssignable(DYN, type);
      return [DYN, DYN];
    }
    const shown = formatType(type);
    this.report(
      range.at,
      `expression of type '${shown}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [ERROR, ERROR];
  }

  private expectType(expr: Expr, type: CelType): void {
    if (!this.isAssignable(type, this.get(expr))) this.mismatch(expr.at, type, this.get(expr));
  }

  private isAssignable(to: CelType, from: CelType): boolean {
    const mapping = this.mapping.assigning([to], [from]);
    if (mapping !== undefined) this.mapping = mapping;
    return mapping !== undefined;
  }

  private freeVariable(): CelType {
    this.freeVariables += 1;
    return parameter(`_var${this.freeVariables - 1}`);
  }
}

/** Names with dots between them, as one. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.isTest) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}

function collectParameters(type: CelType, names: Set<string>): void {
  if (type.kind === 'parameter') names.add(type.name);
  for (const inner of parametersOf(type)) collectParameters(inner, names);
}

const LITERAL_TYPES: ReadonlyMap<string, CelType> = new Map([
  ['bool', BOOL],
  ['bytes', BYTES],
  ['double', DOUBLE],
  ['int', INT],
  ['null_type', NULL],
  ['string', STRING],
  ['uint', UINT],
]);

function typeOfLiteral(value: Value): CelType {
  return value instanceof CelMap ? DYN : (LITERAL_TYPES.get(typeNameOf(value)) ?? DYN);
}
