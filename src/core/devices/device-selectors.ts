import type { Declarations } from '../cel/checker.js';
import { environment } from '../cel/environment.js';
import { CelCompileError, CelUnsupported } from '../cel/errors.js';
import { QUANTITY, quantityValue } from '../cel/libraries/quantities.js';
import { semverValue } from '../cel/libraries/semver.js';
import { PlanError, Program, type Evaluation } from '../cel/program.js';
import { ANY, BOOL, describeType, mapOf, objectType, sameType, STRING, type CelType } from '../cel/types.js';
import { CelError, CelMap, isError, TotalMap, typeNameOf, type Value } from '../cel/values.js';
import { LruCache } from '../collections/lru-cache.js';
import type { Device, DeviceAttribute } from '../kubernetes/objects/dra.js';
import { parseQuantity } from '../kubernetes/quantity.js';
import { isListAttribute } from './list-attributes.js';

/** What a selector says of a device, or why it cannot tell, in Kubernetes' words; and what it cost to find out. */
export type SelectorVerdict = { readonly cost: number } & (
  { readonly matches: boolean } | { readonly fault: 'compile' | 'runtime'; readonly message: string }
);

const DEVICE = 'kubernetes.DRADevice';

const FIELDS: ReadonlyMap<string, CelType> = new Map([
  ['driver', STRING],
  ['allowMultipleAllocations', BOOL],
  ['attributes', mapOf(STRING, mapOf(STRING, ANY))],
  ['capacity', mapOf(STRING, mapOf(STRING, QUANTITY))],
]);

/**
 * What expressions can name: `device`, whose attributes can have any type.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, cel/compile.go, `newCompiler`.
 */
const declarations = (fields: ReadonlyMap<string, CelType>): Declarations => ({
  ...environment(new Map([['device', objectType(DEVICE)]]), new Map([[DEVICE, fields]])),
  hasBindings: true,
});
const DECLARATIONS = declarations(FIELDS);
const WITHOUT_SHARES = declarations(new Map([...FIELDS].filter(([name]) => name !== 'allowMultipleAllocations')));

/** `resourceapi.CELSelectorExpressionMaxCost`, k8s.io/api v0.36.2. */
const MAX_COST = 1_000_000;

class WrongType extends Error {
  override readonly name = 'WrongType';
}

type Compiled = Program | CelUnsupported | { readonly message: string };

const COMPILED = new LruCache<Compiled>(1_000);

/** `CompileCELExpression`, in the environment for stored expressions. */
function compiled(expression: string, knowsShares: boolean): Compiled {
  const key = `${knowsShares}${expression}`;
  return COMPILED.get(key, () => compile(expression, knowsShares ? DECLARATIONS : WITHOUT_SHARES));
}

function compile(expression: string, declared: Declarations): Compiled {
  const isAllowed = (type: CelType): void => {
    if (sameType(type, BOOL) || sameType(type, ANY)) return;
    throw new WrongType(`must evaluate to bool or the unknown type, not ${describeType(type)}`);
  };
  try {
    return Program.compile(expression, declared, isAllowed);
  } catch (error) {
    if (error instanceof WrongType) return { message: error.message };
    if (error instanceof PlanError) return { message: `program instantiation failed: ${error.message}` };
    if (error instanceof CelUnsupported) return error;
    if (!(error instanceof CelCompileError)) throw error;
    return { message: `compilation failed: ${error.message}` };
  }
}

/**
 * Why an expression does not compile, in Kubernetes' words; undefined if it does, and if it is not evaluated here.
 *
 * @param knowsShares as for `Selector`
 */
export function selectorFault(expression: string, knowsShares: boolean): string | undefined {
  const program = compiled(expression, knowsShares);
  return program instanceof Program || program instanceof CelUnsupported ? undefined : program.message;
}

/** The function that exists only with DRAListTypeAttributes: the API server refuses it without, so that a stored object that has it shows that the gate was on. */
const INCLUDES = /\.\s*includes\s*\(/;

/** An expression that is asked about devices. */
export class Selector {
  private said: SelectorVerdict | undefined;

  /** @param knowsShares whether a device has the field `allowMultipleAllocations`: the feature gate DRAConsumableCapacity */
  constructor(
    private readonly expression: string,
    private readonly knowsShares = true,
  ) {}

  /**
   * What the expression says of every device whose attributes can be read, because it has looked at none; undefined until it has been
   * evaluated, and where it looks. It is evaluated once.
   */
  get ofAll(): SelectorVerdict | undefined {
    return this.said;
  }

  /**
   * Whether the expression selects a device.
   *
   * Source: k8s.io/dynamic-resource-allocation v0.36.2, cel/compile.go, `DeviceMatches`.
   *
   * @throws {CelUnsupported} for an expression that is not evaluated here, and a device with a list among its attributes
   */
  selects(driver: string, device: Device): SelectorVerdict {
    const program = compiled(this.expression, this.knowsShares);
    if (program instanceof CelUnsupported) throw program;
    if (!(program instanceof Program)) {
      if (INCLUDES.test(this.expression)) throw new CelUnsupported('includes() (feature gate DRAListTypeAttributes)');
      return { cost: 0, fault: 'compile', message: program.message };
    }
    const variable = deviceVariable(driver, device);
    if (isError(variable)) return { cost: 0, fault: 'runtime', message: variable.message };
    if (this.said !== undefined) return this.said;
    let hasLooked = false;
    const look = (): Value => {
      hasLooked = true;
      return variable;
    };
    const verdict = verdictOf(program.evaluate(look, MAX_COST));
    if (!hasLooked) this.said = verdict;
    return verdict;
  }
}

function verdictOf({ value, cost }: Evaluation): SelectorVerdict {
  if (isError(value)) return { cost, fault: 'runtime', message: value.message };
  return typeof value === 'boolean' ? { cost, matches: value } : { cost, fault: 'runtime', message: notBoolean(value) };
}

/** `Selector.selects` for one device. */
export const selects = (expression: string, driver: string, device: Device): SelectorVerdict =>
  new Selector(expression).selects(driver, device);

const VARIABLES = new WeakMap<Device, Map<string, Value>>();

function deviceVariable(driver: string, device: Device): Value {
  const byDriver = VARIABLES.get(device) ?? new Map<string, Value>();
  VARIABLES.set(device, byDriver);
  let known = byDriver.get(driver);
  if (known === undefined) byDriver.set(driver, (known = variableOf(driver, device)));
  return known;
}

function variableOf(driver: string, { attributes = {}, capacity = {}, allowMultipleAllocations }: Device): Value {
  const values: (readonly [string, Value])[] = [];
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = attributeValue(attribute);
    if (isError(value)) return new CelError(`attribute ${name}: ${value.message}`);
    values.push([name, value]);
  }
  const amounts = Object.entries(capacity).map(
    ([name, { value }]) => [name, quantityValue(parseQuantity(value))] as const,
  );
  return new CelMap([
    ['driver', driver],
    ['allowMultipleAllocations', allowMultipleAllocations ?? false],
    ['attributes', byDomain(driver, values)],
    ['capacity', byDomain(driver, amounts)],
  ]);
}

/** @throws {CelUnsupported} for a list */
function attributeValue(attribute: DeviceAttribute): Value {
  if (isListAttribute(attribute)) {
    throw new CelUnsupported('the attributes of a device of which one is a list (feature gate DRAListTypeAttributes)');
  }
  const { int, bool, string, version } = attribute;
  if (int !== undefined) return BigInt(int);
  if (bool !== undefined) return bool;
  if (string !== undefined) return string;
  if (version === undefined) return new CelError('unsupported attribute value');
  const parsed = semverValue(version);
  return isError(parsed) ? new CelError(`parse semantic version: ${parsed.message}`) : parsed;
}

const EMPTY = new CelMap();

/** By domain and name; a name without a domain has the driver's. A domain that is not there is an empty map. */
function byDomain(driver: string, values: readonly (readonly [string, Value])[]): CelMap {
  const domains = new Map<string, [string, Value][]>();
  for (const [name, value] of values) {
    const slash = name.indexOf('/');
    const domain = slash === -1 ? driver : name.slice(0, slash);
    const own = domains.get(domain) ?? [];
    domains.set(domain, own);
    own.push([name.slice(slash + 1), value]);
  }
  return new TotalMap(
    [...domains].map(([domain, own]) => [domain, new CelMap(own)] as const),
    EMPTY,
  );
}

/** `ConvertToNative` of cel-go v0.26.0 and k8s.io/apiserver v0.36.2 for a bool, by type. */
const CONVERSIONS: ReadonlyMap<string, string> = new Map([
  ['int', "unsupported type conversion from 'int' to bool"],
  ['uint', "unsupported type conversion from 'uint' to bool"],
  ['string', "unsupported native conversion from string to 'bool'"],
  ['double', "type conversion error from Double to 'bool'"],
  ['bytes', "type conversion error from Bytes to 'bool'"],
  ['list', "type conversion error from list to 'bool'"],
  ['map', "type conversion error from map to 'bool'"],
  ['kubernetes.Semver', "type conversion error from 'Semver' to 'bool'"],
  ['kubernetes.Quantity', "type conversion error from 'Quantity' to 'bool'"],
]);

function notBoolean(value: Value): string {
  const type = typeNameOf(value);
  const why = CONVERSIONS.get(type) ?? `type conversion error from '${type}' to 'bool'`;
  return `CEL result of type ${type} could not be converted to bool: ${why}`;
}
